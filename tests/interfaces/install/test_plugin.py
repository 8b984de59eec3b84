"""The plugin in this repository says what ``scrubjay install`` writes (HK-9, HK-11, HK-12)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import scrubjay
from scrubjay.interfaces.install import hosts

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "plugins" / "scrubjay"


def read(path: Path) -> dict[str, object]:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_hk9_hk11_the_marketplace_leads_to_the_plugin() -> None:
    [listed] = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]  # type: ignore[misc]
    assert (ROOT / listed["source"]).resolve() == PLUGIN  # type: ignore[index]
    manifest = read(PLUGIN / ".claude-plugin" / "plugin.json")
    assert (manifest["name"], manifest["version"]) == ("scrubjay", scrubjay.__version__)
    assert sorted(path.name for path in (PLUGIN / ".claude-plugin").iterdir()) == ["plugin.json"]


def test_hk1_hk10_its_hooks_and_server_are_those_of_the_installation() -> None:
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert hooks == {event: [hosts.hook(("scrubjay",), event)] for event in hosts.EVENTS}
    server = read(PLUGIN / ".mcp.json")["mcpServers"]
    assert server == {"scrubjay": {"type": "stdio", "command": "scrubjay", "args": ["mcp"]}}


@pytest.mark.parametrize("name", hosts.SKILLS)
def test_hk12_its_skills_are_the_packaged_ones(name: str) -> None:
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    assert text == hosts.skill_text(name)
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["name"] == name and len(front["description"]) <= 1536
