"""The handshake is answered before the SDK is loaded, and says what the SDK says (F60)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from mcp.server.stdio import stdio_server
from mcp_types import version

from scrubjay.interfaces.mcp import greeting
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.interfaces.mcp.server import Place, build
from tests.interfaces.mcp.clients import run

META = "io.modelcontextprotocol/"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}},
}
DISCOVER = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "server/discover",
    "params": {
        "_meta": {
            f"{META}protocolVersion": "2026-07-28",
            f"{META}clientInfo": {"name": "host", "version": "1"},
            f"{META}clientCapabilities": {},
        }
    },
}


class Lines:
    """What the SDK's transport reads and writes, in memory."""

    def __init__(self, *lines: bytes) -> None:
        self.lines = lines
        self.written: list[Any] = []
        self.answered = anyio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self.lines:
            yield line.decode()
        await self.answered.wait()

    async def write(self, text: str) -> None:
        self.written.append(json.loads(text))
        self.answered.set()

    async def flush(self) -> None:
        """Nothing is held back."""


def by_the_sdk(keeper: Keeper, line: bytes) -> dict[str, Any]:
    """What the SDK answers to an opening line."""
    found: dict[str, Any] = {}

    async def scenario() -> None:
        lines = Lines(line)
        server = build(keeper, Place(folder=None, inbox=""))
        async with stdio_server(lines, lines) as (reading, writing):  # type: ignore[arg-type]
            await server.run(reading, writing, server.create_initialization_options())
        found.update(lines.written[0])

    run(scenario)
    return found


def openings() -> list[dict[str, Any]]:
    handshakes = [
        {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": known}} for known in greeting.HANDSHAKES
    ]
    return [*handshakes, DISCOVER]


@pytest.mark.parametrize("opening", openings(), ids=lambda one: str(one["params"].get("protocolVersion", "discover")))
def test_the_greeting_is_what_the_sdk_answers(keeper: Keeper, opening: dict[str, Any]) -> None:
    line = json.dumps(opening).encode() + b"\n"
    ahead = greeting.answer(line)
    assert ahead is not None
    assert ahead[0] == opening["id"]
    expected = by_the_sdk(keeper, line)
    for kind in ("ttlMs", "cacheScope"):  # hints of the SDK for what the server did not say; both are their defaults
        expected["result"].pop(kind, None)
    if not expected["result"]["capabilities"].get("experimental"):  # early releases list it empty
        expected["result"]["capabilities"].pop("experimental", None)
    assert json.loads(ahead[1]) == expected
    assert ahead[1].endswith(b"}\n")


def test_the_versions_known_here_are_known_to_the_sdk() -> None:
    """A version that only the SDK knows is left to it."""
    assert set(greeting.HANDSHAKES) <= set(version.HANDSHAKE_PROTOCOL_VERSIONS)
    assert set(greeting.ENVELOPES) <= set(version.MODERN_PROTOCOL_VERSIONS)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"hello\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"null\n",
        b'{"jsonrpc": "2.0", "method": "initialize"}',
        json.dumps({**INITIALIZE, "jsonrpc": "1.0"}).encode(),
        json.dumps({**INITIALIZE, "id": True}).encode(),
        json.dumps({**INITIALIZE, "id": [1]}).encode(),
        json.dumps({**INITIALIZE, "params": []}).encode(),
        json.dumps({**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": "2099-01-01"}}).encode(),
        json.dumps({**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": ["2025-06-18"]}}).encode(),
        json.dumps({**INITIALIZE, "params": {**INITIALIZE["params"], "clientInfo": {"name": 1}}}).encode(),
        json.dumps({**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": None}}).encode(),
        json.dumps({**DISCOVER, "params": {}}).encode(),
        json.dumps({**DISCOVER, "params": {"_meta": {f"{META}protocolVersion": "2026-07-28"}}}).encode(),
        json.dumps({**INITIALIZE, "method": "tools/list"}).encode(),
        b"[" * 100_000,
    ],
)
def test_whatever_else_comes_first_is_left_to_the_sdk(line: bytes) -> None:
    assert greeting.answer(line) is None
