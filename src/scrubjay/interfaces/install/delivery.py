"""Whether what is installed reaches the agent: our hook and server are started as the host would, and heard (F63)."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.hook.events import NONCE
from scrubjay.interfaces.install import forms, places, plans
from scrubjay.interfaces.install.hosts import EVENTS, HOSTS, Asked, Entry
from scrubjay.interfaces.install.record import Record

SECONDS = 20.0
_MOST = 200_000
_CLIENT = {"name": "doctor", "version": "1"}

State = Literal["delivered", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What became of one thing that is installed: ``delivered``, or ``broken`` with the reason."""

    host: str
    what: str
    state: State
    reason: str = ""
    hint: str = ""


def check(record: Record, asked: Asked) -> list[Delivery]:
    """Every hook and server of an installation, looked for in the host's files and started. The host is not."""
    found: list[Delivery] = []
    entries = [entry for written in record.files for entry, _ in written.entries if entry.form != "file"]
    for entry in entries:
        there, reason = _there(entry, asked)
        if there is None:
            hint = f"Run `scrubjay install {record.host}` again."
            found.append(Delivery(host=record.host, what=entry.what, state="broken", reason=reason, hint=hint))
        elif entry.what == f"hook {EVENTS[0]}":
            found.append(_heard(record.host, entry.what, there["hooks"][0], asked))
        elif entry.what == "MCP server":
            found.append(_greeted(record.host, there, asked))
    return found


def _there(entry: Entry, asked: Asked) -> tuple[Any, str]:
    """What stands in the host's file, or why it does not."""
    try:
        data = places.read(entry.file, plans.within(asked))
        text = plans.text_of(entry.file, data).removeprefix("\ufeff")
        found = forms.find(text, entry)
    except (ScrubjayError, forms.Unreadable) as error:
        return None, str(error)
    return found, "" if found is not None else f"It is not in {entry.file} any more."


def _heard(host: str, what: str, handler: Mapping[str, Any], asked: Asked) -> Delivery:
    nonce = secrets.token_hex(8)
    event = {"hook_event_name": EVENTS[0], "source": "startup", "session_id": "doctor", NONCE: nonce}
    line = [str(handler.get("command", "")), *map(str, handler.get("args", []))]
    out, reason = _run(line, json.dumps(event), asked)
    if reason:
        return _broken(host, what, reason)
    try:
        answer = json.loads(out)["hookSpecificOutput"]
        heard = answer["hookEventName"] == EVENTS[0] and nonce in answer["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return _broken(host, what, "wired but not delivered: its answer has not the shape that the host reads")
    if not heard:
        return _broken(host, what, "wired but not delivered: its answer does not carry what was asked")
    return Delivery(host=host, what=what, state="delivered")


def _greeted(host: str, server: Mapping[str, Any], asked: Asked) -> Delivery:
    command = server.get("command")
    line = [*command] if isinstance(command, list) else [str(command), *map(str, server.get("args", []))]
    line = [word for word in line if "${" not in word and word != "--project"]
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT},
    }
    out, reason = _run(line, json.dumps(request) + "\n", asked)
    if reason:
        return _broken(host, "MCP server", reason)
    try:
        named = json.loads(out.splitlines()[0])["result"]["serverInfo"]["name"]
    except (ValueError, KeyError, TypeError, IndexError):
        return _broken(host, "MCP server", "wired but not delivered: it does not answer a greeting")
    return Delivery(host=host, what=f"MCP server {named}", state="delivered")


def _run(line: Sequence[str], said: str, asked: Asked) -> tuple[str, str]:
    """What a command of the host's settings prints, or why it does not."""
    if not line or not Path(line[0]).is_absolute() or not os.access(line[0], os.X_OK):
        return "", f"its program {line[0] if line else ''!r} is not there any more"
    try:
        done = subprocess.run(
            list(line),
            input=said.encode(),
            env=dict(asked.environ),
            cwd=asked.home,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "", f"it did not answer in {SECONDS:.0f} seconds"
    except OSError as error:
        return "", f"it cannot be started: {error.strerror}"
    if done.returncode != 0:
        return "", f"it ended with code {done.returncode}"
    return done.stdout[:_MOST].decode("utf-8", "replace"), ""


def _broken(host: str, what: str, reason: str) -> Delivery:
    title = HOSTS[host].title if host in HOSTS else host
    hint = f"Run `scrubjay install {host}` again, and start {title} anew."
    return Delivery(host=host, what=what, state="broken", reason=reason, hint=hint)
