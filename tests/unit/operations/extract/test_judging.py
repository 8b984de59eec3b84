"""How a statement relates to a known fact, by rules (F15, F16, F20, F88, F91)."""

from __future__ import annotations

import pytest

from scrubjay.operations.extract import RuleJudge
from scrubjay.types import Candidate, Fact, Verdict

JUDGE = RuleJudge()


def compare(said: str, known: str, **about: object) -> Verdict:
    """``about`` holds subject, predicate and both objects: ``object`` of the statement, ``other`` of the fact."""
    other = about.pop("other", None)
    candidate = Candidate(text=said, quote=said, message_id="m", rule="test", **about)  # type: ignore[arg-type]
    about.pop("replaces", None)
    predicate = str(about.pop("predicate", "") or "").removeprefix("no longer ") or None
    fact = Fact(id="f", text=known, predicate=predicate, **{**about, "object": other})  # type: ignore[arg-type]
    return JUDGE.compare(candidate, [fact])


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("We use Kafka.", "we use  kafka"),
        ("Max really prefers uv.", "Max prefers uv."),
        ("我们使用Kafka。", "我们使用Kafka。"),
    ],
)
def test_the_same_in_other_words_without_weight(said: str, known: str) -> None:
    assert compare(said, known).relation == "duplicate"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("The port is 8080.", "The port is 8081."),
        ("The server is at 10.0.0.5.", "The server is at 10.0.0.6."),
        ("Release 4.2 is out.", "Release 4.3 is out."),
        ("Ann likes tea.", "Bob likes tea."),
        ("Deploys go out on Tuesdays.", "Deploys go out on Thursdays."),
    ],
)
def test_another_number_name_or_day_is_another_statement(said: str, known: str) -> None:
    assert compare(said, known).relation == "new"


def test_the_opposite_takes_its_place() -> None:
    verdict = compare("Production deployment is not allowed.", "Production deployment is allowed.")
    assert (verdict.relation, verdict.fact_id) == ("update", "f")


@pytest.mark.parametrize(
    ("predicate", "object", "other", "relation"),
    [
        ("lives in", "Oslo", "Bergen", "update"),
        ("likes", "tea", "coffee", "new"),
        ("is", "10.0.0.5", "10.0.0.6", "update"),
        ("is", "PostgreSQL 16", "PostgreSQL 15", "update"),
        ("is", "PostgreSQL 16", "encrypted at rest", "contradiction"),
    ],
)
def test_another_object_of_the_same(predicate: str, object: str, other: str, relation: str) -> None:
    verdict = compare(
        f"It {predicate} {object}",
        f"It {predicate} {other}",
        subject="It",
        predicate=predicate,
        object=object,
        other=other,
    )
    assert verdict.relation == relation


def test_what_is_replaced_is_named_by_its_object() -> None:
    about = {"subject": "Max", "predicate": "uses"}
    assert (
        compare("We switched from pip to uv", "Max uses pip", other="pip", replaces="pip", **about).relation == "update"
    )
    assert (
        compare("We switched from pip to uv", "Max uses pipx", other="pipx", replaces="pip", **about).relation == "new"
    )


def test_what_has_ended_ends_only_its_own_relation() -> None:
    ended = {"subject": "Max", "predicate": "no longer uses", "replaces": "Docker"}
    assert compare("Max no longer uses Docker", "Max uses Docker", other="Docker", **ended).relation == "update"
    assert compare("Max no longer uses Docker", "Max uses Podman", other="Podman", **ended).relation == "new"
