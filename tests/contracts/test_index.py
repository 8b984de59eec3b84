"""What every ``ports.Index`` promises. Parametrised over the implementations; PostgreSQL joins here."""

from __future__ import annotations

import string
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubjay import temporal
from scrubjay.errors import BadInput, Conflict, NotFound, Refused
from scrubjay.index.sqlite import SqliteIndex
from scrubjay.ports import Filter, Index, IndexedDocument, IndexedRecord, VectorRow
from scrubjay.types import LAYERS, Change, Interval, Operation, Problem, Record

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ALL = Filter(layers=frozenset(LAYERS), as_of=NOW, known_at=NOW)
MODEL = "e5"


class Clock:
    """A clock that stands still until told to move."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["file", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Index]:
    opened = SqliteIndex(tmp_path / "index" if request.param == "file" else ":memory:", clock=clock)
    yield opened
    opened.close()


def doc(path: str, hash: str = "h", id: str = "") -> IndexedDocument:
    return IndexedDocument(path=path, hash=hash, size=len(path), mtime_ns=1, kind="note", id=id)


def item(id: str, text: str, *, head: str = "", passage: str | None = None, **fields: Any) -> IndexedRecord:
    values: dict[str, Any] = {"layer": "chunks", "path": "a.md", **fields}
    record = Record(id=id, text=text, **values)
    return IndexedRecord(
        record=record, head=head.split(), body=text.split(), passage=f"lead: {text}" if passage is None else passage
    )


def put(index: Index, path: str, *items: IndexedRecord, hash: str = "h", problems: tuple[Problem, ...] = ()) -> None:
    with index.writing():
        index.put_document(doc(path, hash), items, problems)


def found(index: Index, words: str, where: Filter = ALL, limit: int = 10) -> list[str]:
    keys = index.lexical(words.split(), where, limit)
    records = index.records(keys)
    return [records[key].id for key in keys]


def embed(index: Index, vectors: dict[str, np.ndarray], model: str = MODEL, tokens: bytes | None = None) -> None:
    for pending in index.pending(model, 10_000):
        record = index.records([pending.key])[pending.key]
        if record.id in vectors:
            blob = np.rint(vectors[record.id] * 127).astype(np.int8).tobytes()
            index.put_vectors(model, [VectorRow(key=pending.key, vector=blob, tokens=tokens)])


def unit(*values: float, dimensions: int = 64) -> np.ndarray:
    vector = np.zeros(dimensions, np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


# --- documents ---------------------------------------------------------------------------------------------------


def test_a_document_reads_back_as_it_was_put(index: Index) -> None:
    full = Record(
        id="r1", layer="facts", path="facts/x.md", text="Zoë's text?\n", start=3, end=15, line=2, last_line=4,
        title="Title", headings=("A", "B"), topic="a/b", tags=("x", "Y"), category="Fact", thread="t", seq=7,
        role="user", speaker="Zoë", message_ids=("m1", "m2"), at=NOW - timedelta(microseconds=1),
        valid=Interval(start=NOW, end=None), recorded=Interval(start=None, end=NOW),
        superseded_from=datetime(1, 1, 1, tzinfo=UTC), supersedes="r0", superseded_by="r2", retracted=True,
        subject="Zoë", predicate="is", object="here", confidence=0.25, trust="low", native_type="n", scope="project",
    )  # fmt: skip
    with index.writing():
        index.put_document(doc("facts/x.md", id="own"), [IndexedRecord(record=full, head=["zoë"], body=["text"])])
    assert index.record("r1") == full
    assert list(index.records_at("facts/x.md")) == [full]
    assert index.document("facts/x.md") == doc("facts/x.md", id="own") == index.document_with_id("own")
    assert dict(index.documents()) == {"facts/x.md": doc("facts/x.md", id="own")}
    assert index.document("other.md") is index.document_with_id("other") is index.record("r9") is None


def test_putting_again_replaces_and_every_count_agrees(index: Index) -> None:
    """F35, F36: the text index holds exactly the records, whatever came before."""
    put(index, "a.md", *(item(f"r{n}", f"word{n} common") for n in range(800)))
    assert len(index.lexical(["common"], ALL, 1000)) == 800
    put(index, "a.md", item("r1", "word1 common changed"), item("new", "common"))
    coverage = index.coverage(None)
    assert (coverage.documents, coverage.records, coverage.lexical) == (1, 2, 2)
    assert sorted(found(index, "common")) == ["new", "r1"]
    assert found(index, "word2") == []
    assert found(index, "changed") == ["r1"]
    assert index.check() == []


def test_dropping_leaves_nothing_behind(index: Index) -> None:
    """F28, F37, SEC-7: rows, words, vectors, tags, problems, threads and waiting work are gone."""
    put(
        index,
        "a.md",
        item("r1", "secret", tags=("t",), thread="secret-thread"),
        problems=(Problem(path="a.md", message="odd"),),
    )
    put(index, "b.md", item("r2", "other"))
    embed(index, {"r1": unit(1), "r2": unit(0, 1)}, tokens=b"12")
    index.enqueue("embed", "a.md")
    index.enqueue("embed", "r1")
    with index.writing():
        index.drop_document("a.md")
        index.drop_document("never there.md")
    assert index.record("r1") is None
    assert index.document("a.md") is None
    assert found(index, "secret") == []
    assert index.statistics(["secret"]).frequencies == {"secret": 0}
    assert [index.records([key])[key].id for key in index.dense(unit(1), MODEL, ALL, 10)] == ["r2"]
    assert list(index.problems()) == []
    assert list(index.jobs()) == []
    assert index.coverage(MODEL).vectors == 1
    assert index.check() == []


def test_moving_keeps_ids_keys_and_vectors(index: Index) -> None:
    """F33: a renamed document is the same document."""
    put(index, "a.md", item("r1", "text"))
    put(index, "b.md", item("r2", "more"))
    embed(index, {"r1": unit(1), "r2": unit(0, 1)})
    before = index.lexical(["text"], ALL, 5)
    with index.writing():
        index.move_document("a.md", "sub/c.md")
    record = index.record("r1")
    assert record is not None
    assert record.path == "sub/c.md"
    assert index.lexical(["text"], ALL, 5) == before
    assert index.pending_count(MODEL) == 0
    with index.writing():
        with pytest.raises(NotFound, match=r"a\.md"):
            index.move_document("a.md", "d.md")
        with pytest.raises(Conflict, match=r"b\.md"):
            index.move_document("sub/c.md", "b.md")


def test_touching_needs_the_same_bytes(index: Index) -> None:
    put(index, "a.md", item("r1", "text"), hash="one")
    with index.writing():
        index.touch_document(replace(doc("a.md", "one"), size=99, mtime_ns=77))
        with pytest.raises(Conflict):
            index.touch_document(doc("a.md", "two"))
    touched = index.document("a.md")
    assert touched is not None
    assert (touched.size, touched.mtime_ns) == (99, 77)


def test_moves_are_recognised_by_hash(index: Index) -> None:
    put(index, "b.md", hash="same")
    put(index, "a.md", hash="same")
    assert list(index.with_hash("same")) == ["a.md", "b.md"]
    assert list(index.with_hash("other")) == []


def test_an_id_that_two_documents_claim_is_told_and_survives_either(index: Index) -> None:
    """The last one wins; when it goes, the other document is to be read again, so that nothing is lost from search."""
    put(index, "a.md", item("same", "first"))
    put(index, "b.md", item("same", "second"))
    record = index.record("same")
    assert record is not None
    assert (record.path, record.text) == ("b.md", "second")
    [problem] = index.problems()
    assert problem.path == "a.md"
    assert "b.md" in problem.message
    assert index.check() == []
    with index.writing():
        index.drop_document("b.md")
    assert index.record("same") is None
    stale = index.document("a.md")
    assert stale is not None
    assert stale.hash == ""
    put(index, "a.md", item("same", "first"))
    assert list(index.problems()) == []


def test_an_id_twice_in_one_document_is_told(index: Index) -> None:
    put(index, "a.md", item("same", "first"), item("same", "second"))
    record = index.record("same")
    assert record is not None
    assert record.text == "second"
    [problem] = index.problems()
    assert "twice" in problem.message
    assert index.check() == []


def test_a_copy_that_goes_leaves_the_original(index: Index) -> None:
    put(index, "a.md", item("same", "first"))
    put(index, "copy.md", item("same", "first"))
    put(index, "a.md", item("same", "first"))
    with index.writing():
        index.drop_document("copy.md")
    record = index.record("same")
    assert record is not None
    assert record.path == "a.md"
    assert list(index.problems()) == []


def test_text_that_utf8_cannot_hold_is_indexed_all_the_same(index: Index) -> None:
    """R-COM-1: lone surrogates are replaced, NUL stays, and neither breaks a query."""
    put(index, "a.md", item("r1", "a\ud800b word\x00x tail"))
    record = index.record("r1")
    assert record is not None
    assert record.text == "a?b word\x00x tail"
    assert found(index, "tail") == ["r1"]
    assert found(index, "wo\x00rd \ud800 tail") == ["r1"]


def test_writes_need_writing(index: Index) -> None:
    operation = Operation(id="o", verb="v", at=NOW, summary="s")
    for call in (
        lambda: index.put_document(doc("a.md"), []),
        lambda: index.touch_document(doc("a.md")),
        lambda: index.drop_document("a.md"),
        lambda: index.move_document("a.md", "b.md"),
        lambda: index.log(operation),
    ):
        with pytest.raises(Refused, match="writing"):
            call()


def test_writing_inside_writing_is_refused(index: Index) -> None:
    with index.writing():
        with pytest.raises(Refused, match="already open"), index.writing():
            pass
        index.put_document(doc("a.md"), [item("r1", "text")])
    assert index.record("r1") is not None


def test_an_exception_rolls_everything_back(index: Index) -> None:
    """F59: and what others wrote stays."""
    put(index, "a.md", item("r1", "text"))

    def interrupted() -> None:
        index.put_document(doc("b.md"), [item("r2", "text")])
        index.drop_document("a.md")
        index.count("n")
        index.enqueue("k", "b.md")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), index.writing():
        interrupted()
    assert found(index, "text") == ["r1"]
    assert dict(index.counters()) == {}
    assert list(index.jobs()) == []
    assert index.check() == []


def test_threads_write_one_after_another(index: Index) -> None:
    """F10, F59: each thread has its own connection; nobody's write is lost."""

    def work(number: int) -> None:
        for turn in range(10):
            put(index, f"{number}-{turn}.md", item(f"r{number}-{turn}", "text"))
            found(index, "text")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert index.coverage(None).records == 40
    assert index.check() == []


