"""JSON with comments: what is read, and that a change touches nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text import jsonc

SCALARS = st.none() | st.booleans() | st.integers(-9, 10**9) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)
COMMENTED = """// settings of a person
{
    "model": "opus", // the best
    /* "hooks": {} */
    "permissions": {
        "allow": ["Bash(ls)", "Read"], // careful
    },
    "список": "да",
}
"""


@pytest.mark.parametrize("text", [COMMENTED, COMMENTED.replace("\n", "\r\n"), "\ufeff" + COMMENTED])
def test_comments_and_trailing_commas_are_read_and_kept(text: str) -> None:
    assert jsonc.parse(text.lstrip("\ufeff")).plain()["permissions"] == {"allow": ["Bash(ls)", "Read"]}
    bare = text.lstrip("\ufeff")
    changed = jsonc.put(bare, ["mcpServers", "scrubjay"], {"command": "scrubjay"})
    assert jsonc.parse(changed).plain()["mcpServers"] == {"scrubjay": {"command": "scrubjay"}}
    assert jsonc.take(changed, ["mcpServers"]) == bare
    changed = jsonc.append(bare, ["permissions", "allow"], "Write")
    assert jsonc.parse(changed).plain()["permissions"]["allow"] == ["Bash(ls)", "Read", "Write"]
    assert jsonc.take(changed, ["permissions", "allow", 2]) == bare


@given(OBJECTS, st.sampled_from([None, 2, 4, "\t"]), st.text(max_size=5), VALUES, st.booleans())
def test_what_was_added_is_taken_out_again(
    found: dict[str, object], indent: int | str | None, key: str, value: object, ends: bool
) -> None:
    text = json.dumps(found, indent=indent, ensure_ascii=False) + ("\n" if ends else "")
    if key in found:
        with pytest.raises(KeyError):
            jsonc.put(text, [key], value)
        return
    changed = jsonc.put(text, [key], value)
    assert json.loads(changed) == found | {key: value}
    assert list(json.loads(changed)) == [*found, key]
    assert jsonc.take(changed, [key]) == text


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 2]), VALUES, st.data())
def test_items_of_a_list_come_and_go(
    found: list[object], indent: int | None, value: object, data: st.DataObject
) -> None:
    text = json.dumps({"a": found}, indent=indent)
    changed = jsonc.append(text, ["a"], value)
    assert json.loads(changed)["a"] == [*found, value]
    assert jsonc.take(changed, ["a", len(found)]) == text
    place = data.draw(st.integers(0, len(found)))
    assert json.loads(jsonc.take(changed, ["a", place]))["a"] == [*found, value][:place] + [*found, value][place + 1 :]


@given(OBJECTS, st.data())
def test_a_member_that_goes_leaves_the_others(found: dict[str, object], data: st.DataObject) -> None:
    if not found:
        return
    key = data.draw(st.sampled_from(sorted(found)))
    left = {name: value for name, value in found.items() if name != key}
    for indent in (None, 2):
        assert json.loads(jsonc.take(json.dumps(found, indent=indent), [key])) == left


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1', 1),
        ('{\n  "a": 1\n  "b": 2\n}', 2),
        ('{"a": 1}{"b": 2}', 1),
        ("{'a': 1}", 1),
        ('{\n"a": f()\n}', 2),
        ("{a: 1}", 1),
        ('{"a": 1, ...b}', 1),
        ("[1,,2]x", 1),
        ("<<<<<<< HEAD\n{}\n=======\n", 1),
        ("{" * 300 + "}" * 300, 1),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", 1),
        ("", 1),
    ],
)
def test_f31_what_is_no_json_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(jsonc.Malformed) as caught:
        jsonc.parse(text)
    assert abs(caught.value.line - line) <= 1


def test_something_else_on_the_way_is_refused() -> None:
    for text in ('{"hooks": []}', '{"hooks": 3}', '{"hooks": null}'):
        with pytest.raises(jsonc.Malformed):
            jsonc.put(text, ["hooks", "Stop"], 1)
    with pytest.raises(jsonc.Malformed):
        jsonc.append('{"a": {}}', ["a"], 1)
    with pytest.raises(KeyError):
        jsonc.take("{}", ["a"])


def test_an_empty_file_becomes_an_object() -> None:
    assert jsonc.put("", ["a", "b"], 1) == '{\n  "a": {\n    "b": 1\n  }\n}'


def test_a_comment_stays_with_its_member() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2 // two\n}\n'
    assert jsonc.take(text, ["b"]) == '{\n  "a": 1 // one // two\n}\n'
    changed = jsonc.put(text, ["c"], 3)
    assert jsonc.parse(changed).plain() == {"a": 1, "b": 2, "c": 3}
