"""leadbyte.compat: calls as chardet, charset-normalizer and ftfy take them, with the results of leadbyte."""

from __future__ import annotations

import codecs
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import mojibake
from leadbyte.compat import chardet, charset_normalizer, ftfy

if TYPE_CHECKING:
    from collections.abc import Callable

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"
GREEK = "Άγνωστο: η Αθήνα είναι η πρωτεύουσα και μεγαλύτερη πόλη της Ελλάδας.\n"
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
PEERS = ["chardet", "charset_normalizer", "ftfy"]
FTFY_CASES = json.loads((Path(__file__).parents[2] / "vectors/ftfy/cases.json").read_text(encoding="utf-8"))
# The data of the tests, by the names of the encodings in leadbyte, chardet and charset-normalizer.
NAMES = {
    ("ascii", "ascii", "ascii"): b"text",
    ("utf-8", "utf-8", "utf_8"): RUSSIAN.encode(),
    ("utf-8-sig", "UTF-8-SIG", "utf_8"): RUSSIAN.encode("utf-8-sig"),
    ("utf-16", "UTF-16", "utf_16"): RUSSIAN.encode("utf-16"),
    ("utf-16-le", "utf-16-le", "utf_16_le"): RUSSIAN.encode("utf-16-le"),
    ("windows-1251", "Windows-1251", "cp1251"): RUSSIAN.encode("cp1251"),
    ("koi8-r", "KOI8-R", "koi8_r"): RUSSIAN.encode("koi8-r"),
    ("ibm866", "IBM866", "cp866"): RUSSIAN.encode("cp866"),
    ("mac-cyrillic", "MacCyrillic", "mac_cyrillic"): RUSSIAN.encode("mac-cyrillic"),
    ("iso-8859-5", "ISO-8859-5", "iso8859_5"): RUSSIAN.encode("iso-8859-5"),
    ("cp932", "SHIFT_JIS", "cp932"): ("日本語のテキストです。東京は日本の首都です。" * 3).encode("cp932"),
    ("cp949", "EUC-KR", "cp949"): ("대한민국의 수도는 서울이다. " * 3).encode("cp949"),
    ("gb18030", "GB18030", "gb18030"): ("这是中文测试文本，用于检测编码。北京是中国的首都。" * 3).encode(
        "gb18030"
    ),
    ("iso2022_jp", "ISO-2022-JP", "iso2022_jp"): "日本の首都は東京です".encode("iso2022_jp"),
}


# What all have in common.


@pytest.mark.parametrize("name", PEERS)
def test_nothing_of_the_same_name_is_imported(name: str) -> None:
    program = f"import sys; import leadbyte.compat.{name}; print({name!r} in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"


@pytest.mark.parametrize(("names", "data"), NAMES.items(), ids=[names[0] for names in NAMES])
def test_names(names: tuple[str, str, str], data: bytes) -> None:
    found = leadbyte.detect(data)
    assert found.encoding == names[0]
    result = chardet.detect(data)
    assert (result["encoding"], result["confidence"]) == (names[1], found.confidence)
    best = charset_normalizer.from_bytes(data).best()
    assert best is not None
    assert (best.encoding, best.bom) == (names[2], found.bom)
    assert str(best) == data.decode(names[0])
    assert charset_normalizer.detect(data)["encoding"] == names[1].replace("Windows-1251", "windows-1251")


@given(strategies.data() | st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    result = chardet.detect(data)
    results = chardet.detect_all(data, ignore_threshold=True)
    assert results[0] == result
    assert [each["confidence"] for each in results] == sorted(
        (each["confidence"] for each in results), reverse=True
    )
    assert len({each["encoding"] for each in results}) == len(results)
    matches = charset_normalizer.from_bytes(data)
    legacy = charset_normalizer.detect(data)
    best = matches.best()
    assert charset_normalizer.is_binary(data) == (not matches) == (best is None)
    if best is None:
        assert (result["encoding"], legacy["encoding"]) == (None, None)
    else:
        assert str(matches[0]) == str(best)
        # charset-normalizer has some names in small letters.
        assert str(result["encoding"]).lower() == (str(legacy["encoding"]).lower() if data else "utf-8")
        data.decode(str(result["encoding"]), "replace")


# chardet


@given(strategies.data() | st.binary(max_size=300), st.lists(st.integers(0, 300)), st.integers(1, 300))
def test_universal_detector(data: bytes, cuts: list[int], max_bytes: int) -> None:
    detector = chardet.UniversalDetector(max_bytes=max_bytes)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True):
        detector.feed(data[start:end])
        assert detector.done == (len(data[:end]) >= max_bytes)
    assert detector.result == {"encoding": None, "confidence": 0.0, "language": None, "mime_type": None}
    assert (
        detector.close() == detector.close() == detector.result == chardet.detect(data, max_bytes=max_bytes)
    )
    assert detector.done
    detector.reset()
    assert not detector.done
    detector.feed(b"text")
    assert detector.close()["encoding"] == "ascii"