# --- words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", string.punctuation)
def test_every_sign_is_a_letter_to_the_index(index: Index, sign: str) -> None:
    """F78: 1.0.21, foo-bar, snake_case, C++ and every other sign are found as they are, and nothing else is."""
    words = (f"a{sign}b", sign, f"{sign}x", f"x{sign}")
    put(index, "a.md", *(item(f"r{n}", word) for n, word in enumerate(words)), item("other", "ab"))
    for n, word in enumerate(words):
        assert found(index, word) == [f"r{n}"]
        assert index.statistics([word]).frequencies == {word: 1}


@pytest.mark.parametrize(
    "word", ["and", "or", "not", "near", "AND", "OR", "NOT", "NEAR(a", "a*", "^a", "body:a", '"', "''"]
)
def test_operators_are_words(index: Index, word: str) -> None:
    """F78: nothing in a query is syntax."""
    put(index, "a.md", item("r1", word), item("r2", "a"))
    assert found(index, word) == ["r1"]


def test_words_of_other_scripts(index: Index) -> None:
    """F77: whatever the analyser makes of a text, the index keeps it whole."""
    put(index, "a.md", item("zh", "中文 文 中"), item("ru", "память"), item("date", "@2023-05 @2023"))
    assert found(index, "中文") == ["zh"]
    assert found(index, "память") == ["ru"]
    assert found(index, "@2023-05") == ["date"]


