"""The MCP inspector of npm in its command line mode, a client that is not ours and not in Python."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scrubjay.interfaces.mcp.tools import TOOLS
from tests.interfaces.mcp.clients import environment, served

INSPECTOR = shutil.which("mcp-inspector")
PACKAGE = "@modelcontextprotocol/inspector"
TOKEN = "a token of some length"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSPECTOR is None, reason=f"the MCP inspector is not on the PATH (npm install -g {PACKAGE})"),
]


def inspect(target: list[str], *arguments: str) -> Any:
    """What the inspector prints of one call."""
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *target, *arguments], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def called(target: list[str], name: str, **arguments: object) -> Any:
    pairs = [word for key, value in arguments.items() for word in ("--tool-arg", f"{key}={value}")]
    return inspect(target, "--method", "tools/call", "--tool-name", name, *pairs)


def use_every_tool(target: list[str]) -> None:
    listed = inspect(target, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    orange, lemon = "The staging database is on host orange.", "The staging database is on host lemon."
    created = called(target, "create_fact", content=orange, category="Infrastructure")["structuredContent"]
    found = called(target, "search_memory", query="On which host is the staging database?", topK=3)
    assert found["structuredContent"]["facts"][0]["content"] == orange
    changed = called(target, "supersede_fact", factId=created["fact"]["id"], newContent=lemon)["structuredContent"]
    assert changed["status"] == "superseded"
    facts = called(target, "get_facts", category="Infrastructure")["structuredContent"]["facts"]
    assert [fact["content"] for fact in facts] == [lemon]
    assert (
        called(target, "search_semantic_memory", query="What is on lemon?")["structuredContent"]["available"] is False
    )
    # This client cannot ask its user, so that nothing is written.
    assert called(target, "learn", text="Retry five times with jitter.")["structuredContent"]["status"] == "waiting"
    assert len(called(target, "review")["structuredContent"]["proposals"]) == 1
    resources = inspect(target, "--method", "resources/list")["resources"]
    lemons = next(one["uri"] for one in resources if "lemon" in one["name"])
    assert lemon in inspect(target, "--method", "resources/read", "--uri", lemons)["contents"][0]["text"]
    assert inspect(target, "--method", "resources/templates/list")["resourceTemplates"]


def test_the_inspector_uses_every_tool_over_stdio(project: Path) -> None:
    ours = {name: value for name, value in environment().items() if name.startswith(("SCRUBJAY_", "PYTHON", "HOME"))}
    pairs = [word for name, value in ours.items() for word in ("-e", f"{name}={value}")]
    use_every_tool([*pairs, sys.executable, "-m", "scrubjay", "mcp", "--vault", str(project / "vault")])


def test_the_inspector_uses_every_tool_over_http(project: Path) -> None:
    with served(project, SCRUBJAY_MCP_TOKEN=TOKEN) as url:
        use_every_tool([url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"])
