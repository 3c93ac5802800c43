"""The figures of the introduction to UTF-8."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import figures
import pytest

IMAGES = figures.images()
SVG = "{http://www.w3.org/2000/svg}"
ENCODED = {"dollar": "$", "cent": "¢", "euro": "€", "hwair": "𐍈"}


def test_committed_figures_are_those_the_script_draws() -> None:
    committed = {path.name: path.read_text(encoding="utf-8") for path in figures.FOLDER.iterdir()}
    assert committed == IMAGES


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
def test_figure_matches_its_title(image: str) -> None:
    root = ET.fromstring(image)
    for tag in ("title", "desc"):
        assert (root.findtext(SVG + tag) or "").strip()


@pytest.mark.parametrize("name", ENCODED)
def test_three_steps_lead_to_what_python_encodes(name: str) -> None:
    texts = ["".join(text.itertext()) for text in ET.fromstring(IMAGES[f"{name}.svg"]).iter(f"{SVG}text")]
    data = ENCODED[name].encode()
    assert [text for text in texts if text in figures.in_hex(data)] == figures.in_hex(data)
    # The last row of bits: each byte's marker bits and its others.
    bits = "".join(f"{byte:08b}" for byte in data)
    assert "".join(text for text in texts if set(text) <= {"0", "1"}).endswith(bits)


def test_map_of_bytes_agrees_with_the_standard() -> None:
    # RFC 3629, section 4.
    ranges = [
        ("ascii", 0x80),
        ("continuation", 0x40),
        ("never", 2),
        ("two", 30),
        ("three", 16),
        ("four", 5),
        ("never", 11),
    ]
    assert figures.kinds_of_bytes() == [kind for kind, number in ranges for _ in range(number)]