def test_the_head_weighs_more_than_the_body(index: Index) -> None:
    put(index, "a.md", item("body", "auth one two"), item("head", "one two three", head="auth"), item("no", "one"))
    assert found(index, "auth") == ["head", "body"]


def test_rare_words_weigh_more_than_common_ones(index: Index) -> None:
    put(index, "a.md", *(item(f"c{n}", "common filler text") for n in range(20)), item("rare", "rare filler text"))
    assert found(index, "common rare", limit=1) == ["rare"]


def test_no_words_or_unknown_words_find_nothing(index: Index) -> None:
    put(index, "a.md", item("r1", "text"))
    assert found(index, "") == []
    assert found(index, "unknown") == []
    assert list(index.lexical(["", " ", "two words"], ALL, 5)) == []


def test_a_long_query_in_a_big_index_still_finds_the_best(index: Index) -> None:
    """F80: thirty words of which most are everywhere; counting and weighing agree on the best one."""
    frequent = [f"f{n}" for n in range(26)]
    rare = [f"q{n}" for n in range(4)]
    items = [item(f"r{n}", " ".join(frequent)) for n in range(900)]
    items += [item(f"s{n}", " ".join([*frequent, rare[n % 4]])) for n in range(40)]
    items.append(item("best", " ".join([*rare, *frequent[:3]])))
    put(index, "a.md", *items)
    assert found(index, " ".join([*frequent, *rare]), limit=3)[0] == "best"
    assert len(found(index, " ".join([*frequent, *rare]), limit=10)) == 10


def test_statistics(index: Index) -> None:
    put(index, "a.md", item("r1", "one two two"), item("r2", "two three", head="four"))
    statistics = index.statistics(["two", "four", "none", "two"])
    assert statistics.records == 2
    assert statistics.frequencies == {"two": 2, "four": 1, "none": 0}
    assert statistics.average_length == 3.0
    empty = index.statistics([])
    assert (empty.records, empty.frequencies) == (2, {})


def test_statistics_of_an_empty_index(index: Index) -> None:
    statistics = index.statistics(["x"])
    assert (statistics.records, statistics.frequencies, statistics.average_length) == (0, {"x": 0}, 0.0)


# --- rows --------------------------------------------------------------------------------------------------------


