"""``scrubjay mcp`` as a process: every tool over stdio and HTTP, who may call, how it ends (F60, F64, F112)."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from scrubjay.interfaces.mcp.tools import TOOLS
from tests.interfaces.mcp.clients import (
    ERAS,
    INITIALIZE,
    call,
    elicited,
    ended,
    greet,
    over_stdio,
    put,
    receive,
    run,
    send,
    served,
    started,
    text,
)

TOKEN = "a token of some length"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


async def use_every_tool(client: Client, folder: Path) -> None:
    """Calls each tool once at least and looks at what comes back."""
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    called = set()

    async def use(name: str, **arguments: Any) -> Any:
        called.add(name)
        result = await client.call_tool(name, arguments)
        assert not result.is_error, text(result)
        return result.structured_content

    await use("create_fact", content="The staging database is on host orange.", category="Infrastructure")
    found = await use("search_memory", query="On which host is the staging database?", topK=2)
    assert [fact["content"] for fact in found["facts"]] == ["The staging database is on host orange."]
    new = "The staging database is on host lemon."
    await use("supersede_fact", factId=found["facts"][0]["id"], newContent=new)
    assert [fact["content"] for fact in (await use("get_facts"))["facts"]] == [new]
    assert (await use("search_semantic_memory", query="What runs on lemon?"))["available"] is False
    (folder / "retries.md").write_text("# Retries\n\nFive times, with jitter.\n", encoding="utf-8")
    assert (await use("learn", path="retries.md"))["status"] == "stored"
    assert (await use("review"))["status"] == "empty"
    documents = (await client.list_resources()).resources
    note = next(one for one in documents if one.name == "MEM-retries.md")
    assert "with jitter" in (await client.read_resource(note.uri)).contents[0].text
    assert called == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_over_stdio(project: Path, mode: str) -> None:
    asked: list[Any] = []

    async def scenario() -> None:
        callback = elicited(lambda _question: "store", asked)
        async with over_stdio(project, mode=mode, elicitation_callback=callback) as client:
            await use_every_tool(client, project)
        assert len(asked) == 1

    run(scenario)


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_over_http(project: Path, mode: str) -> None:
    asked: list[Any] = []

    async def scenario() -> None:
        callback = elicited(lambda _question: "store", asked)
        with served(project) as url:
            async with Client(streamable_http_client(url), mode=mode, elicitation_callback=callback) as client:
                await use_every_tool(client, project)
        assert len(asked) == 1

    run(scenario)


def test_several_clients_share_one_memory_over_http(project: Path) -> None:
    """Twenty facts by four clients at once; each sees all of them."""

    async def scenario() -> None:
        with served(project) as url:

            async def bring(number: int) -> None:
                async with Client(streamable_http_client(url)) as client:
                    for place in range(5):
                        content = f"Box {number}{place} holds {number * 7 + place} apples."
                        stored = await client.call_tool("create_fact", {"content": content, "category": "Fact"})
                        assert not stored.is_error, text(stored)

            async with anyio.create_task_group() as group:
                for number in range(4):
                    group.start_soon(bring, number)
            async with Client(streamable_http_client(url)) as client:
                assert (await client.call_tool("get_facts", {})).structured_content["total"] == 20

    run(scenario)


def test_who_may_call_over_http(project: Path) -> None:
    """F112: other names than this machine's and pages of others are refused, whatever they want."""
    with served(project) as url, httpx2.Client() as http:

        def status(**headers: str) -> int:
            return http.post(url, json=INITIALIZE, headers={**HEADERS, **headers}).status_code

        port = url.rpartition(":")[2].partition("/")[0]
        assert status() == 200
        assert status(host=f"localhost:{port}", origin=f"http://localhost:{port}") == 200
        assert status(host=f"evil.example:{port}") == 421
        assert status(host="127.0.0.1.evil.example") == 421
        assert status(origin="https://evil.example") == 403
        assert status(origin="null") == 403
        assert status(origin=f"http://localhost.evil.example:{port}") == 403
        for modern in ({}, {"mcp-protocol-version": "2026-07-28"}):
            assert status(host="evil.example", **modern) == 421
            assert status(origin="http://evil.example", **modern) == 403


def test_a_token_is_demanded_of_everybody(project: Path) -> None:
    with served(project, SCRUBJAY_MCP_TOKEN=TOKEN) as url, httpx2.Client() as http:

        def status(**headers: str) -> int:
            return http.post(url, json=INITIALIZE, headers={**HEADERS, **headers}).status_code

        assert status() == 401
        assert status(authorization="Bearer wrong") == 401
        assert status(authorization=f"Basic {TOKEN}") == 401
        assert status(authorization=f"Bearer {TOKEN}x") == 401
        assert status(authorization=f"Bearer {TOKEN}") == 200
        assert status(authorization=f"bearer {TOKEN}") == 200


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "says"),
    [
        (["--http", "--host", "0.0.0.0"], {}, 5, "SCRUBJAY_MCP_TOKEN"),
        (["--http"], {"SCRUBJAY_MCP_TOKEN": "short"}, 2, "too short"),
        (["--project", "nowhere"], {}, 3, "is no folder"),
        (["--port", "99999"], {}, 2, "99999"),
    ],
)
def test_what_would_be_unsafe_or_senseless_is_refused(
    project: Path, arguments: list[str], variables: dict[str, str], code: int, says: str
) -> None:
    done = ended(project, *arguments, **variables)
    assert (done.returncode, done.stdout) == (code, b"")
    assert says in done.stderr.decode()


