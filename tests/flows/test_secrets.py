"""SEC-2, F110: a secret reaches no document, index, journal, trash, log or error message, and the answer says so."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay import Decision, Memory, Message, Plan, Session
from scrubjay.errors import Refused, ScrubjayError
from scrubjay.operations.learn import exchange
from tests.flows.secret_keys import github_pat, password, places_of


@pytest.fixture
def secret(tmp_path: Path, own_home: Path, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """A secret that must be nowhere on the disk, nor in the log, when the test ends."""
    made = github_pat()
    caplog.set_level(logging.DEBUG)
    yield made
    assert places_of(made, tmp_path / "vault", own_home) == []
    assert made not in caplog.text


def test_a_fact_is_stored_without_its_secrets(memory: Memory, secret: str) -> None:
    fact = memory.remember(
        f"The deploy bot uses {secret} for releases.",
        category="Infrastructure",
        subject="deploy bot",
        predicate="token",
        object=secret,
        tags=["ci", secret],
    )
    assert fact.text == "The deploy bot uses ‹redacted:github-pat› for releases."
    assert [(one.rule, one.place, one.line) for one in fact.redacted] == [
        ("github-pat", "text", 1),
        ("github-pat", "object", 1),
        ("github-pat", "tags", 1),
    ]
    assert secret not in repr(fact) + repr(memory.operations())
    assert memory.search("deploy bot releases", abstain=False).hits[0].text == fact.text
    again = memory.remember(f"The deploy bot uses {secret} for releases.", subject="deploy bot")
    assert secret not in repr(again)


def test_a_password_that_its_predicate_gives_away(memory: Memory, tmp_path: Path, own_home: Path) -> None:
    made = password()
    fact = memory.remember("Staging has a login.", subject="staging", predicate="password", object=made)
    assert fact.object == "‹redacted:generic-api-key›"
    assert places_of(made, tmp_path / "vault", own_home) == []


def test_a_statement_that_is_nothing_but_a_secret_is_refused(memory: Memory, secret: str) -> None:
    with pytest.raises(Refused) as refusal:
        memory.remember(secret)
    assert secret not in str(refusal.value)
    assert memory.facts() == []


def test_a_successor_is_stored_without_secrets(memory: Memory, secret: str) -> None:
    old = memory.remember("The deploy bot has no token.")
    new = memory.supersede(old.id, f"The deploy bot has the token\n{secret}", tags=[secret], category="Infrastructure")
    assert new.text == "The deploy bot has the token\n‹redacted:github-pat›"
    assert ("github-pat", "text", 2) in [(one.rule, one.place, one.line) for one in new.redacted]
    with pytest.raises(ScrubjayError) as error:
        memory.supersede(new.id, f"It is {secret}", valid_from="1999-01-01")
    assert secret not in str(error.value)
    memory.undo()


def test_a_note_is_stored_without_secrets(memory: Memory, secret: str) -> None:
    note = memory.note(
        f"Release with {secret}", f"Steps:\n\n{secret}\n", topic=f"ci/{secret}", tags=[secret], source=secret
    )
    assert note.title == "Release with ‹redacted:github-pat›"
    assert {(one.place, one.line) for one in note.redacted} == {
        ("title", 1),
        ("body", 3),
        ("topic", 1),
        ("tags", 1),
        ("source", 1),
    }
    again = memory.note(
        f"Release with {secret}", f"Steps:\n\n{secret}\n", topic=f"ci/{secret}", tags=[secret], source=secret
    )
    assert again.path == note.path


def test_what_was_taken_out_is_not_in_the_trash_either(memory: Memory, secret: str) -> None:
    fact = memory.remember(f"The bot uses {secret}.")
    memory.forget(fact.id)
    memory.undo()
    memory.retract(fact.id)


def test_placeholders_are_kept_as_they_are(memory: Memory) -> None:
    text = "Set OPENAI_API_KEY=$OPENAI_API_KEY and password: <your password> first."
    fact = memory.remember(text)
    assert (fact.text, fact.redacted) == (text, ())


# --- learning, the inbox, plans as JSON, harvesting -----------------------------------------------------------------


def learned(memory: Memory, tmp_path: Path, secret: str) -> Plan:
    source = tmp_path / "guide.md"
    source.write_text(f"# Releases\n\nThe bot logs in with {secret} and then tags.\n", "utf-8")
    try:
        return memory.learn(f"-f {source}", cwd=tmp_path)
    finally:
        source.unlink()


def test_a_proposal_is_made_from_a_text_without_secrets(memory: Memory, tmp_path: Path, secret: str) -> None:
    plan = learned(memory, tmp_path, secret)
    assert [(one.rule, one.line) for one in plan.content.redacted] == [("github-pat", 3)]
    assert secret not in exchange.to_json(plan)
    assert secret.lower()[4:16] not in exchange.to_json(plan).lower()
    assert exchange.from_json(exchange.to_json(plan)).content == plan.content
    applied = memory.apply(plan.decide("recommended"))
    assert [one.rule for one in applied.redacted] == ["github-pat"]
    assert exchange.applied_values(applied)["redacted"][0]["rule"] == "github-pat"


def test_lines_of_a_learned_file_keep_their_numbers(memory: Memory, tmp_path: Path) -> None:
    begin, end = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"
    key = "\n".join([begin, *(github_pat()[4:] * 2 for _ in range(8)), end])
    words = "\n".join(f"Step {number} restarts the queue worker of the billing service." for number in range(60))
    source = tmp_path / "guide.md"
    source.write_text(f"# Keys\n\n{words}\n\n{key}\n\n# Later\n\nThe walrus sleeps.\n\n{words}\n", "utf-8")
    plan = memory.learn(f"-f {source}", cwd=tmp_path)
    line = source.read_text("utf-8").split("\n").index("# Later") + 1
    assert [one for one in plan.proposals if one.source_lines[0] == line and "walrus" in one.body]
    assert "‹redacted:private-key›\n\n\n" not in "".join(one.body for one in plan.proposals)


def test_what_waits_in_the_inbox_holds_no_secret(memory: Memory, tmp_path: Path, secret: str) -> None:
    kept = memory.keep(learned(memory, tmp_path, secret))
    assert [one.rule for one in kept.content.redacted] == ["github-pat"]
    waiting = memory.inbox()[0]
    changed = memory.amend(waiting.id, body=f"The bot logs in with\n{secret}", title=f"Bot {secret}")
    assert changed.body == "The bot logs in with\n‹redacted:github-pat›"
    assert {(one.place, one.line) for one in changed.redacted} == {("seg-001 title", 1), ("seg-001 body", 2)}
    memory.decide(waiting.id, Decision(action="CREATE", body=f"Use {secret} for the bot.", title="Bot"))


def test_a_decision_with_edited_text_is_carried_out_without_secrets(
    memory: Memory, tmp_path: Path, secret: str
) -> None:
    plan = learned(memory, tmp_path, secret)
    edited = plan.decide(
        {"seg-001": Decision(action="CREATE", title="Bot", body=f"The bot has {secret}.", tags=(secret,))}
    )
    shown = memory.preview(edited, "seg-001")
    assert secret not in shown.after
    applied = memory.apply(edited)
    assert [(one.place, one.line) for one in applied.redacted][-2:] == [
        ("decision seg-001 body", 1),
        ("decision seg-001 tags", 1),
    ]
    assert applied.memories_affected == 1
    assert secret not in repr(applied)


def test_a_plan_that_somebody_wrote_holds_no_secret_afterwards(memory: Memory, tmp_path: Path, secret: str) -> None:
    text = exchange.to_json(learned(memory, tmp_path, secret)).replace("‹redacted:github-pat›", secret)
    plan = exchange.from_json(text)
    assert secret in plan.proposals[0].body
    applied = memory.apply(plan.decide("CREATE"))
    assert applied.memories_affected == 1
    memory.keep(plan)
    memory.undo()


def test_a_proposal_that_an_editor_put_a_secret_into_can_be_decided(memory: Memory, tmp_path: Path) -> None:
    """The document was never ours; what is made of it is."""
    made = github_pat()
    memory.keep(learned(memory, tmp_path, made))
    waiting = memory.inbox()[0]
    path = tmp_path / "vault" / waiting.path
    path.write_text(path.read_text("utf-8").replace("‹redacted:github-pat›", made), "utf-8")
    memory.sync()
    applied = memory.decide(waiting.id, "CREATE")
    assert applied.memories_affected == 1
    assert places_of(made, tmp_path / "vault" / "10-Memories") == []


def test_what_agents_left_is_proposed_without_secrets(
    open_memory: Callable[..., Memory], tmp_path: Path, secret: str
) -> None:
    folder = tmp_path / "project" / "specs" / "012_bot"
    folder.mkdir(parents=True)
    candidates = [
        {
            "content": f"The bot signs in with {secret}.",
            "category": "CONFIG",
            "confidence": 0.9,
            "suggested_keywords": [secret],
        },
        {"content": "x", "confidence": secret},
    ]
    (folder / ".return-meta.json").write_text(json.dumps({"memory_candidates": candidates}), "utf-8")
    memory = open_memory(settings={"harvest.enabled": True})
    plan = memory.harvest(12, cwd=tmp_path / "project")
    assert [(one.rule, one.place) for one in plan.content.redacted] == [("github-pat", "task 12 content")]
    assert plan.proposals[0].key_terms == ()
    assert secret not in exchange.to_json(plan)
    assert memory.apply(plan.decide("CREATE")).memories_affected == 1


# --- imports and conversations ----------------------------------------------------------------------------------------


def test_an_imported_bundle_loses_its_secrets(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    made = github_pat()
    giving = open_memory(tmp_path / "giving")
    place = tmp_path / "giving" / "10-Memories" / "MEM-bot.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(f"# Bot\r\n\r\nIt has {made} and more.\r\n".encode())
    giving.sync()
    giving.export(tmp_path / "out.zip")
    taking = open_memory()
    report = taking.import_(tmp_path / "out.zip")
    assert [(one.rule, one.place, one.line) for one in report.redacted] == [("github-pat", "10-Memories/MEM-bot.md", 3)]
    stored = (tmp_path / "vault" / "10-Memories" / "MEM-bot.md").read_bytes().decode()
    assert stored == "# Bot\r\n\r\nIt has ‹redacted:github-pat› and more.\r\n"
    again = taking.import_(tmp_path / "out.zip")
    assert (again.written, again.conflicts, again.redacted) == (0, [], [])
    assert places_of(made, tmp_path / "vault") == []


def test_an_imported_document_whose_encoding_hides_a_secret_is_refused(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    giving = open_memory(tmp_path / "giving")
    place = tmp_path / "giving" / "10-Memories" / "MEM-bot.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(f"# Bot\n\nIt has {github_pat()} and more.\n".encode("utf-16"))
    giving.sync()
    giving.export(tmp_path / "out.zip")
    report = open_memory().import_(tmp_path / "out.zip")
    assert report.refused == ["10-Memories/MEM-bot.md: it holds a secret and is not UTF-8"]


def test_an_imported_portable_memory_loses_its_secrets(memory: Memory, tmp_path: Path, secret: str) -> None:
    memories = [
        {"id": "1", "type": "fact", "content": f"The bot has {secret}.", "temporal": {"created_at": "2026-01-01"}},
        {"id": secret, "type": "fact", "content": secret},
    ]
    path = tmp_path / "in.pam.json"
    path.write_text(
        json.dumps({"schema": "portable-ai-memory", "schema_version": "1.0", "memories": memories}), "utf-8"
    )
    report = memory.import_(path)
    path.unlink()
    assert [one.rule for one in report.redacted] == ["github-pat"]
    assert (report.written, len(report.refused)) == (1, 1)
    assert secret not in repr(report)


def test_a_conversation_loses_its_secrets_in_title_and_particulars(memory: Memory, secret: str) -> None:
    text = f"Please rotate the token of our deploy bot, it is {secret}, and tell nobody."
    messages = [Message(id="m1", role="user", text=text, speaker=f"Max {secret}", meta={"tool": secret})]
    cut = text.index(secret) + 20
    report = memory.ingest(Session(id="s1", title=text[:cut] + "…", messages=messages, meta={"cwd": f"/x/{secret}"}))
    assert report.redacted == len(report.secrets) == 5
    assert {one.place for one in report.secrets} == {
        "title",
        "meta cwd",
        "message m1 text",
        "message m1 speaker",
        "message m1 meta tool",
    }
    document, _ = memory.show(report.sessions[0].path)
    assert "it is ‹redacted:github-pat›…" in document.text
