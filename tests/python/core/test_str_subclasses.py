"""Instances of subclasses of str give what the plain str gives, in every public function."""

from __future__ import annotations

import functools
import io
from enum import Enum
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
from leadbyte import codec, compat, mojibake, transcode, variants, websocket
from public_functions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    # What makes an argument of a plain str.
    Make = Callable[[str], str]

pytestmark = pytest.mark.one_implementation


class Str(str):
    __slots__ = ()


class StrWithDict(str):
    pass


def member(text: str) -> str:
    """Return a member of an Enum whose members are str."""
    return Enum("Member", {"ONLY": text}, type=str).ONLY  # type: ignore[no-any-return, attr-defined]


MAKES: dict[str, Make] = {"subclass": Str, "with a dict": StrWithDict, "Enum": member}
# One of each kind of storage, in normalization forms or not, with surrogates or without.
TEXTS = [
    "", "a", "abc", "text " * 200, "é", "caf\xe9 " * 200, "u\u0308", "мир", "u\u0308€ " * 300, "Привет, мир",
    "😀", "a😀€é" * 200, "Привет".encode().decode("cp1251"), "Ã©tÃ©", "\ud800", "a\udc80é", "😀\ud83d\ude00",
]  # fmt: skip
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
ENCODINGS = ["utf-8", "UTF-16", "latin-1", "whatwg:windows-1252", "shift_jis", "65001"]

Case = Any


def of_text(function: Callable[[str], object]) -> Case:
    """Make a case of each text."""
    return [lambda make, text=text: function(make(text)) for text in TEXTS]


def of_form(function: Callable[[str, str], object]) -> Case:
    """Make a case of each form and text."""
    return [
        lambda make, form=form, text=text: function(make(form), make(text))
        for form in FORMS
        for text in TEXTS
    ]


def of_errors(function: Callable[..., object], argument: object) -> Case:
    """Make a case of some error handlers."""
    handlers = ["strict", "replace", "surrogatepass", "leadbyte-tests-decode hex", "unknown"]
    return [lambda make, name=name: function(argument, errors=make(name)) for name in handlers]


def in_pieces(*arguments: str, errors: str, bom: str | None = None) -> bytes:
    transcoder = transcode.Transcoder(*arguments, errors=errors, bom=bom)  # type: ignore[arg-type]
    return transcoder.feed(b"caf\xc3") + transcoder.feed(b"\xa9\xff") + transcoder.finish()


def of_names(function: Callable[..., object]) -> Case:
    """Make a case of each encoding to choose from."""
    return [lambda make, name=name: function(b"caf\xe9 noir", encodings=[make(name)]) for name in ENCODINGS]


def of_encodings(function: Callable[..., object]) -> Case:
    """Make a case of each encoding, and each choice of bom."""
    return [
        lambda make, name=name, bom=bom: function(
            make(name), make(name), errors=make("replace"), bom=bom and make(bom)
        )
        for name in ENCODINGS
        for bom in (None, "keep", "strip")
    ]


def read_as_utf8(source: str, errors: str) -> bytes:
    with transcode.open_as_utf8(io.BytesIO(b"caf\xe9"), source, errors=errors) as file:
        return file.read()


def incrementally(kind: Callable[[str], Any], method: str, argument: object) -> Case:
    return [
        lambda make, name=name: getattr(kind(make(name)), method)(argument, True)
        for name in ("strict", "replace", "unknown")
    ]


def of_variant(name: str) -> dict[str, Case]:
    """Make the cases of a variant that holds text."""
    module = getattr(variants, name)
    return {
        f"variants.{name}.decode": of_errors(module.decode, b"a\xed\xa0\xbd\xff"),
        f"variants.{name}.encode": [*of_text(module.encode), *of_errors(module.encode, "a\ud800")],
    }


def edited(text: str, data: str, **choices: Any) -> object:  # noqa: ANN401
    offsets = leadbyte.EditableOffsetMap(text, **choices)
    offsets.replace(0, 0, data)
    return offsets.slice(0, offsets.char_count, unit="char")


