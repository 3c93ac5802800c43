"""Str to bytes: encode and encoded_length against CPython's encoder, with every error handler."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import handlers
import leadbyte
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from outcomes import handled, outcome, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from handlers import Handler
    from strategies import Anything

each_handler = pytest.mark.parametrize("errors", handlers.FOR_ENCODING)
KINDS = ["a", "\x7f", "\x80", "ÿ", "Ā", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "😀", "\U0010ffff"]
# Runs that are one error each: of any length, of those that some handlers take, and pairs.
SURROGATES = [
    "\ud800", "\udbff", "\udc00", "\udc7f", "\udc80", "\udcff", "\udd00", "\udfff", "\ud83d\ude00",
    "\udc80\udcff\udca0", "\udc80\ud800", "\ud800\udc80", "\udc80\udcc3\udfff\udc90", "\ud800" * 33,
    "\udcff" * 70, "\udce9\ud83d\ude00" * 9,
]  # fmt: skip
AROUND = [
    ("", ""),
    ("a", "b"),
    ("é", "ÿ"),
    ("мир", "€"),
    ("x" * 61, "я" * 9),
    ("€" * 40, "y" * 70),
    ("😀", "z"),
]


def agree(text: str, errors: str) -> bool:
    return outcome(leadbyte.encode, text, errors=errors) == outcome(outcomes.encode, text, errors)


def check(text: str, errors: str = "strict") -> None:
    assert outcome(leadbyte.encode, text, errors=errors) == outcome(outcomes.encode, text, errors)
    if errors == "strict":
        assert outcome(leadbyte.encoded_length, text) == outcome(length, text)


def length(text: str) -> int:
    return len(outcomes.encode(text))


def texts() -> st.SearchStrategy[str]:
    """Give text of all kinds, with surrogates or without."""
    of_kind = st.sampled_from(["\x7f", "\xff", "\u07ff", "\uffff", "\U0010ffff"]).flatmap(
        lambda last: st.text(st.characters(max_codepoint=ord(last)), max_size=90)
    )
    run = st.builds(lambda char, n: char * n, st.sampled_from([*KINDS, *SURROGATES]), st.integers(1, 150))
    parts = st.one_of(of_kind, run, st.sampled_from([*strategies.SCRIPTS.values(), *SURROGATES]))
    return st.lists(parts, max_size=6).map("".join)


@pytest.mark.parametrize("kind", KINDS, ids=ascii)
def test_every_length_of_one_char(kind: str) -> None:
    for count in range(301):
        check(kind * count)


@pytest.mark.once
@pytest.mark.parametrize("kind", KINDS, ids=ascii)
def test_char_at_every_place(kind: str) -> None:
    for other in ("a", "é", "я", "€", "😀"):
        for count in (*range(1, 40), 64, 65, 130, 257):
            for at in range(count):
                check(other * at + kind + other * (count - 1 - at))


@pytest.mark.parametrize("script", strategies.SCRIPTS)
def test_every_length_of_a_script(script: str) -> None:
    text = strategies.SCRIPTS[script] * 20
    for start in (0, 1, 7):
        for count in range(301):
            check(text[start : start + count])


@pytest.mark.parametrize("fill", ["naïve ", "мир ", "中文", "x" * 40 + "я", "😀"], ids=ascii)
def test_other_char_or_surrogate_at_any_place_of_long_text(fill: str) -> None:
    for count in (511, 512, 513, 9000):
        text = (fill * count)[:count]
        for at in (0, 1, 63, count // 2, count - 1, count):
            for other in ("", "é", "я", "€", "😀", "\udc80"):
                made = text[:at] + other + text[at:]
                check(made)
                check(made, "surrogateescape")
                check(made, "surrogatepass")


@pytest.mark.parametrize("plane", range(17))
def test_every_char(plane: int) -> None:
    chars = "".join(map(chr, range(plane << 16, (plane + 1) << 16)))
    for errors in ("strict", "surrogatepass", "replace", "backslashreplace", "xmlcharrefreplace"):
        assert agree(chars, errors)
    for start in range(0, 1 << 16, 61):
        assert agree(chars[start : start + 61], "surrogatepass")


@pytest.mark.one_implementation
@each_handler
@pytest.mark.parametrize("run", SURROGATES, ids=lambda run: ascii(run)[:30])
def test_surrogates(run: str, errors: str) -> None:
    for before, after in AROUND:
        check(before + run + after, errors)
        check((before + run) * 3 + after, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@each_handler
def test_surrogate_at_every_place(errors: str) -> None:
    for pattern in ("a", "я€", "😀é"):
        for count in (0, 1, 15, 31, 33, 63, 64, 65, 127, 129):
            text = (pattern * count)[:count]
            for at in range(count + 1):
                for surrogate in ("\ud800", "\udc80"):
                    check(text[:at] + surrogate + text[at:], errors)


@each_handler
def test_surrogates_at_every_distance(errors: str) -> None:
    for distance in range(150):
        text = (("x" * 40 + "я" * 20) * 3)[:distance]
        check((text + "\udcff") * 4, errors)
        check((text + "\ud83d\ude00\udc80") * 4 + "😀", errors)


@pytest.mark.once
@pytest.mark.one_implementation
@each_handler
@pytest.mark.parametrize("pattern", ["я", "a€", "😀é", "\ud7ff\ue000"], ids=ascii)
def test_surrogates_of_every_density(errors: str, pattern: str) -> None:
    for distance in (1, 2, 3, 16, 17, 100, 1500):
        for surrogates in ("\udc80\udcff\udca5", "\ud800\udc80\udfff\udbff"):
            chars = list((pattern * 5000)[:5000])
            for number, at in enumerate(range(distance - 1, len(chars), distance)):
                chars[at] = surrogates[number % len(surrogates)]
            for count in (1023, 1024, 1025, 5000):
                assert agree("".join(chars[:count]), errors), (distance, surrogates, count)


@each_handler
def test_surrogate_after_long_text(errors: str) -> None:
    for before in ("x\udc80я" * 3000, "я" * 5000, "😀" * 5000):
        for last in ("\ud800", "\udc80", "\udc7f\udc80"):
            assert agree(before + last, errors), (before[:3], last)


@each_handler
@given(text=texts())
def test_any_text(errors: str, text: str) -> None:
    check(text, errors)


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize(
    "errors", ["strict", "ignore", "replace", "surrogatepass", "leadbyte-tests-encode hex"]
)
def test_large_texts(errors: str) -> None:
    for script, sample in strategies.SCRIPTS.items():
        for count in (strategies.LARGE, strategies.CHUNK_BYTES + 5):
            text = sample * (count // len(sample) + 1)
            # Without pytest's comparison, which takes minutes for megabytes.
            assert agree(text, errors), script
            assert agree(text[: count // 2] + "\udc80" + text[count // 2 :], errors), script
            assert agree("\ud800" + text + "\udfff", errors), script
    for char in "aé€😀":
        assert (
            leadbyte.encoded_length(char * strategies.CHUNK_BYTES)
            == len(char.encode()) * strategies.CHUNK_BYTES
        )


class Str(str):
    """A subclass that is asked for nothing but what it holds."""

    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        raise AssertionError

    def __len__(self) -> int:
        return 1_000_000

    def __str__(self) -> str:
        return "not this"

    def __iter__(self) -> Any:  # noqa: ANN401
        raise AssertionError


@each_handler
def test_subclasses(errors: str) -> None:
    for text in ("", "a", "text" * 50, "é", "мир" * 30, "€", "😀" * 30, "\udc80", "a\ud800€", "я\udcff😀"):
        assert leadbyte.encode(Str(text), errors="surrogatepass") == text.encode("utf-8", "surrogatepass")
        seen = []
        for function in (leadbyte.encode, outcomes.encode):
            reported = outcome(function, Str(text), errors=errors)
            # The exception holds the subclass: equal, but not the same object.
            seen.append(tuple(str.__str__(value) if isinstance(value, str) else value for value in reported))
        assert seen[0] == seen[1]
    assert leadbyte.encoded_length(Str("€" * 5)) == 15


def test_exception_holds_the_text_itself() -> None:
    for text in ("a\ud800", Str("a\ud800"), "x" * 1000 + "\udfff"):
        for function in (leadbyte.encode, leadbyte.encoded_length):
            with pytest.raises(UnicodeEncodeError) as caught:
                function(text)
            assert caught.value.object is text
            assert caught.value.args[1] is text


def test_errors_by_keyword() -> None:
    assert leadbyte.encode("\ud800", errors="replace") == b"?"
    assert leadbyte.encode("\ud800", **{"".join(["err", "ors"]): "ignore"}) == b""
    with pytest.raises(UnicodeEncodeError):
        leadbyte.encode("\ud800")


@pytest.mark.parametrize("text", ["", "text", "é", "€😀", "\ud800"], ids=ascii)
@pytest.mark.parametrize("errors", [None, 1, b"strict", ["strict"], "\udc80", "a\0b", "strict\0"], ids=repr)
def test_errors_of_wrong_types_and_values(text: str, errors: Anything) -> None:
    assert outcome(leadbyte.encode, text, errors=errors) == outcome(str.encode, text, errors=errors)


@pytest.mark.skipif(sys.flags.dev_mode, reason="CPython looks handlers up at once in development mode")
@pytest.mark.parametrize("errors", ["unknown", "", "Strict", "strict ", "é", "replac", "x" * 1000], ids=ascii)
def test_unknown_handlers(errors: str) -> None:
    for text in ("", "text", "мир", "\ud800", "caf\udce9 ", "x" * 300 + "\udfff"):
        check(text, errors)
    assert leadbyte.encode("text", errors=errors) == b"text"
    with pytest.raises(LookupError, match="unknown error handler name"):
        leadbyte.encode("\ud800", errors=errors)


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ([], {}),
        ([], {"text": "a"}),
        ([], {"errors": "strict"}),
        (["a", "strict"], {}),
        (["a", "latin-1"], {}),
        (["a", "strict", 1], {}),
        (["a", "strict"], {"errors": "strict"}),
        (["a"], {"error": "strict"}),
        (["a"], {"encoding": "utf-8"}),
        (["a"], {"errors": "strict", "final": True}),
    ],
    ids=repr,
)
def test_wrong_arguments(arguments: list[Any], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        leadbyte.encode(*arguments, **keywords)
    with pytest.raises(TypeError):
        leadbyte.encoded_length(*arguments, **keywords)
    with pytest.raises(TypeError):
        leadbyte.to_well_formed(*arguments, **keywords)


@pytest.mark.parametrize("text", [b"text", bytearray(b"text"), None, 1, ["text"], object(), str], ids=shown)
@pytest.mark.parametrize("function", [leadbyte.encode, leadbyte.encoded_length, leadbyte.to_well_formed])
def test_only_str_is_encoded(function: Callable[[Any], object], text: Anything) -> None:
    with pytest.raises(TypeError, match=f"str, not {'None' if text is None else type(text).__name__}"):
        function(text)


def test_reference_counts_stay() -> None:
    texts = ["".join(["a", "b"] * 30), "".join(["é€"] * 30), "".join(["a\ud800"] * 30), Str("caf\udce9")]
    for text in texts:
        for function in (leadbyte.encode, leadbyte.encoded_length, leadbyte.to_well_formed):
            for keywords in [{}, *({"errors": errors} for errors in handlers.FOR_ENCODING)]:
                before = sys.getrefcount(text)
                for _ in range(10):
                    outcome(function, text, **keywords)
                assert sys.getrefcount(text) == before


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="every str is stored compactly from 3.12 on")
@pytest.mark.parametrize("text", ["ab", "é" * 20, "мир" * 30, "a€😀" * 30, "a\ud800b"], ids=ascii)
def test_text_that_is_not_ready(text: str) -> None:
    """Old extensions make such objects, the storage of which is for CPython to sort out."""
    api = ctypes.pythonapi

    def not_ready() -> str:
        make, memory = api.PyUnicode_FromUnicode, api.PyUnicode_AsUnicode
        make.restype, memory.restype = ctypes.py_object, ctypes.c_void_p
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            made: str = make(None, ctypes.c_ssize_t(len(text)))
            units = ctypes.create_unicode_buffer(text, len(text))
            ctypes.memmove(memory(ctypes.py_object(made)), units, ctypes.sizeof(units))
        return made

    for function in (leadbyte.encode, leadbyte.encoded_length):
        assert outcome(function, not_ready()) == outcome(function, text)
    assert outcome(leadbyte.encode, not_ready()) == outcome(outcomes.encode, text)
    assert leadbyte.to_well_formed(not_ready()) == leadbyte.to_well_formed(text)


# The protocol of handlers.

TEXTS = [
    "\ud800",
    "a\ud800b",
    "\udcff\udc80",
    "ab\ud800\udc00c\udfff\udfff\udfffd",
    "мир\udc80\ud800€",
    "x" * 100 + "\ud83d" + "😀" * 50 + "\udd00",
]


def check_handler(make: Callable[[], Handler], samples: Iterable[str] = TEXTS) -> None:
    """Check that a new handler is called alike, and what comes of it."""
    for text in samples:
        assert handled(leadbyte.encode, text, make) == handled(outcomes.encode, text, make)


@pytest.mark.parametrize("name", handlers.ENCODING)
def test_registered_handlers_see_the_same(name: str) -> None:
    check_handler(lambda: handlers.ENCODING[name])


def test_one_exception_is_used_again_and_a_run_is_one_error() -> None:
    text = "a\ud800\udc00b\udfffc\ud83d\ude00\udc80"
    _, seen, objects = handled(leadbyte.encode, text, lambda: lambda error: ("", error.end))
    assert [reported[6:9] for reported in seen] == [
        (1, 3, "surrogates not allowed"),
        (4, 5, "surrogates not allowed"),
        (6, 9, "surrogates not allowed"),
    ]
    assert objects == 1


class Tuple(tuple[Any, ...]):
    __slots__ = ()


class Bytes(bytes):
    pass


@pytest.mark.parametrize(
    "result",
    [
        None, 1, "text", b"text", [], (), ("",), ("", 1, 2), ["", 1], iter(("", 1)), Tuple(("x",)), (1, 1),
        (bytearray(), 1), (memoryview(b""), 1), (None, 1), (1, ""), ("", "1"), ("", None), (b"", 1.0),
        ("", 1j), ("", 10**30), (b"", -(10**30)), ("", sys.maxsize), ("", -sys.maxsize - 1),
        ("", sys.maxsize + 1), Tuple(("x", 1)), Tuple((b"\xff", 1)), (Str("sub"), 1), (Bytes(b"\xff\xfe"), 1),
        ("", True), ("é", 1), ("\x80", 1), ("€", 1), ("\ud800", 1), ("a" * 100 + "é", 1), ("é", 100),
        ("é", None), (b"\xff" * 100, 1), (b"", 0.5),
    ],
    ids=shown,
)  # fmt: skip
def test_result_of_a_handler(result: Anything) -> None:
    def make() -> Handler:
        rest = iter([result])
        return lambda error: next(rest, ("|", error.end))

    check_handler(make)


@pytest.mark.parametrize("position", range(-12, 13))
@pytest.mark.parametrize("replacement", ["", "<>", b"\xe2"], ids=repr)
def test_position_of_a_handler(position: int, replacement: str | bytes) -> None:
    def make() -> Handler:
        rest = iter([(replacement, position), (replacement, position - 1)])
        return lambda error: next(rest, (b"|", error.end))

    check_handler(make, ["\ud800", "abc\udc00def", "ab\udcff\udcfe\ud800cd", "я€\udfff😀", "é\udc80" * 4])


@pytest.mark.parametrize("new", ["", "a", "é€" * 20, "\ud800" * 9, b"text", None, 1], ids=ascii)
@pytest.mark.parametrize("attribute", ["object", "encoding", "reason", "start", "end", "args"])
def test_attribute_that_a_handler_sets(attribute: str, new: Anything) -> None:
    def make() -> Handler:
        def handler(error: UnicodeEncodeError) -> tuple[str, int]:
            end = error.end
            setattr(error, attribute, new)
            return "|", end

        return handler

    check_handler(make)


def test_handler_that_raises_the_error_after_others() -> None:
    def make() -> Handler:
        return lambda error: ("|", error.end) if error.start < 3 else handlers.refuse(error)

    check_handler(make)


@pytest.mark.parametrize("raised", [ValueError("mine"), KeyboardInterrupt(), UnicodeError("other")], ids=repr)
def test_handler_that_raises(raised: BaseException) -> None:
    def handler(error: UnicodeEncodeError) -> tuple[str, int]:
        if error.start > 2:
            raise raised
        return "|", error.end

    handlers.register("leadbyte-tests-raise", handler)
    with pytest.raises(type(raised)) as caught:
        leadbyte.encode("\ud800 abc \ud800", errors="leadbyte-tests-raise")
    assert caught.value is raised
    assert raised.__context__ is None


def test_handler_that_is_registered_again_during_a_call() -> None:
    name = "leadbyte-tests-again"

    def second(error: UnicodeEncodeError) -> tuple[str, int]:
        return "2", error.end

    def first(error: UnicodeEncodeError) -> tuple[str, int]:
        handlers.register(name, second)
        return "1", error.end

    results = []
    for function in (outcomes.encode, leadbyte.encode):
        handlers.register(name, first)
        results.append([function(text, errors=name) for text in ("\ud800a\ud800", "\ud800")])
    assert results == [[b"1a1", b"2"]] * 2


def test_handler_that_encodes() -> None:
    def make() -> Handler:
        def handler(error: UnicodeEncodeError) -> tuple[bytes, int]:
            return b"[%b]" % leadbyte.encode(
                error.object[error.end :], errors="leadbyte-tests-inner"
            ), error.end

        handlers.register("leadbyte-tests-inner", handler)
        return handler

    check_handler(make, ["a\ud800b\udfffc", "\udc80é" * 6])


def test_handler_that_recurses_for_ever() -> None:
    def handler(error: UnicodeEncodeError) -> tuple[bytes, int]:
        return leadbyte.encode(error.object, errors="leadbyte-tests-recurse"), error.end

    handlers.register("leadbyte-tests-recurse", handler)
    with pytest.raises(RecursionError):
        handlers.on_large_stack(lambda: leadbyte.encode("a\ud800", errors="leadbyte-tests-recurse"))


# In five eighths of the usual stack: other systems have less of it.
RECURSION = """
import codecs, resource
import leadbyte

soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
usual = (8 << 20) if soft == resource.RLIM_INFINITY else soft
resource.setrlimit(resource.RLIMIT_STACK, (usual * 5 // 8, hard))
for recurse, argument in ((leadbyte.encode, "a\\ud800"), (leadbyte.decode, b"a\\xff")):
    codecs.register_error("recurse", lambda error: (recurse(argument, errors="recurse"), error.end))
    try:
        recurse(argument, errors="recurse")
    except RecursionError:
        print(recurse.__name__)
"""


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of the stack cannot be set")
def test_recursion_takes_little_of_the_stack() -> None:
    done = subprocess.run([sys.executable, "-c", RECURSION], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "encode\ndecode\n")
