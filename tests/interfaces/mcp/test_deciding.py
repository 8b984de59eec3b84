"""What a person decides through the client, in both eras of the protocol (design §2.5, XC-7; §13.13)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from scrubjay import Memory
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.interfaces.mcp.server import Place, build
from tests.interfaces.mcp.clients import ERAS, MODERN, Asked, Connect, elicited, run, text

RETRIES = "# Retries\n\nThe client retries five times with exponential backoff and jitter."


def notes(keeper: Keeper) -> list[str]:
    return [entry.path for _, entry in keeper.memory().documents() if entry.path.startswith("10-Memories/MEM-")]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("choice", "status", "written", "waiting"),
    [("store", "stored", 1, 0), ("later", "waiting", 0, 1), ("discard", "rejected", 0, 0), ("", "waiting", 0, 1)],
)
def test_the_user_decides_what_is_learned(
    connect: Connect, keeper: Keeper, mode: str, choice: str, status: str, written: int, waiting: int
) -> None:
    """Stored, kept for later, thrown away. Who declines or closes the question has decided nothing: nothing is lost."""
    asked: Asked = []

    async def scenario() -> None:
        callback = elicited(lambda _question: choice, asked)
        async with connect(mode, elicitation_callback=callback) as client:
            answer = await client.call_tool("learn", {"text": RETRIES})
            assert answer.structured_content["status"] == status
            assert (len(notes(keeper)), len(keeper.memory().inbox())) == (written, waiting)
            if status == "waiting":
                assert "scrubjay inbox" in text(answer)
            if choice in ("store", "discard"):
                keeper.memory().undo(answer.structured_content["undo"])
                assert (len(notes(keeper)), len(keeper.memory().inbox())) == (0, 1)

    run(scenario)
    [question] = asked
    for words in ("CREATE", "Retries", "only the user", "exponential backoff"):
        assert words in question.message


def test_without_a_way_to_ask_nothing_is_decided(connect: Connect, keeper: Keeper) -> None:
    """XC-7: the plan waits in the inbox, and the answer says how to decide."""

    async def scenario() -> None:
        async with connect() as client:
            answer = await client.call_tool("learn", {"text": RETRIES})
            assert answer.structured_content["status"] == "waiting"
            assert "could not be asked" in text(answer)
            assert "scrubjay inbox" in answer.structured_content["advice"]
            [proposal] = answer.structured_content["proposals"]
            assert proposal["action"] == "CREATE"
            assert notes(keeper) == []

            again = await client.call_tool("learn", {"text": RETRIES})
            assert [one["id"] for one in again.structured_content["proposals"]] == [proposal["id"]]

            listed = await client.call_tool("review", {})
            assert [one["id"] for one in listed.structured_content["proposals"]] == [proposal["id"]]
            assert proposal["id"] in text(listed)
            for action in ("accept", "reject"):
                refused = await client.call_tool("review", {"action": action, "ids": [proposal["id"]]})
                assert refused.structured_content["status"] == "waiting"
                assert "only the user decides" in text(refused)
            assert notes(keeper) == []
            assert len(keeper.memory().inbox()) == 1

    run(scenario)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("action", "choice", "status", "written", "waiting"),
    [
        ("accept", "yes", "stored", 1, 0),
        ("accept", "no", "waiting", 0, 1),
        ("reject", "yes", "rejected", 0, 0),
        ("reject", "", "waiting", 0, 1),
    ],
)
def test_what_waits_is_decided_with_the_users_consent(
    connect: Connect, keeper: Keeper, mode: str, action: str, choice: str, status: str, written: int, waiting: int
) -> None:
    asked: Asked = []

    async def scenario() -> None:
        memory = keeper.memory()
        [proposal] = memory.keep(memory.learn(text=RETRIES)).proposals
        async with connect(mode, elicitation_callback=elicited(lambda _question: choice, asked)) as client:
            answer = await client.call_tool("review", {"action": action, "ids": [proposal.id]})
            assert answer.structured_content["status"] == status
            assert (len(notes(keeper)), len(memory.inbox())) == (written, waiting)

    run(scenario)
    assert len(asked) == 1


@pytest.mark.parametrize("mode", ERAS)
def test_what_changed_while_the_user_thought_is_not_stored(connect: Connect, keeper: Keeper, mode: str) -> None:
    """F54: consent counts for what was shown, in the same call (2025) as in the next (2026)."""
    asked: Asked = []

    async def scenario() -> None:
        memory = keeper.memory()
        [proposal] = memory.keep(memory.learn(text=RETRIES)).proposals

        def answer(_question: str) -> str:
            if len(asked) == 1:
                memory.amend(proposal.id, body="Something else altogether.")
            return "yes"

        async with connect(mode, elicitation_callback=elicited(answer, asked)) as client:
            done = await client.call_tool("review", {"action": "accept", "ids": [proposal.id]})
            if mode == MODERN:  # asked again, with the new words
                assert len(asked) == 2
                assert "Something else" in asked[1].message
            else:
                assert done.structured_content["status"] == "partial"
                assert len(memory.inbox()) == 1

    run(scenario)


def test_an_answer_to_another_question_does_not_count(connect: Connect) -> None:
    """MCP 2026-07-28: what comes back is checked, not believed."""

    async def scenario() -> None:
        import mcp_types

        async with connect(MODERN, elicitation_callback=elicited(lambda _question: "store", [])) as client:
            reply = mcp_types.ElicitResult(action="accept", content={"decision": "store"})
            first = await client.session.call_tool("learn", {"text": RETRIES}, allow_input_required=True)
            assert isinstance(first, mcp_types.InputRequiredResult)
            for state in ("forged", first.request_state[:-4]):
                with pytest.raises(MCPError):
                    await client.session.call_tool(
                        "learn",
                        {"text": RETRIES},
                        input_responses={"decision": reply},
                        request_state=state,
                        allow_input_required=True,
                    )
            with pytest.raises(MCPError):  # of another call
                await client.session.call_tool(
                    "review",
                    {"action": "accept", "ids": ["x"]},
                    input_responses={"decision": reply},
                    request_state=first.request_state,
                    allow_input_required=True,
                )
            unasked = await client.session.call_tool(
                "learn", {"text": RETRIES}, input_responses={"decision": reply}, allow_input_required=True
            )
            assert isinstance(unasked, mcp_types.InputRequiredResult)

    run(scenario)


def test_what_is_known_needs_no_decision(connect: Connect, keeper: Keeper) -> None:
    async def scenario() -> None:
        memory = keeper.memory()
        memory.apply(memory.learn(text=RETRIES).decide("recommended"))
        async with connect(elicitation_callback=elicited(lambda _question: "store", [])) as client:
            answer = await client.call_tool("learn", {"text": RETRIES})
            assert answer.structured_content["status"] == "nothing_new"
            assert "known already" in text(answer)

    run(scenario)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../secret.md", "leads out"),
        ("/etc/passwd", "leads out"),
        ("~/notes.md", "no file or folder"),
        ("link.md", "leads out"),
        ("folder/../../secret.md", "leads out"),
        ("missing.md", "no file or folder"),
        ("a\0b.md", "NUL"),
    ],
)
def test_only_files_of_the_project_are_learned(
    connect: Connect, project: Path, tmp_path: Path, path: str, says: str
) -> None:
    """F112: an agent is not led to copy what lies elsewhere into the memory."""
    (tmp_path / "secret.md").write_text("# Secret\n\nThe hidden words.\n", encoding="utf-8")
    (project / "link.md").symlink_to(tmp_path / "secret.md")

    async def scenario() -> None:
        async with connect() as client:
            answer = await client.call_tool("learn", {"path": path})
            assert answer.is_error
            assert says in text(answer)
            assert "hidden" not in text(answer)

    run(scenario)


def test_without_a_project_no_files_are_learned(connect: Connect) -> None:
    async def scenario() -> None:
        async with connect(folder=None) as client:
            answer = await client.call_tool("learn", {"path": "notes.md"})
            assert answer.is_error
            assert (await client.call_tool("learn", {"text": RETRIES})).structured_content["status"] == "waiting"

    run(scenario)


def test_a_text_that_looks_like_a_path_is_a_text(connect: Connect, project: Path) -> None:
    """An agent's text never makes a file be read."""
    (project / "secret.md").write_text("# Secret\n\nThe hidden words.\n", encoding="utf-8")

    async def scenario() -> None:
        async with connect() as client:
            answer = await client.call_tool("learn", {"text": str(project / "secret.md")})
            assert "hidden" not in text(answer)

    run(scenario)


