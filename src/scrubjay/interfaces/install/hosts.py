"""Where each host keeps its settings, and what stands there about us, by their documentation of ``VERIFIED``.

An ``Entry`` is one thing in one file: a member of a JSON object or an item of a JSON list, a table in TOML, or a whole
file of ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from scrubjay.vaults.dialects.claude_memory import host as claude
from scrubjay.vaults.dialects.claude_memory.paths import base as claude_base

VERIFIED = "2026-08-22"
NAME = "scrubjay"
SKILLS = ("learn", "recall")

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd")
"""The events of Claude Code that we answer (HK-1 … HK-8)."""
SECONDS = MappingProxyType({"UserPromptSubmit": 5, "SessionEnd": 5})
HOOK_SECONDS = 10
"""Time-outs that the host is told; a hook of ours ends far sooner by itself (HK-2)."""

Form = Literal["member", "item", "table", "file"]
Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that is put into ``file``: ``value`` at ``path``. ``what`` names it for people."""

    file: Path
    form: Form
    path: tuple[str, ...]
    value: Any
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What somebody wants installed: ``project`` is the folder for ``scope`` project; ``command`` starts Scrubjay."""

    scope: Scope
    project: Path
    command: tuple[str, ...]
    environ: Mapping[str, str]
    own_memory: Literal["keep", "off"] = "keep"

    @property
    def home(self) -> Path:
        return Path(self.environ.get("HOME") or os.path.expanduser("~"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """An agent's host: its name on the command line and for people, its entries; ``note`` says what it cannot do."""

    name: str
    title: str
    entries: Callable[[Asked], Sequence[Entry]]
    note: str = ""


def _claude_code(asked: Asked) -> list[Entry]:
    top = claude_base(asked.environ) if asked.scope == "user" else asked.project / claude.FOLDER
    settings = top / claude.SETTINGS
    entries = [
        Entry(file=settings, form="item", path=("hooks", event), value=hook(asked.command, event), what=f"hook {event}")
        for event in EVENTS
    ]
    if asked.own_memory == "off":
        off = {claude.ENABLED_SETTING: False}
        entries += [
            Entry(file=settings, form="member", path=(key,), value=value, what="the host's own memory, off")
            for key, value in off.items()
        ]
    if asked.scope == "project":
        servers = asked.project / ".mcp.json"
    else:
        named = asked.environ.get(claude.CONFIG_DIR)
        servers = Path(named) / ".claude.json" if named else asked.home / ".claude.json"
    entries.append(_server(servers, ("mcpServers", NAME), {"type": "stdio", **_started(asked)}))
    entries += [
        Entry(file=top / "skills" / skill / "SKILL.md", form="file", path=(), value=skill_text(skill), what=f"/{skill}")
        for skill in SKILLS
    ]
    return entries


def _codex(asked: Asked) -> list[Entry]:
    folder = Path(asked.environ.get("CODEX_HOME") or asked.home / ".codex")
    file = (folder if asked.scope == "user" else asked.project / ".codex") / "config.toml"
    return [Entry(file=file, form="table", path=("mcp_servers", NAME), value=_started(asked), what="MCP server")]


def _cursor(asked: Asked) -> list[Entry]:
    top = asked.home if asked.scope == "user" else asked.project
    started = _started(asked)
    if asked.scope == "user":
        started["args"] = [*started["args"], "--project", "${workspaceFolder}"]
    return [_server(top / ".cursor" / "mcp.json", ("mcpServers", NAME), {"type": "stdio", **started})]


def _gemini(asked: Asked) -> list[Entry]:
    top = asked.home if asked.scope == "user" else asked.project
    return [_server(top / ".gemini" / "settings.json", ("mcpServers", NAME), _started(asked))]


def _opencode(asked: Asked) -> list[Entry]:
    configured = asked.environ.get("XDG_CONFIG_HOME")
    user = (Path(configured) if configured else asked.home / ".config") / "opencode"
    folder = user if asked.scope == "user" else asked.project
    file = next((folder / name for name in ("opencode.jsonc", "opencode.json") if (folder / name).exists()), None)
    value = {"type": "local", "command": [*asked.command, "mcp"], "enabled": True}
    return [_server(file or folder / "opencode.json", ("mcp", NAME), value)]


_ONLY_SERVER = "It gets the MCP server; what is said there is taken in with `scrubjay ingest --discover`."

HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        host.name: host
        for host in (
            Host(name="claude-code", title="Claude Code", entries=_claude_code),
            Host(name="codex", title="Codex", entries=_codex, note=_ONLY_SERVER),
            Host(name="cursor", title="Cursor", entries=_cursor, note=_ONLY_SERVER),
            Host(name="gemini", title="Gemini CLI", entries=_gemini, note=_ONLY_SERVER),
            Host(name="opencode", title="opencode", entries=_opencode, note=_ONLY_SERVER),
        )
    }
)


def hook(command: Sequence[str], event: str) -> dict[str, Any]:
    """One handler in the exec form, which needs no quoting (HK-1, HK-3)."""
    first, *rest = command
    handler = {"type": "command", "command": first, "args": [*rest, "hook", event]}
    return {"hooks": [handler | {"timeout": SECONDS.get(event, HOOK_SECONDS)}]}


def is_ours(value: Any) -> bool:
    """Whether an entry that is there was put there by us, whatever version and wherever the program lay then."""
    if not isinstance(value, dict):
        return False
    handlers = value.get("hooks")
    if isinstance(handlers, list):
        return len(handlers) == 1 and is_ours(handlers[0]) and "hook" in _words(handlers[0])
    words = _words(value)
    return any(Path(word).name.removesuffix(".exe") in (NAME, "jay") for word in words[:1]) or NAME in words[1:4]


def skill_text(name: str) -> str:
    """The text of a skill, which the plugin has too."""
    from importlib.resources import files

    return (files("scrubjay.interfaces.install") / "skills" / name / "SKILL.md").read_text(encoding="utf-8")


def _started(asked: Asked) -> dict[str, Any]:
    first, *rest = asked.command
    return {"command": first, "args": [*rest, "mcp"]}


def _server(file: Path, path: tuple[str, ...], value: Any) -> Entry:
    return Entry(file=file, form="member", path=path, value=value, what="MCP server")


def _words(value: Mapping[str, Any]) -> list[str]:
    command, args = value.get("command"), value.get("args", [])
    words = command if isinstance(command, list) else [command]
    return [str(word) for word in (*words, *(args if isinstance(args, list) else ()))]
