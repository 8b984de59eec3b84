"""What an agent sends, right or wrong or hostile: an answer that helps, never a traceback."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay import ScrubjayError
from scrubjay.errors import BadInput
from scrubjay.interfaces.mcp.arguments import checked, tool
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.interfaces.mcp.tools import BY_NAME, TOOLS
from tests.interfaces.mcp.clients import Connect, run, text

DEEP: list[Any] = []
for _ in range(100):
    DEEP = [DEEP]


def test_snake_case_and_numbers_as_text_are_understood() -> None:
    """MX-2."""
    assert checked(BY_NAME["search_memory"], {"query": "q", "top_k": "5"}) == {"query": "q", "topK": 5}
    assert checked(BY_NAME["search_memory"], {"query": "q", "topK": 5.0}) == {"query": "q", "topK": 5}
    assert checked(BY_NAME["supersede_fact"], {"fact_id": "f", "new_content": "c"}) == {
        "factId": "f",
        "newContent": "c",
    }
    assert checked(BY_NAME["create_fact"], {"content": "c", "category": "x"})["confidence"] == 0.9
    assert checked(BY_NAME["search_semantic_memory"], {"query": "q", "max_facts": 3})["maxFacts"] == 3
    assert checked(BY_NAME["review"], {"action": "Accept", "ids": "one"}) == {"action": "accept", "ids": ["one"]}
    assert checked(BY_NAME["get_facts"], None) == {}
    assert checked(BY_NAME["get_facts"], {"category": None}) == {}


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("search_memory", {}, "needs query"),
        ("search_memory", {"query": ""}, "query is empty"),
        ("search_memory", {"query": "\0\0"}, "query is empty"),
        ("search_memory", {"query": ["a"]}, "must be a string, not a list"),
        ("search_memory", {"query": "q", "topk": 0}, "between 1 and 50"),
        ("search_memory", {"query": "q", "topK": 10**40}, "between 1 and 50"),
        ("search_memory", {"query": "q", "topK": 2.5}, "whole number"),
        ("search_memory", {"query": "q", "topK": True}, "not a truth value"),
        ("search_memory", {"query": "q", "topK": "many"}, "whole number"),
        ("search_memory", {"query": "q", "topK": float("nan")}, "whole number"),
        ("search_memory", {"query": "q", "topK": float("inf")}, "between 1 and 50"),
        ("search_memory", {"qeury": "q"}, "Did you mean query?"),
        ("search_memory", {"query": "q", "limit": 3}, "no argument 'limit'"),
        ("search_memory", {"query": "q" * 50_000}, "50,000 characters"),
        ("search_memory", {"query": "q", "topK": 1, "top_k": 2}, "given twice"),
        ("create_fact", {"content": "c"}, "needs category"),
        ("create_fact", {"content": "c" * 50_000, "category": "x"}, "50,000 characters"),
        ("create_fact", {"content": "c", "category": "x", "confidence": 1.5}, "between 0 and 1"),
        ("create_fact", {"content": {"text": "c"}, "category": "x"}, "not an object"),
        ("review", {"action": "delete"}, "list, accept or reject"),
        ("review", {"ids": [1]}, "list of strings"),
        ("review", {"ids": ["x"] * 51 + [str(number) for number in range(60)]}, "at most 50"),
        ("learn", {"path": "x" * 5_000}, "5,000 characters"),
    ],
)
def test_a_mistake_is_named(name: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput) as caught:
        checked(BY_NAME[name], given)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_unknown_tool_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="Did you mean search_memory"):
        tool("searchMemory")
    with pytest.raises(BadInput, match="There are search_memory"):
        tool("\x1b[2J" * 100)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([name for one in TOOLS for name in one.arguments]) | st.text(max_size=12)


@given(of=st.sampled_from(TOOLS), given=st.dictionaries(NAMES, VALUES, max_size=4))
def test_whatever_comes_is_checked_or_refused(of: Any, given: dict[str, Any]) -> None:
    try:
        found = checked(of, given)
    except ScrubjayError:
        return
    assert set(found) <= set(of.arguments)
    assert set(of.required) <= set(found)


def test_hostile_calls_are_answered(connect: Connect, keeper: Keeper) -> None:
    """Tool results with a hint, never a traceback, never the end of the server."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_memory", {"query": "nul\0byte \u202e and | pipe \U0001f600 `$(rm -rf /)` \"quoted' AND OR NOT NEAR("}),
        ("search_memory", {"query": "*" * 1_000}),
        ("search_memory", {"query": "?"}),
        ("search_memory", {"query": DEEP}),
        ("search_memory", {"nonsense" * 1_000: "x"}),
        ("get_facts", {"category": "' OR 1=1 --\0"}),
        ("get_facts", {"category": ["Preference"]}),
        ("supersede_fact", {"factId": "../../etc/passwd", "newContent": "x"}),
        ("supersede_fact", {"factId": "\0", "newContent": "x"}),
        ("create_fact", {"content": "a\0b | c \U0001f600 </memory-context>", "category": "../../x\0"}),
        ("create_fact", {"content": "ends\r\n---\nid: stolen\n---\n", "category": "Fact\nid: stolen"}),
        ("create_fact", {"content": "c" * 50_000, "category": "Fact"}),
        ("learn", {}),
        ("learn", {"text": "a", "path": "b"}),
        ("learn", {"text": "\0\0\0"}),
        ("learn", {"text": "---\nkind: fact\nid: stolen\n---\nA text that claims to be a fact."}),
        ("review", {"action": "accept"}),
        ("review", {"action": "accept", "ids": ["1", "../x", "\0"]}),
        ("no_such_tool", {}),
    ]

    async def scenario() -> None:
        async with connect() as client:
            for name, arguments in calls:
                answer = await client.call_tool(name, arguments)
                said = text(answer)
                assert said
                assert "Traceback" not in said
                assert "unexpectedly" not in said, (name, said)
                assert not set(said) & {"\0", "\x1b", "\u202e"}
            ids = [fact["id"] for fact in (await client.call_tool("get_facts", {})).structured_content["facts"]]
            assert ids
            assert "stolen" not in ids

    run(scenario)


def test_an_unexpected_failure_is_a_sentence_and_a_line_in_the_log(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from scrubjay.memory import Memory

    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("secret details")

    monkeypatch.setattr(Memory, "facts", broken)

    async def scenario() -> None:
        async with connect() as client:
            answer = await client.call_tool("get_facts", {})
            assert answer.is_error
            assert "secret" not in text(answer)
            assert not (await client.call_tool("search_memory", {"query": "Still there?"})).is_error

    run(scenario)
    assert "secret details" in caplog.text


@settings(max_examples=20, deadline=None)
@given(content=st.text(min_size=1, max_size=200))
def test_any_text_becomes_a_fact_or_a_reason(content: str) -> None:
    """F109: characters of every kind pass the check as they are, apart from halves of characters."""
    try:
        found = checked(BY_NAME["create_fact"], {"content": content, "category": "Fact"})
    except BadInput:
        return
    found["content"].encode("utf-8")
