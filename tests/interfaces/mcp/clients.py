"""Clients of the official SDK: beside the server in one process, over stdio and over HTTP to a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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
