"""A server over the standard streams: one client, until its input ends or the process is told to stop."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from scrubjay.interfaces.mcp import greeting
from scrubjay.interfaces.mcp.wire import Wire

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

GRACE_SECONDS = 5.0

Building = Callable[[], "Server[None]"]


def serve(building: Building) -> None:
    """Serves what ``building`` makes, which is called when everything is loaded."""
    wire = Wire.of_process()
    # A client that has spoken already is greeted first; while it is still on its way, everything else is loaded.
    loading = threading.Thread(target=_load, name="scrubjay-load", daemon=True)
    if not wire.ready():
        loading.start()
    first = wire.line()
    if not first:
        return
    greeted = greeting.answer(first)
    if greeted is not None:
        id, line = greeted
        try:
            wire.put(line)
        except OSError:  # whoever asked is gone
            return
        wire.skip(id)
    if loading.ident is None:
        loading.start()
    loading.join()

    import anyio

    anyio.run(partial(_serve, building, wire, first))


def _load() -> None:
    import gc

    # The SDK makes some hundred thousand objects that live for good; looking through them meanwhile costs a quarter.
    gc.disable()
    try:
        importlib.import_module("scrubjay.interfaces.mcp.server")
        importlib.import_module("mcp.server.stdio")
    finally:
        gc.freeze()
        gc.enable()


async def _serve(building: Building, wire: Wire, first: bytes) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    server = building()
    async with anyio.create_task_group() as group:
        group.start_soon(_stop_on_signal, group.cancel_scope)
        requests = _Requests()
        source, target = cast(
            "tuple[Any, Any]", (_Source(wire, first, requests), _Target(wire, requests, group.cancel_scope))
        )
        async with stdio_server(source, target) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _stop_on_signal(scope: Any) -> None:
    import anyio

    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Requests:
    """Requests that were read and not answered yet: when the input ends, they are answered before the server ends."""

    def __init__(self) -> None:
        self._open = 0
        self._settled: Any = None

    def read(self, line: bytes) -> None:
        """Notes a request among what was read."""
        if b'"method"' in line and b'"id"' in line:
            self._open += 1

    def wrote(self, text: str) -> None:
        """Notes an answer among what was written."""
        if '"method"' not in text:
            self._open -= 1
            if self._open <= 0 and self._settled is not None:
                self._settled.set()

    async def settled(self) -> None:
        """Waits for the answers that are missing, for some seconds at most."""
        import anyio

        if self._open > 0:
            self._settled = anyio.Event()
            with anyio.move_on_after(GRACE_SECONDS):
                await self._settled.wait()


class _Source:
    """Lines as the SDK's transport iterates over them."""

    def __init__(self, wire: Wire, first: bytes, requests: _Requests) -> None:
        self._wire = wire
        self._first = first
        self._requests = requests

    async def __aiter__(self) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._requests.read(self._first)
        yield self._first.decode("utf-8", "replace")

        def take(line: bytes) -> None:
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop has ended
                return

        self._wire.follow(take)
        while line := await lines.get():
            self._requests.read(line)
            yield line.decode("utf-8", "replace")
        await self._requests.settled()


class _Target:
    """Where the SDK's transport writes."""

    def __init__(self, wire: Wire, requests: _Requests, scope: Any) -> None:
        self._wire = wire
        self._requests = requests
        self._scope = scope

    async def write(self, text: str) -> None:
        import anyio.to_thread

        try:
            await anyio.to_thread.run_sync(self._wire.put_message, text, abandon_on_cancel=True)
        except OSError:  # nobody reads any more: the host is gone (F64)
            self._scope.cancel()
        self._requests.wrote(text)

    async def flush(self) -> None:
        """Nothing is held back."""
