"""Errors in the columns of a file: by row group, row and column."""

from __future__ import annotations

from leadbyte._files.errors import malformed_chars
from leadbyte._files.tables import no_column
from leadbyte._leadbyte import Scanner
from leadbyte._messages import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from leadbyte._files.errors import MalformedChar
    from leadbyte._files.tables import CountedFile

    _Anything: TypeAlias = Any
    _Parts: TypeAlias = list[tuple[str, str]]
    # The place of a column: the index of a field at the top, of one in that, and so on. Names may repeat.
    _Place: TypeAlias = tuple[int, ...]

# The types that hold text, by the functions of pyarrow.types that recognize them.
STRINGS = ("is_string", "is_large_string", "is_string_view")
BINARY = ("is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary")
VIEWS = ("is_string_view", "is_binary_view")
# All types that hold text if a column is named.
TEXT = (*STRINGS, *BINARY)
LIST_VIEWS = ("is_list_view", "is_large_list_view")
LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_map", *LIST_VIEWS)
RUNS = ("is_run_end_encoded",)
# The types whose values are kept once.
ENCODED = ("is_dictionary", *RUNS)


class Column:
    """A column, possibly nested in others, and its scan."""

    def __init__(self, path: str, top: str, data_type: _Anything) -> None:
        # The names of the fields that it is nested in and its own, joined by dots. Others may have the same.
        self.path = path
        # The name of the field at the top.
        self.top = top
        self.type = str(data_type)
        # Its number among the columns with this path, from 1, and their number.
        self.number = self.namesakes = 1
        self.invalid_rows = self.error_count = 0

    @property
    def name(self) -> str:
        """The path, with a number if several columns have the same one: name (2 of 2)."""
        return f"{self.path} ({self.number} of {self.namesakes})" if self.namesakes > 1 else self.path

    def as_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return {
            "name": self.name,
            "type": self.type,
            "invalid_rows": self.invalid_rows,
            "error_count": self.error_count,
        }


class Columns:
    """The columns of a schema that hold text: the ones of some names, with their children, or all.

    Without names, they are of the types ``kinds``. Binary ones and those that pyarrow cannot flatten are
    ``skipped``; the latter are ``unread`` if they have strings.
    """

    def __init__(self, schema: _Anything, names: list[str], kinds: tuple[str, ...]) -> None:
        """Choose the columns; raise OSError if one of a name does not exist, or holds no text."""
        kinds = TEXT if names else kinds
        self.chosen: dict[_Place, Column] = {}
        self.skipped: list[Column] = []
        self.unread: list[Column] = []
        # The columns that may turn out not to be text.
        self.unknown: set[_Place] = set()
        # The places of the fields at the top by their names.
        self.places: dict[str, list[int]] = {}
        # All columns by their paths.
        found: dict[str, list[Column]] = {}
        for index, field in enumerate(schema):
            self.places.setdefault(field.name, []).append(index)
            for name, place, data_type in leaf_types(field.name, (index,), field.type):
                column = Column(name, field.name, data_type)
                found.setdefault(name, []).append(column)
                if names and not any(is_within(name, given) for given in names):
                    continue
                if has_text(data_type, kinds):
                    self.chosen[place] = column
                    if not (names or has_text(data_type, STRINGS)):
                        self.unknown.add(place)
                elif has_text(data_type, BINARY) or is_unsupported(data_type):
                    self.skipped.append(column)
                    if has_strings_within(data_type):
                        self.unread.append(column)
        for namesakes in found.values():
            for number, column in enumerate(namesakes, 1):
                column.number, column.namesakes = number, len(namesakes)
        for given in names:
            if not any(is_within(column.path, given) for column in self.chosen.values()):
                raise OSError(unsuitable(given, found))

    @property
    def tops(self) -> list[str]:
        """The names of the columns at the top, which are to be read."""
        return list({column.top: None for column in self.chosen.values()})

    def arrays(self, batch: _Anything) -> Iterator[tuple[Column, _Anything, _Anything]]:
        """Yield each column, its values in a batch, and the row of each value; None if that is its index."""
        places = {name: iter(indices) for name, indices in self.places.items()}
        for field, array in zip(batch.schema, batch.columns, strict=True):
            for place, values, rows in leaf_arrays((next(places[field.name]),), array, None):
                if place in self.unknown and len(values) > values.null_count:
                    self.unknown.remove(place)
                    if has_nul(values):
                        self.skipped.append(self.chosen.pop(place))
                if place in self.chosen:
                    yield self.chosen[place], values, rows


def is_within(name: str, given: str) -> bool:
    """Return whether a column is the one of a name, or nested in it."""
    return name == given or name.startswith(f"{given}.")


def unsuitable(given: str, found: dict[str, list[Column]]) -> str:
    """Return the message about a name without a column of text, given all columns by their paths."""
    below = {column.type for name in found if is_within(name, given) for column in found[name]}
    if not below:
        return no_column(given, list(found))
    return printable(f'column "{given}" holds no text, but {", ".join(sorted(below))}')


