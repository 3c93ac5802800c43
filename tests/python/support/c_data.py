"""The structs of the Arrow C data interface by ctypes, with whatever content, and counted releases."""

from __future__ import annotations

import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, cast
from struct import pack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Schema(ctypes.Structure):
    """ArrowSchema."""


class Array(ctypes.Structure):
    """ArrowArray."""


class Stream(ctypes.Structure):
    """ArrowArrayStream."""


ReleaseSchema, ReleaseArray = CFUNCTYPE(None, POINTER(Schema)), CFUNCTYPE(None, POINTER(Array))
ReleaseStream = CFUNCTYPE(None, POINTER(Stream))
GetSchema = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetLastError = CFUNCTYPE(c_void_p, POINTER(Stream))
Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", ReleaseSchema),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", ReleaseArray),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetLastError),
    ("release", ReleaseStream),
    ("private_data", c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]


get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = c_void_p
get_pointer.argtypes = [ctypes.py_object, c_char_p]


class Counted:
    """Counts the releases of structs, which must each be released once."""

    def __init__(self) -> None:
        self.exported = 0
        self.released = 0
        self.structs: list[Any] = []
        self.kept: list[Any] = []

    def count(self, kind: Any, struct: Any, own: Sequence[Any] = ()) -> None:  # noqa: ANN401
        """Give a struct a callback that counts, and releases what it owns."""

        def release(pointer: Any) -> None:  # noqa: ANN401
            self.released += 1
            clear(pointer.contents)
            release_all(own)

        struct.release = kind(release)
        self.exported += 1
        self.structs.append(struct)
        self.kept.append(struct.release)

    def schema(
        self,
        layout: bytes | None,
        children: Sequence[Schema | None] = (),
        dictionary: Schema | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> Schema:
        """Return a schema."""
        schema = Schema(format=layout, flags=2, n_children=len(children))
        self.count(ReleaseSchema, schema, [*children, dictionary])
        link(self, schema, children, dictionary, fields)
        return schema

    def array(
        self,
        length: int,
        buffers: Sequence[bytes | int | None] | None,
        children: Sequence[Array | None] = (),
        dictionary: Array | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> Array:
        """Return an array; buffers are their content, or an address. Without them there are no pointers."""
        array = Array(length=length, n_buffers=len(buffers or ()), n_children=len(children))
        held = [
            ctypes.create_string_buffer(each, len(each)) if isinstance(each, bytes) else each
            for each in buffers or ()
        ]
        addresses = [
            each if each is None or isinstance(each, int) else ctypes.addressof(each) for each in held
        ]
        pointers = (c_void_p * len(addresses))(*addresses)
        if buffers is not None:
            array.buffers = cast(pointers, POINTER(c_void_p))
        self.kept.append((held, pointers))
        self.count(ReleaseArray, array, [*children, dictionary])
        link(self, array, children, dictionary, fields)
        return array

    def stream(
        self,
        schema: Schema | None,
        arrays: Sequence[Array] = (),
        message: bytes | None = None,
        fails: int = 0,
        **fields: Any,  # noqa: ANN401
    ) -> Stream:
        """Return a stream of the arrays, which ends with an error if ``fails`` is not 0."""
        left = list(arrays)

        def get_schema(_: object, out: Any) -> int:  # noqa: ANN401
            if schema is None:
                return 5
            move(schema, out.contents)
            return 0

        def get_next(_: object, out: Any) -> int:  # noqa: ANN401
            if not left:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return fails
            move(left.pop(0), out.contents)
            return 0

        text = ctypes.create_string_buffer(message) if message is not None else None
        stream = Stream(
            get_schema=GetSchema(get_schema),
            get_next=GetNext(get_next),
            get_last_error=GetLastError(lambda _: ctypes.addressof(text) if text else 0),
        )
        self.count(ReleaseStream, stream)
        for name, value in fields.items():
            setattr(stream, name, value)
        self.kept.append((text, stream.get_schema, stream.get_next, stream.get_last_error))
        return stream

    def release_rest(self) -> None:
        """Release the structures still in capsules, as their destructors would."""
        release_all(reversed(self.structs))


def release_all(structs: Iterable[Any]) -> None:
    """Release structs that are not released."""
    for struct in structs:
        if struct is not None and struct.release:
            struct.release(ctypes.byref(struct))


def clear(struct: Any) -> None:  # noqa: ANN401
    """Mark a struct as released."""
    ctypes.memset(ctypes.addressof(struct) + type(struct).release.offset, 0, ctypes.sizeof(c_void_p))


def link(counted: Counted, struct: Any, children: Any, dictionary: Any, fields: Any) -> None:  # noqa: ANN401
    """Set children, the dictionary and other fields of a struct."""
    pointer = POINTER(type(struct))
    if children:
        pointers = (pointer * len(children))(
            *[ctypes.pointer(child) if child is not None else pointer() for child in children]
        )
        struct.children = cast(pointers, POINTER(pointer))
        counted.kept.append((pointers, children))
    if dictionary is not None:
        struct.dictionary = ctypes.pointer(dictionary)
    for name, value in fields.items():
        setattr(struct, name, value)


def move(struct: Any, target: Any) -> None:  # noqa: ANN401
    """Move a struct, as the interface defines it."""
    ctypes.memmove(ctypes.addressof(target), ctypes.addressof(struct), ctypes.sizeof(struct))
    clear(struct)


class Exporter:
    """An object with the interface, made of structs or of anything else in capsules."""

    def __init__(
        self,
        schema: object = None,
        array: object = None,
        names: Sequence[bytes] = (b"arrow_schema", b"arrow_array"),
    ) -> None:
        self.capsules: Any = tuple(
            new_capsule(ctypes.addressof(struct), name, None)
            if isinstance(struct, ctypes.Structure)
            else struct
            for struct, name in zip((schema, array), names, strict=True)
        )

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """Return the capsules."""
        return self.capsules  # type: ignore[no-any-return]


def validity(rows: Sequence[object]) -> bytes:
    """Return the bitmap of rows that are not null."""
    # A sum of bits would take time that grows as the square of the number of rows.
    bits = int("".join("01"[row is not None] for row in reversed(rows)) or "0", 2)
    return bits.to_bytes(len(rows) // 8 + 1, "little")


class Rows:
    """A column of binary values, which needs no library."""

    def __init__(self, rows: Sequence[bytes | None]) -> None:
        self.count = len(rows)
        ends = itertools.accumulate((len(row or b"") for row in rows), initial=0)
        self.buffers = [
            validity(rows),
            pack(f"={len(rows) + 1}i", *ends),
            b"".join(row or b"" for row in rows),
        ]
        self.exported: list[Counted] = []

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """Return new capsules, whose structs live as long as this object."""
        self.exported.append(counted := Counted())
        array = counted.array(self.count, self.buffers, null_count=-1)
        return Exporter(counted.schema(b"z"), array).capsules  # type: ignore[no-any-return]


class StreamExporter:
    """An object with the interface of streams."""

    def __init__(self, stream: Stream, name: bytes = b"arrow_array_stream") -> None:
        self.capsule = new_capsule(ctypes.addressof(stream), name, None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the capsule."""
        return self.capsule