def test_rows_come_in_the_order_asked_for(index: Index) -> None:
    put(
        index,
        "a.md",
        item("r1", "one", head="h1 h2", thread="t", seq=1, at=NOW, speaker="Max"),
        item("r2", "two", head="h"),
    )
    embed(index, {"r1": unit(1)}, tokens=b"tokens")
    first, second = index.lexical(["one"], ALL, 1)[0], index.lexical(["two"], ALL, 1)[0]
    rows = index.rows([second, 10**9, first])
    assert [row.key for row in rows] == [second, first]
    row = rows[1]
    assert (row.head, row.body, row.text, row.speaker, row.tokens) == ("h1 h2", "one", "one", "Max", b"tokens")
    assert row.previous is row.following is None
    assert row.vector is not None
    assert len(row.vector) == 64
    assert rows[0].tokens is rows[0].vector is None
    assert index.rows([]) == [] or list(index.rows([])) == []


def test_neighbours_are_the_nearest_in_the_thread(index: Index) -> None:
    """Gaps in ``seq`` do not hide them; other threads and records without a thread are nobody's neighbours."""
    put(index, "a.md", *(item(f"r{n}", f"w{n}", thread="t", seq=n * 1000) for n in range(5)))
    put(index, "b.md", item("x", "wx", thread="u", seq=1500), item("y", "wy"), item("z", "wz"))
    rows = index.rows([index.lexical([word], ALL, 1)[0] for word in ("w2", "w3", "wx", "wy")])
    beside = index.records([row.key for row in index.neighbours(rows)])
    assert sorted(record.id for record in beside.values()) == ["r1", "r4"]
    [first, second, *alone] = rows
    assert (first.following, second.previous) == (second.key, first.key)
    assert {row.previous for row in alone} | {row.following for row in alone} == {None}
    assert list(index.neighbours([])) == []


def test_records_and_everything(index: Index) -> None:
    put(index, "a.md", item("r1", "one"), item("r2", "two"))
    keys = index.everything(ALL, 2)
    assert keys is not None
    assert {record.id for record in index.records(keys).values()} == {"r1", "r2"}
    assert index.everything(ALL, 1) is None
    assert dict(index.records([])) == {}
    assert index.passing([*keys, 10**9], ALL) == set(keys)
    assert index.passing([], ALL) == set()


# --- filters -----------------------------------------------------------------------------------------------------


def test_a_tag_on_three_of_many_is_found(index: Index) -> None:
    """F79: filters apply before ranking, for words and for vectors; tags are told apart regardless of case."""
    items = [item(f"r{n}", f"common word{n}", tags=("Rare",) if n % 500 == 7 else ("other",)) for n in range(1500)]
    put(index, "a.md", *items)
    rng = np.random.default_rng(1)
    vectors = {record.record.id: unit(*rng.normal(size=64)) for record in items}
    keys = {pending.key: pending for pending in index.pending(MODEL, 2000)}
    names = {key: record.id for key, record in index.records(list(keys)).items()}
    blobs = {key: np.rint(vectors[names[key]] * 127).astype(np.int8).tobytes() for key in keys}
    index.put_vectors(MODEL, [VectorRow(key=key, vector=blob) for key, blob in blobs.items()])
    where = replace(ALL, tags=frozenset({"rare"}))
    assert sorted(found(index, "common", where)) == ["r1007", "r507", "r7"]
    near = index.dense(vectors["r507"], MODEL, where, 10)
    assert names[near[0]] == "r507"
    assert len(near) == 3
    assert found(index, "common", replace(ALL, tags=frozenset({"rare", "other"}))) == []


def test_filters(index: Index) -> None:
    put(
        index,
        "a.md",
        item("old", "x", at=NOW - timedelta(days=10), category="A", layer="notes"),
        item("new", "x", at=NOW - timedelta(days=1), trust="low"),
        item("undated", "x", layer="episodes"),
        item("future", "x", at=NOW + timedelta(days=1)),
    )
    day = timedelta(days=1)
    assert sorted(found(index, "x")) == ["new", "old", "undated"]
    assert found(index, "x", replace(ALL, since=NOW - 5 * day)) == ["new"]
    assert found(index, "x", replace(ALL, until=NOW - 5 * day)) == ["old"]
    assert found(index, "x", replace(ALL, since=NOW - day, until=NOW - day)) == []
    assert found(index, "x", replace(ALL, since=NOW - day, until=NOW)) == ["new"]
    assert found(index, "x", replace(ALL, category="A")) == found(index, "x", replace(ALL, category="a")) == ["old"]
    assert found(index, "x", replace(ALL, layers=frozenset({"episodes"}))) == ["undated"]
    assert sorted(found(index, "x", replace(ALL, include_low_trust=False))) == ["old", "undated"]
    assert sorted(found(index, "x", replace(ALL, as_of=NOW - 5 * day))) == ["old", "undated"]


