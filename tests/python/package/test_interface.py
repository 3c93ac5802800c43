"""What all public functions and classes have in common."""

from __future__ import annotations

import copy
import inspect
import io
import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import leadbyte
import pytest
from leadbyte import arrow, codec, compat, dataset, mojibake, transcode, variants, websocket
from leadbyte.variants import rfc2279

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULES = [leadbyte, arrow, codec, dataset, mojibake, transcode, websocket]
MODULES += [getattr(package, name) for package in (compat, variants) for name in package.__all__]
# Python calls these by position, as the protocol of codecs has it.
PROTOCOL = {"IncrementalDecoder", "IncrementalEncoder"}
# Those that it finds, as a field.
RESULTS = {"DatasetScan"}


def public() -> Iterator[tuple[str, Any]]:
    """Yield all public functions and classes with their names."""
    for module in MODULES:
        for name in module.__all__:
            if callable(value := getattr(module, name)):
                yield f"{module.__name__}.{name}", value


CALLABLE = dict(public())
WITH_ERRORS = {
    name: value
    for name, value in CALLABLE.items()
    if "errors" in getattr(inspect.signature(value), "parameters", {})
    and value.__name__ not in PROTOCOL | RESULTS
}


def test_errors_by_keyword_only() -> None:
    for function in WITH_ERRORS.values():
        assert inspect.signature(function).parameters["errors"].kind is inspect.Parameter.KEYWORD_ONLY
    assert len(WITH_ERRORS) == 20
    assert {"leadbyte.decode", "leadbyte.transcode.Transcoder", "leadbyte.variants.wtf8.encode"} < {
        *WITH_ERRORS
    }


# By the number of arguments that may be given by position.
POSITIONAL = {
    "convert": 4,
    "transcode": 3,
    "Transcoder": 2,
    "encode_into": 2,
    "open_as_utf8": 2,
    "StreamDecoder": 0,
}


