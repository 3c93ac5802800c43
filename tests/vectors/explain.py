"""Write explain.json: texts and bytes, with what `leadbyte.explain` and others return, for the live page.

    python tests/vectors/explain.py [--check]

The live page shows the same, computed by the crate alone: live/tests compares them. Names and descriptions of
characters are left out, which the page does not show.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import leadbyte

FILE = Path(__file__).with_suffix(".json")
TEXTS = [
    *["", "A", "¢", "€", "😀", "Hello", "naïve 😀!", "Привет, мир!", "日本語", "नमस्ते", "שלום", "한국어"],
    *[
        "👩🏽‍🚀",
        "e\u0301",
        "\0\t\n\r\x7f\x85 \u00a0\u2028\ufeff",
        "\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff",
    ],
    *["\u1100\u1161\u11a8", "ig\u200bnore\U000e0041", "\ufdd0\ue000", '"\\</script>&'],
    *["РџСЂРёРІРµС‚, РјРёСЂ!", "Ãœber uns", "â€œquotedâ€\x9d", "оПХБЕР", "10Ã—15", "correct"],
]
DATA = [
    *[
        "63 61 66 e9",
        "63 61 66 e9 20 c0 b1",
        "e2 82",
        "e2 82 28",
        "f0 9f 98",
        "f0 80 80 80",
        "e0 80 af",
        "c1 bf",
    ],
    *[
        "80",
        "bf bf bf",
        "ed a0 80",
        "ed a0",
        "ed b8 80",
        "ed a0 bd ed b8 80",
        "ed b8 80 ed a0 bd",
        "61 ed a0 bd ed b8 80",
    ],
    *[
        "f4 90 80 80",
        "f5 80 80 80",
        "f7 bf bf bf",
        "f8 88 80 80 80",
        "fc 84 80 80 80 80",
        "fe",
        "ff",
        "fe 83 bf 80",
    ],
    *[
        "ff bf bf bf bf bf bf bf",
        "c3",
        "c3 28",
        "e1 80 e2 f0 91 92 f1 bf 41",
        "ff fe 41 00",
        "ef bb bf 61",
        "c2 c2 a2",
    ],
    *["cf f0 e8 e2 e5 f2 2c 20 ec e8 f0 21", "f0 d2 c9 d7 c5 d4 2c 20 cd c9 d2", "1f 8b 08 00 00 00 00 00"],
    *[
        "93 fa 96 7b 82 cc 8e f1 93 73 82 cd 93 8c 8b 9e 82 c5 82 b7 81 42",
        "fe ff 04 3c 04 38 04 40",
        "00 01 02 03",
    ],
]
ROW = {"index", "start", "end", "kind", "symbol", "utf8_hex", "utf8_bits"}
CHAR = ROW | {"char", "number", "code_point", "binary", "utf16_hex"}
ERROR = ROW | {"reason", "decoded_value"}


def vector(data: bytes) -> dict[str, Any]:
    """Return what the package says about bytes."""
    explanation = leadbyte.explain(data).as_dict("en")
    rows = [
        {name: row[name] for name in sorted(CHAR if "char" in row else ERROR)} for row in explanation["rows"]
    ]
    found = {
        "data": data.hex(" "),
        **explanation,
        "rows": rows,
        "encodings": [
            {
                "kind": detection.kind,
                "encoding": detection.encoding,
                "percent": round(100 * detection.confidence),
                "language": detection.language,
            }
            for detection in leadbyte.detect_all(data)[:5]
        ],
        "mojibake": None,
        "single_byte": None,
    }
    if leadbyte.is_valid(data):
        text = data.decode()
        repair = leadbyte.mojibake.explain(text)
        if repair.text != text:
            steps = [[step.encoding, step.misread_as] for step in repair.steps]
            found["mojibake"] = {"text": repair.text, "steps": steps}
        sizes = leadbyte.compare_sizes(text)
        found["utf32_length"] = sizes.utf32
        found["single_byte"] = sorted(name for name, size in sizes.legacy.items() if size == sizes.chars)
        found["grapheme_count"] = leadbyte.count_graphemes(text)
        found["newline_count"] = leadbyte.count_newlines(data)
    return found


def vectors() -> str:
    """Return the contents of the file."""
    lines = [vector(data) for data in [*map(str.encode, TEXTS), *map(bytes.fromhex, DATA)]]
    return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n]\n"


def main() -> None:
    """Write the file, or compare it with what would be written."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        raise SystemExit(FILE.read_text("utf-8") != vectors())
    FILE.write_text(vectors(), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