@pytest.mark.parametrize("asked", ["Предпочтение", "предпочтение", "ПРЕДПОЧТЕНИЕ", " Предпочтение "])
def test_categories_are_the_same_in_any_case_of_any_script(index: Index, asked: str) -> None:
    put(index, "a.md", item("one", "x", category="Предпочтение", layer="facts"), item("none", "x", layer="facts"))
    assert found(index, "x", replace(ALL, category=asked)) == ["one"]
    assert found(index, "x", replace(ALL, category="")) == []


MOMENTS = [NOW + timedelta(days=days) for days in range(-3, 4)]
ENDS = st.one_of(st.none(), st.sampled_from(MOMENTS))
FACTS = st.builds(
    lambda valid_start, valid_end, start, end, superseded_from, retracted: {
        "valid": Interval(start=valid_start, end=valid_end),
        "recorded": Interval(start=start, end=end),
        "superseded_from": superseded_from,
        "retracted": retracted,
    },
    ENDS, ENDS, ENDS, ENDS, ENDS, st.booleans(),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts=st.lists(FACTS, min_size=1, max_size=8), as_of=st.sampled_from(MOMENTS), known_at=st.sampled_from(MOMENTS))
def test_visibility_is_that_of_temporal(
    memory_index: Index, facts: list[dict[str, Any]], as_of: datetime, known_at: datetime
) -> None:
    """F86, F90, GR-2: what SQL lets through is what ``temporal`` calls current, whatever the two clocks say."""
    items = [item(f"r{n}", "x", layer="facts", **fields) for n, fields in enumerate(facts)]
    put(memory_index, "a.md", *items)
    standing = {i.record.id: temporal.standing(i.record, as_of=as_of, known_at=known_at) for i in items}
    where = replace(ALL, as_of=as_of, known_at=known_at)
    assert set(found(memory_index, "x", where)) == {id for id, word in standing.items() if word == "current"}
    asked = {record.id for record in memory_index.facts(replace(where, include_superseded=True))}
    assert asked == {id for id, word in standing.items() if word != "unknown"}


@pytest.fixture(scope="module")
def memory_index() -> Iterator[Index]:
    opened = SqliteIndex(":memory:")
    yield opened
    opened.close()


def test_superseded_facts_are_hidden_unless_asked_for(index: Index) -> None:
    """F90, F37."""
    gone = {"layer": "facts", "recorded": Interval(start=NOW - timedelta(2), end=NOW - timedelta(1))}
    put(
        index, "a.md",
        item("old", "x", superseded_from=NOW - timedelta(1), superseded_by="new", **gone),
        item("retracted", "x", retracted=True, **gone),
        item("new", "x", layer="facts", supersedes="old", recorded=Interval(start=NOW - timedelta(1))),
        item("later", "x", layer="facts", recorded=Interval(start=NOW + timedelta(1))),
    )  # fmt: skip
    assert found(index, "x") == ["new"]
    assert sorted(found(index, "x", replace(ALL, include_superseded=True))) == ["new", "old", "retracted"]
    before = NOW - timedelta(days=1, hours=1)
    assert sorted(found(index, "x", replace(ALL, as_of=before, known_at=before))) == ["old", "retracted"]
    assert [record.id for record in index.facts()] == ["old", "retracted", "new", "later"]
    assert [record.id for record in index.facts(ALL)] == ["new"]


def test_successors_by_either_sides_word(index: Index) -> None:
    """F8: one of two documents may not have been written yet."""
    put(index, "a.md", item("a", "x", layer="facts", superseded_by="b"), item("c", "x", layer="facts"))
    put(index, "b.md", item("d", "x", layer="facts", supersedes="c"))
    assert index.successor("a") == "b"
    assert index.successor("c") == "d"
    assert index.successor("d") is None


def test_facts_about_a_subject(index: Index) -> None:
    put(
        index,
        "a.md",
        item("a", "x", layer="facts", subject="Alice Straße"),
        item("b", "x", layer="facts", subject="Bob"),
    )
    put(index, "b.md", item("c", "x", layer="notes", subject="alice strasse"))
    assert [record.id for record in index.facts_about(" ALICE STRASSE ", ALL)] == ["a"]


def test_records_of_a_document_keep_their_order(index: Index) -> None:
    put(index, "a.md", item("b", "two"), item("a", "one"))
    put(index, "a.md", item("c", "three"), item("b", "two"), item("a", "one more"))
    assert [record.id for record in index.records_at("a.md")] == ["c", "b", "a"]


# --- vectors -----------------------------------------------------------------------------------------------------


def test_the_nearest_come_first(index: Index) -> None:
    rng = np.random.default_rng(0)
    centre = rng.normal(size=64) * 3
    vectors = {f"r{n}": unit(*(rng.normal(size=64) + centre)) for n in range(300)}
    put(index, "a.md", *(item(name, f"w{name}") for name in vectors))
    embed(index, vectors)
    for name in ("r5", "r250"):
        query = vectors[name]
        names = [index.records([key])[key].id for key in index.dense(query, MODEL, ALL, 20)]
        rounded = {other: float(np.rint(vectors[other] * 127) @ query) for other in vectors}
        exact = sorted(rounded, key=lambda other: -rounded[other])
        assert names[0] == name
        assert len(names) == 20
        assert set(names) == set(exact[:20])


