"""Reading frontmatter: every dialect, nothing hostile, never an error (R-COM-3, SEC-6, F30, F108)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.frontmatter import REMOVE, parse, set_values
from scrubjay.text.frontmatter.block import body_start

VAULTS = Path(__file__).parents[3] / "../shared/data/vaults"


def block(inner: str, body: str = "body\n") -> str:
    return f"---\n{inner}\n---\n{body}"


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ("k: plain text", "plain text"),
        ("k: a #b", "a #b"),
        ("k: Foo: bar: baz", "Foo: bar: baz"),
        ("k: 'it''s'", "it's"),
        ('k: "a \\"b\\" \\u00e9\\n" # comment', 'a "b" é\n'),
        ('k: "\\ud83d\\ude00"', "😀"),
        ("k:", None),
        ("k: ", None),
        ("k: null", None),
        ("k: ~", None),
        ("k: # nothing yet", None),
        ("k: true", True),
        ("k: False", False),
        ("k: yes", "yes"),
        ("k: 12", 12),
        ("k: -3", -3),
        ("k: 0.9", 0.9),
        ("k: 007", "007"),
        ("k: 1.10", "1.10"),
        ("k: 2026-11-30", "2026-11-30"),
        ("k: 2026-09-03T07:26:16.880Z", "2026-09-03T07:26:16.880Z"),
        ("k: a, b", "a, b"),
        ("k: [a, b]", ["a", "b"]),
        ("k: []", []),
        ("k: [a, 'b, c', c#, #d, 7] # note", ["a", "b, c", "c#", "#d", 7]),
        ("k: [a,\n  b,\n]", ["a", "b"]),
        ("k:\n- a #b\n- c: d", ["a #b", {"c": "d"}]),
        ("k:\n  - x\n\n  - 'y'", ["x", "y"]),
        ("k: \n  type: x #y\n  n: 1\n  e:", {"type": "x #y", "n": 1, "e": None}),
        ("k: {a: 1, b: [c]}", {"a": 1, "b": ["c"]}),
        ("k: |\n  one # x\n  two", "one # x\ntwo\n"),
        ("k: >-\n  one\n  two", "one two"),
        ("k: one\n  two", "one two"),
        ("k: > 5 apples", "> 5 apples"),
        ("k: @max `x` 50%", "@max `x` 50%"),
        ("'k': \"x\"", "x"),
        ("k: C:\\dir", "C:\\dir"),
        ("# comment\nk: x\n# comment", "x"),
        ("k: значение", "значение"),
    ],
)
def test_every_dialect(inner: str, value: object) -> None:
    """F30: nothing after a ``#`` is lost."""
    front = parse(block(inner))
    assert front.problems == ()
    assert front.values == {"k": value}
    assert type(front.values["k"]) is type(value)
    assert block(inner)[front.body_start :] == "body\n"


def test_lists_of_every_style() -> None:
    text = block("a: x, y\nb: [x, y]\nc:\n  - x\n  - y\nd: x\ne:\nf: 7")
    front = parse(text)
    assert [front.strings(name) for name in "abcdefg"] == [*[("x", "y")] * 3, ("x",), (), ("7",), ()]
    assert (front.string("a"), front.string("f"), front.string("b"), front.string("e")) == ("x, y", "7", "", "")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (block('title: "abc\ntags: [x]'), 2, "is not valid YAML"),
        (block("a: 1\ntitle: [a, b"), 3, "is not valid YAML"),
        (block("a: 1\nstray"), 3, "is not a `key: value` line"),
        (block("a: 1\nb: 2\na: 3"), 4, "a second time"),
        (block("a: *x"), 2, "alias"),
        (block("a: &x y"), 2, "anchor"),
        (block("a: !!python/object:os.system x"), 2, "tag"),
        (block("a: [1, *x]"), 2, "alias"),
        (block("a: {b: &c d}"), 2, "anchor"),
        (block("a:\n  - b: *c\n"), 3, "alias"),
        (block("a:\n  b:\n    c:\n      d:\n        e: 1"), 5, "more than 3 levels"),
        (block("a:\n  b:\n    c:\n      d: [1]"), 5, "more than 3 levels"),
        (block("a: [[[[1]]]]"), 2, "more than 3 levels"),
        (block("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs"), 2, "merge conflict"),
        ("<<<<<<< HEAD\n---\na: 1\n---\n", 1, "merge conflict"),
        ("---\na: 1\nno end\n", 1, "never closed"),
        ("---\na: 1\n\nSome prose.\n\n---\nfooter\n", 1, "never closed"),
        (block("a: 1", "---\nb: 2\n---\nx"), 4, "second frontmatter"),
        (block("a: 1", "\n---\nb: 2\n---\nx"), 5, "second frontmatter"),
        (block("a: " + "x" * 1_000_001), 1, "more than 1 MB"),
        (block("{a: [}"), 2, "is not valid YAML"),
    ],
)
def test_problems_are_reported_and_edits_refused(text: str, line: int, message: str) -> None:
    """F30, F108, SEC-6: reported with the line, readable as far as possible, never rewritten."""
    front = parse(text)
    assert any(flaw.line == line and message in flaw.message for flaw in front.problems), front.problems
    assert set_values(text, {}) == text


