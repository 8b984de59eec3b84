"""What each tool answers, through a client of the official SDK (MX-3 … MX-10)."""

from __future__ import annotations

import pytest
from mcp import Client

from scrubjay import Memory
from scrubjay.interfaces.mcp.keeper import Keeper
from tests.interfaces.mcp.clients import ERAS, Connect, run, text

UV = "Max prefers uv over pip for Python projects."


@pytest.mark.parametrize("mode", ERAS)
def test_a_fact_is_created_found_listed_and_superseded(connect: Connect, mode: str) -> None:
    """MX-2, MX-3, MX-6, MX-7: the way of a fact, in both eras of the protocol."""

    async def scenario() -> None:
        async with connect(mode) as client:
            created = await client.call_tool("create_fact", {"content": UV, "category": "Preference"})
            id = created.structured_content["fact"]["id"]
            assert created.structured_content["status"] == "created"

            question = "Which package manager does Max prefer?"
            found = await client.call_tool("search_memory", {"query": question, "topK": 3})
            [fact] = found.structured_content["facts"]
            assert fact["id"] == id
            assert fact["content"] == UV
            assert 0 <= fact["score"] <= 1
            assert found.structured_content["results"] == []
            assert id in text(found)
            assert UV in text(found)

            newer = "Max prefers pixi over uv for Python projects."
            changed = await client.call_tool("supersede_fact", {"fact_id": id, "new_content": newer})
            assert changed.structured_content["status"] == "superseded"
            head = changed.structured_content["fact"]["id"]
            assert changed.structured_content["fact"]["category"] == "Preference"

            listed = await client.call_tool("get_facts", {"category": "preference"})
            assert [(one["id"], one["category"], one["content"]) for one in listed.structured_content["facts"]] == [
                (head, "Preference", newer)
            ]
            again = await client.call_tool("search_memory", {"query": question})
            assert [one["id"] for one in again.structured_content["facts"]] == [head]
            assert [one["id"] for one in again.structured_content["suppressed"]] == [id]
            assert "superseded" in text(again)

    run(scenario)


def test_superseding_what_cannot_be_superseded_says_what_to_do(connect: Connect) -> None:
    """MX-7: unknown id, already superseded with the head's id, empty, the same text."""

    async def scenario() -> None:
        async with connect() as client:
            unknown = await client.call_tool("supersede_fact", {"factId": "nope", "newContent": "Anything."})
            assert unknown.is_error
            assert "get_facts" in text(unknown)

            id = (await create(client, UV)).structured_content["fact"]["id"]
            empty = await client.call_tool("supersede_fact", {"factId": id, "newContent": "  "})
            assert empty.is_error
            assert "empty" in text(empty)

            same = await client.call_tool("supersede_fact", {"factId": id, "newContent": UV})
            assert not same.is_error
            assert same.structured_content["status"] == "unchanged"
            assert same.structured_content["fact"]["id"] == id

            head = await client.call_tool("supersede_fact", {"factId": id, "newContent": "Max prefers pixi."})
            late = await client.call_tool("supersede_fact", {"factId": id, "newContent": "Max prefers conda."})
            assert late.is_error
            assert head.structured_content["fact"]["id"] in text(late)
            assert late.meta["scrubjay/error"]["current_id"] == head.structured_content["fact"]["id"]

    run(scenario)


def test_nearly_the_same_fact_is_not_stored_unasked(connect: Connect, keeper: Keeper) -> None:
    """MX-8, F22: near duplicates come back with advice; the same call again stores it, once; then it is known."""

    async def scenario() -> None:
        async with connect() as client:
            first = (await create(client, UV)).structured_content["fact"]["id"]
            near = "Max prefers uv over pip for all Python projects"
            held = await create(client, near)
            assert (held.structured_content["status"], held.structured_content["stored"]) == ("near_duplicate", False)
            assert [fact["id"] for fact in held.structured_content["near_duplicates"]] == [first]
            assert "supersede_fact" in text(held)
            assert len(keeper.memory().facts()) == 1

            assert (await create(client, near)).structured_content["status"] == "created"
            assert (await create(client, near)).structured_content["status"] == "known"
            assert len(keeper.memory().facts()) == 2

    run(scenario)


def test_other_numbers_and_the_opposite_are_stored(connect: Connect) -> None:
    """F15, F16, F20: neither is a duplicate; the opposite supersedes, and the answer says so."""

    async def scenario() -> None:
        async with connect() as client:
            await create(client, "Service alpha listens on port 8080 in staging.")
            other = await create(client, "Service alpha listens on port 8081 in staging.")
            assert other.structured_content["status"] == "created"
            allowed = await create(client, "Production deployment is allowed on Fridays.")
            opposite = await create(client, "Production deployment is not allowed on Fridays.")
            assert opposite.structured_content["status"] == "superseded"
            assert opposite.structured_content["superseded"] == allowed.structured_content["fact"]["id"]

    run(scenario)


def test_what_contradicts_is_named(connect: Connect, memory: Memory, keeper: Keeper) -> None:
    """F91: one of several opposite facts is not chosen by a guess."""

    async def scenario() -> None:
        async with connect() as client:
            memory = keeper.memory()
            for place in ("the office", "the warehouse"):
                memory.remember(f"Smoking is allowed in {place} on Fridays.")
            answer = await create(client, "Smoking is not allowed in the office on Fridays.")
            assert answer.structured_content["stored"]

    run(scenario)


def test_without_a_graph_the_semantic_search_says_so(connect: Connect) -> None:
    """MX-10: a structured answer, never an exception."""

    async def scenario() -> None:
        async with connect() as client:
            answer = await client.call_tool("search_semantic_memory", {"query": "How is A tied to B?", "max_facts": 3})
            assert not answer.is_error
            assert answer.structured_content["available"] is False
            assert answer.structured_content["backend"] == "none"
            assert answer.structured_content["reason"]
            assert "search_memory" in text(answer)

    run(scenario)


def test_nothing_found_is_said_and_not_an_error(connect: Connect) -> None:
    """F73: an empty memory, and a question about something else."""

    async def scenario() -> None:
        async with connect() as client:
            for _ in range(2):
                answer = await client.call_tool("search_memory", {"query": "Do penguins live on Mars?"})
                assert not answer.is_error
                assert answer.structured_content["abstained"]
                assert answer.structured_content["facts"] == answer.structured_content["results"] == []
                assert "not remembered" in text(answer)
                await create(client, UV)

    run(scenario)


def test_a_fact_tells_which_agent_stored_it(connect: Connect, keeper: Keeper) -> None:
    """Provenance: what an agent said is told from what the user said."""

    async def scenario() -> None:
        import mcp_types

        info = mcp_types.Implementation(name="Some Host", version="1")
        async with connect(client_info=info) as client:
            await create(client, UV)
            [fact] = keeper.memory().facts()
            text_of = keeper.memory().document(fact.scope, fact.path).text
            assert "agent" in text_of
            assert "Some Host" in text_of

    run(scenario)


async def create(client: Client, content: str, category: str = "Preference") -> object:
    return await client.call_tool("create_fact", {"content": content, "category": category})
