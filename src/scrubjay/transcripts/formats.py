"""The formats that are known, each with its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scrubjay.transcripts import chatgpt, claude_ai, cursor, gemini, jsonl, opencode, specstory
from scrubjay.transcripts.claude_code import reader as claude_code
from scrubjay.transcripts.codex import reader as codex
from scrubjay.types import Session

Reader = Callable[..., Iterator[Session]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is known: its name, which is the source of its sessions, and what it is called."""

    name: str
    label: str
    reader: Reader


CLAUDE_CODE = Format("claude-code", "Claude Code", claude_code.read)
CLAUDE_WEB = Format("claude-code", "Claude Code on the web", claude_code.read_document)
CODEX = Format("codex", "Codex CLI", codex.read)
GEMINI = Format("gemini", "Gemini CLI", gemini.read)
GEMINI_DOCUMENT = Format("gemini", "Gemini CLI", gemini.read_document)
CURSOR = Format("cursor", "Cursor", cursor.read)
CURSOR_AGENT = Format("cursor", "Cursor agent", cursor.read_agent)
OPENCODE = Format("opencode", "opencode", opencode.read)
CHATGPT = Format("chatgpt", "ChatGPT export", chatgpt.read)
CLAUDE_AI = Format("claude.ai", "Claude.ai export", claude_ai.read)
SPECSTORY = Format("specstory", "SpecStory", specstory.read)
JSONL = Format("jsonl", "JSON Lines", jsonl.sessions)
