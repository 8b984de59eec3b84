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
        wire.put(line)
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
        source, target = cast("tuple[Any, Any]", (_Source(wire, first), _Target(wire)))
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


class _Source:
    """Lines as the SDK's transport iterates over them."""

    def __init__(self, wire: Wire, first: bytes) -> None:
        self._wire = wire
        self._first = first

    async def __aiter__(self) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        yield self._first.decode("utf-8", "replace")

        def take(line: bytes) -> None:
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop has ended
                return

        self._wire.follow(take)
        while line := await lines.get():
            yield line.decode("utf-8", "replace")


class _Target:
    """Where the SDK's transport writes."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def write(self, text: str) -> None:
        import anyio.to_thread

        await anyio.to_thread.run_sync(self._wire.put_message, text, abandon_on_cancel=True)

    async def flush(self) -> None:
        """Nothing is held back."""
