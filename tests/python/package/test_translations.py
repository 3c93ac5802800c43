"""Pages in Russian, README.ru.md too, have all that the page in English has; examples are run there only."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from page_examples import DOCS, PROJECT, is_translation

if TYPE_CHECKING:
    from pathlib import Path

README = PROJECT / "README.ru.md"
RUSSIAN = [README, *sorted(DOCS.rglob("*.ru.md"))]
NAMES = [str(page.relative_to(PROJECT)) for page in RUSSIAN]
GUIDES = [
    DOCS / "index.md",
    *(page for part in ("how-to", "tutorial") for page in (DOCS / part).rglob("*.md")),
]
GUIDES = sorted({*GUIDES} - {*RUSSIAN})
BLOCK = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```\n", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
ROWS = re.compile(r"(?:^ *\|.*\n)+", re.MULTILINE)
# What the links of README.md to files of this repository start with.
REPOSITORY = re.compile(
    r"https://(?:github\.com|raw\.githubusercontent\.com)/leadbyte/leadbyte/(?:blob/|tree/)?main/"
)
LINK_TO_OTHER = re.compile(r"^\(\[(?:in English|по-русски|По-русски)\]\(.*\)\)\n", re.MULTILINE)
IN_ENGLISH, IN_RUSSIAN = "\n\n([in English]({}))\n\n", "\n\n([по-русски]({}))\n\n"


def english(page: Path) -> Path:
    """Return the page that a page in Russian is a translation of."""
    return page.with_name(page.name.replace(".ru.md", ".md"))


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the blocks of code of a page, each with its language; the lists of Sphinx are not code."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(language, text) for _, language, text in found if not language.startswith("{")]


def prose(page: Path) -> str:
    """Return a page with relative links, without its code and the line that links the other language."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return LINK_TO_OTHER.sub("", REPOSITORY.sub("", text), count=1)


def sections(page: Path) -> list[str]:
    """Return the prose of a page in parts: before the first heading, after it, ..."""
    return re.split(r"^#+ .*$", prose(page), flags=re.MULTILINE)


def anchors(page: Path) -> list[str]:
    """Return the anchors of the headings of a page, by the rules of GitHub."""
    titles = [title for _, title in HEADING.findall(prose(page))]
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def links(page: Path, text: str, *, translated: bool) -> Counter[tuple[str, int | None]]:
    """Return the targets of links in a part of a page: each page and the number of its heading.

    Links from a page in Russian lead to pages in Russian if there are any, and are returned as the pages in
    English that they correspond to.
    """
    found: Counter[tuple[str, int | None]] = Counter()
    for target, anchor in LINK.findall(text):
        linked = page.parent / target if target else page
        if target.endswith(".md") and not target.startswith("http"):
            heading = anchors(linked).index(anchor) if anchor else None
            if translated and linked != page:
                in_russian = linked.with_name(linked.name.removesuffix(".md") + ".ru.md")
                assert target.endswith(".ru.md") or not in_russian.exists(), (
                    f"{target}: there is {in_russian}"
                )
            found[target.replace(".ru.md", ".md"), heading] += 1
        elif not target:
            found["", anchors(page).index(anchor)] += 1
        else:
            # Figures have words in the language of the page.
            found[f"{target}#{anchor}".replace(".ru.svg", ".svg"), None] += 1
    return found


def tables(text: str) -> list[list[int]]:
    """Return the number of cells of each row of each table."""
    return [
        [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in table.splitlines()] for table in ROWS.findall(text)
    ]


def inline_code(text: str) -> set[str]:
    """Return the names, options and values that a text has in backticks."""
    return {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)}


def numbers(text: str) -> set[str]:
    """Return the numbers of a text: 1,000 and 0.5 in English are 1000 (or 1 000) and 0,5 in Russian."""
    return set(re.findall(r"\d+(?:\.\d+)*", re.sub(r"`[^`]+`|\]\([^)]*\)", "", text)))


def numbers_in_english(text: str) -> set[str]:
    return numbers(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))


def numbers_in_russian(text: str) -> set[str]:
    return numbers(re.sub(r"(?<=\d)[ \xa0](?=\d{3}\b)", "", re.sub(r"(?<=\d),(?=\d)", ".", text)))


@pytest.mark.parametrize("page", GUIDES, ids=[str(page.relative_to(DOCS)) for page in GUIDES])
def test_every_guide_is_in_russian(page: Path) -> None:
    assert page.with_name(f"{page.stem}.ru.md").exists()


@pytest.mark.parametrize("page", RUSSIAN, ids=NAMES)
def test_languages_link_each_other(page: Path) -> None:
    """Below the title, as README.md does."""
    if page == README:
        assert "\n([По-русски](" in english(page).read_text(encoding="utf-8")
        return
    texts = [path.read_text(encoding="utf-8").partition("\n")[2] for path in (page, english(page))]
    assert f"\n{texts[0]}".startswith(IN_ENGLISH.format(english(page).name))
    assert f"\n{texts[1]}".startswith(IN_RUSSIAN.format(page.name))


@pytest.mark.parametrize("page", RUSSIAN, ids=NAMES)
def test_code(page: Path) -> None:
    """It is identical, with its comments: it is run once."""
    translated, original = blocks(page), blocks(english(page))
    if is_translation(page):
        assert translated == original
    else:
        # It shows what the command prints in Russian, and is run, too.
        assert [language for language, _ in translated] == [language for language, _ in original]


@pytest.mark.parametrize("page", RUSSIAN, ids=NAMES)
def test_structure(page: Path) -> None:
    """Headings have the same levels, tables the same cells, links the same targets, section by section."""
    levels = [[len(marks) for marks, _ in HEADING.findall(prose(path))] for path in (page, english(page))]
    assert levels[0] == levels[1]
    for translated, original in zip(sections(page), sections(english(page)), strict=True):
        assert tables(translated) == tables(original)
        assert links(page, translated, translated=True) == links(english(page), original, translated=False)


@pytest.mark.parametrize("page", RUSSIAN, ids=NAMES)
def test_facts(page: Path) -> None:
    """All names in backticks and all numbers in digits are the same."""
    translated, original = prose(page), prose(english(page))
    if is_translation(page):
        assert inline_code(translated) == inline_code(original)
    if is_translation(page) or page == README:
        assert numbers_in_russian(translated) == numbers_in_english(original)