def test_vectors_that_come_and_go_are_seen_at_once(index: Index) -> None:
    """F34, F37: nothing that is cached outlives what it came from."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"))
    embed(index, {"r1": unit(1)})
    assert len(index.dense(unit(1), MODEL, ALL, 5)) == 1
    embed(index, {"r2": unit(0.9, 0.1)})
    assert len(index.dense(unit(1), MODEL, ALL, 5)) == 2
    put(index, "a.md", item("r2", "two"))
    keys = index.dense(unit(1), MODEL, ALL, 5)
    assert [index.records([key])[key].id for key in keys] == ["r2"]
    put(index, "b.md", item("r3", "three"))
    embed(index, {"r3": unit(1)})
    assert len(index.dense(unit(1), MODEL, ALL, 5)) == 2


def test_an_unchanged_passage_keeps_its_vector(index: Index) -> None:
    """F46: indexing again computes nothing again; a changed passage is computed again."""
    put(index, "a.md", item("r1", "one", title="A"), item("r2", "two"))
    embed(index, {"r1": unit(1), "r2": unit(0, 1)}, tokens=b"t")
    key = index.lexical(["one"], ALL, 1)
    put(index, "a.md", item("r2", "two changed"), item("r1", "one", title="B", tags=("t",), at=NOW), hash="2")
    assert index.lexical(["one"], ALL, 1) == key
    record = index.record("r1")
    assert record is not None
    assert (record.title, record.tags) == ("B", ("t",))
    assert [pending.passage for pending in index.pending(MODEL, 10)] == ["lead: two changed"]
    assert found(index, "one", replace(ALL, tags=frozenset({"t"}))) == ["r1"]
    assert index.check() == []


def test_a_vector_computed_meanwhile_never_lands_on_another_passage(index: Index) -> None:
    """F54: the key names a passage; when that changes, the late vector is ignored."""
    put(index, "a.md", item("r1", "one"))
    [late] = index.pending(MODEL, 1)
    put(index, "a.md", item("r1", "two"))
    index.put_vectors(MODEL, [VectorRow(key=late.key, vector=b"\x01" * 64)])
    assert index.pending_count(MODEL) == 1
    assert index.coverage(MODEL).vectors == 0


def test_pending_is_newest_first_and_skips_what_stays_lexical(index: Index) -> None:
    put(
        index, "a.md",
        item("undated", "u"), item("old", "o", at=NOW - timedelta(9)), item("new", "n", at=NOW),
        item("tool", "t", passage=""),
    )  # fmt: skip
    assert [pending.passage for pending in index.pending(MODEL, 2)] == ["lead: n", "lead: o"]
    assert index.pending_count(MODEL) == 3
    coverage = index.coverage(MODEL)
    assert (coverage.embeddable, coverage.vectors) == (3, 0)


def test_storing_a_vector_twice_is_fine(index: Index) -> None:
    """F52: two processes embed the same record."""
    put(index, "a.md", item("r1", "one"))
    [pending] = index.pending(MODEL, 1)
    for value in (b"\x01", b"\x02"):
        index.put_vectors(MODEL, [VectorRow(key=pending.key, vector=value * 64, tokens=value)])
    [row] = index.rows([pending.key])
    assert (row.vector, row.tokens) == (b"\x02" * 64, b"\x02")
    index.put_vectors(MODEL, [VectorRow(key=10**9, vector=b"\x01" * 64)])
    index.put_vectors(MODEL, [])
    assert index.coverage(MODEL).vectors == 1
    assert index.check() == []


@pytest.mark.parametrize("vector", [b"", b"\x00" * 64])
def test_an_empty_vector_is_refused_and_the_record_still_waits(index: Index, vector: bytes) -> None:
    """F45."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"))
    first, second = index.pending(MODEL, 2)
    with pytest.raises(BadInput):
        index.put_vectors(
            MODEL, [VectorRow(key=first.key, vector=b"\x01" * 64), VectorRow(key=second.key, vector=vector)]
        )
    assert index.pending_count(MODEL) == 2
    assert found(index, "one") == ["r1"]


