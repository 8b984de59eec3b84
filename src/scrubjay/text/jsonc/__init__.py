"""JSON as people keep it in settings, with comments and trailing commas: read, and changed at one place only.

``parse`` says what is there, ``put``, ``append`` and ``take`` change one thing. A text that is no such JSON is refused
with the line (``Malformed``), and nothing is guessed.
"""

from __future__ import annotations

from scrubjay.text.jsonc.edit import append, put, take
from scrubjay.text.jsonc.parse import Malformed, Node, parse

__all__ = ["Malformed", "Node", "append", "parse", "put", "take"]
