"""``distill-log.json`` as text (SM-50): whatever git or a crash made of it, what is whole is saved (F106)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.distill import log


def operation(id: str, kind: str = "purge", *affected: str) -> dict[str, object]:
    return {"id": id, "timestamp": f"2026-12-01T00:00:{len(id):02}Z", "type": kind, "affected_memories": list(affected)}


ONE, TWO, THREE = operation("a", "purge", "MEM-1"), operation("bb", "gc", "MEM-2"), operation("ccc", "merge", "1", "2")


def test_sm50_the_format() -> None:
    value = json.loads(log.dump([ONE, TWO, THREE, operation("dddd", "compress", "x", "y")]))
    assert list(value) == ["version", "operations", "summary"] and value["version"] == "1.0.0"
    assert value["summary"] == {
        "total_operations": 4,
        "total_purged": 1,
        "total_merged": 1,
        "total_compressed": 2,
        "total_refined": 0,
        "total_gc_deleted": 1,
        "last_operation": "2026-12-01T00:00:04Z",
    }
    assert json.loads(log.dump([]))["summary"]["total_operations"] == 0


def test_sm50_an_operation_stands_on_a_line() -> None:
    lines = [line for line in log.dump([ONE, TWO]).splitlines() if '"id"' in line]
    assert [json.loads(line.strip().rstrip(",")) for line in lines] == [ONE, TWO]


def test_sm50_both_sides_of_a_union_merge_count_once() -> None:
    ours, theirs = log.dump([ONE, TWO]).splitlines(), log.dump([ONE, THREE]).splitlines()
    union = [*ours[:4], *theirs[3:], *ours[4:]]
    assert log.operations("\n".join(union)) == [ONE, TWO, THREE]


@pytest.mark.parametrize("marker", ["<<<<<<< ours\n", "=======\n", '{"id": "torn", "type": ', "\x00", "[" * 100_000])
def test_sm50_what_is_torn_is_left_out(marker: str) -> None:
    text = log.dump([ONE, TWO])
    assert log.operations(f"{marker}{text}") == [ONE, TWO]
    assert log.operations(f"{text}{marker}") == [ONE, TWO]


def test_sm50_another_programs_layout_is_read_damaged_or_not() -> None:
    text = json.dumps({"version": "1.0.0", "operations": [ONE, TWO], "summary": {}}, indent=4)
    assert log.operations(text) == log.operations(f"<<<<<<<\n{text}\n>>>>>>>") == [ONE, TWO]


@pytest.mark.parametrize(
    "text", ["", "[]", "7", '{"operations": 7}', '{"operations": [1, null]}', '{"operations": {"id": 5}}', "{" * 50_000]
)
def test_sm50_nonsense_holds_no_operation(text: str) -> None:
    assert log.operations(text) == []


def test_sm50_strange_values_do_no_harm() -> None:
    strange = [{"id": 5, "affected_memories": 7}, {"id": "x", "type": ["gc"], "timestamp": None}, {"type": "gc"}]
    found = log.operations(json.dumps({"operations": strange}))
    assert len(found) == 2 and json.loads(log.dump(found))["summary"]["total_operations"] == 2


def test_many_torn_operations_end_the_search() -> None:
    assert log.operations('{"id": "x", "n": ' * 20_000) == []


@given(st.lists(st.integers(0, 60), max_size=8), st.data())
def test_sm50_lines_that_are_whole_are_saved(cuts: list[int], data: st.DataObject) -> None:
    lines = log.dump([ONE, TWO, THREE]).splitlines()
    for cut in cuts:
        lines.insert(cut % (len(lines) + 1), data.draw(st.sampled_from(["<<<<<<<", "]", "}", '"summary": {', ","])))
    assert {one["id"] for one in log.operations("\n".join(lines))} == {"a", "bb", "ccc"}
