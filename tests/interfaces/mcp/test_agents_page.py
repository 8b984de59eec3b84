"""What ``docs/agents.md`` tells people to write is right: it is read as its host reads it, and its command serves."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.mcp.clients import INITIALIZE, environment

PAGE = (Path(__file__).parents[3] / "docs" / "agents.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>json|toml) file=(?P<file>\S+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {match["file"]: (match["language"], match["body"]) for match in BLOCK.finditer(PAGE)}


def servers() -> dict[str, dict[str, Any]]:
    """How each host is told to start or to reach the server."""
    found = {}
    for file, (language, body) in FILES.items():
        values = json.loads(body) if language == "json" else tomllib.loads(body)
        for key in ("mcpServers", "servers", "mcp_servers"):
            if key in values:
                found[file] = values[key]["scrubjay"]
    return found


def test_every_host_is_there() -> None:
    assert {file.partition("/")[0] for file in servers()} == {
        "claude-code",
        "codex",
        "cursor",
        "gemini",
        "vscode",
        "http",
    }


@pytest.mark.parametrize("file", [file for file, server in servers().items() if "command" in server])
def test_the_command_of_a_host_serves(file: str, project: Path) -> None:
    server = servers()[file]
    assert server["command"] == "scrubjay"
    arguments = [word.replace("${workspaceFolder}", str(project)) for word in server["args"]]
    assert answer(arguments, project)["result"]["serverInfo"]["name"] == "scrubjay"


@pytest.mark.parametrize("line", re.findall(r"^(?:claude|codex|gemini) mcp add .*$", PAGE, re.MULTILINE))
def test_the_command_line_of_a_host_names_a_command_that_serves(line: str, project: Path) -> None:
    words = shlex.split(line)
    start = words.index("scrubjay", words.index("scrubjay") + 1)
    assert answer(words[start + 1 :], project)["result"]["serverInfo"]["name"] == "scrubjay"


def test_the_address_is_the_servers() -> None:
    from scrubjay.interfaces.cli.commands.mcp import PORT, TOKEN
    from scrubjay.interfaces.mcp.http import PATH

    server = servers()["http/.mcp.json"]
    assert server["url"] == f"http://127.0.0.1:{PORT}{PATH}"
    assert server["headers"] == {"Authorization": f"Bearer ${{{TOKEN}}}"}


def test_the_tools_that_are_allowed_exist() -> None:
    from scrubjay.interfaces.mcp.tools import BY_NAME

    allowed = json.loads(FILES["claude-code/.claude/settings.json"][1])["permissions"]["allow"]
    assert {name.removeprefix("mcp__scrubjay__") for name in allowed} <= set(BY_NAME)


def answer(arguments: list[str], folder: Path) -> dict[str, Any]:
    """What the server that ``scrubjay`` with ``arguments`` starts says to a client."""
    done = subprocess.run(
        [sys.executable, "-m", "scrubjay", *arguments],
        cwd=folder,
        env=environment(),
        input=json.dumps(INITIALIZE) + "\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return found