CASES: dict[str, Case] = {
    **{name: of_text(function.call) for name, function in FUNCTIONS.items() if function.takes_text},
    "IncrementalDecoder": incrementally(leadbyte.IncrementalDecoder, "decode", b"\xff"),
    "IncrementalEncoder": [
        *incrementally(leadbyte.IncrementalEncoder, "encode", "\ud800"),
        *of_text(lambda text: leadbyte.IncrementalEncoder().encode(text, True)),
    ],
    "audit": [
        *of_text(lambda text: list(leadbyte.audit(text))),
        lambda make: list(leadbyte.audit("a\0", policy=make("json"))),
        lambda make: list(leadbyte.audit("a\0", policy=[make("nul")])),
    ],
    "sanitize": [
        *of_text(lambda text: leadbyte.sanitize(text, policy="source-code")),
        lambda make: leadbyte.sanitize("a\0", policy=make("json"), replacement=make("?")),
    ],
    "Sanitizer": [
        lambda make: leadbyte.Sanitizer(policy=make("json"), replacement=make("?")).feed(make("a\0\n")),
    ],
    "StreamDecoder": [
        lambda make, name=name: leadbyte.StreamDecoder(errors=make(name)).feed(b"\xff")
        for name in ("strict", "replace", "unknown")
    ],
    "decode": of_errors(leadbyte.decode, b"a\xff"),
    "Detector": of_names(lambda data, encodings: leadbyte.Detector(encodings=encodings).update(data)),
    "detect": of_names(leadbyte.detect),
    "detect_all": of_names(leadbyte.detect_all),
    "decode_many": of_errors(leadbyte.decode_many, [b"a\xff"]),
    "encode": [*of_text(leadbyte.encode), *of_errors(leadbyte.encode, "a\ud800")],
    "encode_into": [
        *of_text(lambda text: leadbyte.encode_into(text, bytearray(700))),
        *of_errors(functools.partial(leadbyte.encode_into, "a\ud800"), bytearray(9)),
    ],
    "encode_many": [
        *of_text(lambda text: leadbyte.encode_many([text])),
        *of_errors(leadbyte.encode_many, ["a\ud800"]),
    ],
    "explain": of_text(lambda text: leadbyte.explain(text).as_dict(Str("en"))),
    "search": [
        lambda make, text=text, needle=needle: leadbyte.search(make(text), make(needle))
        for text in TEXTS
        for needle in ("a", "é", "u", "\xfc", "\ud800", "мир")
    ],
    "EditableOffsetMap": [
        *of_text(lambda text: edited(text, text)),
        lambda make: edited(make("a€"), "b", newlines=make("lf")),
    ],
    "OffsetMap": [
        *of_text(lambda text: leadbyte.OffsetMap(text).slice(0, 1, unit="char")),
        *(
            lambda make, unit=unit: leadbyte.OffsetMap("a\ré", newlines=make("lf")).convert(
                2, make(unit), make("utf-8")
            )
            for unit in ("char", "utf-16", "unknown")
        ),
    ],
    "is_normalized": of_form(leadbyte.is_normalized),  # type: ignore[arg-type] # of any form
    "mojibake.garble": [
        lambda make, text=text: mojibake.garble(
            make(text), encoding=make("utf-8"), misread_as=make("whatwg:windows-1252")
        )
        for text in TEXTS
    ],
    "lines": [
        lambda make, newline=newline: list(
            leadbyte.lines(b"a\xff\r\nb", errors=make("replace"), newline=newline and make(newline))
        )
        for newline in (None, "", "\n", "\r\n", "no")
    ],
    "mojibake.explain": of_text(lambda text: mojibake.explain(text).as_dict()),
    "mojibake.repair": [
        *of_text(mojibake.repair),
        lambda make: mojibake.repair("ýþð", languages=[make("tr")]),
    ],
    "mojibake.repair_many": of_text(lambda text: mojibake.repair_many([text, "Ã©tÃ©", None])),
    "mojibake.decode_mixed": [lambda make: mojibake.decode_mixed(b"\xe9", fallback=make("cp1251"))],
    "normalize": of_form(leadbyte.normalize),  # type: ignore[arg-type] # as above
    "read_text": [
        lambda make, newline=newline: leadbyte.read_text(
            make(__file__), errors=make("replace"), newline=newline and make(newline)
        )
        for newline in (None, "", "\n", "\r\n", "no")
    ],
    "repair": of_text(lambda text: leadbyte.repair(b"a\xff", replacement=text)),
    "is_equivalent": [
        lambda make, one=one, other=other, form=form: leadbyte.is_equivalent(
            make(one), other, form=make(form)
        )
        for one in TEXTS
        for other in (one, "abc", "\xfc", one.encode("utf-8", "replace"))
        for form in FORMS
    ],
    "truncate": [
        lambda make, text=text, limit=limit, boundary=boundary, side=side: leadbyte.truncate(
            make(text),
            limit,
            unit=make("utf16"),
            boundary=make(boundary),
            ellipsis=make("…"),
            side=make(side),
        )
        for text in TEXTS
        for limit, boundary, side in ((3, "char", "middle"), (9, "grapheme", "start"), (9, "word", "end"))
    ],
    "truncate_many": of_text(lambda text: leadbyte.truncate_many([text], 3, unit="byte")),
    "chunks": [
        lambda make, name=name: list(map(bytes, leadbyte.chunks(b"a\nb\nc", 4, boundary=make(name))))
        for name in ("char", "line", "grapheme", "word")
    ],
    "split_points": [
        lambda make, name=name: leadbyte.split_points(b"a\nb\nc", 2, boundary=make(name))
        for name in ("char", "line", "grapheme", "word")
    ],
    "transcode.Transcoder": of_encodings(in_pieces),
    "transcode.open_as_utf8": [
        lambda make, name=name: read_as_utf8(make(name), make("backslashreplace")) for name in ENCODINGS
    ],
    "transcode.transcode": of_encodings(
        lambda *names, **keywords: transcode.transcode("é\ufeff".encode(), *names, **keywords)
    ),
    "compat.chardet.UniversalDetector": [
        lambda make: compat.chardet.UniversalDetector(empty_input_encoding=make("koi8-r")).close()
    ],
    "compat.chardet.detect": [
        lambda make: compat.chardet.detect(b"text", include_encodings=[make("koi8-r"), make("cp1251")]),
        lambda make: compat.chardet.detect(b"text", exclude_encodings=[make("ascii")]),
    ],
    "compat.chardet.detect_all": [
        lambda make: compat.chardet.detect_all(b"", empty_input_encoding=make("cp1251"))
    ],
    "compat.charset_normalizer.from_bytes": [
        lambda make: [
            str(match)
            for match in compat.charset_normalizer.from_bytes(b"text", cp_isolation=[make("koi8-r")])
        ]
    ],
    "compat.charset_normalizer.from_path": [
        lambda make: [str(match) for match in compat.charset_normalizer.from_path(make(__file__))]
    ],
    "compat.charset_normalizer.is_binary": [lambda make: compat.charset_normalizer.is_binary(make(__file__))],
    "compat.ftfy.fix_encoding": [lambda make: compat.ftfy.fix_encoding(make("cafÃ©"))],
    "compat.ftfy.fix_text": [
        lambda make: compat.ftfy.fix_text(make("cafÃ©"), None, **dict.fromkeys(compat.ftfy.CHANGES, False))
    ],
    "compat.ftfy.fix_encoding_and_explain": [
        lambda make: compat.ftfy.fix_encoding_and_explain(make("cafÃ©")),
        lambda make: compat.ftfy.fix_encoding_and_explain(make("café")),
    ],
    **of_variant("cesu8"),
    **of_variant("mutf8"),
    **of_variant("wtf8"),
    "variants.mutf8.encode_modified_utf8": of_text(variants.mutf8.encode_modified_utf8),
}
# These take no str.
OTHERS = {
    *(name for name, function in FUNCTIONS.items() if not function.takes_str),
    "explain_error", "install_excepthook",
    "Detection", "ErrorSpan", "Explanation", "Finding", "IncrementalValidator", "Location", "Position",
    "Scan", "Scanner", "Sizes", "codec.register", "compat.charset_normalizer.CharsetMatch",
    "compat.charset_normalizer.CharsetMatches", "compat.charset_normalizer.detect",
    "compat.charset_normalizer.from_fp", "compat.ftfy.ExplainedText", "compat.ftfy.ExplanationStep", "locate",
    "mojibake.Repair", "mojibake.Step", "variants.cesu8.is_valid", "variants.extended.IncrementalDecoder",
    "variants.extended.IncrementalEncoder", "variants.extended.decode", "variants.extended.encode",
    "variants.mutf8.decode_modified_utf8", "variants.mutf8.is_valid", "variants.rfc2279.IncrementalDecoder",
    "variants.rfc2279.IncrementalEncoder", "variants.rfc2279.decode", "variants.rfc2279.encode",
    "variants.wtf8.is_valid", "websocket.Utf8Validator",
}  # fmt: skip


