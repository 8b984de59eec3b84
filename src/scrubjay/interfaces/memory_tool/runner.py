"""The memory tool as the ``tool_runner`` of Anthropic's Python SDK takes it. The SDK is loaded when it is asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Unavailable

if TYPE_CHECKING:
    from scrubjay.interfaces.memory_tool.result import ToolResult
    from scrubjay.interfaces.memory_tool.tool import MemoryTool


def runnable(tool: MemoryTool) -> Any:
    """``tool`` as a ``BetaAbstractMemoryTool``; a refusal goes back as ``is_error``."""
    sdk = _sdk()

    class Runnable(sdk.BetaAbstractMemoryTool):  # type: ignore[misc, name-defined] # the SDK is no dependency
        def to_dict(self) -> Any:
            return tool.to_dict()

        def call(self, input: object) -> Any:
            return _answered(sdk, tool.result(_plain(input)))

        view = create = str_replace = insert = delete = rename = call

        def clear_all_memory(self) -> str:
            return tool.clear_all_memory()

    return Runnable()


def async_runnable(tool: MemoryTool) -> Any:
    """``tool`` as a ``BetaAsyncAbstractMemoryTool``: it works in a thread, so that the loop goes on meanwhile."""
    sdk = _sdk()

    class Runnable(sdk.BetaAsyncAbstractMemoryTool):  # type: ignore[misc, name-defined] # the SDK is no dependency
        def to_dict(self) -> Any:
            return tool.to_dict()

        async def call(self, input: object) -> Any:
            return _answered(sdk, await asyncio.to_thread(tool.result, _plain(input)))

        view = create = str_replace = insert = delete = rename = call

        async def clear_all_memory(self) -> str:
            return await asyncio.to_thread(tool.clear_all_memory)

    return Runnable()


def _sdk() -> Any:
    try:
        from anthropic.lib import tools
    except ImportError:
        raise Unavailable("Anthropic's Python SDK is not installed.", hint="Run `pip install anthropic`.") from None
    return tools


def _plain(input: object) -> Any:
    """The fields of a command, as the runner hands them over (a mapping) or as one of the SDK's models."""
    dump = getattr(input, "model_dump", None)
    return dump(exclude_none=True) if dump is not None else input


def _answered(sdk: Any, result: ToolResult) -> Any:
    if result.is_error:
        raise sdk.ToolError(result.content)
    return result.content
