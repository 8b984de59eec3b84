"""Clients of the official SDK: beside the server in one process, over stdio and over HTTP to a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio
import mcp_types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCE = Path(__file__).parents[3] / "src"

LEGACY = "legacy"
MODERN = "2026-07-28"
ERAS = (LEGACY, MODERN)

Asked = list[mcp_types.ElicitRequestFormParams]


class Answering(Protocol):
    """What the person behind a client answers, by the name of an option; an empty one declines."""

    def __call__(self, question: str) -> str: ...


def elicited(answer: Answering, asked: Asked) -> Callable[..., Awaitable[mcp_types.ElicitResult]]:
    """A client's callback that notes what was asked and answers it."""

    async def callback(_context: Any, params: mcp_types.ElicitRequestFormParams) -> mcp_types.ElicitResult:
        asked.append(params)
        choice = answer(params.message)
        if not choice:
            return mcp_types.ElicitResult(action="decline")
        return mcp_types.ElicitResult(action="accept", content={"decision": choice})

    return callback


Connect = Callable[..., Any]


@asynccontextmanager
async def over_stdio(folder: Path, *arguments: str, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """A client of ``scrubjay mcp`` started in ``folder``, as an agent's host does it."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "scrubjay", "mcp", *arguments], env=environment(), cwd=folder
    )
    async with Client(stdio_client(parameters), mode=mode, **options) as client:
        yield client


def environment(**more: str) -> dict[str, str]:
    """The environment of a server's process: the code under test, no model, the home of the test."""
    return {
        **os.environ,
        "PYTHONPATH": str(SOURCE),
        "PYTHONWARNINGS": "error",
        "SCRUBJAY_MODELS_EMBEDDER": "none",
        "SCRUBJAY_MODELS_RERANKER": "none",
        **more,
    }


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    """Runs ``scenario``, for a minute at most."""

    async def bounded() -> None:
        with anyio.fail_after(60):
            await scenario()

    anyio.run(bounded)


def text(result: Any) -> str:
    """What an agent reads of a result."""
    return "\n".join(block.text for block in result.content)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}},
}


def call(process: subprocess.Popen[bytes], name: str, **arguments: Any) -> None:
    """Calls a tool as request 2."""
    send(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}})


def ended(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """How a server ended that nobody talks to."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "scrubjay", "mcp", *arguments]


@contextmanager
def started(folder: Path, *arguments: str, program: list[str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A server of stdio whose lines the test writes and reads itself."""
    process = subprocess.Popen(
        program or command(*arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def served(folder: Path, *arguments: str, **variables: str) -> Iterator[str]:
    """The address of a server of HTTP; it ends well when it is told to."""
    given = arguments if "--port" in arguments else ("--http", "--port", "0")
    process = subprocess.Popen(
        command(*given), cwd=folder, env=environment(**variables), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline().decode()
            assert "Listening on " in first, first + process.stderr.read().decode()
            yield first.partition("Listening on ")[2].strip()
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) in (0, -signal.SIGTERM)
            assert b"Traceback" not in process.stderr.read()
        finally:
            process.kill()


def put(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    put(process, json.dumps(message).encode())


def receive(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read().decode() if process.stderr else ""
    found: dict[str, Any] = json.loads(line)
    return found


def greet(process: subprocess.Popen[bytes]) -> None:
    send(process, INITIALIZE)
    assert receive(process)["id"] == 1
    send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
