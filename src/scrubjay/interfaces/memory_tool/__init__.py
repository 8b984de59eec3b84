"""Anthropic's API memory tool over a folder of ours (spec §6)."""

from scrubjay.interfaces.memory_tool.result import ToolResult
from scrubjay.interfaces.memory_tool.tool import MemoryTool

__all__ = ["MemoryTool", "ToolResult"]
