"""Writing frontmatter: one style, and edits that leave every other byte alone (R-COM-3, R-COM-4, F30)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.text.frontmatter import REMOVE, compose, parse, set_values

NOTE = """---
# a comment of mine
title:   'Odd   style'   # kept
unknown_key: {{x: 1}}
tags:{blank}
  - b
  - a

metadata:{blank}
  node_type: memory
  type: feedback{blank}
other: last
---

# Title
""".format(blank=" ")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.sampled_from(
        ["a #b", "- x", "yes", "1e3", "null", "2026-11-30", "x: y", " pad ", "'q'", "\x00\x85\u2028", "---"]
    ),
)
NAMES = st.one_of(st.sampled_from(["title", "tags", "a b", "x.y", "'q'", "k:", "# c"]), st.text(min_size=1))
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=4),
    st.dictionaries(NAMES, st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=3),
)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.text())
def test_composed_documents_are_read_back(values: dict[str, object], body: str) -> None:
    text = compose(values, body)
    front = parse(text)
    assert front.values == values
    assert list(front.values) == list(values)
    assert text[front.body_start :] == body


@given(st.sampled_from(["title", "unknown_key", "tags", "metadata", "other", "new", "a b"]), VALUES)
def test_a_set_value_is_read_back_and_nothing_else_changes(name: str, value: object) -> None:
    before = parse(NOTE)
    text = set_values(NOTE, {name: value})
    after = parse(text)
    assert after.values == {**before.values, name: value}
    assert after.problems == ()
    kept = [line for line in NOTE.splitlines() if not line.strip() or line[0] != " "]
    kept = [line for line in kept if not line.startswith(f"{name}:")]
    remaining = iter(text.splitlines())
    assert all(line in remaining for line in kept), "the other lines are there, in order"
    assert set_values(text, {name: value}) == text


def test_only_the_named_lines_change() -> None:
    text = set_values(NOTE, {"tags": ["a", "b: c"], "metadata.type": "project", "added": None, "metadata.new": "x#y"})
    assert text == NOTE.replace("tags: \n  - b\n  - a\n", 'tags: [a, "b: c"]\n').replace(
        "  type: feedback \n", '  type: project\n  new: "x#y"\n'
    ).replace("other: last\n", "other: last\nadded: null\n")


def test_a_value_that_is_there_already_keeps_its_style() -> None:
    assert set_values(NOTE, {"title": "Odd   style", "tags": ("b", "a"), "metadata.type": "feedback"}) == NOTE


def test_removing() -> None:
    text = set_values(NOTE, {"tags": REMOVE, "metadata.node_type": REMOVE, "absent": REMOVE, "absent.too": REMOVE})
    assert text == NOTE.replace("tags: \n  - b\n  - a\n", "").replace("  node_type: memory\n", "")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_endings_stay(newline: str) -> None:
    """F109: CRLF files stay CRLF files."""
    text = NOTE.replace("\n", newline)
    changed = set_values(text, {"title": "x", "new": "y"})
    assert changed.replace(newline, "\n") == set_values(NOTE, {"title": "x", "new": "y"})


def test_nested_keys() -> None:
    assert set_values("---\na: 1\n---\n", {"metadata.type": "x"}) == "---\na: 1\nmetadata:\n  type: x\n---\n"
    assert set_values("---\nm:\n---\n", {"m.type": "x"}) == "---\nm:\n  type: x\n---\n"
    assert set_values("---\nm: {a: 1}\n---\n", {"m.b": "x"}) == "---\nm:\n  a: 1\n  b: x\n---\n"
    assert set_values("---\nm.b: 1\n---\n", {"m.b": 2}) == "---\nm.b: 2\n---\n"
    with pytest.raises(BadInput, match="plain value"):
        set_values("---\nm: text\n---\n", {"m.b": "x"})


def test_frontmatter_is_added_only_on_request() -> None:
    """R-COM-3: touching a file does not give it frontmatter."""
    assert set_values("# T\r\n", {"a": 1}) == "# T\r\n"
    assert set_values("# T\r\n", {"a": 1, "m.b": "x"}, create=True) == "---\r\na: 1\r\nm:\r\n  b: x\r\n---\r\n# T\r\n"
    assert set_values("# T\n", {"a": REMOVE}, create=True) == "# T\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('---\na: 1\ntitle: "abc\n---\nbody', "line 3"),
        ("---\na: 1\na: 2\n---\n", "line 3"),
        ("---\na: 1\n<<<<<<< HEAD\n---\n", "line 3"),
        ("---\na: 1\n---\n---\nb: 1\n---\n", "line 4"),
        ("---\na: 1\n", "line 1"),
        ('---\n{"a": 1}\n---\n', "line 2"),
    ],
)
def test_an_unsafe_block_is_left_alone(text: str, line: str) -> None:
    """F30, F108: unparsable means hands off, and the error says where."""
    with pytest.raises(BadInput, match=line):
        set_values(text, {"b": 1})


@pytest.mark.parametrize("value", [object(), float("nan"), 10**18, [[[["deep"]]]], {1: "x"}, b"bytes"])
def test_values_that_frontmatter_cannot_hold(value: object) -> None:
    with pytest.raises(BadInput, match="'k'"):
        set_values("---\na: 1\n---\n", {"k": value})


def test_the_style() -> None:
    """SM-4 and CC-F2, to the letter."""
    values = {
        "title": "Retry",
        "created": "2026-11-30",
        "tags": ["PATTERN", "python"],
        "last_retrieved": None,
        "n": 0,
        "name": "kebab-case-name",
        "quoted": "a: b",
        "answer": "yes",
        "metadata": {"type": "feedback", "modified": "2026-09-03T07:26:16.880Z"},
    }
    assert compose(values, "\nBody\n") == (
        '---\ntitle: "Retry"\ncreated: 2026-11-30\ntags: [PATTERN, python]\nlast_retrieved: null\nn: 0\n'
        'name: kebab-case-name\nquoted: "a: b"\nanswer: "yes"\n'
        "metadata:\n  type: feedback\n  modified: 2026-09-03T07:26:16.880Z\n---\n\nBody\n"
    )


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_yaml_reads_what_is_written(values: dict[str, object]) -> None:
    """Other programs read these files with YAML: text is text to them as well."""
    import yaml

    inner = compose(values, "").removeprefix("---\n").removesuffix("---\n")
    loaded = yaml.load(inner, Loader=yaml.BaseLoader) or {}
    assert list(loaded) == list(values)
    for name, value in values.items():
        if isinstance(value, str):
            assert loaded[name] == value


def test_sm4_new_keys_can_go_behind_another_one() -> None:
    """SM-4: the marks of a tombstone stand behind the summary, in the order they are given."""
    text = "---\nsummary: |\n  one\n  two\nretrieval_count: 1\nstatus: old\n---\nbody\n"
    changed = set_values(text, {"a": 1, "retrieval_count": 2, "b": 2, "status": "new"}, after="summary")
    assert changed == (
        "---\nsummary: |\n  one\n  two\na: 1\nb: 2\nretrieval_count: 2\nstatus: new\n---\nbody\n"
    )  # fmt: skip
    at_the_end = "---\nx: 1\na: 1\nb: 2\n---\nbody\n"
    assert set_values("---\nx: 1\n---\nbody\n", {"a": 1, "b": 2}, after="summary") == at_the_end