def test_the_wrong_dimension_is_told_at_once(index: Index) -> None:
    """F43, MX-11."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"))
    embed(index, {"r1": unit(1)})
    with pytest.raises(BadInput, match="64 dimensions for e5, not of 32"):
        index.dense(unit(1, dimensions=32), MODEL, ALL, 5)
    with pytest.raises(BadInput, match="64"):
        embed(index, {"r2": unit(1, dimensions=32)})
    for bad in (np.full(64, np.nan, np.float32), np.zeros(64, np.float32), np.ones((2, 64), np.float32)):
        with pytest.raises(BadInput):
            index.dense(bad, MODEL, ALL, 5)
    assert list(index.dense(unit(1, dimensions=32), "unknown", ALL, 5)) == []


def test_models_are_not_mixed(index: Index) -> None:
    """MX-11: vectors of another model are stale, not compared, and computed again."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"))
    embed(index, {"r1": unit(1), "r2": unit(1)})
    assert list(index.dense(unit(1), "other", ALL, 5)) == []
    assert index.pending_count("other") == 2
    assert len(index.pending("other", 5)) == 2
    embed(index, {"r1": unit(1, dimensions=32)}, "other")
    coverage = index.coverage("other")
    assert (coverage.vectors, coverage.stale_vectors) == (1, 1)
    assert len(index.dense(unit(1, dimensions=32), "other", ALL, 5)) == 1
    assert len(index.dense(unit(1), MODEL, ALL, 5)) == 1
    assert [message for message in index.check() if "mixed" in message]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(alphabet="ab\x00:0 ", max_size=6),
    lead=st.text(alphabet="ab\x00:0 ", max_size=6),
    tail=st.text(max_size=3),
)
def test_passages_come_back_whole(memory_index: Index, text: str, lead: str, tail: str) -> None:
    passage = lead + text + tail
    put(memory_index, "p.md", item("p", text, passage=passage))
    waiting = [pending.passage for pending in memory_index.pending(MODEL, 100)]
    assert (passage.encode("utf-8", "replace").decode() in waiting) == bool(passage)


# --- jobs --------------------------------------------------------------------------------------------------------


def test_a_job_is_claimed_once_and_finished(index: Index) -> None:
    index.enqueue("embed", "k", "payload")
    index.enqueue("embed", "k", "ignored")
    index.enqueue("other", "k")
    job = index.claim("embed", lease_seconds=60)
    assert job is not None
    assert (job.kind, job.key, job.payload, job.attempts, job.state) == ("embed", "k", "payload", 1, "running")
    assert index.claim("embed", lease_seconds=60) is None
    assert index.finish(job)
    assert not index.finish(job)
    assert [job.kind for job in index.jobs()] == ["other"]


def test_a_stolen_lease_does_no_harm(index: Index, clock: Clock) -> None:
    """F57: whoever was too slow is refused; renewing in time keeps the lease."""
    index.enqueue("k", "key")
    slow = index.claim("k", lease_seconds=60)
    assert slow is not None
    clock.forward(50)
    assert index.renew(slow, lease_seconds=60)
    clock.forward(50)
    assert index.claim("k", lease_seconds=60) is None
    clock.forward(20)
    thief = index.claim("k", lease_seconds=60)
    assert thief is not None
    assert thief.token != slow.token
    assert not index.renew(slow, lease_seconds=60)
    assert not index.finish(slow)
    index.fail(slow, "late")
    index.release(slow)
    assert [job.state for job in index.jobs()] == ["running"]
    assert index.finish(thief)


def test_failures_wait_longer_each_time_and_end(index: Index, clock: Clock) -> None:
    """F41, F58: back-off, five attempts, then a dead letter that can be seen and revived."""
    index.enqueue("k", "key", "p")
    waits = []
    for attempt in range(5):
        job, waited = None, 0.0
        while job is None:
            job = index.claim("k", lease_seconds=60)
            if job is None:
                clock.forward(1)
                waited += 1
        waits.append(waited)
        assert job.attempts == attempt + 1
        index.fail(job, f"error {attempt}")
    assert waits[0] == 0
    assert waits[1] >= 1
    assert waits[4] > waits[1]
    clock.forward(10**6)
    assert index.claim("k", lease_seconds=60) is None
    [dead] = index.jobs()
    assert (dead.state, dead.error) == ("dead", "error 4")
    assert index.coverage(None).failures == 1
    index.enqueue("k", "key", "q")
    revived = index.claim("k", lease_seconds=60)
    assert revived is not None
    assert (revived.attempts, revived.payload) == (1, "q")


def test_what_cannot_be_retried_is_dead_at_once(index: Index) -> None:
    """F58, F72: a provider that answers 403 is not asked again."""
    index.enqueue("k", "key")
    job = index.claim("k", lease_seconds=60)
    assert job is not None
    index.fail(job, "403", retry=False)
    assert [(job.state, job.error) for job in index.jobs()] == [("dead", "403")]


def test_a_job_whose_workers_die_is_buried(index: Index, clock: Clock) -> None:
    """F58: poison that kills its worker is not tried for ever."""
    index.enqueue("k", "key")
    for _ in range(5):
        assert index.claim("k", lease_seconds=10) is not None
        clock.forward(11)
    assert index.claim("k", lease_seconds=10) is None
    [job] = index.jobs()
    assert job.state == "dead"
    assert "vanished" in job.error