@pytest.mark.parametrize("name", WITH_ERRORS)
def test_errors_by_position(name: str) -> None:
    function = WITH_ERRORS[name]
    number = POSITIONAL.get(function.__name__, 1)
    arguments: list[object] = ["utf-8" if number > 1 else []] * number
    with pytest.raises(TypeError, match=r"positional arguments?.* \(?\d"):
        function(*arguments, "replace")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leadbyte.decode(b"", "latin-1"), "decode() takes exactly 1 positional argument (2 given)"),  # type: ignore[call-arg]
        (lambda: leadbyte.encode("", "latin-1"), "encode() takes exactly 1 positional argument (2 given)"),  # type: ignore[call-arg]
        (leadbyte.decode, "decode() takes exactly 1 positional argument (0 given)"),
        (lambda: leadbyte.normalize("NFC"), "normalize() takes exactly 2 positional arguments (1 given)"),  # type: ignore[call-overload]
        (lambda: leadbyte.normalize(None, ""), "normalize() argument 1 must be str, not None"),  # type: ignore[call-overload]
        (
            lambda: leadbyte.is_equivalent("", "", form=None),  # type: ignore[arg-type]
            "is_equivalent() argument 'form' must be str, not None",
        ),
        (
            lambda: leadbyte.encode_into("", b""),  # type: ignore[call-arg, unused-ignore]
            "encode_into() argument 2 must be read-write bytes-like object, not bytes",
        ),
        (
            lambda: leadbyte.encode_into(""),  # type: ignore[call-arg]
            "encode_into() takes exactly 2 positional arguments (1 given)",
        ),
        (lambda: leadbyte.encode(5), "encode() argument 1 must be str, not int"),  # type: ignore[arg-type]
        (
            lambda: leadbyte.encode(b"a"),  # type: ignore[arg-type]
            "encode() argument 1 must be str, not bytes; leadbyte.decode returns the str of UTF-8",
        ),
        (
            lambda: mojibake.garble(bytearray(), encoding="utf-8", misread_as="utf-8"),  # type: ignore[arg-type]
            "garble() argument 1 must be str, not bytearray; leadbyte.decode returns the str of UTF-8",
        ),
        (
            lambda: leadbyte.count_chars("a"),  # type: ignore[arg-type]
            "a bytes-like object is required, not 'str'; leadbyte.encode returns the UTF-8 of a str",
        ),
        *(
            (call, "a bytes-like object is required, not 'str'; leadbyte.encode returns the UTF-8 of a str")
            for call in (
                lambda: leadbyte.StreamDecoder().feed("a"),  # type: ignore[arg-type]
                lambda: transcode.transcode("a", "cp037", "utf-8"),  # type: ignore[arg-type]
                lambda: transcode.Transcoder("cp037", "utf-8").feed("a"),  # type: ignore[arg-type]
                lambda: websocket.Utf8Validator().validate("a"),  # type: ignore[arg-type]
            )
        ),
        (
            lambda: mojibake.garble(5, encoding="utf-8", misread_as="utf-8"),  # type: ignore[arg-type]
            "garble() argument 1 must be str, not int",
        ),
        (lambda: leadbyte.Scanner().merge(5), "merge() argument 1 must be Scanner, not int"),  # type: ignore[arg-type]
        (
            lambda: leadbyte.decode(b"", errors=5),  # type: ignore[arg-type]
            "decode() argument 'errors' must be str, not int",
        ),
        (
            lambda: transcode.transcode(b"", "utf-8", "utf-8", errors=None),  # type: ignore[arg-type]
            "transcode() argument 'errors' must be str, not None",
        ),
        (
            lambda: transcode.Transcoder("utf-8", "utf-8", errors=5),  # type: ignore[arg-type]
            "Transcoder() argument 'errors' must be str, not int",
        ),
        (
            lambda: leadbyte.StreamDecoder(errors=None),  # type: ignore[arg-type]
            "StreamDecoder() argument 'errors' must be str, not None",
        ),
        (
            lambda: leadbyte.repair(b"", replacement=None),  # type: ignore[arg-type]
            "repair() argument 'replacement' must be str, not None",
        ),
    ],
)
def test_messages_are_like_cpythons(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "make",
    [
        lambda errors: leadbyte.StreamDecoder(errors=errors),
        lambda errors: transcode.Transcoder("utf-8", "utf-16", errors=errors),
        lambda errors: transcode.Transcoder("shift_jis", "utf-8", errors=errors),
        lambda errors: transcode.open_as_utf8(io.BytesIO(), "cp1251", errors=errors),
    ],
)
def test_constructors_look_the_handler_up(make: Callable[[str], object]) -> None:
    with pytest.raises(LookupError, match="unknown error handler name 'latin-1'"):
        make("latin-1")
    assert make("replace") is not None


# Copies.


def fed(thing: Any, method: str, *arguments: object) -> Any:  # noqa: ANN401
    """Call a method of a thing; return the thing."""
    getattr(thing, method)(*arguments)
    return thing


