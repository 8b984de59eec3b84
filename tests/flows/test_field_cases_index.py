"""Field cases 2: the index and the vault disagree. The index holds all of the vault, or says what is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest

from scrubjay import Memory, Message, Session
from scrubjay.errors import Unavailable
from scrubjay.ports import Encoded, EncodedQuery
from scrubjay.testing import HashEmbedder

WORDS_ONLY = {"models.embedder": "none", "models.reranker": "none"}
START = datetime(2024, 1, 1, tzinfo=UTC)


def found(memory: Memory, question: str) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False).hits]


def talk(*texts: str, id: str = "s") -> Session:
    return Session(id=id, messages=[Message(id=f"m{n}", role="user", text=text) for n, text in enumerate(texts)])


def databases(home: Path) -> list[Path]:
    return sorted((home / ".scrubjay" / "state").rglob("index-*.db"))


# --- many records: one memory for all, since filling it is what takes the time ------------------------------------

SESSIONS, EACH = 24, 500


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """12,000 messages in 24 conversations, and three facts with a tag."""
    root = tmp_path_factory.mktemp("crowd")
    settings = {**WORDS_ONLY, "write.durability": "normal"}
    with Memory.open(root / "vault", home=root / "home", settings=settings, background=False) as memory:
        memory.ingest(
            Session(
                id=f"s{s}",
                messages=[
                    Message(
                        id=f"m{n}",
                        role="user",
                        text=f"Ship number {s * EACH + n} left harbour {n % 7} with cargo{s * EACH + n} of salt.",
                        at=START + timedelta(minutes=s * EACH + n),
                    )
                    for n in range(EACH)
                ],
            )
            for s in range(SESSIONS)
        )
        for n in range(3):
            memory.remember(f"Ship rule {n}: salt leaves the harbour at dawn.", tags=["rule"])
        yield memory


def test_a_rebuild_of_twelve_thousand_keeps_the_count(crowd: Memory) -> None:
    """F12, F35: nothing is capped, and every record is in the text index afterwards."""
    before = crowd.status()[0].coverage
    assert before.records == before.lexical == SESSIONS * EACH + 3
    crowd.reindex()
    after = crowd.status()[0].coverage
    assert (after.documents, after.records, after.lexical) == (before.documents, before.records, before.lexical)
    for number in (0, 9_999, 10_001, 11_999):
        assert f"cargo{number}" in found(crowd, f"cargo{number}")[0]


def test_a_tag_on_three_of_thousands_is_found(crowd: Memory) -> None:
    """F79: filters come before ranking, so that no better match outside of them takes a place."""
    hits = crowd.search("which ship left the harbour with salt", tags=["rule"], abstain=False).hits
    assert {hit.record.tags for hit in hits} == {("rule",)}
    assert len(hits) == 3
    late = crowd.search("ship salt", since=START + timedelta(minutes=11_998), layers=["chunks"], abstain=False).hits
    assert {hit.message_ids for hit in late} == {("m498",), ("m499",)}
    assert len(crowd.search("ship harbour salt", limit=5_000, abstain=False).hits) > 100


def test_a_long_question_over_many_records_is_answered(crowd: Memory) -> None:
    """F80: thirty words, each of them in thousands of records."""
    words = " ".join(["ship number left harbour with of salt and what which when"] * 3)
    assert len(words.split()) > 30
    assert any("cargo7777" in text for text in found(crowd, f"{words} cargo7777")[:3])


DAMAGES = [
    "DELETE FROM documents",
    "DELETE FROM lexemes_docsize WHERE id % 3 = 0",
    "UPDATE totals SET records = 7",
    "UPDATE records SET thread = 99 WHERE key % 3 = 0",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_repair_brings_back_every_record(open_memory: Callable[..., Memory], own_home: Path, damage: str) -> None:
    """F12, F13, F39: doctor sees the damage, a repair reads the vault again, and the counts are as before."""
    memory = open_memory()
    memory.ingest(talk(*(f"word{n} sails" for n in range(90))))
    before = memory.status()[0].coverage
    memory.close()
    [database] = databases(own_home)
    connection = apsw.Connection(str(database))
    connection.execute(damage)
    connection.close()
    memory = open_memory(sync=False)
    assert memory.doctor()[0].severity == "error"
    assert all(finding.repaired for finding in memory.doctor(repair=True) if finding.severity == "error")
    after = memory.status()[0].coverage
    assert (after.documents, after.records, after.lexical) == (before.documents, before.records, before.lexical)
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []
    assert all(found(memory, f"word{n}")[0] == f"word{n} sails" for n in range(0, 90, 9))


def test_a_lost_index_is_never_an_empty_memory(open_memory: Callable[..., Memory], own_home: Path) -> None:
    """F13: damaged under an open memory: the answer warns, status tells how much is missing, a sync brings all back."""
    memory = open_memory()
    for n in range(5):
        memory.remember(f"The house has room{n}.")
    for path in databases(own_home)[0].parent.glob("index-*"):
        data = path.read_bytes()
        path.write_bytes(data[:20] + bytes(len(data[20:])))
    assert "run `scrubjay sync`" in memory.search("house", abstain=False).warnings[0]
    memory.remember("The house has a door.")
    other = open_memory(sync=False)
    for asked in (memory, other):
        recall = asked.search("house", abstain=False)
        assert len(recall.hits) == 1
        assert "run `scrubjay sync`" in recall.warnings[0]
        assert asked.status()[0].behind == 5
    memory.sync()
    assert len(found(other, "house")) == 6
    assert other.search("house", abstain=False).warnings == ()


def test_missing_vectors_are_told_with_the_answer(open_memory: Callable[..., Memory]) -> None:
    """F13, F41: how many records are found by words only is in the answer and in status."""
    memory = open_memory(embedder=HashEmbedder())
    memory.remember("The gate opens at six.")
    memory.drain()
    memory.remember("The gate closes at nine.")
    recall = memory.search("gate", abstain=False)
    assert len(recall.hits) == 2
    assert "1 record" in recall.warnings[0]
    coverage = memory.status()[0].coverage
    assert (coverage.embeddable, coverage.vectors, memory.waiting()) == (2, 1, 1)
    memory.drain()
    assert memory.search("gate", abstain=False).warnings == ()


# --- moves, saves, every way in -----------------------------------------------------------------------------------


def test_a_moved_fact_can_still_be_superseded(memory: Memory, tmp_path: Path) -> None:
    """F33: moved while nobody looked, by `git mv` or a file manager: id, history and undo follow."""
    fact = memory.remember("The port is 8080.")
    new = tmp_path / "vault" / "40-Facts" / "network"
    new.mkdir(parents=True)
    (tmp_path / "vault" / fact.path).rename(new / "port.md")
    memory.sync()
    later = memory.supersede(fact.id, "The port is 9090.")
    assert [version.id for version in memory.history(fact.id)] == [fact.id, later.id]
    assert memory.status()[0].coverage.documents == 2
    memory.undo()
    assert found(memory, "port") == ["The port is 8080."]


def test_a_rename_over_a_note_keeps_it_found(memory: Memory, tmp_path: Path) -> None:
    """F32: at every moment of an editor's save the note is there, under the name it had."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "tea.md").write_text("# Tea\n\nOolong steeps for four minutes.\n", "utf-8")
    memory.sync()
    for turn in range(3):
        (vault / "tea.md").rename(vault / "tea.md~")
        (vault / ".tea.md.new").write_text(f"# Tea\n\nOolong steeps for {turn} minutes.\n", "utf-8")
        (vault / ".tea.md.new").rename(vault / "tea.md")
        memory.sync()
        assert [hit.path for hit in memory.search("oolong", abstain=False).hits] == ["tea.md"]
    assert memory.status()[0].coverage.documents == 1


