"""A waiting proposal as a document: the same comes back, people may edit it, and damage is named by line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.ids import new_id
from scrubjay.proposals import ACTIONS, Proposal, Related, Target
from scrubjay.types import Document
from scrubjay.vaults.documents import proposal as documents

LINE = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)
WORD = st.text("abcxyz0._+-#жц数据", min_size=1, max_size=8).filter(lambda word: word.strip() == word)
BODY = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r"), max_size=200)
PATH = st.text("abcdefgh-жц", min_size=1, max_size=8).map(lambda name: f"10-Memories/MEM-{name}.md")
TARGET = st.builds(
    lambda path, title, digit: Target(id=documents.stem(path), path=path, hash=digit * 64, title=title),
    PATH, LINE, st.sampled_from("0123456789abcdef"),
)  # fmt: skip
RELATED = st.builds(
    lambda path, title, overlap, score, shared: Related(
        id=documents.stem(path), path=path, title=title, overlap=overlap / 100, score=score, shared=tuple(shared)
    ),
    PATH, LINE, st.integers(0, 100), st.none() | st.integers(0, 1000).map(lambda n: n / 1000),
    st.lists(WORD, max_size=3),
)  # fmt: skip
VALUES = st.dictionaries(st.sampled_from(["title", "topic", "keywords", "count"]), LINE | st.integers(0, 9), max_size=3)
PROPOSALS = st.builds(
    Proposal,
    id=st.builds(new_id), key=st.sampled_from(["seg-001", "merge-2", "путь"]), action=st.sampled_from(ACTIONS),
    rule=LINE, title=LINE, body=BODY, topic=LINE, category=LINE, tags=st.lists(WORD, max_size=3).map(tuple),
    summary=LINE, key_terms=st.lists(WORD, max_size=5).map(tuple), tokens=st.integers(0, 9999),
    targets=st.lists(TARGET, max_size=2, unique_by=lambda one: one.path).map(tuple),
    related=st.lists(RELATED, max_size=3, unique_by=lambda one: one.path).map(tuple),
    cautions=st.lists(LINE, max_size=2).map(tuple), values=VALUES, source=LINE, source_file=LINE,
    source_lines=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    origin=st.sampled_from(["learn", "text", "distill"]),
    plan=st.builds(new_id),
    created=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
)  # fmt: skip


def document(text: str, path: str = "00-Inbox/one.md") -> Document:
    return Document(path=path, text=text, hash="", size=len(text), mtime_ns=0)


def sample(**more: object) -> Proposal:
    values: dict[str, object] = {
        "id": new_id(), "key": "seg-001", "action": "UPDATE", "body": "Use jitter.", "title": "Retry",
        "targets": (Target(id="MEM-x", path="10-Memories/MEM-x.md", hash="a" * 64, title="X"),), "plan": new_id(),
    }  # fmt: skip
    return Proposal(**{**values, **more})  # type: ignore[arg-type]


@given(PROPOSALS)
def test_what_is_written_is_read_back(proposal: Proposal) -> None:
    text = documents.write(proposal)
    path = documents.path_for(proposal)
    assert replace(documents.read(document(text, path)), path="") == proposal
    assert path.startswith("00-Inbox/") and path.count("/") == 1


@given(PROPOSALS, PROPOSALS)
def test_revising_gives_the_other_proposal(proposal: Proposal, other: Proposal) -> None:
    text = documents.revise(documents.write(proposal), other)
    assert replace(documents.read(document(text)), path="") == other


def test_the_body_is_verbatim_below_the_guide() -> None:
    body = "---\ntitle: no frontmatter\n---\n\n    code\n\n" + documents.GUIDE + "\nend\n\n"
    text = documents.write(sample(body=body))
    assert text.partition(documents.GUIDE)[2] == f"\n{body}\n"
    assert documents.read(document(text)).body == body


def test_a_person_edits_the_body_and_adds_fields_of_their_own() -> None:
    text = documents.write(sample()).replace("Use jitter.", "Use full jitter.").replace("kind:", "aliases: [r]\nkind:")
    edited = documents.read(document(text.replace("\n", "\r\n")))
    assert edited.body == "Use full jitter."
    assert "aliases: [r]\n" in documents.revise(text, edited)


def test_without_the_guide_all_is_body() -> None:
    text = documents.write(sample()).replace(documents.GUIDE + "\n", "")
    assert documents.read(document(text)).body == "Use jitter."


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (("action: UPDATE", "action: INVENT"), "line 3: `action` must be one of CREATE, UPDATE"[:24]),
        (("key: seg-001", "key:"), "`key` is missing"),
        (("id: 0", "id: not an id 0"), "`id` is missing or is no id"),
        (("a" * 64, "123"), "`targets` gives no SHA-256 for 10-Memories/MEM-x.md"),
        (("tokens: 0", "tokens: many"), "`tokens` must be a whole number"),
        (('source_lines: "1-1"', "source_lines: all"), "`source_lines` must be like 15-42"),
        (("title: ", "title: [a, b]\nwas: "), "`title` must be one line of text"),
        (("origin: learn", "cautions: 7"), "`cautions` must be a list"),
        (("origin: learn", "created: yesterday"), "`created` is no time"),
        (("origin: learn", "related: [a]"), "`related` must be a block"),
        (("origin: learn", "related:\n  x: much"), "`related` is not like"),
        (("origin: learn", "<<<<<<< HEAD"), "merge conflict marker"),
    ],
)
def test_f30_f108_damage_is_named_with_file_line_and_field(wrong: tuple[str, str], field: str) -> None:
    text = documents.write(sample())
    assert wrong[0] in text
    with pytest.raises(BadInput, match=r"^00-Inbox/one\.md, line \d+: ") as caught:
        documents.read(document(text.replace(*wrong, 1)))
    assert field in caught.value.message
    assert "editor" in caught.value.hint


def test_hostile_keys_stay_in_the_inbox() -> None:
    path = documents.path_for(sample(key="../../etc/passwd", plan="../x"))
    assert path.startswith("00-Inbox/") and ".." not in path and path.count("/") == 1
