"""Topic files in both shapes of frontmatter, read and written (CC-F2, XC-19, R-COM-3, R-COM-4, F30)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.types import Document
from scrubjay.vaults.dialects.claude_memory import host, topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.encoding import to_document

NOW = datetime(2026, 9, 3, 7, 26, 16, 880_500, tzinfo=UTC)
STAMP = "2026-09-03T07:26:16.880Z"
NESTED = (
    '---\nname: kebab-case-name\ndescription: "One line # used"\nmetadata: \n  node_type: memory\n  type: feedback\n'
    "  originSessionId: 5e0c\n  modified: 2026-01-02T03:04:05.678Z\n---\n\nBody\n"
)
FLAT = "---\nname: project stack\ndescription: Tech stack\ntype: project\noriginSessionId: 6011\n---\n\nBody\n"


def document(text: str, path: str = "a/b-c.md") -> Document:
    return to_document(path, text.encode(), mtime_ns=0)


def test_cc_f2_the_nested_shape_is_read() -> None:
    topic = topics.read(document(NESTED))
    assert topic == Topic(
        name="kebab-case-name",
        description="One line # used",
        type="feedback",
        body="\nBody\n",
        modified=datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
        origin_session="5e0c",
    )


def test_xc_19_the_flat_shape_is_read() -> None:
    topic = topics.read(document(FLAT))
    assert (topic.name, topic.type, topic.origin_session, topic.flat) == ("project stack", "project", "6011", True)


@pytest.mark.parametrize("kind", ["skill", "", "null", "[user]", "7", "Feedback"])
def test_cc_f2_an_unknown_type_is_none(kind: str) -> None:
    assert topics.parsed(f"---\nname: x\ntype: {kind}\n---\n").type is None


def test_a_file_without_frontmatter_is_called_as_it_is() -> None:
    assert topics.read(document("Just text\n")) == Topic(name="b-c", body="Just text\n")


def test_a_banner_of_comments_above_the_frontmatter_hides_nothing() -> None:
    text = "<!-- mine -->\n<!--\nmore\n-->\n" + NESTED
    assert topics.parsed(text).description == "One line # used"
    assert topics.head(text).type == "feedback"
    changed = topics.changed(text, modified=NOW, description="New")
    assert changed.startswith('<!-- mine -->\n<!--\nmore\n-->\n---\nname: kebab-case-name\ndescription: "New"\n')


def test_cc_s1_frontmatter_that_does_not_end_in_the_head_says_nothing() -> None:
    assert topics.head("---\nname: x\ndescription: y\n") == Topic(name="")


def test_cc_f2_the_nested_shape_is_written() -> None:
    topic = Topic(name="a-b", description="Say: #1", type="user", body="\nB\n", modified=NOW, origin_session="s")
    assert topics.written(topic) == (
        '---\nname: a-b\ndescription: "Say: #1"\nmetadata:\n  node_type: memory\n  type: user\n  originSessionId: s\n'
        f'  modified: "{STAMP}"\n---\n\nB\n'.replace(f'"{STAMP}"', STAMP)
    )
    assert topics.written(topic, flat=True) == (
        f'---\nname: a-b\ndescription: "Say: #1"\ntype: user\noriginSessionId: s\nmodified: {STAMP}\n---\n\nB\n'
    )


def test_modified_is_stamped_in_the_shape_of_the_file() -> None:
    nested = topics.changed(NESTED, modified=NOW, body="New")
    assert nested == NESTED.replace("2026-01-02T03:04:05.678Z", STAMP).replace("\nBody\n", "\nNew\n")
    flat = topics.changed(FLAT, modified=NOW, type="user")
    assert flat == FLAT.replace("type: project", "type: user").replace("6011\n", f"6011\nmodified: {STAMP}\n")


def test_what_is_the_same_already_changes_no_byte() -> None:
    for text in (NESTED, FLAT, "Body\n", NESTED.replace("\n", "\r\n")):
        topic = topics.parsed(text, name="x")
        assert topics.changed(text, modified=NOW) == text
        assert topics.changed(text, modified=NOW, body=topic.body, type=topic.type) == text
    assert topics.changed(NESTED, modified=NOW, description="One line # used") == NESTED


def test_r_com_3_frontmatter_is_not_added_to_a_file_that_is_only_touched() -> None:
    assert topics.changed("Old\n", modified=NOW, body="New") == "New\n"
    assert topics.changed("Old\n", modified=NOW, description="D", path="a/old.md") == (
        f'---\nname: old\ndescription: "D"\nmetadata:\n  node_type: memory\n  modified: {STAMP}\n---\n\nOld\n'
    )


def test_line_endings_and_unknown_fields_stay() -> None:
    text = NESTED.replace("metadata: \n", "colour: 'red'  # mine\nmetadata: \n").replace("\n", "\r\n")
    changed = topics.changed("\ufeff" + text, modified=NOW, description="New", body="One\nTwo")
    assert changed.startswith("\ufeff---\r\n")
    assert "colour: 'red'  # mine\r\n" in changed
    assert changed.endswith("---\r\n\r\nOne\r\nTwo\r\n")
    assert changed.count("\n") == changed.count("\r\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nname: x\nname: y\n---\nB\n", "line 3 has the key 'name' a second time"),
        ("---\nname: x\ndescription: y\nB\n", "line 1 opens a frontmatter block that is never closed"),
        ("---\nname: x\n---\n---\nname: y\n---\nB\n", "line 4 begins a second frontmatter block"),
        ("---\nname: x\n<<<<<<< ours\n---\nB\n", "line 3 is a merge conflict marker"),
        ("<!-- b -->\n---\nname: x\nname: y\n---\nB\n", "line 4 has the key 'name' a second time"),
    ],
)
def test_f30_unreadable_frontmatter_is_left_alone_and_named(text: str, line: str) -> None:
    assert any(line in problem for problem in topics.parsed(text).problems)
    for change in ({"body": "new"}, {"description": "new"}, {"type": "user"}):
        with pytest.raises(BadInput, match=rf"x\.md is left as it is: {line[:6]}"):
            topics.changed(text, modified=NOW, path="x.md", **change)


def test_only_types_of_the_host_are_written() -> None:
    with pytest.raises(BadInput, match="'skill' is no type of memory"):
        topics.changed(FLAT, modified=NOW, type="skill")


def test_a_name_or_description_is_one_line_without_tricks() -> None:
    topic = topics.parsed('---\nname: "a\\u202eb\\u0000"\ndescription: |\n  one\n  two\tthree\n---\n')
    assert (topic.name, topic.description) == ("ab", "one two three")
    assert len(topics.one_line("x" * 5000)) == 1000
    assert topics.one_line("a\u200db") == "a\u200db"  # joins letters of some scripts


def test_stamps_have_milliseconds_of_utc() -> None:
    assert topics.stamp(NOW) == STAMP
    assert topics.parsed(f"---\nmodified: {STAMP}\n---\n").modified == NOW.replace(microsecond=880_000)


@pytest.mark.parametrize("value", ["yesterday", "2026-13-40", "0001-01-01T00:00:00+23:59", "[1]", "null"])
def test_a_date_that_is_none_is_left_out(value: str) -> None:
    assert topics.parsed(f"---\nname: x\nmodified: {value}\n---\n").modified is None


NASTY = st.text(st.characters(codec="utf-8", categories=None), max_size=80)


@given(name=NASTY, description=NASTY, body=NASTY, kind=st.sampled_from([None, *host.TYPES]), flat=st.booleans())
def test_what_is_written_is_read_back(name: str, description: str, body: str, kind: str | None, flat: bool) -> None:
    topic = Topic(name=name, description=description, type=kind, body=body, modified=NOW, origin_session="s-1")
    read = topics.parsed(topics.written(topic, flat=flat))
    assert read.problems == ()
    assert read.name == topics.one_line(name)
    assert (read.description or "") == topics.one_line(description)
    assert (read.type, read.origin_session, read.flat) == (kind, "s-1", flat)
    assert read.body.strip("\r\n") == body.strip("\r\n")


FRONT = st.one_of(
    st.sampled_from(
        [
            "---",
            "...",
            "name: x",
            "name: 'a",
            "metadata:",
            "metadata: {type: user}",
            "  type: user",
            "\tx: y",
            "- a",
            "#",
        ]
    ),
    st.text("-:{}[]'\"# \tab<>=&*!|%\r", max_size=8),
)


@given(lines=st.lists(FRONT, max_size=12), description=NASTY, body=NASTY)
@example(lines=["---"], description="0", body="0")
def test_hostile_frontmatter_changes_as_asked_or_not_at_all(lines: list[str], description: str, body: str) -> None:
    text = "---\n" + "\n".join(lines)
    topics.head(text)
    before = topics.parsed(text)
    try:
        result = topics.changed(text, modified=NOW, description=description, body=body)
    except BadInput:
        return
    after = topics.parsed(result)
    assert after.problems == () and before.problems == ()
    assert (after.description or "") == topics.one_line(description) or not description
    if after.name != before.name:
        assert before.name == "" or not before.name


def test_nasty_documents_of_others_are_read_and_kept(shared_data: Path) -> None:
    folder = shared_data / "vaults" / "nasty"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        found = to_document("x.md", path.read_bytes(), mtime_ns=0)
        topic = topics.read(found)
        assert topics.changed(found.text, modified=NOW, body=topic.body) == found.text if not topic.problems else True
        try:
            changed = topics.changed(found.text, modified=NOW, description="Said anew")
        except BadInput:
            continue
        again = topics.parsed(changed)
        assert again.description == "Said anew"
        assert again.body.strip() == topic.body.strip()


def test_real_topic_files_lose_nothing(shared_data: Path) -> None:
    files = sorted((shared_data / "vaults" / "XAIHT+Tlamatini" / ".claude" / "memory").glob("*_*.md"))
    assert len(files) > 70
    for path in files:
        text = path.read_bytes().decode()
        topic = topics.parsed(text)
        assert topic.type in ("feedback", "project") and topic.description and not topic.problems, path.name
        changed = topics.changed(text, modified=NOW, description="New words")
        assert replace(topics.parsed(changed), modified=None) == replace(
            topic, description="New words", modified=None
        ), path.name