@pytest.mark.parametrize(
    "function", [chardet.detect, lambda data, **options: chardet.detect_all(data, **options)[0]]
)
def test_restricted_detection(function: Callable[..., Any]) -> None:
    data = GREEK.encode("iso8859-7")
    assert function(data)["encoding"] == "ISO-8859-7"
    assert function(data, include_encodings=["windows-1252", "ISO_8859-7:1987"])["encoding"] == "ISO-8859-7"
    assert function(data, include_encodings=["cp1253"])["encoding"] == "Windows-1253"
    assert function(data, exclude_encodings=["greek"])["encoding"] == "Windows-1253"
    assert function(data, encoding_era=1)["encoding"] == "Windows-1253"
    assert function(data, encoding_era=2)["encoding"] == "ISO-8859-7"
    assert function(data, encoding_era=3, exclude_encodings=["cp1253"])["encoding"] == "ISO-8859-7"
    assert function(b"text", exclude_encodings=["ascii"])["encoding"] == "utf-8"
    bom = codecs.BOM_UTF8 + b"text"
    assert function(bom, exclude_encodings=["utf-8-sig"])["encoding"] == "utf-8"
    assert function(GIF, include_encodings=["utf-8"])["mime_type"] == "image/gif"


def test_detection_where_no_encoding_fits() -> None:
    options: dict[str, Any] = {"include_encodings": ["ascii", "cp1252"]}
    data = b"\x81" + RUSSIAN.encode()
    result = chardet.detect(data, **{**options, "include_encodings": ["ascii"], "no_match_encoding": "ASCII"})
    expected = {"encoding": "ascii", "confidence": 0.1, "language": None, "mime_type": "text/plain"}
    assert result == expected
    with pytest.warns(
        UserWarning, match="no allowed encoding fits, and cp1252 is not allowed either"
    ) as caught:
        assert chardet.detect(data, include_encodings=["ascii"])["encoding"] is None
    assert caught[0].filename == __file__
    assert chardet.detect(b"", empty_input_encoding="latin-1") == {**expected, "encoding": "ISO-8859-1"}
    japanese: dict[str, Any] = {
        "include_encodings": ["utf-8", "shift_jis"],
        "empty_input_encoding": "shift_jis",
    }
    assert chardet.detect(b"", **japanese) == {**expected, "encoding": "SHIFT_JIS"}
    with pytest.warns(UserWarning, match="utf-8 is not allowed"):
        assert chardet.detect(b"", **options) == {
            **expected,
            "encoding": None,
            "confidence": 0.0,
            "mime_type": None,
        }
    with pytest.warns(UserWarning, match="cp1252 is not allowed"):
        assert not chardet.detect(b"text", include_encodings=["ascii"], exclude_encodings=["ascii"])[
            "confidence"
        ]


@pytest.mark.parametrize(
    ("data", "name", "superset"),
    [
        (b"text", "ascii", "cp1252"),
        (GREEK.encode("iso8859-7"), "iso8859-7", "cp1253"),
        (RUSSIAN.encode("koi8-r"), "koi8-r", "koi8-r"),
        (GREEK.encode("iso8859-7") + b"\x8d", "iso8859-7", "iso8859-7"),
    ],
)
def test_names_of_supersets(data: bytes, name: str, superset: str) -> None:
    assert chardet.detect(data, compat_names=False)["encoding"] == name
    assert chardet.detect(data, compat_names=False, prefer_superset=True)["encoding"] == superset
    assert chardet.detect(
        data, compat_names=False, prefer_superset=True, exclude_encodings=["cp1252", "cp1253"]
    )["encoding"] == (name)
    with pytest.warns(DeprecationWarning, match="should_rename_legacy is deprecated") as caught:
        assert (
            chardet.detect_all(data, should_rename_legacy=True, compat_names=False)[0]["encoding"] == superset
        )
    assert caught[0].filename == __file__


