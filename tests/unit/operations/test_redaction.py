"""Secrets are taken out of what is about to be stored, wherever they stand in it (SEC-2, F110)."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass, field
from typing import Any

import pytest

from scrubjay.operations.redaction import Redaction, closed_up, only_marks

LETTERS = string.ascii_letters + string.digits


def github_pat() -> str:
    """A made-up key in the right form; none is written down anywhere."""
    return "ghp" + "_" + "".join(random.Random(7).choices(LETTERS, k=36))


def password() -> str:
    return "".join(random.Random(11).choices(LETTERS, k=14)) + "7x"


@dataclass(frozen=True)
class Thing:
    title: str = ""
    body: str = ""
    subject: str | None = None
    object: str | None = None
    tags: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)


NAMES = ("title", "body", "subject", "object", "tags", "extra")


def test_every_kind_of_field_is_looked_at_and_places_are_named() -> None:
    secret = github_pat()
    redaction = Redaction()
    thing = Thing(title=f"key {secret}", body=f"one\ntwo {secret}", tags=("ci", secret), extra={"note": [secret, 3]})
    clean = redaction.fields(thing, NAMES)
    assert secret not in repr(clean)
    assert clean.title == "key ‹redacted:github-pat›"
    assert clean.tags == ("ci", "‹redacted:github-pat›")
    assert clean.extra == {"note": ["‹redacted:github-pat›", 3]}
    assert [(one.place, one.line) for one in redaction.found] == [
        ("title", 1),
        ("body", 2),
        ("tags", 1),
        ("extra note", 1),
    ]
    assert {one.rule for one in redaction.found} == {"github-pat"}
    assert {one.label for one in redaction.found} == {"Github Pat"}
    assert secret not in repr(redaction.found)


def test_what_one_field_gives_away_is_taken_out_of_the_others_in_any_letter_case() -> None:
    secret = password()
    thing = Thing(body=f"password = {secret}", object=secret, tags=(secret.lower(),))
    clean = Redaction().fields(thing, NAMES)
    assert secret.lower() not in repr(clean).lower()
    assert clean.object == "‹redacted:generic-api-key›"


@pytest.mark.parametrize("label", ["Database password", "пароль", "密码", "API key:"])
def test_a_label_in_one_field_and_the_secret_in_another(label: str) -> None:
    secret = password()
    redaction = Redaction()
    clean = redaction.fields(Thing(title=label, body=f"{secret}\n"), NAMES, pairs=[("title", "body")])
    assert secret not in clean.body
    assert clean.title == label
    assert [(one.place, one.line) for one in redaction.found] == [("body", 1)]


def test_placeholders_and_plain_words_pass_as_the_same_object() -> None:
    thing = Thing(title="The password is kept in the vault", body="export TOKEN=<your-token>\napi_key: ${API_KEY}")
    redaction = Redaction()
    assert redaction.fields(thing, NAMES, pairs=[("title", "body")]) is thing
    assert redaction.found == []


def test_lines_keep_their_numbers_where_that_is_asked_for() -> None:
    begin, end = "-----BEGIN " + "RSA PRIVATE KEY-----", "-----END " + "RSA PRIVATE KEY-----"
    key = "\n".join([begin, *("".join(random.Random(n).choices(LETTERS, k=64)) for n in range(5)), end])
    text = f"before\n{key}\nafter\n"
    kept = Redaction().text(text, "text", keep_lines=True)
    assert kept.count("\n") == text.count("\n")
    assert closed_up(kept) == "before\n‹redacted:private-key›\n\nafter\n"


def test_a_text_of_marks_alone_says_nothing() -> None:
    assert only_marks("‹redacted:jwt›.\n")
    assert not only_marks("the token ‹redacted:jwt›")
    assert not only_marks("…")