# What has a state: made, with half a character taken, and what it gives for the other half.
STATEFUL: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "IncrementalDecoder": (
        lambda: fed(leadbyte.IncrementalDecoder(), "decode", b"\xd1"),
        lambda decoder: decoder.decode(b"\x8f", True),
    ),
    "IncrementalEncoder": (
        lambda: fed(leadbyte.IncrementalEncoder("replace"), "encode", "я"),
        lambda encoder: encoder.encode("\ud800"),
    ),
    "IncrementalValidator": (
        lambda: fed(leadbyte.IncrementalValidator(), "update", b"\xd1"),
        lambda validator: (validator.update(b"\x8f"), validator.finish()),
    ),
    "Sanitizer": (
        lambda: fed(leadbyte.Sanitizer(policy="json"), "feed", b"\0a"),
        lambda sanitizer: (sanitizer.feed(b"\n"), sanitizer.finish()),
    ),
    "Scanner": (
        lambda: fed(leadbyte.Scanner(), "update", b"\xd1"),
        lambda scanner: (scanner.update(b"\x8f"), scanner.finish()),
    ),
    "StreamDecoder": (
        lambda: fed(leadbyte.StreamDecoder(errors="backslashreplace"), "feed", b"\xd1"),
        lambda decoder: (decoder.feed(b"\x8f\xd1"), decoder.pending, decoder.finish()),
    ),
    "Transcoder": (
        lambda: fed(transcode.Transcoder("utf-8", "utf-16-le"), "feed", b"\xd1"),
        lambda transcoder: (transcoder.feed(b"\x8f"), transcoder.finish()),
    ),
    "Transcoder by Python's codec": (
        lambda: fed(transcode.Transcoder("shift_jis", "utf-8"), "feed", b"\x82"),
        lambda transcoder: (transcoder.feed(b"\xa0"), transcoder.finish()),
    ),
    "Utf8Validator": (
        lambda: fed(websocket.Utf8Validator(), "validate", b"\xd1"),
        lambda validator: validator.validate(b"\x8f"),
    ),
    "rfc2279.IncrementalDecoder": (
        lambda: fed(rfc2279.IncrementalDecoder(), "decode", b"\xd1"),
        lambda decoder: decoder.decode(b"\x8f", True),
    ),
    "iter_errors": (lambda: leadbyte.iter_errors(b"\xff\xfe"), list),
    "iter_text": (lambda: leadbyte.StreamDecoder().iter_text([b"\xd1", b"\x8f"]), list),
    "iter_bytes": (lambda: transcode.Transcoder("utf-8", "utf-16-le").iter_bytes([b"\xd1", b"\x8f"]), list),
    "open_as_utf8": (
        lambda: transcode.open_as_utf8(io.BytesIO(b"\xff"), "cp1251"),
        lambda file: file.read(),
    ),
}
COPIED = {
    "IncrementalDecoder", "IncrementalEncoder", "IncrementalValidator", "Scanner", "StreamDecoder",
    "rfc2279.IncrementalDecoder",
}  # fmt: skip
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", STATEFUL)
def test_copies_are_independent_or_refused(name: str, way: str) -> None:
    make, use = STATEFUL[name]
    thing = make()
    if name not in COPIED:
        with pytest.raises(TypeError, match="cannot pickle"):
            WAYS[way](thing)
        return
    expected = use(make())
    copied, after = WAYS[way](thing), WAYS[way](thing)
    assert use(copied) == expected
    assert use(thing) == expected
    assert use(after) == expected


# Fields by name.


def span() -> leadbyte.ErrorSpan:
    return next(leadbyte.iter_errors(b"a\xe2\x82"))


def test_error_span_as_dict() -> None:
    facts = span().as_dict()
    assert facts == {
        "start": 1, "end": 3, "reason": "unexpected end of data", "kind": "truncated", "data": "e2 82",
        "message": "truncated 3-byte sequence (2 of 3 bytes) at the end of the data",
    }  # fmt: skip
    assert bytes.fromhex(facts["data"]) == span().data


def test_location_as_dict() -> None:
    facts = leadbyte.locate("я\nя".encode(), offset=3).as_dict()
    assert facts == {"line": 2, "column": 1, "utf16_column": 1, "char_offset": 2, "byte_offset": 3}


def test_step_as_dict() -> None:
    repaired = mojibake.explain("Ã©tÃ© 2026")
    facts = repaired.steps[0].as_dict()
    assert facts["encoding"], facts["misread_as"] == ("utf-8", "windows-1252")
    assert list(facts) == list(repaired.steps[0].__dataclass_fields__)
    assert repaired.as_dict()["steps"] == [facts]