def test_a_port_that_is_taken_is_an_error(project: Path) -> None:
    with served(project) as url:
        port = url.rpartition(":")[2].partition("/")[0]
        done = ended(project, "--http", "--port", port)
    assert done.returncode == 6
    assert "--port" in done.stderr.decode()


def test_the_examples_of_the_help_start(project: Path, own_home: Path) -> None:
    """F68."""
    import click

    from scrubjay.interfaces.cli.group import cli

    (own_home / "src/billing").mkdir(parents=True)
    found = cli.get_command(click.Context(cli), "mcp")
    examples = re.findall(r"^      scrubjay mcp(.*)$", (found.help or "") if found else "", re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        arguments = example.replace("~", str(own_home)).split()
        if "--http" in arguments:
            with served(project, *arguments):
                continue
        assert ended(project, *arguments).returncode == 0


def test_it_ends_with_its_input(project: Path) -> None:
    """F64: no orphan stays when the host has gone; nothing but the protocol was on stdout."""
    with started(project) as process:
        send(process, INITIALIZE)
        assert receive(process)["id"] == 1
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


def test_it_ends_when_nobody_reads_its_answers(project: Path) -> None:
    """F64: a host that was killed leaves no orphan behind, although the other end of the input stays open."""
    with started(project) as process:
        greet(process)
        assert process.stdout is not None
        process.stdout.close()
        send(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def test_what_was_asked_is_answered_before_it_ends(project: Path) -> None:
    """A script may write all its requests and close its end."""
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    facts = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "get_facts", "arguments": {}}}
    with started(project) as process:
        for message in (INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, listing, facts):
            send(process, message)
        assert process.stdin is not None
        process.stdin.close()
        answers = [receive(process) for _ in range(3)]
        assert [one["id"] for one in answers] == [1, 2, 3]
        assert all("result" in one for one in answers)
        assert process.wait(30) == 0


def test_it_ends_when_it_is_told_to(project: Path) -> None:
    """What was acknowledged is there."""
    with started(project) as process:
        greet(process)
        call(process, "create_fact", content="The gate opens at six.", category="Fact")
        assert receive(process)["result"]["structuredContent"]["stored"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def test_it_ends_when_it_is_told_to_before_anybody_spoke(project: Path) -> None:
    with started(project) as process:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        assert process.stdout is not None
        assert process.stdout.read() == b""


def test_lines_that_are_no_protocol_do_not_end_it(project: Path) -> None:
    """F109: broken JSON, other encodings, halves of characters, nesting, and a line of a megabyte."""
    with started(project) as process:
        greet(process)
        for line in (
            b"hello",
            b"\xff\xfe\x00",
            b'{"jsonrpc": "2.0", "id": 7',
            b"[" * 50_000,
            b"",
            b'"\\ud800"',
            b"9" * 1_000_000,
        ):
            put(process, line)
        send(process, {"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
        while (message := receive(process)).get("id") != 9:
            assert "error" in message
        assert len(message["result"]["tools"]) == len(TOOLS)


def test_what_is_printed_by_mistake_never_reaches_the_protocol(project: Path) -> None:
    """A model's library that prints, or a program that is started, writes to stderr."""
    code = (
        "import os, sys; from scrubjay.memory import Memory; real = Memory.search\n"
        "def search(self, *args, **more):\n"
        "    print('by mistake'); os.write(1, b'to the descriptor'); os.system('echo from a child')\n"
        "    return real(self, *args, **more)\n"
        "Memory.search = search\n"
        "from scrubjay.interfaces.cli import main; main(['mcp'])"
    )
    with started(project, program=[sys.executable, "-c", code]) as process:
        greet(process)
        call(process, "search_memory", query="Anything?")
        assert receive(process)["id"] == 2
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
        assert process.stderr is not None
        printed = process.stderr.read()
        assert all(one in printed for one in (b"by mistake", b"to the descriptor", b"from a child"))


def test_a_memory_that_cannot_be_opened_is_said_by_every_tool(project: Path, own_home: Path) -> None:
    """The handshake succeeds, the tools say what is wrong, and it works as soon as it is mended."""
    settings = own_home / ".scrubjay" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("[recall]\nlimit = 'many'\n", encoding="utf-8")

    async def scenario() -> None:
        async with over_stdio(project) as client:
            broken = await client.call_tool("get_facts", {})
            assert broken.is_error
            assert "recall.limit" in text(broken)
            with pytest.raises(MCPError, match=r"recall\.limit"):
                await client.list_resources()
            settings.unlink()
            assert not (await client.call_tool("get_facts", {})).is_error

    run(scenario)