def test_the_superset_decodes() -> None:
    data = "caf\xe9 au lait, d\xe9j\xe0 vu".encode("latin-1") + b"\x81"
    options: dict[str, Any] = {"prefer_superset": True, "include_encodings": ["latin-1", "cp1252"]}
    assert chardet.detect(data, **options)["encoding"] == "ISO-8859-1"
    assert chardet.detect(data[:-1], **options)["encoding"] == "Windows-1252"


@pytest.mark.parametrize("word", ["café", "papa ané", "mamá", "hello мир"])
def test_a_last_letter_is_no_truncated_sequence(word: str) -> None:
    data = word.encode("cp866" if word[-1] == "р" else "cp1252")
    for encoding in (chardet.detect(data)["encoding"], charset_normalizer.detect(data)["encoding"]):
        data.decode(str(encoding))
    cut = (RUSSIAN * 20).encode()[:-2]
    assert chardet.detect(cut)["encoding"] == "utf-8"


@pytest.mark.parametrize(
    ("text", "name", "media_type"),
    [
        ("<html><meta charset=iso-8859-1>caf\xe9", "ISO-8859-1", "text/html"),
        ('<?xml version="1.0" encoding="euc-jp"?><a/>', "EUC-JP", "text/xml"),
        ("# coding: latin-1\n", "ISO-8859-1", "text/x-python"),
        ("# coding: unheard-of\n", "ascii", "text/plain"),
        ("# coding: rot13\n", "ascii", "text/plain"),
        ("# coding: utf-16\n", "ascii", "text/plain"),
    ],
)
def test_declared_encodings(text: str, name: str, media_type: str) -> None:
    result = chardet.detect(text.encode("latin-1"))
    assert result["encoding"] == name
    if name != "ascii":
        assert result["mime_type"] == media_type
    assert charset_normalizer.detect(text.encode("latin-1"))["encoding"] == name
    allowed = ["ascii", "cp1252"]
    assert chardet.detect(text.encode("latin-1"), include_encodings=allowed)["encoding"] != "ISO-8859-1"


def test_data_that_is_cut() -> None:
    data = "Gr\xfc\xdfe, d\xe9j\xe0 vu".encode()
    for end in range(4, len(data)):
        assert chardet.detect(data, max_bytes=end)["encoding"] == "utf-8"
        detector = chardet.UniversalDetector(max_bytes=end)
        detector.feed(data[:end])
        assert detector.done
        detector.feed(data[end:])
        assert detector.close()["encoding"] == "utf-8"


def test_chardet_arguments() -> None:
    functions: list[Callable[..., Any]] = [chardet.detect, chardet.detect_all]
    for function in functions:
        with pytest.raises(TypeError, match="a bytes-like object is required, not 'str'"):
            function("text")
        for max_bytes in (0, -1, True, 1.5):
            with pytest.raises(ValueError, match="max_bytes must be a positive integer"):
                function(b"", max_bytes=max_bytes)
        for era in (0, 64):
            with pytest.raises(ValueError, match="encoding_era must be"):
                function(b"", encoding_era=era)
        for name in ("include_encodings", "exclude_encodings"):
            with pytest.raises(ValueError, match=f"Unknown encoding 'utf-9' in {name}"):
                function(b"", **{name: ["utf-9"]})
            with pytest.raises(ValueError, match=f"{name} must not be empty"):
                function(b"", **{name: []})
        for name in ("no_match_encoding", "empty_input_encoding"):
            with pytest.raises(ValueError, match=f"Unknown encoding 'utf-9' in {name}"):
                function(b"", **{name: "utf-9"})
        with pytest.raises(NotImplementedError, match="does not detect utf-7; leave that out"):
            function(b"", include_encodings=["utf-8", "utf_7"])
        with pytest.warns(DeprecationWarning, match="chunk_size has no effect") as caught:
            function(b"", chunk_size=1)
        assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="lang_filter has no effect"):
        chardet.UniversalDetector(lang_filter=4)
    detector = chardet.UniversalDetector()
    with pytest.raises(TypeError):
        detector.feed("text")  # type: ignore[arg-type]
    detector.close()
    with pytest.raises(ValueError, match="call reset"):
        detector.feed(b"")