@pytest.mark.parametrize(
    "thing",
    [
        span(),
        leadbyte.locate(b"a", 1),
        leadbyte.Position(1, 2),
        next(leadbyte.iter_errors(b"a\xff", locations=True)),
        leadbyte.scan(b"a\xff"),
        leadbyte.scan(b"a"),
        leadbyte.detect(b"a"),
        leadbyte.explain(b"a\xff\xc0\xb1"),
        *leadbyte.explain(b"a\xff\xc0\xb1"),
        leadbyte.compare_sizes("aé"),
        mojibake.explain("Ã©tÃ© 2026"),
        *mojibake.explain("Ã©tÃ© 2026").steps,
    ],
    ids=lambda thing: str(type(thing).__name__),
)
def test_as_dict_is_for_json(thing: Any) -> None:  # noqa: ANN401
    facts = thing.as_dict()
    assert json.loads(json.dumps(facts)) == facts


# Arguments that may be named.


def test_named_arguments() -> None:
    assert transcode.transcode(b"\xe9", source="latin-1", target="utf-8") == b"\xc3\xa9"
    assert transcode.transcode(b"\xe9", target="utf-8", source="latin-1") == b"\xc3\xa9"
    transcoder = transcode.Transcoder(target="utf-16-le", source="latin-1")
    assert transcoder.feed(b"\xe9") + transcoder.finish() == b"\xe9\0"
    with transcode.open_as_utf8(io.BytesIO(b"\xe9"), source="latin-1") as file:
        assert file.read() == b"\xc3\xa9"
    assert mojibake.garble("é", misread_as="latin-1", encoding="utf-8") == "Ã©"


# Submodules.

SUBMODULES = [
    *("arrow", "codec", "compat", "dataset", "duckdb", "mojibake", "spark", "transcode", "variants"),
    "websocket",
]


@pytest.mark.parametrize("name", SUBMODULES)
def test_submodules_are_attributes(name: str) -> None:
    program = f"""
import sys
import leadbyte
assert "leadbyte.{name}" not in sys.modules
assert {name!r} in dir(leadbyte)
assert leadbyte.{name}.__name__ == "leadbyte.{name}"
assert leadbyte.{name} is leadbyte.{name} is sys.modules["leadbyte.{name}"]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_other_attributes() -> None:
    for name in ("cli", "no_such_module", "_no_such_module"):
        program = f"import leadbyte; print(hasattr(leadbyte, {name!r}))"
        assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_what_registers_methods_is_no_attribute(name: str) -> None:
    program = f"import leadbyte; leadbyte.{name}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    message = f"module 'leadbyte' has no attribute '{name}'; import leadbyte.{name} registers its methods"
    assert done.stderr.splitlines()[-1] == f"AttributeError: {message}"


@pytest.mark.parametrize("module", [*MODULES, compat, variants], ids=lambda module: module.__name__)
def test_dir_shows_public_names(module: Any) -> None:  # noqa: ANN401
    expected = {*module.__all__, *(SUBMODULES if module is leadbyte else ())}
    assert {*dir(module)} == expected


def test_no_state_of_a_validator_is_made_up() -> None:
    def restored(*state: object) -> object:
        return vars(leadbyte.IncrementalValidator)["_restore"].__func__(*state)

    assert restored(3, b"\xe2\x82", None, None, False).pending == b"\xe2\x82"  # type: ignore[attr-defined]
    for pending in (b"a", b"\x80", b"\xe2\x82\xac", b"\xff", b"\xf0\x9f\x98\x80"):
        with pytest.raises(ValueError, match="not the state"):
            restored(9, pending, None, None, False)
    with pytest.raises(ValueError, match="not the state"):
        restored(1, b"\xe2\x82", None, None, False)
    for location in (leadbyte.locate(b"a\nb", 3), leadbyte.Location._restore(1, 9, 9, 1, 2)):  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="not the state"):
            restored(2, b"", None, location, False)
    with pytest.raises(ValueError, match="not the state"):
        restored(9, b"", next(leadbyte.iter_errors(b"\xff")), None, True)