def test_what_is_readable_is_read() -> None:
    front = parse(block('title: "abc\ntags: [x]\nowner: *me'))
    assert front.values == {"title": '"abc', "tags": ["x"], "owner": "*me"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n",
        "---\nprose between\n\nrules: two\n---\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "---",
        "---\n",
    ],
)
def test_no_frontmatter(text: str) -> None:
    front = parse(text)
    assert (front.present, front.body_start, front.problems, dict(front.values)) == (False, 0, (), {})


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("---\n---\nx", 8), ("---\na: 1\n---", 12), ("--- \na: 1\n---\t\nx", 15), ("---\r\na: 1\r\n---\r\nx", 16),
        ("\ufeff---\na: 1\n---\nx", 14), ("---\na: 1\n...\nx", 13), ("---\ra: 1\r---\rx", 13),
    ],
)  # fmt: skip
def test_delimiters(text: str, start: int) -> None:
    front = parse(text)
    assert (front.present, front.body_start, front.block, front.problems) == (True, start, text[:start], ())
    assert body_start(text) == start


@given(st.text(st.sampled_from("-:#[]{}\"'|>&*! \n\tab1,\r~"), max_size=60))
def test_never_raises(inner: str) -> None:
    for text in (inner, "---\n" + inner, block(inner)):
        front = parse(text)
        assert text.startswith(front.block)
        assert front.body_start == len(front.block)
        assert set_values(text, {}) == text


def test_hostile_sizes_are_read_in_linear_time() -> None:
    """SEC-6; each of these once made some parser quadratic, recursive or worse."""
    assert parse(block("a: " + "[" * 100_000)).problems
    assert parse(block("a: [" + " " * 100_000)).problems
    assert parse(block('a: "' + "a\\" * 50_000)).problems
    assert parse(block("".join(" " * level + "k:\n" for level in range(400)))).problems
    assert len(parse(block("x\n" * 50_000)).problems) == 0
    assert len(parse(block("a: 1\n" + "x\n" * 50_000)).problems) <= 21


def real_documents() -> list[Path]:
    return sorted(path for path in VAULTS.rglob("*") if path.is_file())


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the shared data is not here")
def test_real_documents_round_trip() -> None:
    """Every real document is read; a key set and removed again leaves no trace."""
    flawed = set()
    for path in real_documents():
        text = path.read_bytes().decode("utf-8", "replace")
        front = parse(text)
        assert set_values(text, {}) == text
        if front.problems:
            flawed.add(path.name)
        elif front.present and not text[4:].lstrip().startswith("{"):
            changed = set_values(text, {"zz new": "a: b #c"})
            assert parse(changed).values == {**front.values, "zz new": "a: b #c"}
            assert set_values(changed, {"zz new": REMOVE}) == text
            assert set_values(text, dict(front.values)) == text
    assert flawed <= {"all.yaml", "lang-javascript-object-fn.md"}
