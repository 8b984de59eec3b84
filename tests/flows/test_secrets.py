"""SEC-2, F110: a secret reaches no document, index, journal, trash, log or error message, and the answer says so."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import Refused, ScrubjayError
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
