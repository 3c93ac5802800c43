"""The table of machine code groups functions by modules, and counts the copies of generic ones."""

from __future__ import annotations

import pytest
from code_size import Function, Row, group, read, report, rows, without_types

VALIDATE = "leadbyte::simd::avx2::trampoline::<leadbyte::kernels::validate::Validate<{}, true>>"
RULES = "leadbyte::kernels::validate::rules::"
SEARCH = (
    "<leadbyte::unicode::search::Needle>::find::<pyo3::err::PyErr, leadbyte::python::unicode::f::{closure#0}>"
)


def test_listing() -> None:
    listing = (
        "0000000000000010 0000000000000020 t core::ptr::drop_in_place::<u8>\n"
        "0000000000000030 0000000000000008 r leadbyte::TABLE\n"
        "                 U malloc\n"
        "0000000000000040 0000000000000001 T PyInit__leadbyte\n"
    )
    assert list(read(listing)) == [
        Function(32, "core::ptr::drop_in_place::<u8>"),
        Function(1, "PyInit__leadbyte"),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (VALIDATE.format(RULES + "Utf8"), "kernels/validate"),
        ("leadbyte::simd::sse42::trampoline::<&leadbyte::kernels::count::Chars>", "kernels/count"),
        (SEARCH, "unicode"),
        ("leadbyte::count_chars", "the root"),
        ("<core::iter::Map<leadbyte::files::walk::Walk, u8> as core::iter::Iterator>::next", "files"),
        ("<alloc::vec::Vec<u8>>::push", "std"),
        ("<&str as core::fmt::Debug>::fmt", "others"),
        ("encoding_rs::variant::decode", "crate encoding_rs"),
        ("memcpy", "others"),
    ],
)
def test_groups(name: str, expected: str) -> None:
    assert group(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (VALIDATE.format(RULES + "Utf8"), "leadbyte::kernels::validate::Validate"),
        (SEARCH, "<leadbyte::unicode::search::Needle>::find"),
        ("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place"),
        ("<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt", "<alloc::vec::Vec as core::fmt::Debug>::fmt"),
        ("a::run::<fn(u8) -> u8, b::C>::{closure#1}", "a::run::{closure}"),
    ],
)
def test_names_without_types(name: str, expected: str) -> None:
    assert without_types(name) == expected


def test_tables() -> None:
    functions = [
        Function(1000, VALIDATE.format(RULES + "Utf8")),
        Function(500, VALIDATE.format(RULES + "Wtf8")),
        Function(100, "memcpy"),
    ]
    assert rows(functions, group) == [Row(1500, 2, "kernels/validate"), Row(100, 1, "others")]
    lines = report(functions, 1)
    assert lines[0] == "1.6 kB of machine code in 3 functions"
    assert "| 1.5 | 2 | `kernels/validate` |" in lines
    assert "| 1.5 | 2 | `leadbyte::kernels::validate::Validate` |" in lines
    assert lines[-1].startswith("| 1.0 | 1 | `leadbyte::simd::avx2::")
