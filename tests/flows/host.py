"""A host that speaks the hook contract, written from its documentation (spec §7): it reads settings, runs handlers in
exec form within their time, reads what they print, and writes transcripts as Claude Code does."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubjay.vaults.identity import claude_key

MOST = 10_000
SESSION_END = 1.5


@dataclass
class Host:
    """``home`` is the person's, ``project`` where the agent works."""

    home: Path
    project: Path
    environ: dict[str, str]
    heard: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.home / ".claude" / "projects" / claude_key(str(self.project.resolve()))

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    def handlers(self, event: str) -> list[dict[str, Any]]:
        """The handlers of ``event`` in the user's and the project's settings."""
        found: list[dict[str, Any]] = []
        for place in (self.home, self.project):
            for name in ("settings.json", "settings.local.json"):
                file = place / ".claude" / name
                if file.exists():
                    groups = json.loads(file.read_text(encoding="utf-8")).get("hooks", {}).get(event, [])
                    found += [handler for group in groups for handler in group["hooks"]]
        return found

    def fire(self, event: str, session: str, **keys: object) -> None:
        """Runs every handler of ``event`` and takes in what it says."""
        given = {
            "hook_event_name": event,
            "session_id": session,
            "transcript_path": str(self.folder / f"{session}.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            **keys,
        }
        left = SESSION_END
        for handler in self.handlers(event):
            limit = min(float(handler.get("timeout", 600)), 30.0 if event == "UserPromptSubmit" else 600.0)
            started = time.monotonic()
            try:
                done = subprocess.run(
                    [handler["command"], *handler.get("args", [])],
                    input=json.dumps(given).encode(),
                    capture_output=True,
                    env={**self.environ, "CLAUDE_PROJECT_DIR": str(self.project)},
                    cwd=self.project,
                    timeout=min(limit, left) if event == "SessionEnd" else limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                self.trouble.append(f"{event}: did not end in time")
                continue
            left -= time.monotonic() - started
            if done.returncode != 0 or done.stderr:
                self.trouble.append(f"{event}: code {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
            self._listen(event, done.stdout.decode("utf-8"))

    def say(self, session: str, *turns: tuple[str, str]) -> None:
        """Writes turns (role, text) to the transcript of ``session``; a prompt fires its event first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{session}.jsonl"
        number = len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0
        for role, text in turns:
            if role == "user":
                self.fire("UserPromptSubmit", session, prompt=text)
            row = {
                "type": role,
                "uuid": f"{session}-{number}",
                "parentUuid": f"{session}-{number - 1}" if number else None,
                "sessionId": session,
                "cwd": str(self.project),
                "timestamp": f"2026-11-{20 + int(session[-1]):02}T10:{number:02}:00.000Z",
                "message": {"role": "user", "content": text}
                if role == "user"
                else {"role": role, "id": f"{session}-{number}", "content": [{"type": "text", "text": text}]},
            }
            with file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")
            number += 1

    def _listen(self, event: str, out: str) -> None:
        """HK-5, HK-6: JSON of the right shape reaches the agent, and nothing longer than so many characters."""
        if not out.strip():
            return
        if not out.startswith("{"):
            self.trouble.append(f"{event}: plain text")
            return
        said = json.loads(out)["hookSpecificOutput"]
        if said["hookEventName"] != event or len(said["additionalContext"]) > MOST:
            self.trouble.append(f"{event}: {out[:200]}")
            return
        self.heard.append(said["additionalContext"])


def files(folder: Path, *without: str) -> dict[str, bytes]:
    """Every file below ``folder`` but those below ``without``."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    named = {os.path.relpath(path, folder): path for path in found}
    return {name: path.read_bytes() for name, path in named.items() if not name.startswith(without)}
