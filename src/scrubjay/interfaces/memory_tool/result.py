"""What a tool call answers, and the blocks of the Messages API that say so."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from scrubjay.interfaces.memory_tool.viewing import Image


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer to one tool call. ``is_error`` tells a refusal from a success; ``image`` is what was viewed, if that
    was a picture."""

    text: str
    is_error: bool = False
    image: Image | None = None

    @property
    def content(self) -> str | list[dict[str, Any]]:
        """What the content of a ``tool_result`` is: the text, or a text and an image block."""
        if self.image is None:
            return self.text
        source = {
            "type": "base64",
            "media_type": self.image.media_type,
            "data": b64encode(self.image.data).decode("ascii"),
        }
        return [{"type": "text", "text": self.text}, {"type": "image", "source": source}]

    def block(self, tool_use_id: str) -> dict[str, Any]:
        """The ``tool_result`` block that answers the ``tool_use`` block with that id."""
        block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": self.content}
        return {**block, "is_error": True} if self.is_error else block