def leaf_types(name: str, place: _Place, data_type: _Anything) -> Iterator[tuple[str, _Place, _Anything]]:
    """Yield the names, places and types of all nested in a type; the elements of a list have its name."""
    storage = storage_type(data_type)
    if is_kind(storage, ("is_struct",)):
        for index, field in enumerate(storage):
            yield from leaf_types(f"{name}.{field.name}", (*place, index), field.type)
    elif is_kind(storage, LISTS):
        yield from leaf_types(name, (*place, 0), storage.field(0).type)
    else:
        yield name, place, data_type


def leaf_arrays(
    place: _Place, array: _Anything, rows: _Anything
) -> Iterator[tuple[_Place, _Anything, _Anything]]:
    """Yield the places, values and rows of all that is nested in an array, as leaf_types does."""
    import pyarrow as pa

    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    if is_kind(array.type, ("is_struct",)):
        for index, values in enumerate(struct_fields(array)):
            yield from leaf_arrays((*place, index), values, rows)
    elif is_kind(array.type, LISTS):
        array = as_list(array)
        parents = parents_of(array)
        inner = parents if rows is None else rows.take(parents)
        yield from leaf_arrays((*place, 0), array.flatten(), inner)
    elif is_kind(array.type, RUNS):
        yield place, decoded_runs(array), rows
    else:
        yield place, array, rows


def parents_of(array: _Anything) -> _Anything:
    """Return the row of each value of lists, in the order of the rows, but of the values of null lists."""
    import pyarrow as pa
    from pyarrow import compute

    if not is_kind(array.type, LIST_VIEWS):
        parents = compute.list_parent_indices(array)
        return parents.filter(array.is_valid().take(parents)) if array.null_count else parents
    # The order of the values of views in memory may be another. Other lists take ten times as long this way.
    lengths = compute.fill_null(compute.list_value_length(array), 0).cast(pa.int64())
    rows = pa.array(range(len(array)), pa.int64())
    filled = compute.greater(lengths, 0)
    ends = compute.cumulative_sum(lengths.filter(filled))
    return compute.run_end_decode(pa.RunEndEncodedArray.from_arrays(ends, rows.filter(filled)))


def struct_fields(array: _Anything) -> list[_Anything]:
    """Return the values of each field of structs, null where the struct is, and runs as plain rows."""
    import pyarrow as pa

    fields = [array.field(index) for index in range(array.type.num_fields)]
    if not any(is_kind(field.type, RUNS) for field in fields):
        return list(array.flatten())
    # pyarrow would add a bitmap to the runs, which have none.
    plain = [decoded_runs(field) if is_kind(field.type, RUNS) else field for field in fields]
    names = [field.name for field in array.type]
    return list(pa.StructArray.from_arrays(plain, names, mask=array.is_null()).flatten())


def decoded_runs(array: _Anything) -> _Anything:
    """Return run-end encoded values as plain rows, also those that pyarrow does not decode."""
    import pyarrow as pa
    from pyarrow import compute

    values = array.values
    numbers = pa.RunEndEncodedArray.from_arrays(array.run_ends, pa.array(range(len(values))))
    numbers = compute.run_end_decode(numbers.slice(array.offset, len(array)))
    if is_kind(values.type, VIEWS):
        values = as_large_binary(values)
    return values.take(numbers)


def as_list(array: _Anything) -> _Anything:
    """Return maps as lists of structs, and lists as they are."""
    import pyarrow as pa

    if not isinstance(array, pa.MapArray):
        return array
    pairs = pa.StructArray.from_arrays([array.keys, array.items], fields=list(array.type.field(0).type))
    buffers = array.buffers()[: array.type.num_buffers]
    kind = pa.list_(pairs.type)
    return pa.Array.from_buffers(kind, len(array), buffers, array.null_count, array.offset, [pairs])


def has_nul(array: _Anything) -> bool:
    """Return whether binary values are considered binary, as files are."""
    from pyarrow import compute

    found = compute.match_substring(as_large_binary(array), "\0")
    return bool(compute.any(found).as_py())


def as_large_binary(array: _Anything) -> _Anything:
    """Return the values of an array as bytes with offsets of 64 bits."""
    import pyarrow as pa

    try:
        return array.cast(pa.large_binary())
    except pa.ArrowNotImplementedError:  # of views, before pyarrow 18
        values = (value.as_buffer().to_pybytes() if value.is_valid else None for value in array)
        return pa.array(values, pa.large_binary())


def storage_type(data_type: _Anything) -> _Anything:
    """Return the type that an extension type is stored as, and any other as it is."""
    import pyarrow as pa

    return data_type.storage_type if isinstance(data_type, pa.BaseExtensionType) else data_type


