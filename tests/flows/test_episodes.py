"""Summaries of conversations: one each, renewed as they go on, left alone when nothing changed (MX §3.1, TR-10)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import Unavailable
from scrubjay.operations import episodes
from scrubjay.operations.episodes import ExtractiveSummarizer
from scrubjay.types import Message, Session

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
TALK = (
    ("user", "The orders page takes eleven seconds to load since the last release, and customers complain."),
    ("assistant", "Let me look at the queries. The page loads every order with its items, one query for each item."),
    ("user", "We decided to keep the monolith, so the fix has to be in the repository layer, not in a new service."),
    (
        "assistant",
        "The cause was a missing index on items.order_id; with it and one joined query the page takes 0.3 s.",
    ),
    ("user", "Which release will have it? The customers were promised an answer by Friday at the latest."),
    ("assistant", "It is merged and goes out with 4.2 on Thursday. I also added a test that counts the queries."),
)


def session(count: int = len(TALK), *, begin: datetime = BEGIN, extra: tuple[Message, ...] = ()) -> Session:
    said = [
        Message(id=f"m{place}", role=role, text=text, at=begin + timedelta(minutes=place))  # type: ignore[arg-type]
        for place, (role, text) in enumerate(TALK[:count])
    ]
    return Session(id="s", title="Slow orders", source="test", started=begin, messages=(*said, *extra))


def told(memory: Memory) -> list[str]:
    """Paths of the summaries."""
    return sorted(entry.path for entry in memory._stores[0].vault.entries() if "-summary" in entry.path)


def test_a_conversation_gets_one_summary_that_is_found(memory: Memory) -> None:
    memory.ingest(session())
    assert memory.extract().episodes == 1
    [path] = told(memory)
    assert path == "50-Episodes/2026/03/2026-03-01-slow-orders-summary.md"
    text = memory.show(path)[0].text
    assert "We decided to keep the monolith" in text and "missing index" in text and "Let me look" not in text
    assert "until: m5" in text and "by: extractive/1" in text
    [hit] = memory.search("why was the orders page slow?", layers=["episodes"]).hits
    assert hit.path == path and hit.at == BEGIN + timedelta(minutes=5)


def test_it_is_renewed_in_place_and_only_when_something_was_said(memory: Memory) -> None:
    memory.ingest(session(4))
    memory.extract()
    before = memory.show(told(memory)[0])[0].text
    memory.extract(again=True)
    assert memory.show(told(memory)[0])[0].text == before
    memory.ingest(session())
    assert memory.drain().learned.episodes == 1  # type: ignore[union-attr]
    assert len(told(memory)) == 1
    after = memory.show(told(memory)[0])[0].text
    assert after != before and "until: m5" in after
    memory.undo()
    assert memory.show(told(memory)[0])[0].text == before


def test_what_somebody_edited_is_theirs(memory: Memory) -> None:
    memory.ingest(session(4))
    memory.extract()
    [path] = told(memory)
    file = Path(memory.scopes["user"], path)
    file.write_text(file.read_text(encoding="utf-8").replace("user: ", "Ada: "), encoding="utf-8")
    memory.sync()
    memory.ingest(session())
    assert memory.extract().episodes == 0
    assert "Ada: " in file.read_text(encoding="utf-8")


def test_fields_that_somebody_added_stay(memory: Memory) -> None:
    memory.ingest(session(4))
    memory.extract()
    file = Path(memory.scopes["user"], told(memory)[0])
    file.write_text(file.read_text(encoding="utf-8").replace("kind: ", "tags: [orders]\nkind: "), encoding="utf-8")
    memory.sync()
    memory.ingest(session())
    assert memory.extract().episodes == 1
    assert "tags: [orders]" in file.read_text(encoding="utf-8")


def test_short_and_silent_conversations_tell_themselves(memory: Memory) -> None:
    memory.ingest(session(2))
    memory.ingest(Session(id="tools", source="test", messages=[Message(id="t", role="tool", text="x " * 500)]))
    assert memory.extract().episodes == 0 and told(memory) == []


def test_the_hosts_own_summary_is_used(memory: Memory) -> None:
    """TR-10: only what came after a compaction is told."""
    compaction = Message(
        id="c",
        role="system",
        text="Summary of all before: the page was slow.",
        at=BEGIN + timedelta(minutes=30),
        meta={"derived": "compaction"},
    )
    memory.ingest(session(extra=(compaction,)))
    assert memory.extract().episodes == 0
    assert len(told(memory)) == 1
    later = tuple(
        Message(
            id=f"l{place}", role=role, text=text.replace("orders", "invoices"), at=BEGIN + timedelta(hours=1 + place)
        )  # type: ignore[arg-type]
        for place, (role, text) in enumerate(TALK)
    )
    memory.ingest(session(extra=(compaction, *later)))
    assert memory.extract().episodes == 1
    own = next(text for path in told(memory) if "until: l5" in (text := memory.show(path)[0].text))
    assert "invoices page" in own and "orders page" not in own


def test_a_conversation_that_goes_on_is_left_for_later_in_the_background(memory: Memory) -> None:
    store = memory._stores[0]
    memory.ingest(session(begin=datetime.now(UTC) - timedelta(minutes=6)))
    path = next(path for path, one in store.index.documents().items() if one.kind == "transcript")
    assert not episodes.refresh(store, path, ExtractiveSummarizer(), resting=True)
    assert episodes.refresh(store, path, ExtractiveSummarizer(), resting=False)


def test_a_summary_waits_in_the_queue_until_the_conversation_rests(memory: Memory) -> None:
    from scrubjay.operations import extract

    store = memory._stores[0]
    memory.ingest(session(begin=datetime.now(UTC) - timedelta(minutes=6)))
    done = extract.work(store, memory._desk(), resting=True)
    assert done.episodes == 0
    assert [(job.kind, job.state) for job in store.index.jobs()] == [("summarise", "waiting")]
    assert memory.drain().learned.episodes == 1  # type: ignore[union-attr]


def test_a_lost_index_does_not_read_a_summarised_conversation_again(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """MX-12: the summary says how far the conversation was read."""
    memory = open_memory(home=tmp_path / "home")
    memory.ingest(session())
    memory.extract()
    memory.close()
    shutil.rmtree(tmp_path / "home" / "state")
    memory = open_memory(home=tmp_path / "home")
    assert memory.extract().messages == 0
    assert len(told(memory)) == 1


def test_a_summarizer_that_cannot_answer_leaves_a_job(memory: Memory) -> None:
    from dataclasses import replace

    from scrubjay.operations import extract

    class Down:
        name = "down"

        def summary(self, messages: object, *, title: str) -> str:  # noqa: ARG002
            raise Unavailable("The model does not answer.")

    memory.ingest(session())
    desk = memory._desk()
    done = extract.work(memory._stores[0], replace(desk, reader=replace(desk.reader, summarizer=Down())), resting=False)
    assert [reason for _, reason in done.failures] == ["The model does not answer."]
    assert [(job.kind, job.error) for job in memory.status()[0].jobs] == [("summarise", "The model does not answer.")]


def test_summaries_can_be_switched_off(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(settings={"extract.summaries": False})
    memory.ingest(session())
    memory.drain()
    assert memory.extract().episodes == 0 and told(memory) == [] and memory.status()[0].jobs == ()


@pytest.mark.parametrize("title", ["", "../../etc/passwd", "a" * 400, "标题：慢页"])
def test_any_title_makes_a_sound_document(memory: Memory, title: str) -> None:
    from dataclasses import replace

    memory.ingest(replace(session(), title=title))
    assert memory.extract().episodes == 1
    assert all(path.startswith("50-Episodes/2026/03/") for path in told(memory))
    assert memory.status()[0].problems == ()
