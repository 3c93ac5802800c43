"""JavaScript's strings, compared with Node's."""

from __future__ import annotations

import json
import shutil
import subprocess

import leadbyte
import pytest
from strategies import SCRIPTS

NODE = shutil.which("node")
PROGRAM = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const starts = (text) => {
    const found = [[0, 0]];
    let units = 0, bytes = 0;
    for (const char of text) {
        units += char.length;
        bytes += Buffer.byteLength(char);
        found.push([units, bytes]);
    }
    return found;
};
console.log(JSON.stringify(texts.map((text) => [starts(text), text.length, text.slice(3, 9)])));
"""
# Lone surrogates have three bytes, as has the U+FFFD that Node encodes instead.
TEXTS = ["", *SCRIPTS.values(), "".join(SCRIPTS.values()) * 20, "cut \ud83d", "\udc4f\ud83d at both ends"]


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_strings() -> None:
    done = subprocess.run(
        [str(NODE), "-e", PROGRAM],
        input=json.dumps(TEXTS).encode(),
        stdout=subprocess.PIPE,
        timeout=60,
        check=True,
    )
    for text, (starts, length, cut) in zip(TEXTS, json.loads(done.stdout), strict=True):
        offsets = leadbyte.OffsetMap(text)
        assert length == offsets.utf16_count
        units, lengths = (list(column) for column in zip(*starts, strict=True))
        chars = list(range(len(text) + 1))
        assert offsets.convert_many(chars, "char", "utf16") == units
        assert offsets.convert_many(chars, "char", "byte") == lengths
        assert offsets.convert_many(units, "utf16", "char") == chars
        assert offsets.convert_many(lengths, "byte", "utf16") == units
        if length >= 9 and {3, 9} <= set(units):
            assert offsets.slice(3, 9, unit="utf16") == cut