def has_text(data_type: _Anything, kinds: tuple[str, ...]) -> bool:
    """Return whether values of a type are of one of these kinds. Bytes of an extension type are not text."""
    storage = storage_type(data_type)
    if storage is not data_type:
        return has_text(storage, STRINGS)
    if is_kind(data_type, ENCODED):
        return has_text(data_type.value_type, kinds)
    return is_kind(data_type, kinds)


def is_unsupported(data_type: _Anything) -> bool:
    """Return whether values of a type are nested in a way that cannot be read."""
    storage = storage_type(data_type)
    if is_kind(storage, ENCODED):
        return is_unsupported(storage.value_type)
    return is_kind(storage, ("is_nested",))


def has_strings_within(data_type: _Anything) -> bool:
    """Return whether a type is nested, and values of one that is nested in it are strings."""
    storage = storage_type(data_type)
    if is_kind(storage, ("is_dictionary",)):
        within = [storage.value_type]
    else:
        within = [storage.field(index).type for index in range(storage.num_fields)]
    return any(has_text(each, STRINGS) or has_strings_within(each) for each in within)


def is_kind(data_type: _Anything, kinds: tuple[str, ...]) -> bool:
    """Return whether a type is of one of these kinds."""
    from pyarrow import types

    return any(getattr(types, kind)(data_type) for kind in kinds)


class RowError:
    """A malformed character, with its column and row; ``group_row`` counts from the start of the group."""

    def __init__(self, column: str, row: int, group: int, group_row: int, malformed: MalformedChar) -> None:
        self.column = column
        self.row = row
        self.group = group
        self.group_row = group_row
        self.malformed = malformed

    def location(self, kind: str) -> str:
        """Return row and column for people, with the group of this kind if the format has groups."""
        within = f" ({kind} {self.group}, row {self.group_row})" if kind else ""
        return f"row {self.row}{within}, column {printable(self.column)}:"

    def as_dicts(self, kind: str) -> Iterator[dict[str, object]]:
        """Yield the fields of each error for JSON; offsets are in the value of the row."""
        group = {kind.replace(" ", "_"): self.group, "row_in_group": self.group_row} if kind else {}
        for error in self.malformed.as_dicts():
            # Of the value, which is rarely of several lines.
            del error["line"]
            yield {**error, "column": self.column, "row": self.row, **group}


class TableScan:
    """The scans of the columns of a file; at least the first ``limit`` malformed characters are kept."""

    def __init__(self, columns: Columns, group: str, *, limit: int, kept: int) -> None:
        self.columns = columns
        self.group = group
        self.limit = limit
        self.kept = kept
        self.byte_count = self.row_count = self.error_count = 0
        self.first_row = self.last_group = 0
        self.found: list[RowError] = []
        self.status: os.stat_result
        # The rows of each row group, counted from its start, that a repaired file is to be without.
        self.dropped: dict[int, set[int]] = {}
        # What a repaired file lacks.
        self.not_kept: list[str] = []

    @property
    def valid(self) -> bool:
        """Whether all columns are valid."""
        return not self.error_count

    def add_all(self, table: _Anything, file: CountedFile) -> None:
        """Look for errors in all batches of a table, and report the progress in its file."""
        for group, batch in table.batches(self.columns.tops):
            self.add(group, batch)
            file.report()

    def add(self, group: int, batch: _Anything) -> None:
        """Look for errors in the next batch, of a group."""
        import pyarrow as pa

        from leadbyte.arrow import errors

        if group != self.last_group:
            self.last_group, self.first_row = group, self.row_count
        invalid = []
        for order, (column, array, rows) in enumerate(self.columns.arrays(batch)):
            found = pa.array(errors(array))
            if not len(found):
                continue
            self.keep(group, column, array, rows, found)
            indices = found.field("row").unique()
            invalid_rows = indices if rows is None else rows.take(indices)
            column.error_count += len(found)
            column.invalid_rows += len(invalid_rows.unique())
            self.error_count += len(found)
            first = zip(invalid_rows[: self.limit], indices[: self.limit], strict=True)
            invalid += [(row.as_py(), order, index.as_py(), column, array) for row, index in first]
        for row, _, index, column, array in sorted(invalid, key=lambda value: value[:3]):
            if len(self.found) >= self.limit:
                break
            self.add_value(column.name, self.row_count + row, group, value_bytes(array[index]))
        self.row_count += batch.num_rows

    def keep(self, group: int, column: Column, values: _Anything, rows: _Anything, found: _Anything) -> None:
        """Do more with the errors of a column in a batch of a group; ``rows`` has the row of each value."""

    def add_value(self, column: str, row: int, group: int, value: _Anything) -> None:
        """Keep the errors of a value."""
        scanner = Scanner._keeping(self.kept)
        scanner.update(value)
        for malformed in malformed_chars(scanner):
            self.found.append(RowError(column, row, group, row - self.first_row, malformed))


def value_bytes(scalar: _Anything) -> _Anything:
    """Return the bytes of a value."""
    import pyarrow as pa

    return (scalar.value if isinstance(scalar, pa.DictionaryScalar) else scalar).as_buffer()
