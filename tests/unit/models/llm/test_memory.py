"""A memory that learns from conversations with a language model, end to end, over a real connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scrubjay import Memory, Message, Session

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SUMMARY = (
    "Max and the assistant talked about how the team ships its service. They agreed to deploy on Thursdays after the"
    " review, because Tuesdays collide with the planning meeting, and to keep the old day until the end of March."
)


@pytest.fixture
def remembering(
    open_memory: Callable[..., Memory], server: Any, wire: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Memory]:
    """Opens memories whose language model is the scripted server."""
    monkeypatch.setenv("SCRIPTED_KEY", wire.key)

    def opened(background: bool = False, **settings: object) -> Memory:
        own = {"llm.model": "openai:s", "llm.endpoint": f"{server.url}/v1", "llm.api_key_env": "SCRIPTED_KEY"}
        return open_memory(settings={**own, **settings}, background=background)

    return opened


def conversation(*texts: str, id: str = "s1") -> Session:
    """What Max said, with a word of the assistant after each."""
    messages = []
    for number, text in enumerate(texts):
        at = START + timedelta(minutes=number)
        messages.append(Message(id=f"{id}u{number}", role="user", speaker="Max", text=text, at=at))
        messages.append(Message(id=f"{id}a{number}", role="assistant", text="I see.", at=at + timedelta(seconds=9)))
    return Session(id=id, messages=messages)


SAID = (
    "Our team ships the service every week, and lately the day collides with the planning meeting that everybody has to"
    " attend, which is why half of the reviewers are missing when we need them the most.",
    "So from next week on it is Thursdays for us, right after the review; the old day stays until the end of March.",
)


def statement(**more: Any) -> dict[str, Any]:
    return {
        "n": 3, "quote": "it is Thursdays for us, right after the review", "text": "Max's team deploys on Thursdays.",
        "category": "Decision", "subject": "Max's team", "predicate": "deploys on", "object": "Thursdays",
        "since": "2026-03-09", "confidence": 0.9, **more,
    }  # fmt: skip


def script(server: Any, wire: Any, **answers: Any) -> None:
    """Answers each question by its prompt; a call after the answers are used up gets the last one again."""

    def answer(received: Any) -> Any:
        purpose = next(name for name, mark in MARKS.items() if mark in wire.system(received.payload))
        given = answers[purpose]
        return given if not isinstance(given, dict) else wire.answers(given)

    server.says(answer)


MARKS = {"extract": "pick out", "summarise": "You summarise", "compare": "You compare"}


def test_facts_and_summary_come_from_the_model_with_their_evidence(remembering, server, wire) -> None:
    script(
        server, wire, extract={"statements": [statement()]}, summarise={"summary": SUMMARY}, compare={"relation": "new"}
    )
    memory = remembering()
    memory.ingest(conversation(*SAID))
    memory.drain()
    (fact,) = memory.facts()
    assert (fact.text, fact.category, fact.object) == ("Max's team deploys on Thursdays.", "Decision", "Thursdays")
    assert fact.source.message_ids == ("s1u1",)
    assert fact.valid.start is not None
    assert fact.valid.start.astimezone(UTC).date() in (datetime(2026, 3, 8).date(), datetime(2026, 3, 9).date())
    hits = memory.search("when does the team deploy?", layers={"episodes"}, abstain=False).hits
    assert "because Tuesdays collide" in hits[0].text
    usage = memory.usage()
    assert dict(usage.today.purposes) == {"extract": 1, "summarise": 1}
    memory.drain()
    assert memory.usage().today.calls == 2  # what was read is not read again


def test_a_correction_supersedes_by_the_models_word(remembering, server, wire) -> None:
    moved = statement(
        n=1, quote="Deploys moved to Mondays", text="Max's team deploys on Mondays.", object="Mondays", since=None
    )
    script(
        server, wire, extract={"statements": [statement()]}, summarise={"summary": SUMMARY}, compare={"relation": "new"}
    )
    memory = remembering()
    memory.ingest(conversation(*SAID))
    memory.drain()
    script(
        server, wire, extract={"statements": [moved]}, summarise={"summary": SUMMARY},
        compare={"relation": "update", "n": 1, "reason": "They moved."},
    )  # fmt: skip
    later = Message(id="s2u0", role="user", text="Deploys moved to Mondays, by the way.", at=START + timedelta(days=60))
    memory.ingest(Session(id="s2", messages=[later]))
    memory.drain()
    assert [fact.text for fact in memory.facts()] == ["Max's team deploys on Mondays."]
    assert [fact.text for fact in memory.facts(as_of="2026-04-01")] == ["Max's team deploys on Thursdays."]


def test_an_invented_quote_and_recalled_text_become_no_facts(remembering, server, wire) -> None:
    """F105, MX-12."""
    invented = [
        statement(quote="we deploy on Fridays"),
        statement(n=2, quote="I see", text="The assistant sees."),
        statement(quote="Max loves Perl", text="Max loves Perl."),
    ]
    script(server, wire, extract={"statements": invented}, summarise={"summary": SUMMARY})
    memory = remembering()
    recalled = "<memory-context>\n- Max loves Perl\n</memory-context>\n" + SAID[1]
    memory.ingest(conversation(SAID[0], recalled))
    memory.drain()
    assert list(memory.facts()) == []
    sent = json.dumps([one.payload for one in server.received])
    assert "Max loves Perl" not in sent


def test_what_the_model_cannot_do_is_done_by_rules_and_status_says_so(remembering, server, wire) -> None:
    """F58: after a 403 nobody asks again, and nothing is lost."""
    server.says(wire.fails(403))
    memory = remembering()
    memory.ingest(conversation("Remember that I prefer tea over coffee.", *SAID))
    memory.drain()
    assert [fact.category for fact in memory.facts()] == ["Preference"]
    assert memory.search("planning meeting reviewers", layers={"episodes"}, abstain=False).hits
    assert len(server.received) == 1
    usage = memory.usage()
    assert (usage.state, dict(usage.today.outcomes)) == ("stopped", {"denied": 1})
    assert not [job for status in memory.status() for job in status.jobs if job.state == "dead"]


def test_a_cap_that_is_reached_leaves_the_rest_to_rules(remembering, server, wire) -> None:
    script(server, wire, extract={"statements": [statement()]}, summarise={"summary": SUMMARY})
    memory = remembering(**{"llm.calls_per_day": 1})
    memory.ingest(conversation(*SAID))
    memory.ingest(conversation("Remember that I prefer tea over coffee.", *SAID, id="s2"))
    memory.drain()
    assert len(server.received) == 1
    assert {fact.category for fact in memory.facts()} == {"Decision", "Preference"}
    assert memory.usage().state == "capped"


def test_closing_does_not_wait_for_a_model_and_the_work_is_done_next_time(remembering, server, wire, reply) -> None:
    """F62, F58: what was interrupted is no failure, however often it happens."""
    begun = threading.Event()

    def hang(_: object) -> Any:
        begun.set()
        return reply(b"", promised=10, then_hang=True)

    for _ in range(7):
        server.says(hang)
        begun.clear()
        memory = remembering(background=True)
        memory.ingest(conversation(*SAID))
        memory._worker.wake()
        assert begun.wait(30)
        memory.close()
    server.received.clear()
    script(server, wire, extract={"statements": [statement()]}, summarise={"summary": SUMMARY})
    memory = remembering()
    assert not [job for status in memory.status() for job in status.jobs if job.state == "dead"]
    memory.drain()
    assert [fact.text for fact in memory.facts()] == ["Max's team deploys on Thursdays."]


def test_secrets_never_reach_the_server(remembering, server, wire) -> None:
    """F110."""
    script(server, wire, extract={"statements": []}, summarise={"summary": SUMMARY})
    key = "sk-ant-api03-" + "aB3dE5gH7j" * 9 + "aAA"
    memory = remembering()
    memory.ingest(conversation(f"密钥{key} is what we use. {SAID[0]}", SAID[1]))
    memory.drain()
    assert len(server.received) == 2
    assert key not in json.dumps([one.payload for one in server.received])