def test_an_open_memory_follows_a_rebuild_by_another(open_memory: Callable[..., Memory]) -> None:
    """F34, F47: no stale handle: what is rebuilt or written elsewhere is what this one sees."""
    one, other = open_memory(), open_memory()
    one.remember("The gate opens at six.")
    assert len(found(other, "gate")) == 1
    one.reindex()
    one.remember("The gate closes at nine.")
    assert len(found(other, "gate")) == 2
    other.reindex()
    other.remember("The gate is green.")
    assert len(found(one, "gate")) == 3


def write_note(memory: Memory, vault: Path) -> None:
    memory.note("Walrus", "The walrus sleeps.")


def write_fact(memory: Memory, vault: Path) -> None:
    memory.remember("The walrus sleeps.")


def write_successor(memory: Memory, vault: Path) -> None:
    memory.supersede(memory.remember("The seal sleeps.").id, "The walrus sleeps.")


def write_file(memory: Memory, vault: Path) -> None:
    (vault / "walrus.md").write_text("The walrus sleeps.", "utf-8")
    memory.sync()


def write_talk(memory: Memory, vault: Path) -> None:
    memory.ingest(talk("The walrus sleeps."))


def write_undo(memory: Memory, vault: Path) -> None:
    memory.forget(memory.remember("The walrus sleeps.").id)
    memory.undo()


def write_import(memory: Memory, vault: Path) -> None:
    fact = memory.remember("The walrus sleeps.")
    memory.export(vault.parent / "out.zip")
    memory.forget(fact.id)
    memory.import_(vault.parent / "out.zip")


def write_rebuild(memory: Memory, vault: Path) -> None:
    memory.remember("The walrus sleeps.")
    memory.reindex()