def test_what_bytes_like_objects_give() -> None:
    for data in (bytearray(b"text"), memoryview(b"text").cast("H")):
        assert chardet.detect(data) == chardet.detect(b"text")
        assert charset_normalizer.detect(data) == charset_normalizer.detect(b"text")
        assert charset_normalizer.from_bytes(data)[0].raw == b"text"


# charset-normalizer


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(RUSSIAN.encode("koi8-r"))
    best = charset_normalizer.from_path(path).best()
    assert best is not None
    assert best == "koi8-r" == charset_normalizer.from_fp(io.BytesIO(path.read_bytes())).best()
    texts = (path, str(path), io.BytesIO(b"text"), bytearray(b"text"))
    for text in texts:
        assert not charset_normalizer.is_binary(text)
    for image in (GIF, io.BytesIO(GIF)):
        assert charset_normalizer.is_binary(image)


def test_a_match() -> None:
    data = RUSSIAN.encode("koi8-r")
    matches = charset_normalizer.from_bytes(data)
    best = matches.best()
    assert best is not None
    assert best is matches[0] is matches["KOI8_R"] is matches.first() is next(iter(matches))
    assert len(matches) >= 1
    assert str(best) == RUSSIAN
    assert (best.raw, best.output(), best.output("cp1251")) == (
        data,
        RUSSIAN.encode(),
        RUSSIAN.encode("cp1251"),
    )
    assert best.output("ascii").startswith(b"?????")
    assert (best.language, best.languages, best.encoding_aliases) == ("Russian", ["Russian"], ["cskoi8r"])
    assert best.could_be_from_charset == ["koi8_r", "koi8_t", "koi8_u"]
    assert (best.bom, best.byte_order_mark) == (False, False)
    assert best.fingerprint == hash(RUSSIAN)
    assert best.chaos == round(1 - leadbyte.detect(data).confidence, 4)
    assert repr(best) == "<CharsetMatch 'koi8_r'>"
    assert best == charset_normalizer.from_bytes(data).best()
    assert best != charset_normalizer.from_bytes(RUSSIAN.encode()).best()
    assert best not in ["utf-9", 5]
    with pytest.raises(KeyError):
        matches["utf-8"]
    with pytest.raises(IndexError):
        matches[99]
    assert charset_normalizer.CharsetMatches().best() is None
    assert [*charset_normalizer.from_bytes(GIF)] == []


@pytest.mark.parametrize(
    ("declaration", "converted"),
    [
        ('<?xml version="1.0" encoding="KOI8-R"?>', '<?xml version="1.0" encoding="cp1251"?>'),
        ("<html><meta charset=koi8-r>", "<html><meta charset=cp1251>"),
        ("# -*- coding: koi8_r -*-", "# -*- coding: cp1251 -*-"),
        ("charset koi8-r", "charset koi8-r"),
        ("The charset of <meta charset=koi8-r>", "The charset of <meta charset=cp1251>"),
    ],
)
def test_a_declaration_is_converted(declaration: str, converted: str) -> None:
    best = charset_normalizer.from_bytes(f"{declaration}\n{RUSSIAN}".encode("koi8-r")).best()
    assert best is not None
    assert best.output("cp1251") == f"{converted}\n{RUSSIAN}".encode("cp1251")


def test_what_is_not_decodable_is_replaced() -> None:
    (match,) = charset_normalizer.from_bytes(RUSSIAN.encode()[:-2] + b"\xd0")
    assert str(match) == RUSSIAN[:-2] + "\ufffd"


