"""Facts from conversations: what is learned, from whom, once, and where it belongs in time (MX-12, TR-5 … TR-71)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, NotFound, Unavailable
from scrubjay.operations import extract
from scrubjay.operations.episodes import ExtractiveSummarizer
from scrubjay.operations.extract import Desk, Reader, RuleJudge
from scrubjay.types import Candidate, Message, Session

Open = Callable[..., Memory]


def day(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}T12:00:00+00:00")


def told(*said: tuple[str, str] | Message, id: str = "talk", start: str = "2026-03-01", **about: object) -> Session:
    """A session: each piece is (role, text), an hour after the one before, or a message as it is."""
    begin = day(start)
    messages = [
        one
        if isinstance(one, Message)
        else Message(id=f"{id}-{place}", role=one[0], text=one[1], at=begin + timedelta(hours=place))  # type: ignore[arg-type]
        for place, one in enumerate(said)
    ]
    return Session(id=id, messages=messages, source="test", started=begin, title=id, meta=about)


def facts(memory: Memory, **options: object) -> list[str]:
    return sorted(fact.text for fact in memory.facts(**options))  # type: ignore[arg-type]


def test_what_a_person_states_becomes_a_fact_that_leads_to_its_message(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer uv over pip."), ("assistant", "I prefer pip.")))
    done = memory.extract()
    [found] = done.found
    assert (found.outcome, found.candidate.quote) == ("new", "I prefer uv over pip.")
    [fact] = memory.facts()
    assert fact.text == "User prefers uv over pip." and fact.valid.start == day("2026-03-01")
    [version] = memory.history(fact.id)
    assert version.source.kind == "session" and version.source.ref == "test:talk"
    assert version.source.message_ids == ("talk-0",)
    [message] = memory.evidence(fact.id)
    assert message.text == "I prefer uv over pip." and message.path == found.path and message.line == found.line
    [hit] = [hit for hit in memory.search("uv or pip?").hits if hit.layer == "facts"]
    assert hit.message_ids == ("talk-0",)


@pytest.mark.parametrize(
    "message",
    [
        ("assistant", "I live in Berlin."),
        ("tool", "We decided to use PostgreSQL 16."),
        ("system", "My name is Max Petrov."),
        ("user", "<memory-context>\n- I live in Berlin.\n</memory-context>\nAnd now the tests, please."),
        ("user", "<memory-context>\nRecalled from memory\n- I live in Berlin."),
        ("user", "> I live in Berlin.\n\nWhat about that?"),
        ("user", "```\nI live in Berlin.\n```"),
        ("user", "<command-name>I live in Berlin.</command-name>"),
        Message(id="x", role="user", text="I live in Berlin.", meta={"is_human": False}),
        Message(id="x", role="user", text="I live in Berlin.", meta={"do_not_remember": True}),
        Message(id="x", role="user", text="I live in Berlin.", meta={"visible": False}),
    ],
)
def test_nobody_else_testifies(memory: Memory, message: tuple[str, str] | Message) -> None:
    """TR-7, TR-63, F105: models, tools, hosts, recalled blocks, quotations, code and unremembered talks say nothing."""
    memory.ingest(told(("user", "Good morning."), message))
    assert memory.extract().found == []
    assert memory.facts() == []


def test_a_second_run_and_a_grown_conversation_read_only_what_is_new(memory: Memory) -> None:
    """MX-12: idempotent per session and range of messages."""
    memory.ingest(told(("user", "I prefer tea.")))
    assert (first := memory.extract()).messages == 1 and first.sessions == 1
    assert memory.extract().messages == 0
    memory.ingest(told(("user", "I prefer tea."), ("user", "I live in Oslo.")))
    done = memory.extract()
    assert (done.messages, [one.candidate.text for one in done.found]) == (1, ["User lives in Oslo."])
    assert memory.extract(again=True).outcomes == {"known": 2}
    assert facts(memory) == ["User lives in Oslo.", "User prefers tea."]


def test_a_lost_index_brings_nothing_twice_and_nothing_back(open_memory: Open, tmp_path: Path) -> None:
    """F21: what was stored is known by its id; what was forgotten, retracted or undone stays gone."""
    memory = open_memory(home=tmp_path / "home")
    memory.ingest(told(("user", "I prefer tea. I love sailing boats. I hate raisins. I live in Oslo.")))
    memory.extract()
    by_text = {fact.text: fact.id for fact in memory.facts()}
    memory.forget(by_text["User prefers tea."])
    memory.retract(by_text["User loves sailing boats."])
    memory.close()
    shutil.rmtree(tmp_path / "home" / "state")
    memory = open_memory(home=tmp_path / "home")
    assert memory.extract(again=True).outcomes == {"known": 3, "gone": 1}
    assert facts(memory) == ["User dislikes raisins.", "User lives in Oslo."]
    memory.undo(next(one.id for one in memory.operations() if one.verb == "forget"))
    assert memory.extract(again=True).outcomes == {"known": 4}


def test_what_was_forgotten_may_be_said_anew(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer tea.")))
    memory.extract()
    memory.forget(memory.facts()[0].id)
    memory.ingest(told(("user", "I prefer tea."), id="older", start="2025-01-01"))
    assert memory.extract().outcomes == {"gone": 1}
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d")
    memory.ingest(told(("user", "I prefer tea."), id="newer", start=tomorrow))
    assert memory.extract().outcomes == {"new": 1}


def test_an_undone_run_is_not_repeated(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer tea. I live in Oslo.")))
    memory.extract()
    memory.undo()
    assert memory.facts() == []
    assert memory.extract(again=True).outcomes == {"gone": 2}


def test_a_newer_statement_supersedes_from_the_moment_it_was_said(memory: Memory) -> None:
    """F20, MX-7: the old one is kept with its time."""
    memory.ingest(told(("user", "I live in Berlin."), id="one", start="2024-01-01"))
    memory.ingest(told(("user", "I live in Oslo."), id="two", start="2025-01-01"))
    assert [one.outcome for one in memory.extract().found] == ["new", "superseded"]
    assert facts(memory) == ["User lives in Oslo."]
    assert facts(memory, as_of="2024-06-01") == ["User lives in Berlin."]


@pytest.mark.parametrize("order", [(1, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_ingestion_is_not_the_order_of_truth(memory: Memory, order: Sequence[int]) -> None:
    """F20 … F22, F86: whichever transcript comes first, the history is the same."""
    cities = ["Paris", "Berlin", "Oslo"]
    for place in order:
        memory.ingest(told(("user", f"I live in {cities[place]}."), id=f"talk{place}", start=f"202{place}-01-01"))
        memory.extract()
    last = max(order)
    assert facts(memory) == [f"User lives in {cities[last]}."]
    versions = memory.history(memory.facts()[0].id)
    assert [fact.text for fact in versions] == [f"User lives in {cities[place]}." for place in sorted(order)]
    assert [fact.superseded_from for fact in versions[:-1]] == [day(f"202{place}-01-01") for place in sorted(order)[1:]]
    for place in order:
        assert facts(memory, as_of=f"202{place}-06-01") == [f"User lives in {cities[place]}."]


def test_the_same_said_earlier_widens_what_a_conversation_gave(memory: Memory) -> None:
    memory.ingest(told(("user", "I live in Oslo."), id="late", start="2026-01-01"))
    memory.extract()
    memory.ingest(told(("user", "I live in Oslo."), id="early", start="2024-01-01"))
    assert memory.extract().outcomes == {"known": 1}
    assert [fact.valid.start for fact in memory.facts()] == [day("2024-01-01")]


def test_what_a_person_wrote_down_later_is_not_overruled_by_an_old_transcript(memory: Memory) -> None:
    memory.remember("User lives in Oslo.", subject="User", predicate="lives in", object="Oslo")
    memory.ingest(told(("user", "I live in Paris."), start="2020-01-01"))
    assert memory.extract().outcomes == {"history": 1}
    assert facts(memory) == ["User lives in Oslo."]
    assert facts(memory, as_of="2021-01-01") == ["User lives in Paris."]


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("I love Chinese food.", "I hate Chinese food.", "User loves Chinese food."),
        ("I use Docker.", "I no longer use Docker.", "User uses Docker."),
        ("I use npm for JavaScript.", "I switched from npm to pnpm.", "User uses npm for JavaScript."),
        ("The staging server is 10.0.0.5.", "The staging server is 10.0.0.6.", "The staging server is 10.0.0.5."),
        ("我喜欢咖啡。", "我讨厌咖啡。", "User喜欢咖啡。"),
        ("Я люблю кофе.", "Я не люблю кофе.", "User любит кофе."),
        ("I prefer tabs over spaces.", "Actually, I prefer spaces over tabs now.", "User prefers tabs over spaces."),
        ("I prefer tea to coffee.", "I prefer coffee to tea.", "User prefers tea to coffee."),
        (
            "We decided to use RabbitMQ as the message queue.",
            "We decided to move from RabbitMQ to NATS because it is heavy.",
            "We decided to use RabbitMQ as the message queue.",
        ),
        (
            "We decided to use RabbitMQ as the message queue.",
            "Мы решили перейти с RabbitMQ на NATS, потому что он слишком тяжёлый.",
            "We decided to use RabbitMQ as the message queue.",
        ),
        ("我们决定用 MySQL。", "我们决定用 PostgreSQL 代替 MySQL。", "我们决定用 MySQL。"),
        ("Let's use npm 9.", "We decided to use pnpm instead of npm.", "Let's use npm 9."),
        (
            "The retry policy: we decided to retry failed jobs three times with a fixed delay.",
            "And the retry policy changed: we decided to retry failed jobs five times with exponential backoff.",
            "Retry policy: we decided to retry failed jobs three times with a fixed delay.",
        ),
    ],
)
def test_a_change_of_mind_closes_what_was_said_before(memory: Memory, before: str, after: str, gone: str) -> None:
    """F16, F20, F91: one of the two is current."""
    memory.ingest(told(("user", before), ("user", after)))
    memory.extract()
    assert gone in facts(memory, include_superseded=True)
    assert gone not in facts(memory) and len(facts(memory)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", "I like coffee."),
        ("I prefer Python for scripts.", "I prefer Go for servers."),
        ("The staging server is at 10.0.0.5.", "The production server is at 10.0.0.6."),
        ("We decided to use port 8080 for A.", "We decided to use port 8081 for A."),
        ("I'm a teacher.", "I'm a cyclist."),
        ("My son is Tom.", "My son is Bob."),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs for Python."),
        ("We decided to use MySQL.", "We decided not to move from MySQL to PostgreSQL."),
        ("We decided to use MySQL.", "We decided to move from MongoDB to PostgreSQL."),
        ("We decided to deploy on Fridays.", "We decided to use the new deploy key 7."),
    ],
)
def test_statements_about_different_things_stand_beside_one_another(memory: Memory, one: str, other: str) -> None:
    """F15, F88: nothing unrelated is retired, and no conflict is invented."""
    memory.ingest(told(("user", one), ("user", other)))
    assert memory.extract().outcomes == {"new": 2}
    assert len(memory.facts()) == 2
    assert all("conflicts" not in hit.note for hit in memory.search(one, layers=["facts"]).hits)


def test_each_project_has_its_own_database(memory: Memory) -> None:
    """F88: what is about a thing is compared within its project."""
    memory.ingest(told(("user", "Our database is PostgreSQL 15."), id="a", start="2025-01-01", cwd="/home/ada/shop"))
    memory.ingest(told(("user", "Our database is PostgreSQL 16."), id="b", start="2026-01-01", cwd="/home/ada/blog"))
    memory.ingest(told(("user", "Our database is PostgreSQL 17."), id="c", start="2026-02-01", cwd="/home/ada/shop"))
    memory.extract()
    assert {(fact.text, fact.tags) for fact in memory.facts()} == {
        ("Our database is PostgreSQL 16.", ("blog",)),
        ("Our database is PostgreSQL 17.", ("shop",)),
    }


def test_a_loose_relation_names_the_conflict_and_keeps_both(memory: Memory) -> None:
    """F91: "is MySQL" may contradict "is encrypted at rest with LUKS", or not."""
    memory.ingest(told(("user", "The database is MySQL."), ("user", "The database is LUKS encrypted at rest.")))
    assert [one.outcome for one in memory.extract().found] == ["new", "conflict"]
    assert len(memory.facts()) == 2


def test_an_abandoned_branch_counts_less_and_overrules_nothing(memory: Memory) -> None:
    """TR-5."""
    dead = Message(id="d1", role="user", text="I live in Rome.", at=day("2026-04-01"), meta={"branch": "dead"})
    taste = Message(id="d2", role="user", text="I prefer tea.", at=day("2026-04-01"), meta={"branch": "dead"})
    memory.ingest(told(("user", "I live in Oslo."), dead, taste))
    assert [one.outcome for one in memory.extract().found] == ["new", "refused", "new"]
    assert {fact.text: fact.confidence for fact in memory.facts()} == {
        "User lives in Oslo.": 0.95,
        "User prefers tea.": 0.475,
    }


def test_what_is_taken_back_later_counts_less_from_then_on(memory: Memory) -> None:
    """TR-22: a turn that was rolled back after it had been read."""
    memory.ingest(told(("user", "I prefer tea."), ("user", "I live in Oslo.")))
    memory.extract()
    [entry] = [entry for entry in memory._stores[0].vault.entries() if entry.path.endswith(".transcript.md")]
    file = Path(memory.scopes["user"], entry.path)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"role": "user"', '"role": "user", "meta": {"branch": "dead"}', 1), encoding="utf-8")
    memory.sync()
    for _ in range(2):
        memory.extract()
        assert {fact.text: fact.confidence for fact in memory.facts()} == {
            "User prefers tea.": 0.475,
            "User lives in Oslo.": 0.95,
        }
    memory.undo()
    assert {fact.confidence for fact in memory.facts()} == {0.95}


def test_a_proposal_that_was_agreed_to_is_a_decision(memory: Memory) -> None:
    memory.ingest(
        told(
            ("user", "The pages are slow."),
            ("assistant", "They are read from disk. Should we use Redis 7 for the cache?"),
            ("user", "Yes, let's do that."),
            ("assistant", "I suggest we use Memcached too."),
            ("user", "Hm, why?"),
        )
    )
    [found] = memory.extract().found
    assert (found.candidate.text, found.candidate.category) == ("Agreed: use Redis 7 for the cache.", "Decision")


def test_an_answer_in_the_next_batch_counts_too(memory: Memory) -> None:
    first = [("user", "Hm.")] * (extract.conversation.BATCH - 1)
    memory.ingest(told(*first, ("assistant", "Shall we use Redis 7?"), ("user", "Yes.")))
    assert [one.candidate.text for one in memory.extract().found] == ["Agreed: use Redis 7."]


def test_relative_days_are_those_of_the_message_where_the_user_lives(open_memory: Open) -> None:
    """F85: 23:30 UTC on Monday is Tuesday in Tokyo."""
    memory = open_memory(zone=timezone(timedelta(hours=9)))
    said = Message(
        id="m", role="user", text="Remind me to call Ann tomorrow.", at=datetime(2026, 11, 23, 23, 30, tzinfo=UTC)
    )
    memory.ingest(told(said))
    [found] = memory.extract().found
    assert found.candidate.valid.end == datetime(2026, 11, 25, 15, tzinfo=UTC)


def test_a_task_always_ends(open_memory: Open) -> None:
    """MX-12."""
    memory = open_memory(settings={"extract.todo_days": 7})
    undated = Message(id="m", role="user", text="TODO: rotate the keys")
    memory.ingest(Session(id="u", source="test", messages=[undated]))
    memory.ingest(told(("user", "TODO: renew the certificate"), start="2026-03-01"))
    memory.extract()
    ends = {fact.text: fact.valid.end for fact in memory.facts(include_superseded=True)}
    assert ends["TODO: renew the certificate."] == day("2026-03-08")
    assert ends["TODO: rotate the keys."] is not None
    assert facts(memory, as_of="2026-03-20") == []


def test_a_clock_that_goes_ahead_makes_no_fact_of_the_future(memory: Memory) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    memory.ingest(told(Message(id="m", role="user", text="I prefer tea.", at=ahead)))
    memory.extract()
    assert facts(memory) == ["User prefers tea."]


def test_saved_memories_and_custom_instructions_are_candidates(memory: Memory) -> None:
    """TR-62, TR-71."""
    bio = Message(
        id="b",
        role="assistant",
        text="User is allergic to peanuts.\nUser prefers metric units.",
        meta={"candidate": "memory", "is_human": False},
    )
    profile = Message(
        id="c",
        role="system",
        text="The user provided the following information about themselves:\n```\nI am a nurse.\n```\n"
        "How they would like you to respond:\n```\n- Answer briefly.\n```",
        meta={"candidate": "instructions", "is_human": False},
    )
    paragraph = Message(
        id="d",
        role="system",
        text="Ada works as a nurse in Leeds and leads a small team.",
        meta={"candidate": "context", "is_human": False},
    )
    memory.ingest(told(bio, profile, paragraph))
    memory.extract()
    assert {(fact.text, fact.category) for fact in memory.facts()} == {
        ("User is allergic to peanuts.", "Identity"),
        ("User prefers metric units.", "Preference"),
        ("User is a nurse.", "Identity"),
        ("Answer briefly.", "Process"),
        ("Ada works as a nurse in Leeds and leads a small team.", "Identity"),
    }


def test_a_dry_run_writes_nothing(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer tea. I live in Oslo."), ("user", "I prefer tea.")))
    before = [operation.id for operation in memory.operations()]
    assert [one.outcome for one in memory.extract(dry_run=True).found] == ["new", "new", "known"]
    assert memory.facts() == [] and [operation.id for operation in memory.operations()] == before
    assert memory.extract().stored == 2


def test_limits_hold(open_memory: Open) -> None:
    memory = open_memory(settings={"extract.per_session": 2, "extract.per_run": 3})
    likes = " ".join(f"I like number {number} trains." for number in range(4))
    for name in ("a", "b", "c"):
        memory.ingest(told(("user", likes.replace("trains", f"trains of {name}")), id=name))
    first = memory.extract()
    assert (first.stored, first.outcomes["capped"], first.waiting) == (4, 4, 1)
    second = memory.extract()
    assert (second.stored, second.waiting) == (2, 0)
    assert memory.extract(again=True).outcomes == {"known": 6, "capped": 6}


def test_names_of_sessions_and_files_are_found(memory: Memory) -> None:
    memory.ingest([told(("user", "I prefer tea."), id="a"), told(("user", "I live in Oslo."), id="b")])
    assert [one.candidate.text for one in memory.extract("a").found] == ["User prefers tea."]
    path = memory.extract("test:b", dry_run=True).found[0].path
    assert [one.candidate.text for one in memory.extract([path]).found] == ["User lives in Oslo."]
    with pytest.raises(NotFound):
        memory.extract("nothing")


def test_a_secret_never_becomes_a_fact(memory: Memory) -> None:
    """F110."""

    class Leaking(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            return [_candidate(messages[0], text="The token is ghp_" + "h7Kq2ZxV9sLm4TbW8rNc1YdF6gJpQe3AuXk5")]

    done = _with(memory, Leaking(), told(("user", "The token is in the vault.")))
    assert [(one.outcome, one.reason) for one in done.found] == [("refused", "it holds a secret")]


def test_an_extractor_is_believed_only_with_evidence(memory: Memory) -> None:
    """A quote that does not stand in its message is refused, and so is what no person said (MX-12)."""

    class Inventive(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            first, second = messages
            return [
                _candidate(first, quote="I never said that"),
                _candidate(second, text="Ada likes Rust."),
                _candidate(first, text="Ada likes Go.", confidence=0.1),
                _candidate(first, text="Ada likes tea.", quote="likes\n tea"),
                Candidate(text="Elsewhere.", quote="x", message_id="no such message", rule="test"),
            ]

    done = _with(memory, Inventive(), told(("user", "Ada likes   tea."), ("assistant", "Ada likes Rust.")))
    assert [one.outcome for one in done.found] == ["refused", "refused", "refused", "new"]
    assert facts(memory) == ["Ada likes tea."]


def test_a_model_that_cannot_answer_leaves_the_work_for_later(memory: Memory) -> None:
    """F58: the failure is in status, tried again later, and in the end a dead letter."""

    class Down(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            raise Unavailable("The model does not answer.")

    done = _with(memory, Down(), told(("user", "I prefer tea.")))
    assert done.failures and done.stored == 0
    [job] = [job for job in memory.status()[0].jobs if job.kind == "extract"]
    assert (job.state, job.error) == ("waiting", "The model does not answer.")
    assert memory.extract().stored == 1


def test_a_bug_in_an_extractor_is_a_failed_job(memory: Memory) -> None:
    class Buggy(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            raise RuntimeError("a bug")

    done = _with(memory, Buggy(), told(("user", "I prefer tea.")))
    assert done.failures[0][1] == "RuntimeError: a bug"
    assert [job.error for job in memory.status()[0].jobs if job.kind == "extract"] == ["RuntimeError: a bug"]


def test_a_dead_letter_is_seen_and_cleared_by_the_next_run(memory: Memory) -> None:
    """F58: what a refusal ends is not tried again by itself."""

    class Refusing(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            raise BadInput("The model refuses.")

    _with(memory, Refusing(), told(("user", "I prefer tea.")))
    assert [(job.kind, job.state) for job in memory.status()[0].jobs] == [("extract", "dead")]
    assert any("The model refuses." in finding.message for finding in memory.doctor())
    assert memory.drain().learned is None or memory.facts() == []
    assert memory.extract().stored == 1
    assert memory.status()[0].jobs == ()


@pytest.mark.parametrize(
    "text", ["a\x00b | c", "🦜" * 40, "---\nid: x\n---", "<!-- message {} -->", "x " * 900, "[[link]] #tag: {y}"]
)
def test_odd_statements_are_stored_as_they_are(memory: Memory, text: str) -> None:
    class Odd(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            return [_candidate(messages[0], text=text)]

    done = _with(memory, Odd(), told(("user", "Something odd.")))
    assert [one.outcome for one in done.found] == ["new"]
    [fact] = memory.facts()
    assert fact.text == text.replace("\x00", "\ufffd").strip()


def test_a_statement_of_fifty_kilobytes_is_refused(memory: Memory) -> None:
    class Long(_Scripted):
        def candidates(self, messages, *, zone):  # type: ignore[no-untyped-def]  # noqa: ARG002
            return [_candidate(messages[0], text="word " * 10_000)]

    done = _with(memory, Long(), told(("user", "Something long.")))
    assert [(one.outcome, one.reason) for one in done.found] == [("refused", "it is longer than 2,000 characters")]


def test_two_that_work_at_once_store_each_statement_once(open_memory: Open, tmp_path: Path) -> None:
    """F22, F23, F57."""
    one, other = open_memory(home=tmp_path / "home"), open_memory(home=tmp_path / "home")
    one.ingest([told(("user", f"I like trains of type {n}."), id=f"t{n}") for n in range(12)])
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(one.drain), pool.submit(other.drain), pool.submit(one.extract)]
        for run in runs:
            run.result()
    assert len(facts(one)) == 12
    assert one.doctor()[1:] == []


def test_draining_does_the_waiting_work_and_leaves_nothing(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer tea.")))
    assert {job.kind for job in memory.status()[0].jobs} == {"extract", "summarise"}
    learned = memory.drain().learned
    assert learned is not None and learned.stored == 1
    assert memory.status()[0].jobs == ()


def test_the_background_learns_by_itself(open_memory: Open) -> None:
    memory = open_memory(background=True)
    memory.ingest(told(("user", "I prefer tea.")))
    memory.close()
    memory = open_memory()
    memory.drain()
    assert facts(memory) == ["User prefers tea."]


def test_it_can_be_switched_off(open_memory: Open) -> None:
    memory = open_memory(settings={"extract.enabled": False})
    memory.ingest(told(("user", "I prefer tea.")))
    assert memory.status()[0].jobs == ()
    memory.drain()
    assert memory.facts() == []


def test_a_conversation_that_is_gone_ends_its_job(memory: Memory) -> None:
    memory.ingest(told(("user", "I prefer tea.")))
    memory.forget("2026-03-01-talk.transcript.md")
    assert memory.drain().learned is not None
    assert memory.status()[0].jobs == ()


class _Scripted:
    name = "scripted/1"


def _candidate(message: Message, **changes: object) -> Candidate:
    values = {"text": message.text, "quote": message.text, "message_id": message.id, "rule": "test", **changes}
    return Candidate(**values)  # type: ignore[arg-type]


def _with(memory: Memory, extractor: object, session: Session) -> extract.Extracted:
    """What comes of the queue when ``extractor`` reads."""
    memory.ingest(session)
    reader = Reader(
        extractor=extractor,  # type: ignore[arg-type]
        judge=RuleJudge(),
        summarizer=ExtractiveSummarizer(),
        zone=UTC,
        settings=memory.settings.extract,
    )
    return extract.work(memory._stores[0], Desk(reader=reader, route=lambda store, _: store))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "We decided to use MySQL for the orders database.",
            "We decided to switch from MySQL to PostgreSQL for orders.",
        ),
        (
            "We decided to use MySQL for the orders database.",
            "Мы решили перейти с MySQL на PostgreSQL для базы заказов.",
        ),
        ("Мы решили использовать Redis для кэша.", "Мы решили заменить Redis на Valkey."),
        ("我们决定用 Redis 做缓存。", "我们决定把缓存从 Redis 换成 Valkey。"),
        ("The staging server runs on port 8080.", "The staging server now runs on port 9090."),
    ],
)
def test_a_decision_takes_the_place_of_the_one_that_it_leaves_behind(memory: Memory, first: str, second: str) -> None:
    memory.ingest([told(("user", first)), told(("user", second), id="later", start="2026-05-01")])
    memory.extract()
    [now_] = memory.facts()
    assert now_.text == second
    assert [version.text for version in memory.history(now_.id)] == [first, second]
    assert now_.valid.start == day("2026-05-01")


def test_a_decision_for_another_purpose_stays(memory: Memory) -> None:
    first = "We decided to use MySQL for analytics."
    second = "We decided to switch from MySQL to PostgreSQL for orders."
    memory.ingest([told(("user", first)), told(("user", second), id="later", start="2026-05-01")])
    memory.extract()
    assert facts(memory) == sorted([first, second])