WAYS = [write_note, write_fact, write_successor, write_file, write_talk, write_undo, write_import, write_rebuild]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_feeds_the_text_index(memory: Memory, tmp_path: Path, way: Callable[[Memory, Path], None]) -> None:
    """F35, F36: there is one writer to the index, whichever verb it is."""
    (tmp_path / "vault").mkdir()
    way(memory, tmp_path / "vault")
    assert any("walrus sleeps" in text for text in found(memory, "walrus"))
    coverage = memory.status()[0].coverage
    assert coverage.records == coverage.lexical
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []


def test_a_bulk_import_is_found_word_by_word(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F35: 800 rows from a bundle, each of them by its own word."""
    source = open_memory(tmp_path / "one", settings={"write.durability": "normal"})
    source.ingest(talk(*(f"row{s * 80 + n} here" for n in range(80)), id=f"s{s}") for s in range(10))
    source.export(tmp_path / "all.zip")
    target = open_memory(tmp_path / "two")
    target.import_(tmp_path / "all.zip")
    coverage = target.status()[0].coverage
    assert (coverage.records, coverage.lexical) == (800, 800)
    assert all(found(target, f"row{n}")[0] == f"row{n} here" for n in range(0, 800, 37))


def test_what_was_forgotten_stays_away(memory: Memory, tmp_path: Path) -> None:
    """F37: no sync, rebuild or repair finds it again in the trash."""
    fact = memory.remember("The walrus sleeps.")
    memory.forget(fact.id)
    memory.sync()
    memory.reindex()
    memory.doctor(repair=True)
    assert memory.search("walrus", abstain=False, include_superseded=True, explain=True).hits == ()
    assert memory.facts(include_superseded=True) == []


def test_a_cleanup_that_breaks_off_can_be_repeated(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F39: file and index go together: both are there, or both are gone."""
    from scrubjay.index.sqlite import SqliteIndex

    fact = memory.remember("The walrus sleeps.")

    def fail(self: SqliteIndex, path: str) -> None:
        raise Unavailable("The disk is full.")

    monkeypatch.setattr(SqliteIndex, "drop_document", fail)
    with pytest.raises(Unavailable):
        memory.forget(fact.id)
    monkeypatch.undo()
    assert (tmp_path / "vault" / fact.path).is_file()
    assert found(memory, "walrus") == ["The walrus sleeps."]
    memory.sync()
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []
    memory.forget(fact.id)
    assert found(memory, "walrus") == []


def test_rewriting_for_ever_does_not_grow_the_index(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F40: a note saved 400 times takes the room of one."""
    vault = tmp_path / "vault"
    vault.mkdir()
    memory = open_memory(settings={"write.durability": "normal"})
    sizes = []
    for turn in range(400):
        text = "\n\n".join(f"# Part {n}\n\n{'word ' * 40} turn{turn} part{n}." for n in range(20))
        (vault / "note.md").write_text(text, "utf-8")
        memory.sync()
        sizes.append(memory.status()[0].coverage.bytes)
    assert "turn399" in found(memory, "turn399")[0]
    assert not any("turn398" in text for text in found(memory, "turn398"))
    assert sizes[-1] < 3 * max(sizes[:20])


# --- models that fail ---------------------------------------------------------------------------------------------


class Moody(HashEmbedder):
    """A model that can be told to fail in the ways in which models fail."""

    def __init__(self) -> None:
        self.mood = "well"
        self.passages_seen = 0

    def passages(self, texts: Sequence[str]) -> Encoded:
        if self.mood == "down":
            raise Unavailable("The model is down.")
        self.passages_seen += len(texts)
        good = super().passages(texts)
        return Encoded(np.stack([self._spoilt(vector) for vector in good.vectors]))

    def query(self, text: str) -> EncodedQuery:
        if self.mood == "down":
            raise Unavailable("The model is down.")
        return EncodedQuery(self._spoilt(super().query(text).vector))

    def _spoilt(self, vector: np.ndarray) -> np.ndarray:
        if self.mood == "not a number":
            return np.full_like(vector, np.nan)
        if self.mood == "half a number":
            return np.where(np.arange(len(vector)) < 3, np.nan, vector).astype(np.float32)
        if self.mood == "zeros":
            return np.zeros_like(vector)
        if self.mood == "short":
            return np.full(32, 32**-0.5, np.float32)
        return vector


MOODS = ["down", "not a number", "half a number", "zeros", "short"]


@pytest.mark.parametrize("mood", MOODS)
def test_a_failing_model_delays_vectors_and_nothing_else(open_memory: Callable[..., Memory], mood: str) -> None:
    """F41, F43, F45: found by words at once, the cause is told, the vector comes later, id and time stay."""
    model = Moody()
    memory = open_memory(embedder=model)
    memory.remember("Bread is baked on Sundays.")
    memory.drain()
    model.mood = mood
    fact = memory.remember("The gate opens at six.")
    report = memory.drain()
    assert (report.stored, report.waiting) == (0, 1)
    assert report.error
    recall = memory.search("when does the gate open", abstain=False)
    assert recall.hits[0].id == fact.id
    assert "words only" in recall.warnings[0]
    assert memory.status()[0].waiting == 1
    assert memory.status()[0].coverage.vectors == 1
    model.mood = "well"
    assert (memory.drain().error, memory.waiting()) == ("", 0)
    recall = memory.search("when does the gate open", abstain=False)
    assert (recall.hits[0].id, recall.hits[0].at, recall.warnings) == (fact.id, fact.recorded.start, ())
    assert "dense" in recall.signals
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []


def test_one_unusable_vector_does_not_hold_up_the_others(open_memory: Callable[..., Memory]) -> None:
    """F41, F45: a text that the model cannot read waits alone."""

    class Picky(HashEmbedder):
        def passages(self, texts: Sequence[str]) -> Encoded:
            vectors = super().passages(texts).vectors
            return Encoded(np.array([v * 0 if "poison" in t else v for t, v in zip(texts, vectors, strict=True)]))

    memory = open_memory(embedder=Picky())
    memory.ingest(talk(*("poison" if n == 99 else f"text{n}" for n in range(100))))
    report = memory.drain()
    assert report.waiting < 3  # the message after it has it as its context
    assert "no usable vector" in report.error
    assert "poison" in found(memory, "poison")[:2]


@pytest.mark.parametrize("mood", ["down", "zeros", "short"])
def test_the_background_says_what_is_wrong(open_memory: Callable[..., Memory], mood: str) -> None:
    """F41, F42: a job that failed is in status with its cause, while words stay complete."""
    model = Moody()
    memory = open_memory(embedder=model)
    memory.remember("Bread is baked on Sundays.")
    memory.drain()
    model.mood = mood
    memory.remember("The gate opens at six.")
    memory._worker._work_on(memory._stores[0])
    status = memory.status()[0]
    assert [(job.kind, job.state) for job in status.jobs] == [("embed", "waiting")]
    assert status.jobs[0].error
    assert (status.coverage.lexical, status.coverage.vectors, status.coverage.embeddable) == (2, 1, 2)


def test_a_bug_in_a_model_is_a_failed_job(open_memory: Callable[..., Memory]) -> None:
    """F42: it does not end the background thread in silence."""

    class Buggy(HashEmbedder):
        def passages(self, texts: Sequence[str]) -> Encoded:
            raise RuntimeError(f"a bug with {len(texts)}")

    memory = open_memory(embedder=Buggy())
    memory.remember("The gate opens at six.")
    memory._worker._work_on(memory._stores[0])
    assert [(job.state, job.error) for job in memory.status()[0].jobs] == [("waiting", "RuntimeError: a bug with 1")]


def test_the_advice_for_another_dimension_works(open_memory: Callable[..., Memory]) -> None:
    """F43, F7: a model that changed under its name: what the hint says leads back to vectors."""
    memory = open_memory(embedder=Moody())
    memory.remember("The gate opens at six.")
    memory.drain()
    memory.close()
    model = Moody()
    model.mood = "short"
    memory = open_memory(embedder=model)
    memory.remember("The gate closes at nine.")
    assert "another name" in memory.drain().error
    memory.close()
    model.name = "hash@32"
    memory = open_memory(embedder=model)
    assert (memory.drain().error, memory.waiting()) == ("", 0)
    assert "dense" in memory.search("when does the gate open", abstain=False).signals


def test_the_second_run_embeds_nothing(open_memory: Callable[..., Memory]) -> None:
    """F46: not after a sync, an opening or a rebuild."""
    model = Moody()
    memory = open_memory(embedder=model)
    memory.ingest(talk(*(f"text{n}" for n in range(30))))
    memory.drain()
    memory.sync()
    memory.reindex()
    memory.drain()
    memory.close()
    open_memory(embedder=model).drain()
    assert model.passages_seen == 30


ASKING = """
import sys
from scrubjay import Memory
with Memory.open(sys.argv[1], settings={"models.embedder": "none"}, background=False, sync=False) as memory:
    print(len(memory.search("gate", abstain=False).hits))
"""


def test_a_new_process_searches_while_another_syncs(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F47: inside somebody else's write transaction, what was committed is found at once."""
    memory = open_memory()
    memory.remember("The gate opens at six.")
    with memory._stores[0].index.writing():
        done = subprocess.run(
            [sys.executable, "-c", ASKING, str(tmp_path / "vault")],
            capture_output=True, text=True, encoding="utf-8", check=True,
        )  # fmt: skip
    assert done.stdout.strip() == "1"
