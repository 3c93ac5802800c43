"""leadbyte.arrow.repair_mojibake, compared with leadbyte.mojibake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import mojibake

pa = pytest.importorskip("pyarrow", minversion="16")

from layouts import EXAMPLES, LAYOUT, SEEDS, Given, each, items  # noqa: E402
from leadbyte import arrow as lba  # noqa: E402

if TYPE_CHECKING:
    from layouts import Row

CELLS = ["Â£5", "Ãœber", "10Ã—15", "â‚¬ 20", "plain", "Größe", "Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "Ýstanbul", ""]


@EXAMPLES
@given(layout=LAYOUT, rows=st.lists(st.one_of(st.none(), st.sampled_from(CELLS)), max_size=12), seed=SEEDS)
def test_cells_of_a_column_are_repaired(layout: str, rows: list[str | None], seed: int) -> None:
    case = Given([None if row is None else row.encode() for row in rows], layout, seed)

    def repaired(rows: list[Row]) -> list[Any]:
        each(bytes.decode)(rows)
        texts = mojibake.repair_many([None if row is None else row.decode() for row in rows])
        return [None if text is None else case.as_given(text.encode()) for text in texts]

    case.check(lba.repair_mojibake, repaired)


def test_mojibake_in_known_languages() -> None:
    cells = pa.array(["Ýstanbul"])
    assert items(lba.repair_mojibake(cells)) == cells.to_pylist()
    assert items(lba.repair_mojibake(cells, languages=["tr"])) == ["İstanbul"]