def test_charset_normalizer_arguments() -> None:
    function: Callable[..., Any] = charset_normalizer.from_bytes
    data = GREEK.encode("iso8859-7")
    assert [match.encoding for match in function(data, cp_isolation=["cp1253"])] == ["cp1253"]
    assert "iso8859_7" not in list(function(data, cp_exclusion=["iso8859_7"]))
    assert not function(data, cp_isolation=["cp1253"], cp_exclusion=["cp1253"])
    defaults = {
        "steps": 5,
        "chunk_size": 512,
        "threshold": 0.2,
        "preemptive_behaviour": True,
        "explain": False,
    }
    assert function(data, cp_isolation=[], cp_exclusion=[], **defaults).best() == "greek"
    for name, value in [("steps", 1), ("threshold", 0.5), ("explain", True), ("enable_fallback", False)]:
        with pytest.raises(NotImplementedError, match=f"{name}={value}: leadbyte has no such setting"):
            function(data, **{name: value})
    assert not charset_normalizer.is_binary(data, enable_fallback=False)
    with pytest.raises(NotImplementedError, match="enable_fallback=True"):
        charset_normalizer.is_binary(data, enable_fallback=True)
    with pytest.raises(TypeError, match="'step' is not a setting"):
        function(data, step=5)
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'str'"):
        function("text")
    with pytest.raises(NotImplementedError, match="cp_isolation: leadbyte does not detect utf-7"):
        function(data, cp_isolation=["utf_7"])
    with pytest.raises(ValueError, match="Unknown encoding 'utf-9' in cp_exclusion"):
        function(data, cp_exclusion=["utf-9"])
    names = [charset_normalizer.detect(data, rename)["encoding"] for rename in (False, True)]
    assert names == ["ISO-8859-7", "iso8859_7"]


# ftfy


def applied(text: str, plan: list[ftfy.ExplanationStep]) -> str:
    """Return the text after the steps of a plan, as ftfy's apply_plan has them."""
    data: Any = text
    for action, parameter in plan:
        if action == "apply":
            assert parameter == "leadbyte.mojibake.repair"
            data = mojibake.repair(data)
        elif action == "encode":
            table = sloppy(parameter)
            data = bytes(table.index(char) for char in data)
        else:
            assert action == "decode"
            data = data.decode(parameter)
    return str(data)


def sloppy(encoding: str) -> str:
    """Return the characters of all bytes: with controls for those that a sloppy codec lacks."""
    name = encoding.removeprefix("sloppy-")
    chars = [bytes([byte]).decode(name, "replace") for byte in range(256)]
    return "".join(
        chr(byte) if char == "\ufffd" and name != encoding else char for byte, char in enumerate(chars)
    )


@pytest.mark.parametrize("case", FTFY_CASES, ids=[case["label"] for case in FTFY_CASES])
def test_plans(case: dict[str, str]) -> None:
    original = case["original"]
    fixed, plan = ftfy.fix_encoding_and_explain(original)
    assert fixed == ftfy.fix_encoding(original) == mojibake.repair(original)
    assert bool(plan) == (fixed != original)
    assert applied(original, plan) == fixed


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("schÃ¶n", [("encode", "windows-1252"), ("decode", "utf-8")]),
        ("Ñ\x81 â‚¬", [("encode", "sloppy-windows-1252"), ("decode", "utf-8")]),
        ("Ïðèâåò", [("encode", "windows-1252"), ("decode", "windows-1251")]),
        ("Jürgen: schÃ¶n", [("apply", "leadbyte.mojibake.repair")]),
        ("schön", []),
    ],
)
def test_plan(text: str, plan: list[tuple[str, str]]) -> None:
    explanation = ftfy.fix_encoding_and_explain(text).explanation
    assert explanation == plan
    assert repr(explanation) == repr(plan)


class Config:
    """Settings as ftfy's TextFixerConfig has them."""

    def __init__(self, **settings: object) -> None:
        self.settings = settings

    def _asdict(self) -> dict[str, object]:
        return self.settings


def test_ftfy_settings() -> None:
    functions: list[Callable[..., str]] = [
        ftfy.fix_encoding,
        lambda *given, **named: ftfy.fix_encoding_and_explain(*given, **named).text,
    ]
    for function in functions:
        assert function("sÃ³", Config(uncurl_quotes=True, fix_c1_controls=True), explain=False) == "só"
        assert function("sÃ³", fix_encoding=False) == "sÃ³"
        assert function("sÃ³", Config(fix_encoding=False), fix_encoding=True) == "só"
        for name in (
            "restore_byte_a0",
            "replace_lossy_sequences",
            "decode_inconsistent_utf8",
            "fix_c1_controls",
        ):
            with pytest.raises(NotImplementedError, match=f"{name}=False: this repair cannot be left out"):
                function("", Config(**{name: False}))
        with pytest.raises(TypeError, match="'fix_entities' is not a setting"):
            function("", fix_entities=True)
        with pytest.raises(UnicodeError, match="decode them first"):
            function(b"text")
        with pytest.raises(TypeError, match="must be str, not None"):
            function(None)