def public() -> set[str]:
    """Return the names of all public functions and classes."""
    modules = [leadbyte, codec, mojibake, transcode, websocket]
    modules += [getattr(package, name) for package in (compat, variants) for name in package.__all__]
    return {
        f"{module.__name__}.{name}".removeprefix("leadbyte.")
        for module in modules
        for name in module.__all__
        if callable(getattr(module, name))
    }


def result(case: Callable[[Make], object], make: Make) -> object:
    """Return what a call returns and of which type, or what it raises."""
    try:
        returned = case(make)
    except Exception as error:
        return type(error), str(error)
    return [(type(item), item) for item in (returned if isinstance(returned, list) else [returned])]


def test_there_is_a_case_for_all_that_is_public() -> None:
    assert {*CASES, *OTHERS} == public()
    assert not {*CASES} & OTHERS


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
@pytest.mark.parametrize("name", CASES)
def test_as_the_plain_str(name: str, make: Make) -> None:
    for case in CASES[name]:
        assert result(case, make) == result(case, str)


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_names_of_encodings_and_forms_of_a_subclass_are_known(make: Make) -> None:
    assert leadbyte.normalize(make("NFC"), "u\u0308") == "\xfc"  # type: ignore[call-overload] # of any form
    assert leadbyte.is_equivalent(make("abc"), "abc")
    assert leadbyte.decode(b"\xff", errors=make("replace")) == "\ufffd"
    assert transcode.transcode(b"\xe9", make("latin-1"), make("utf-8")) == b"\xc3\xa9"


@pytest.mark.parametrize("text", ["", "a", "text" * 200, "é", "ü" * 600, "мир", "€" * 600, "😀", "😀" * 600])
def test_what_stays_is_an_exact_str(text: str) -> None:
    functions: list[Callable[[str], str]] = [
        lambda text: leadbyte.normalize("NFC", text),
        leadbyte.to_well_formed,
        mojibake.repair,
        lambda text: mojibake.explain(text).text,
        lambda text: "".join(cell or "" for cell in mojibake.repair_many([text])),
    ]
    for function in functions:
        assert function(text) is text
        for make in MAKES.values():
            unchanged = function(make(text))
            assert type(unchanged) is str
            assert unchanged == text