def test_what_is_asked_for_while_it_runs_runs_once_more(index: Index) -> None:
    index.enqueue("k", "key", "one")
    job = index.claim("k", lease_seconds=60)
    assert job is not None
    index.enqueue("k", "key", "two")
    assert index.finish(job)
    again = index.claim("k", lease_seconds=60)
    assert again is not None
    assert (again.payload, again.attempts) == ("two", 1)
    assert index.finish(again)
    assert list(index.jobs()) == []


def test_a_released_job_was_never_tried(index: Index) -> None:
    index.enqueue("k", "key")
    for _ in range(8):
        job = index.claim("k", lease_seconds=60)
        assert job is not None
        assert job.attempts == 1
        index.release(job)


# --- counters, journal, health -----------------------------------------------------------------------------------


def test_counters(index: Index) -> None:
    index.count("a")
    index.count("a", 4)
    index.count("b", 0)
    assert dict(index.counters()) == {"a": 5, "b": 0}


def test_the_journal(index: Index) -> None:
    operations = [
        Operation(id=f"o{n}", verb="learn", at=NOW + timedelta(seconds=n), summary=f"s{n}", changes=(
            Change(path="a.md", before=None, after="1"), Change(path="b.md", before="1", after=None, kept="90-Trash/b"),
        )) for n in range(3)
    ]  # fmt: skip
    with index.writing():
        for operation in operations:
            index.log(operation)
    assert list(index.operations(2)) == [operations[2], operations[1]]
    index.mark_undone("o2")
    assert index.operations(1)[0] == replace(operations[2], undone=True)
    with pytest.raises(NotFound, match="o9"):
        index.mark_undone("o9")


def test_coverage_tells_every_layer_apart(index: Index) -> None:
    """F13, F42: a gap in one part is not hidden by another's success."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"), item("tool", "three", passage=""))
    embed(index, {"r1": unit(1)})
    coverage = index.coverage(MODEL)
    assert (coverage.documents, coverage.records, coverage.lexical) == (1, 3, 3)
    assert (coverage.embeddable, coverage.vectors, coverage.stale_vectors, coverage.failures) == (2, 1, 0, 0)
    assert coverage.bytes > 0
    assert index.coverage("other").stale_vectors == 1
    assert index.coverage(None).vectors == 1


def test_whether_all_of_the_vault_is_in_it_is_in_the_index(index: Index) -> None:
    """F13: noted by a sync; a rebuild begins without it."""
    assert not index.complete
    index.completed()
    assert index.complete
    index.rebuild(lambda _new: None)
    assert not index.complete
    index.rebuild(lambda new: new.completed())
    assert index.complete


# --- rebuilding --------------------------------------------------------------------------------------------------


def test_a_rebuild_carries_what_no_vault_gives_back(index: Index) -> None:
    """F46, F12: vectors of unchanged passages, work, counters, journal; keys from before name nothing after."""
    put(index, "a.md", item("r1", "one"), item("r2", "two"), item("gone", "three"))
    embed(index, {"r1": unit(1), "r2": unit(0, 1), "gone": unit(0, 0, 1)}, tokens=b"t")
    index.enqueue("k", "waiting")
    index.count("n", 3)
    with index.writing():
        index.log(Operation(id="o", verb="v", at=NOW, summary="s"))
    old_keys = index.everything(ALL, 10) or []
    calls: list[int] = []

    def fill(new: Index) -> None:
        calls.append(new.coverage(None).records)
        put(new, "a.md", item("r1", "one"), item("r2", "two changed"))

    index.rebuild(fill)
    assert calls == [0, 2]
    assert index.check() == []
    coverage = index.coverage(MODEL)
    assert (coverage.records, coverage.vectors, index.pending_count(MODEL)) == (2, 1, 1)
    [near] = index.dense(unit(1), MODEL, ALL, 5)
    assert index.rows([near])[0].tokens == b"t"
    assert list(index.rows(old_keys)) == []
    assert index.counters() == {"n": 3}
    assert [job.key for job in index.jobs()] == ["waiting"]
    assert [operation.id for operation in index.operations()] == ["o"]


def test_a_rebuild_that_fails_changes_nothing(index: Index) -> None:
    """F2, F12."""
    put(index, "a.md", item("r1", "one"))

    def fill(new: Index) -> None:
        put(new, "b.md", item("r2", "two"))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.rebuild(fill)
    assert found(index, "one") == ["r1"]
    put(index, "c.md", item("r3", "three"))
    assert index.check() == []


def test_a_rebuild_inside_writing_is_refused(index: Index) -> None:
    with index.writing(), pytest.raises(Refused):
        index.rebuild(lambda _new: None)


def test_closed_is_closed(index: Index, tmp_path: Path) -> None:
    index.close()
    call: Callable[[], object] = index.documents
    with pytest.raises(Exception, match="closed"):
        call()
