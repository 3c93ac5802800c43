"""The live page in headless Chromium: LEADBYTE_LIVE is the folder of the built page."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from browser import Anything, Page, browse, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(os.environ["LEADBYTE_LIVE"])
VECTORS = json.loads((Path(__file__).parents[2] / "tests/vectors/explain.json").read_text(encoding="utf-8"))
LANGUAGES = ["en", "ru"]
# What the page shows of each row.
SHOWN = """[...document.querySelectorAll("#characters tbody tr")].map((row) => ({
    kind: row.querySelector("[data-kind]")?.dataset.kind ?? null,
    symbol: row.querySelector(".symbol")?.textContent ?? "\\ufffd",
    utf8_bits: [...row.querySelectorAll(".octet")].map((octet) =>
        [...octet.children].map((part) => part.textContent)),
    codes: [...row.querySelectorAll("code")].map((code) => code.textContent),
}))"""
# The ratios of contrast (WCAG 2.2) of all texts, with the colours behind them.
CONTRAST = r"""(() => {
    const parse = (colour) => {
        const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const data = context.getImageData(0, 0, 1, 1).data;
        return [data[0], data[1], data[2], data[3] / 255];
    };
    const behind = (element) => {
        if (!element) return [255, 255, 255];
        const [red, green, blue, alpha] = parse(getComputedStyle(element).backgroundColor);
        if (alpha === 0) return behind(element.parentElement);
        // A translucent colour, before it was put into the canvas.
        const under = alpha === 1 ? [0, 0, 0] : behind(element.parentElement);
        return [red, green, blue].map((value, at) => value * alpha + under[at] * (1 - alpha));
    };
    const luminance = (colour) => {
        const [red, green, blue] = colour.map((value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const texts = [...document.querySelectorAll("body *")].filter((element) =>
        element.checkVisibility() &&
        [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    return texts.map((element) => {
        const colours = [parse(getComputedStyle(element).color), behind(element)].map((colour) =>
            luminance(colour.slice(0, 3)));
        return [(Math.max(...colours) + 0.05) / (Math.min(...colours) + 0.05), element.textContent];
    });
})()"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Return the address of the page."""
    with serve(FOLDER) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """Return the browser."""
    with browse() as page:
        page.resize(1000)
        yield page


@pytest.fixture
def page(browser: Page, site: str) -> Iterator[Page]:
    """Return the page, opened in English with its first example, without a complaint at the end."""
    browser.resize(1000)
    browser.colour("light")
    browser.open(f"{site}?lang=en")
    yield browser
    assert browser.evaluate("document.body.dataset.state") == "ready"
    assert browser.complaints == []
    assert [request for request in browser.requests if not request.startswith((site, "data:,"))] == []


def enter(page: Page, mode: str, value: str) -> None:
    """Type into the page."""
    page.evaluate(f"document.querySelector('input[value={mode}]').click()")
    page.evaluate("document.querySelector('#input').focus(); document.querySelector('#input').select()")
    page.evaluate("document.querySelector('#input').value = ''")
    page.type(value)


def name(page: Page, mode: str, value: str) -> None:
    """Give the page what to explain in its address."""
    address = json.dumps("#" + urlencode({mode: value}))
    page.evaluate(f"document.body.dataset.state = 'busy'; location.hash = {address}")
    page.wait("document.body.dataset.state === 'ready'")


def summary(page: Page) -> Anything:
    """Return the line that screen readers announce."""
    return page.evaluate("document.querySelector('#summary').textContent")


def test_vectors(page: Page) -> None:
    """The page shows what the package says."""
    for vector in VECTORS:
        if not vector["data"]:
            continue
        name(page, "bytes", vector["data"])
        expected = [
            {
                "kind": row["kind"],
                "symbol": row["symbol"],
                "utf8_bits": row["utf8_bits"],
                "codes": [row["utf8_hex"]]
                if row["kind"]
                else [row["code_point"], row["utf8_hex"], row["utf16_hex"]],
            }
            for row in vector["rows"]
        ]
        assert page.evaluate(SHOWN) == expected, vector["data"]
        repaired = page.evaluate(
            "document.querySelector('#mojibake:not([hidden]) output')?.textContent ?? null"
        )
        assert repaired == (vector["mojibake"] and vector["mojibake"]["text"])
        found = page.evaluate(
            "[...document.querySelectorAll('#encodings li')].map((item) => item.textContent)"
        )
        assert len(found) == len(vector["encodings"])
        for text, detection in zip(found, vector["encodings"], strict=True):
            assert text.startswith(detection["encoding"] or f"no text: {detection['kind']}")


def test_text(page: Page) -> None:
    enter(page, "text", "¢ ü<b>&")
    assert summary(page) == "7 characters: 9 bytes in UTF-8, 14 bytes in UTF-16"
    name(page, "text", "")
    assert summary(page) == "Nothing typed yet."
    enter(page, "text", "a" * 70_000)
    assert "65,536 bytes" in page.evaluate("document.querySelector('#problem').textContent")
    assert "65,036 rows" in page.evaluate("document.querySelector('#omitted').textContent")


def test_bytes(page: Page) -> None:
    enter(page, "bytes", "63 61 66 E9")
    assert summary(page) == "3 characters: 4 bytes in UTF-8, 6 bytes in UTF-16; 1 error"
    assert "truncated" in page.evaluate("document.querySelector('#characters .error-message').textContent")
    enter(page, "bytes", "63 6g")
    assert "“g”" in page.evaluate("document.querySelector('#problem').textContent")
    # What was typed is converted.
    enter(page, "text", "é")
    page.evaluate("document.querySelector('input[value=bytes]').click()")
    assert page.evaluate("document.querySelector('#input').value") == "C3 A9"
    page.evaluate("document.querySelector('input[value=text]').click()")
    assert page.evaluate("document.querySelector('#input').value") == "é"


@pytest.mark.parametrize("mode", ["text", "bytes"])
def test_address(page: Page, site: str, mode: str) -> None:
    value = "½ & #" if mode == "text" else "c2 bd"
    page.open(f"{site}?lang=en#{urlencode({mode: value})}")
    assert page.evaluate("document.querySelector('#input').value") == value
    assert page.evaluate("document.querySelector('.symbol').textContent") == "½"


def test_keyboard(page: Page) -> None:
    """Everything is reached with the keyboard, in the order of the page, and the focus is visible."""
    reached = []
    for _ in range(10):
        page.press("Tab")
        active = page.evaluate(
            "(({tagName, id, name, textContent}) => [tagName, id || name || textContent])"
            "(document.activeElement)"
        )
        reached.append(tuple(active))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", active
        if active[0] == "TEXTAREA":
            page.call("Input.dispatchKeyEvent", type="char", text="é")
            page.wait("document.body.dataset.state === 'ready'")
    buttons = page.evaluate("[...document.querySelectorAll('button')].map((button) => button.textContent)")
    assert [name for tag, name in reached if tag == "BUTTON"] == buttons
    assert ("TEXTAREA", "input") in reached
    assert ("INPUT", "mode") in reached
    assert "é" in page.evaluate("document.querySelector('#input').value")


def test_keyboard_chooses(page: Page) -> None:
    page.evaluate("document.querySelector('input[name=mode]').focus()")
    page.press("ArrowRight")
    assert page.evaluate("document.querySelector('input[value=bytes]').checked")
    page.evaluate("document.querySelector('[data-language=ru]').focus()")
    page.press("Enter", "\r")
    assert page.evaluate("document.documentElement.lang") == "ru"


@pytest.mark.parametrize("language", LANGUAGES)
def test_accessible_names(page: Page, site: str, language: str) -> None:
    """Screen readers have a name for all that can be used, and announce the summary and problems."""
    page.open(f"{site}?lang={language}")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    of_role: dict[str, list[str]] = {}
    for node in nodes:
        if not node["ignored"]:
            of_role.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "textbox", "radio", "link", "group", "region", "heading", "table", "columnheader"):
        assert of_role[role], role
        assert all(of_role[role]), f"{role}: {of_role[role]}"
    assert len(of_role["columnheader"]) == 6
    assert len(of_role["row"]) == 1 + page.evaluate(
        "document.querySelectorAll('#characters tbody tr').length"
    )
    assert len(of_role["status"]) == 1
    assert page.evaluate("document.documentElement.lang") == language
    assert page.evaluate("document.querySelector('#summary').ariaLive") == "polite"
    levels = page.evaluate("[...document.querySelectorAll('h1, h2')].map((heading) => heading.tagName)")
    assert levels == ["H1", *["H2"] * (len(levels) - 1)]


def test_table_is_one_in_narrow_windows(page: Page) -> None:
    """Cards keep the roles of rows and cells."""
    page.resize(360)
    roles = [
        node["role"]["value"]
        for node in page.call("Accessibility.getFullAXTree")["nodes"]
        if not node["ignored"]
    ]
    assert roles.count("columnheader") == 6
    assert roles.count("cell") == 6 * page.evaluate(
        "document.querySelectorAll('#characters tbody tr').length"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_russian_and_english(page: Page, site: str, language: str) -> None:
    page.open(f"{site}?lang={language}")
    enter(page, "bytes", "d0 bc d0 b8 d1 80 20 c0 b1")
    shown = {
        "en": [
            "Text and its bytes",
            "4 characters: 9 bytes in UTF-8, 8 bytes in UTF-16; 1 error",
            "overlong",
        ],
        "ru": [
            "Текст и его байты",
            "4 символа: 9 байт в UTF-8, 8 байт в UTF-16; 1 ошибка",
            "избыточно длинная",
        ],
    }
    text = page.evaluate("document.body.innerText")
    for expected in shown[language]:
        assert expected in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_contrast(page: Page, scheme: str, width: int) -> None:
    """WCAG 2.2, level AA."""
    page.colour(scheme)
    page.resize(width)
    enter(page, "bytes", "63 61 66 e9 20 c0 b1 g")
    enter(page, "bytes", "c3 90 c2 9f 63 61 66 e9 20 c0 b1")
    ratios = page.evaluate(CONTRAST)
    assert len(ratios) > 40
    assert [(round(ratio, 2), text) for ratio, text in ratios if ratio < 4.5] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_telephone(page: Page, site: str, language: str) -> None:
    """Nothing is wider than a window of 360 pixels."""
    page.resize(360)
    page.open(f"{site}?lang={language}")
    texts = ["w" * 200, "Ξ" * 100, "РџСЂРёРІРµС‚" * 20, "👩🏽‍🚀" * 30]
    malformed = "ff bf bf bf bf bf bf bf c3 ed a0 bd ed b8 80"
    for mode, value in [*(("text", text) for text in texts), ("bytes", malformed)]:
        name(page, mode, value)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, value


def test_without_the_module(page: Page, site: str) -> None:
    """A failure is shown."""
    page.call("Network.setBlockedURLs", urls=["*.wasm"])
    try:
        page.open(f"{site}?lang=en")
        assert page.evaluate("document.body.dataset.state") == "failed"
        assert "WebAssembly" in summary(page)
    finally:
        page.call("Network.setBlockedURLs", urls=[])
    page.open(f"{site}?lang=en")
