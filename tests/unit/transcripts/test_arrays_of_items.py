"""Items of an array are told apart without reading it as a whole, wherever a chunk ends (TR-63)."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.transcripts import arrays
from scrubjay.transcripts.reading import Report

_texts = st.text(alphabet='ab"\\[]{},:\n é太🦊', max_size=8)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=12,
)


def items(data: bytes) -> tuple[list[Any], Report]:
    report = Report()
    return list(arrays.items(io.BytesIO(data), "x.json", report, "conversations")), report


@given(st.lists(_values, max_size=5), st.integers(1, 9), st.sampled_from([None, 1]))
def test_items_are_those_that_json_finds(values: list[Any], chunk: int, indent: int | None) -> None:
    around = {"more": [1, {"conversations": [2]}], "conversations": values, "z": [3]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_CHUNK", chunk)
        for whole in (values, around):
            found, report = items(json.dumps(whole, ensure_ascii=False, indent=indent).encode())
            assert (found, report.problems) == (values, [])


def test_an_item_that_is_too_large_costs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MAX_ITEM", 100)
    found, report = items(json.dumps(["a", "b" * 200, ["c" * 90, "d" * 90], "e"]).encode())
    assert found == ["a", "e"]
    assert [problem.message[:16] for problem in report.problems] == ["item 2 is larger", "item 3 is larger"]


@given(st.binary(max_size=60) | st.text(alphabet='[]{},":\\a ', max_size=60).map(str.encode))
def test_any_bytes_come_to_an_end(data: bytes) -> None:
    items(data)
    items(b"[" + data)