@pytest.fixture
def shared(tmp_path: Path, open_memory: Callable[..., Memory]) -> Keeper:
    """Keeps the vault that a project shares."""
    folder = tmp_path / "shop" / ".memory"
    folder.mkdir(parents=True)
    return Keeper(lambda: open_memory(folder))


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("choice", ["yes", "no", ""])
def test_what_everybody_reads_is_changed_with_consent_only(shared: Keeper, mode: str, choice: str) -> None:
    """Design §2.5: a change to a shared memory is decided by a person, also when an agent makes it."""
    asked: Asked = []

    async def scenario() -> None:
        fact = shared.memory().remember("The release is on Fridays.", category="Process", scope="project")
        server = build(shared, Place(folder=None, inbox="scrubjay inbox"))
        callback = elicited(lambda _question: choice, asked)
        async with Client(server, mode=mode, elicitation_callback=callback) as client:
            changed = await client.call_tool("supersede_fact", {"factId": fact.id, "newContent": "It is on Mondays."})
            created = await client.call_tool("create_fact", {"content": "Tests run first.", "category": "Process"})
        agreed = choice == "yes"
        assert changed.structured_content["status"] == ("superseded" if agreed else "declined")
        assert created.structured_content["stored"] is agreed
        # The server closed its memory; what is on disk is read anew.
        texts = [one.text for one in shared._opening().facts()]
        assert texts == (["It is on Mondays.", "Tests run first."] if agreed else ["The release is on Fridays."])

    run(scenario)
    assert "everybody who has the project" in asked[0].message
    assert "The release is on Fridays." in asked[0].message


def test_what_everybody_reads_is_left_alone_where_nobody_can_be_asked(shared: Keeper) -> None:
    async def scenario() -> None:
        fact = shared.memory().remember("The release is on Fridays.", category="Process", scope="project")
        async with Client(build(shared, Place(folder=None, inbox="scrubjay inbox")), mode="legacy") as client:
            calls: list[tuple[str, dict[str, Any]]] = [
                ("supersede_fact", {"factId": fact.id, "newContent": "It is on Mondays."}),
                ("create_fact", {"content": "Tests run first.", "category": "Process"}),
            ]
            for name, arguments in calls:
                refused = await client.call_tool(name, arguments)
                assert refused.is_error
                assert "only when the user says so" in text(refused)

    run(scenario)
