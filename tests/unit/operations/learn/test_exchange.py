"""A plan as JSON: there and back, answers filled in by hand, and errors that name file and field (SM-9, SM-13)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.operations.learn import exchange
from scrubjay.proposals import (
    Applied,
    ContentMap,
    Decision,
    Done,
    Plan,
    Proposal,
    Related,
    Segment,
    Skipped,
    Target,
)

LINE = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
LINES = st.tuples(st.integers(0, 9999), st.integers(0, 9999))
TERMS = st.lists(LINE, max_size=3).map(tuple)
MOMENT = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
NUMBER = st.integers(0, 10**6)
SHARE = st.floats(0, 1, allow_nan=False)
SEGMENT = st.builds(
    Segment, id=LINE, topic=LINE, source_file=LINE, source_lines=LINES, summary=LINE, title=LINE, tokens=NUMBER,
    key_terms=TERMS, text=LINE,
)  # fmt: skip
TARGET = st.builds(Target, id=LINE, path=LINE, hash=LINE, title=LINE)
RELATED = st.builds(
    Related, id=LINE, path=LINE, title=LINE, overlap=SHARE, score=st.none() | SHARE, shared=TERMS
)  # fmt: skip
JSON = st.recursive(st.none() | st.booleans() | NUMBER | LINE, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
PROPOSAL = st.builds(
    Proposal, id=LINE, key=st.just("?"), action=st.sampled_from(["CREATE", "UPDATE", "SKIP", "MERGE", "DELETE"]),
    rule=LINE, title=LINE, body=LINE, topic=LINE, category=LINE, tags=TERMS, summary=LINE, key_terms=TERMS,
    tokens=NUMBER, targets=st.lists(TARGET, max_size=2).map(tuple), related=st.lists(RELATED, max_size=2).map(tuple),
    cautions=TERMS, values=st.dictionaries(LINE, JSON, max_size=2), source=LINE, source_file=LINE, source_lines=LINES,
    origin=LINE, plan=LINE, created=st.none() | MOMENT, scope=LINE, path=LINE,
)  # fmt: skip
DECISION = st.builds(
    Decision, action=st.just("SKIP"), target=st.none() | LINE, title=st.none() | LINE, body=st.none() | LINE,
    topic=st.none() | LINE, category=st.none() | LINE, tags=st.none() | TERMS,
)  # fmt: skip


@st.composite
def plans(draw: Callable[..., Any]) -> Plan:
    mode = draw(st.sampled_from(["text", "file", "directory", "task", "harvest", "distill"]))
    counts = {
        "directory": {"files_scanned": draw(NUMBER), "files_selected": draw(NUMBER)},
        "task": {"artifacts_reviewed": draw(NUMBER)},
    }
    content = ContentMap(
        mode=mode, path=draw(LINE), total_tokens=draw(NUMBER), segments=tuple(draw(st.lists(SEGMENT, max_size=2))),
        skipped=tuple(draw(st.lists(st.builds(Skipped, path=LINE, reason=LINE), max_size=2))), notices=draw(TERMS),
        **counts.get(mode, {}),
    )  # fmt: skip
    found = draw(st.lists(PROPOSAL, max_size=3))
    proposals = tuple(
        Proposal(**{name: getattr(one, name) for name in Proposal.__slots__} | {"key": f"seg-{place:03d}"})
        for place, one in enumerate(found)
    )
    decisions = {one.key: draw(DECISION) for one in proposals if draw(st.booleans())}
    return Plan(
        id=draw(LINE), mode=mode, created=draw(MOMENT), scope=draw(LINE), content=content, proposals=proposals,
        decisions=decisions, by=draw(st.sampled_from(["person", "--yes", "агент"])),
    )  # fmt: skip


def sample() -> Plan:
    proposals = (
        Proposal(id="A", key="seg-001", action="CREATE", title="One", body="One."),
        Proposal(
            id="B", key="seg-002", action="UPDATE", title="Two", body="Two.", rule="80 %.", cautions=("8081.",),
            targets=(Target(id="MEM-x", path="10-Memories/MEM-x.md", hash="a" * 64, title="X"),),
        ),
    )  # fmt: skip
    content = ContentMap(mode="directory", path="notes", files_scanned=3, files_selected=2)
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    return Plan(id="P", mode="directory", created=moment, scope="user", content=content, proposals=proposals)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_the_same_plan_comes_back(plan: Plan) -> None:
    assert exchange.from_json(exchange.to_json(plan)) == plan


def test_sm9_sm13_sm19_the_shapes() -> None:
    values = exchange.plan_values(sample())
    assert values["mode"] == "directory"
    assert (values["files_scanned"], values["files_selected"]) == (3, 2)
    assert values["content_map"]["source"] == {"type": "directory", "path": "notes", "total_tokens": 0}
    question = values["questions"][1]
    assert set(question) == {"key", "question", "header", "multiSelect", "options"}
    assert question["multiSelect"] is False
    assert [option["label"] for option in question["options"]] == ["UPDATE", "EXTEND", "CREATE", "SKIP"]
    assert set(question["options"][0]) == {"label", "description"}
    assert [proposal["decision"] for proposal in values["proposals"]] == [None, None]


def test_sm9_the_result() -> None:
    plan = sample()
    done = Done(action="UPDATE", key="seg-002", memory_id="MEM-x", path="10-Memories/MEM-x.md", category="CONFIG")
    values = exchange.applied_values(
        Applied(mode="directory", content=plan.content, done=(done,), waiting=plan.proposals[:1], operations=("OP",))
    )
    assert values["operations"] == [
        {"type": "UPDATE", "segment_id": "seg-002", "memory_id": "MEM-x", "memory_path": "10-Memories/MEM-x.md",
         "category": "CONFIG"}
    ]  # fmt: skip
    assert values["status"] == "partial"
    assert values["memories_affected"] == 1
    assert values["undo"] == ["OP"]


def filled(answers: list[object]) -> str:
    values = exchange.plan_values(sample())
    for proposal, answer in zip(values["proposals"], answers, strict=True):
        proposal["decision"] = answer
    return json.dumps(values)


def test_sm11_a_person_or_a_program_fills_in_the_decisions() -> None:
    plan = exchange.from_json(filled(["recommended", {"action": "EXTEND", "title": "Better", "tags": ["a"]}]))
    assert plan.decisions["seg-001"] == Decision(action="CREATE")
    assert plan.decisions["seg-002"] == Decision(action="EXTEND", title="Better", tags=("a",))
    assert plan.undecided == ()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("UPSERT", r"proposals\[1\]\.decision: seg-002 cannot be answered with 'UPSERT'"),
        ({"action": "EXTEND", "titel": "x"}, r"proposals\[1\]\.decision\.titel is not a field"),
        ({"title": "x"}, r"proposals\[1\]\.decision\.action must be one of"),
        ({"action": "EXTEND", "tags": "a"}, r"proposals\[1\]\.decision\.tags must be a list"),
        ({"action": "EXTEND", "body": 7}, r"proposals\[1\]\.decision\.body must be a text"),
        ({"action": "UPDATE", "into": "seg-009"}, r"proposals\[1\]\.decision: The plan has no proposal 'seg-009'"),
        (7, r"proposals\[1\]\.decision must be an object"),
    ],
)
def test_a_wrong_answer_names_file_and_field(answer: object, message: str) -> None:
    with pytest.raises(BadInput, match=rf"^my\.json: {message}"):
        exchange.from_json(filled([None, answer]), name="my.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plan: plan.update(decisions={}), r"decisions is not a field that belongs here"),
        (lambda plan: plan.update(version=2), r"version must be 1"),
        (lambda plan: plan.pop("proposals"), r"proposals must be a list"),
        (lambda plan: plan.update(mode="folder"), r"mode must be one of"),
        (lambda plan: plan.update(id=None), r"id must be a text"),
        (lambda plan: plan.update(created="soon"), r"created must be a time"),
        (lambda plan: plan.update(proposals={}), r"proposals must be a list"),
        (lambda plan: plan.update(content_map=[]), r"content_map must be an object"),
        (lambda plan: plan["proposals"][0].update(action="NEW"), r"proposals\[0\]\.action must be one of"),
        (lambda plan: plan["proposals"][0].update(body=None, key=3), r"proposals\[0\]\.key must be a text"),
        (lambda plan: plan["proposals"][0].update(tokens=-1), r"proposals\[0\]\.tokens must be a whole number"),
        (lambda plan: plan["proposals"][0].update(note="x"), r"proposals\[0\]\.note is not a field"),
        (lambda plan: plan["proposals"][0].update(source_lines="7"), r"proposals\[0\]\.source_lines must be like"),
        (lambda plan: plan["proposals"][1]["targets"][0].pop("hash"), r"proposals\[1\]\.targets\[0\]\.hash must be"),
        (lambda plan: plan["proposals"][1].update(key="seg-001"), r"two proposals have the key 'seg-001'"),
        (lambda plan: plan["content_map"].update(total=1), r"content_map\.total is not a field"),
    ],
)  # fmt: skip
def test_a_wrong_plan_names_file_and_field(change: Callable[[Any], None], message: str) -> None:
    values = exchange.plan_values(sample())
    change(values)
    with pytest.raises(BadInput, match=rf"^my\.json: {message}"):
        exchange.from_json(json.dumps(values), name="my.json")


@pytest.mark.parametrize("text", ["", "[]", "{", "\x00", "[" * 100_000, '{"version": NaN}', b"\xff\xfe"])
def test_what_is_no_plan_at_all_is_bad_input(text: str | bytes) -> None:
    with pytest.raises(BadInput, match=r"plan\.json"):
        exchange.from_json(text)
