"""Overlap of key terms and the rule that follows (SM-25, SM-26, §12.4); recall stands beside it (F19)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations.learn import matching
from scrubjay.operations.store import Store
from scrubjay.proposals import Related
from tests.flows.segments import learned, plan_of, segment, store_of

TERMS = ("alpha", "bravo", "charlie", "delta", "foxtrot")


@pytest.fixture
def store(memory: Memory) -> Store:
    return store_of(memory)


def put(store: Store, root: Path, name: str, body: str, front: str = 'title: "T"') -> str:
    path = f"10-Memories/MEM-{name}.md"
    store.vault.write(path, f"---\n{front}\n---\n\n# {name.title()}\n\n{body}\n", expected=None)
    return path


@pytest.mark.parametrize(
    ("shared", "of", "action"),
    [(5, 5, "UPDATE"), (4, 5, "UPDATE"), (3, 5, "EXTEND"), (2, 5, "EXTEND"), (1, 5, "CREATE"), (0, 5, "CREATE"),
     (3, 10, "EXTEND"), (2, 3, "UPDATE"), (1, 3, "EXTEND"), (2, 4, "EXTEND"), (1, 1, "UPDATE")],
)  # fmt: skip
def test_sm26_the_ladder(shared: int, of: int, action: str) -> None:
    """Above 0.60 UPDATE, 0.30 to 0.60 inclusive EXTEND, below CREATE; §12.4 has the boundaries."""
    terms = [f"term{number}" for number in range(of)]
    best = Related(id="MEM-x", path="x", title="X", shared=tuple(terms[:shared]), overlap=shared / of)
    recommended, rule = matching.recommend(best, terms)
    assert recommended == action
    assert rule.endswith(f"{action}.")
    assert shared == 0 or f"{shared} of {of} key terms are in “X”" in rule


def test_sm26_without_terms_create() -> None:
    assert matching.recommend(Related(id="MEM-x", path="x", title="X"), ())[0] == "CREATE"
    assert matching.recommend(None, TERMS)[0] == "CREATE"


def test_sm25_overlap_is_the_share_of_the_segment_s_terms_case_folded(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    put(store, tmp_path, "one", "Alpha BRAVO and charlie once.")
    memory.sync()
    related = matching.related(matching.shelf(store), segment("x", terms=TERMS))
    assert [(one.id, one.overlap, one.shared) for one in related] == [("MEM-one", 0.6, ("alpha", "bravo", "charlie"))]


def test_sm25_keywords_of_the_frontmatter_count(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    put(store, tmp_path, "one", "Alpha.", 'title: "T"\nkeywords: [Bravo, DELTA, Ёлка]')
    memory.sync()
    related = matching.related(matching.shelf(store), segment("x", terms=("alpha", "bravo", "delta", "елка")))
    assert related[0].overlap == 1.0


def test_sm26_up_to_five_best_first(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    for count in range(1, 6):
        for twin in "ab":
            put(store, tmp_path, f"n{count}{twin}", " ".join(TERMS[:count]))
    memory.sync()
    related = matching.related(matching.shelf(store), segment("x", terms=TERMS))
    assert [one.id for one in related] == ["MEM-n5a", "MEM-n5b", "MEM-n4a", "MEM-n4b", "MEM-n3a"]
    assert [one.overlap for one in related] == [1.0, 1.0, 0.8, 0.8, 0.6]


def test_sm26_tombstoned_memories_never_appear(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    path = put(store, tmp_path, "gone", " ".join(TERMS), 'title: "T"\nstatus: tombstoned')
    memory.sync()
    asked = segment(" ".join(TERMS), terms=TERMS)
    assert matching.related(matching.shelf(store), asked, lambda _: [(path, 0.99)]) == []
    assert plan_of(store, asked).proposals[0].action == "CREATE"


def test_history_and_connections_are_no_terms(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    past = "Golf.\n\n## History\n\n### Previous Version (2026-01-01)\n\nAlpha bravo.\n\n## Connections\n- [[charlie]]"
    put(store, tmp_path, "one", past)
    memory.sync()
    assert matching.related(matching.shelf(store), segment("x", terms=TERMS)) == []


def test_other_documents_are_not_matched(memory: Memory) -> None:
    store = store_of(memory)
    memory.remember(" ".join(TERMS))
    store.vault.write("notes/free.md", " ".join(TERMS), expected=None)
    memory.sync()
    assert matching.related(matching.shelf(store), segment("x", terms=TERMS)) == []


def test_f19_recall_is_shown_and_decides_nothing(memory: Memory, tmp_path: Path) -> None:
    """No similarity, however high, turns CREATE into anything else; none, however low, spoils the rule."""
    store = store_of(memory)
    like = put(store, tmp_path, "like", "Something about quite other words.")
    terms = put(store, tmp_path, "terms", " ".join(TERMS[:4]))
    memory.sync()
    lonely = segment("zulu yankee", terms=("zulu", "yankee"))
    plan = plan_of(store, lonely, recall=lambda _: [(like, 0.999)])
    assert plan.proposals[0].action == "CREATE"
    assert [(one.id, one.score, one.overlap) for one in plan.proposals[0].related] == [("MEM-like", 0.999, 0.0)]
    plan = plan_of(store, segment("x", terms=TERMS), recall=lambda _: [(like, 0.9), (terms, 0.01)])
    assert plan.proposals[0].action == "UPDATE"
    assert plan.proposals[0].targets[0].path == terms
    assert {one.id for one in plan.proposals[0].related} == {"MEM-like", "MEM-terms"}


def test_recall_s_best_is_among_the_five(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    for number in range(6):
        put(store, tmp_path, f"n{number}", " ".join(TERMS[:3]))
    like = put(store, tmp_path, "like", "Other words.")
    memory.sync()
    related = matching.related(matching.shelf(store), segment("x", terms=TERMS), lambda _: [(like, 0.5)])
    assert len(related) == 5
    assert related[-1].path == like


def test_chinese_and_russian_terms_match(store: Store) -> None:
    learned(store, segment("使用数据库迁移工具管理表结构。数据库迁移必须可回滚。", title="数据库迁移"))
    learned(store, segment("Пул соединений базы данных нужно ограничивать сверху.", title="Пул соединений"))
    chinese = plan_of(store, "数据库迁移工具管理表结构，数据库迁移要先备份。").proposals[0]
    russian = plan_of(store, "Пул соединений базы данных нужно ограничивать снизу.").proposals[0]
    assert (chinese.action, russian.action) == ("UPDATE", "UPDATE")


def test_a_damaged_memory_is_matched_with_a_caution(memory: Memory, tmp_path: Path) -> None:
    """F30, F108: it is named, so that nobody writes it a second time, and will not be changed."""
    store = store_of(memory)
    text = f"---\ntitle: T\n---\n\n<<<<<<< HEAD\n{' '.join(TERMS)}\n\n=======\nother\n>>>>>>> x\n"
    store.vault.write("10-Memories/MEM-torn.md", text, expected=None)
    memory.sync()
    proposal = plan_of(store, segment("x y", terms=TERMS)).proposals[0]
    assert proposal.targets[0].id == "MEM-torn"
    assert "10-Memories/MEM-torn.md, line 5: an unresolved merge-conflict marker" in proposal.cautions[0]
