"""How the pieces that a search finds become an order of memories (CC-S3)."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.notebook.recalling import RecallSelector
from scrubjay.types import Hit, Record
from scrubjay.vaults.dialects.claude_memory.scan import Header

NAMES = [f"{name}.md" for name in "abcdefgh"]


def hit(path: str, score: float, *, dense: int | None = None, scope: str = "notebook", trust: str = "normal") -> Hit:
    record = Record(id=f"{path}{score}", layer="notes", path=path, text="x", scope=scope, trust=trust)  # type: ignore[arg-type]
    return Hit(record=record, score=score, ranks={} if dense is None else {"dense": dense})


def chosen(hits: list[Hit], *names: str, limit: int = 5) -> list[str]:
    headers = [Header(filename=name, path=Path("/m", name), mtime_ms=0) for name in names]
    return RecallSelector(lambda _query, _most: hits, {"team": "team"}).select("q", headers, (), limit)


def test_a_memory_is_as_good_as_its_best_piece_and_its_pieces_together() -> None:
    assert chosen([hit("a.md", 0.3), hit("b.md", 0.6)], "a.md", "b.md") == ["b.md", "a.md"]
    several = [hit("a.md", 0.5), hit("b.md", 0.5), *(hit("b.md", 0.4 - part / 100) for part in range(4))]
    assert chosen(several, "a.md", "b.md") == ["b.md", "a.md"]


def test_what_is_nearest_in_meaning_counts_too() -> None:
    hits = [hit("a.md", 0.41), hit("b.md", 0.4, dense=1), hit("c.md", 0.39, dense=2), hit("d.md", 0.38, dense=3)]
    assert chosen(hits, "a.md", "b.md", "c.md", "d.md")[0] == "b.md"


def test_only_candidates_are_chosen_and_a_team_has_its_folder() -> None:
    hits = [hit("a.md", 0.9), hit("a.md", 0.8, scope="team"), hit("evil.md", 0.9, trust="low")]
    assert chosen(hits, "team/a.md", "evil.md") == ["team/a.md"]
    assert chosen(hits, "nobody.md") == chosen([], "a.md") == []


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.floats(0, 1), st.integers(1, 50)), max_size=40))
def test_each_is_named_once_and_no_more_than_asked_for(pieces: list[tuple[str, float, int]]) -> None:
    found = chosen([hit(name, score, dense=place) for name, score, place in pieces], *NAMES[:6])
    assert len(found) == len(set(found)) == min(5, len({name for name, _, _ in pieces if name in NAMES[:6]}))
