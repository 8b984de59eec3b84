"""``scrubjay install`` and ``uninstall``: what is put in comes out again (F31, F67, HK-1, HK-3)."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from scrubjay.errors import BadInput, Conflict, NotFound, Refused
from scrubjay.interfaces.install import carrying, hosts, plans, record
from scrubjay.interfaces.install.hosts import Asked
from tests.interfaces.conftest import Jay

SETTINGS = """{
    // mine
    "model": "opus",
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
    },
    "autoMemoryEnabled": true
}
"""
STATE = '{"numStartups":3,"projects":{"/a":{"x":1}},"oauthAccount":{"id":"…"}}'
CODEX = '# mine\nmodel = "o4"\n\n[mcp_servers.other]\ncommand = "other"  # keep\n'


@pytest.fixture
def asked(own_home: Path) -> Asked:
    return Asked(scope="user", project=own_home / "none", command=("/opt/scrubjay",), environ={"HOME": str(own_home)})


@pytest.fixture
def ours(own_home: Path) -> Path:
    return own_home / ".scrubjay"


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".scrubjay" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def folders(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir() and ".scrubjay" not in path.parts
    }


def install(name: str, asked: Asked, ours: Path) -> plans.Plan:
    plan = plans.plan(hosts.HOSTS[name], asked, record.load(ours, name, asked))
    carrying.install(plan, ours)
    return plan


def uninstall(name: str, asked: Asked, ours: Path) -> dict[str, str]:
    found = record.load(ours, name, asked)
    assert found is not None
    return {one.file.name: one.how for one in carrying.uninstall(found, asked, ours)}


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))


@pytest.mark.parametrize("name", list(hosts.HOSTS))
def test_what_was_installed_into_an_empty_home_comes_out_again(
    name: str, asked: Asked, ours: Path, own_home: Path
) -> None:
    before = files(own_home), folders(own_home)
    install(name, asked, ours)
    assert files(own_home) != before[0]
    assert not plans.plan(hosts.HOSTS[name], asked, record.load(ours, name, asked)).changes, "a second time: nothing"
    uninstall(name, asked, ours)
    assert (files(own_home), folders(own_home)) == before
    assert record.load(ours, name, asked) is None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_f67_settings_of_a_person_are_kept_byte_for_byte(
    asked: Asked, ours: Path, own_home: Path, newline: str, mark: str
) -> None:
    put(own_home / ".claude" / "settings.json", mark + SETTINGS.replace("\n", newline))
    put(own_home / ".claude.json", STATE)
    before = files(own_home)
    install("claude-code", asked, ours)
    after = files(own_home)
    settings = after[".claude/settings.json"].decode("utf-8")
    assert settings.startswith(mark + "{") and "// mine" in settings and '"model": "opus"' in settings
    assert '"autoMemoryEnabled": true' in settings, "the host's own memory is not switched off"
    assert settings.count("say done") == 1
    assert json.loads(after[".claude.json"])["mcpServers"]["scrubjay"]["args"] == ["mcp"]
    uninstall("claude-code", asked, ours)
    assert files(own_home) == before


def test_hk1_hk3_every_event_has_a_handler_in_exec_form(asked: Asked, ours: Path, own_home: Path) -> None:
    install("claude-code", asked, ours)
    settings = json.loads((own_home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert list(settings["hooks"]) == list(hosts.EVENTS)
    for event, [group] in settings["hooks"].items():
        [handler] = group["hooks"]
        assert (handler["type"], handler["command"], handler["args"]) == ("command", "/opt/scrubjay", ["hook", event])
        assert 0 < handler["timeout"] <= 30


def test_what_somebody_changed_since_is_kept_and_ours_goes(asked: Asked, ours: Path, own_home: Path) -> None:
    put(own_home / ".claude" / "settings.json", SETTINGS)
    put(own_home / ".claude.json", STATE)
    install("claude-code", asked, ours)
    state = own_home / ".claude.json"
    put(state, state.read_text(encoding="utf-8").replace('"numStartups":3', '"numStartups":4'))
    settings = own_home / ".claude" / "settings.json"
    put(settings, settings.read_text(encoding="utf-8").replace('"opus"', '"sonnet"'))
    how = uninstall("claude-code", asked, ours)
    assert (how[".claude.json"], how["settings.json"]) == ("cleaned", "cleaned")
    assert state.read_text(encoding="utf-8") == STATE.replace('"numStartups":3', '"numStartups":4')
    assert settings.read_text(encoding="utf-8") == SETTINGS.replace('"opus"', '"sonnet"')


def test_a_skill_that_was_edited_and_one_of_the_persons_own_stay(asked: Asked, ours: Path, own_home: Path) -> None:
    own = own_home / ".claude" / "skills" / "learn" / "SKILL.md"
    put(own, "my own learn\n")
    plan = install("claude-code", asked, ours)
    assert own.read_text(encoding="utf-8") == "my own learn\n"
    assert any("/learn" in sentence for sentence in plan.left)
    recall = own_home / ".claude" / "skills" / "recall" / "SKILL.md"
    put(recall, recall.read_text(encoding="utf-8") + "\nand more of mine\n")
    uninstall("claude-code", asked, ours)
    assert "and more of mine" in recall.read_text(encoding="utf-8")
    assert own.read_text(encoding="utf-8") == "my own learn\n"


def test_what_was_wired_by_hand_is_left(asked: Asked, ours: Path, own_home: Path) -> None:
    by_hand = '{"mcpServers": {"scrubjay": {"command": "scrubjay", "args": ["mcp", "--vault", "x"]}}}'
    put(own_home / ".gemini" / "settings.json", by_hand)
    plan = plans.plan(hosts.HOSTS["gemini"], asked, None)
    assert not plan.changes and "left as it is" in plan.left[0]


def test_an_upgrade_replaces_our_entries_and_still_knows_what_was_before(
    asked: Asked, ours: Path, own_home: Path
) -> None:
    put(own_home / ".claude" / "settings.json", SETTINGS)
    before = files(own_home)
    install("claude-code", asked, ours)
    newer = Asked(scope="user", project=asked.project, command=("/new/scrubjay",), environ=asked.environ)
    install("claude-code", newer, ours)
    text = (own_home / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert "/opt/scrubjay" not in text and text.count("/new/scrubjay") == len(hosts.EVENTS)
    uninstall("claude-code", newer, ours)
    assert files(own_home) == before
    assert not (own_home / ".claude" / "skills").exists()


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        (".claude/settings.json", '{\n  "hooks": {\n', 2),
        (".claude/settings.json", '{"hooks": []}', 1),
        (".claude/settings.json", "<<<<<<< HEAD\n{}\n", 1),
        (".claude.json", '{"mcpServers": 3}', 1),
    ],
)
def test_f31_settings_that_cannot_be_read_stop_everything(
    asked: Asked, ours: Path, own_home: Path, file: str, text: str, line: int
) -> None:
    put(own_home / file, text)
    before = files(own_home)
    with pytest.raises(BadInput, match=rf"{own_home / file}, line \d+: .*nothing was written"):
        install("claude-code", asked, ours)
    assert files(own_home) == before
    assert line > 0


def test_settings_that_are_not_utf8_are_left_alone(asked: Asked, ours: Path, own_home: Path) -> None:
    put(own_home / ".gemini" / "settings.json", "")
    (own_home / ".gemini" / "settings.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(BadInput, match="line 1: is not UTF-8"):
        install("gemini", asked, ours)


def test_a_codex_table_goes_to_the_end_and_out_again(asked: Asked, ours: Path, own_home: Path) -> None:
    config = own_home / ".codex" / "config.toml"
    put(config, CODEX)
    install("codex", asked, ours)
    text = config.read_text(encoding="utf-8")
    assert text.startswith(CODEX)
    assert tomllib.loads(text)["mcp_servers"]["scrubjay"] == {"command": "/opt/scrubjay", "args": ["mcp"]}
    put(config, text + '\n[profile]\nname = "x"\n')
    assert uninstall("codex", asked, ours) == {"config.toml": "cleaned"}
    assert tomllib.loads(config.read_text(encoding="utf-8")) == {**tomllib.loads(CODEX), "profile": {"name": "x"}}


def test_a_codex_file_that_takes_no_table_is_refused(asked: Asked, ours: Path, own_home: Path) -> None:
    put(own_home / ".codex" / "config.toml", 'mcp_servers = { other = { command = "x" } }\n')
    with pytest.raises(BadInput, match="does not take a table"):
        install("codex", asked, ours)
    put(own_home / ".codex" / "config.toml", "a = [\n")
    with pytest.raises(BadInput, match="is not TOML"):
        install("codex", asked, ours)


def test_comments_of_opencode_are_kept(asked: Asked, ours: Path, own_home: Path) -> None:
    config = own_home / ".config" / "opencode" / "opencode.jsonc"
    text = '{\n  // theme\n  "theme": "x",\n  "mcp": {\n    "a": { "type": "local", "command": ["a"], },\n  },\n}\n'
    put(config, text)
    install("opencode", asked, ours)
    assert "// theme" in config.read_text(encoding="utf-8")
    uninstall("opencode", asked, ours)
    assert config.read_text(encoding="utf-8") == text


def test_a_link_of_a_dotfile_manager_stays_a_link(asked: Asked, ours: Path, own_home: Path) -> None:
    real = own_home / "dotfiles" / "claude.json"
    put(real, SETTINGS)
    link = own_home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    install("claude-code", asked, ours)
    assert link.is_symlink() and "/opt/scrubjay" in real.read_text(encoding="utf-8")
    uninstall("claude-code", asked, ours)
    assert link.is_symlink() and real.read_text(encoding="utf-8") == SETTINGS


def test_f112_a_link_of_a_hostile_project_leads_nowhere(ours: Path, own_home: Path, tmp_path: Path) -> None:
    project = tmp_path / "clone"
    (project / ".claude").mkdir(parents=True)
    put(own_home / "secret.json", "{}")
    (project / ".claude" / "settings.json").symlink_to(own_home / "secret.json")
    here = Asked(scope="project", project=project, command=("/opt/scrubjay",), environ={"HOME": str(own_home)})
    with pytest.raises(Refused, match="not yours to change here"):
        install("claude-code", here, ours)
    assert (own_home / "secret.json").read_text(encoding="utf-8") == "{}"


def test_a_host_that_writes_meanwhile_is_not_overwritten(asked: Asked, ours: Path, own_home: Path) -> None:
    put(own_home / ".claude.json", STATE)
    put(own_home / ".claude" / "settings.json", SETTINGS)
    before = files(own_home)
    plan = plans.plan(hosts.HOSTS["claude-code"], asked, None)
    put(own_home / ".claude" / "settings.json", SETTINGS + "\n")
    with pytest.raises(Conflict):
        carrying.install(plan, ours)
    assert files(own_home) == before | {".claude/settings.json": (SETTINGS + "\n").encode()}
    assert record.load(ours, "claude-code", asked) is None


def test_switching_the_hosts_memory_off_is_asked_for_shown_and_taken_back(
    asked: Asked, ours: Path, own_home: Path
) -> None:
    off = Asked(scope="user", project=asked.project, command=asked.command, environ=asked.environ, own_memory="off")
    plan = install("claude-code", off, ours)
    assert any(entry.what == "the host's own memory, off" for change in plan.changes for entry, _ in change.entries)
    settings = own_home / ".claude" / "settings.json"
    assert json.loads(settings.read_text(encoding="utf-8"))["autoMemoryEnabled"] is False
    uninstall("claude-code", off, ours)
    assert not settings.exists()


def test_claude_config_dir_is_obeyed(ours: Path, own_home: Path, tmp_path: Path) -> None:
    environ = {"HOME": str(own_home), "CLAUDE_CONFIG_DIR": str(tmp_path / "cc")}
    asked = Asked(scope="user", project=tmp_path, command=("/opt/scrubjay",), environ=environ)
    install("claude-code", asked, ours)
    assert sorted(files(tmp_path / "cc")) == [
        ".claude.json",
        "settings.json",
        "skills/learn/SKILL.md",
        "skills/recall/SKILL.md",
    ]
    assert files(own_home) == {}


def test_records_are_private_and_a_damaged_one_is_named(asked: Asked, ours: Path) -> None:
    install("gemini", asked, ours)
    place = record.folder(ours)
    assert all(os.stat(file).st_mode & 0o077 == 0 for file in place.iterdir())
    (place / "gemini-user.json").write_text("{", encoding="utf-8")
    with pytest.raises(Exception, match="is damaged"):
        record.load(ours, "gemini", asked)
    assert record.all_of(ours) == []


def test_the_commands_show_ask_and_report(jay: Jay, own_home: Path) -> None:
    shown = jay("install", "cursor", "--dry-run")
    assert ".cursor/mcp.json" in shown.out and "+" in shown.out
    assert not (own_home / ".cursor").exists()
    refused = jay("install", "cursor")
    assert refused.code == Refused.exit_code and "--yes" in refused.err
    assert jay("install", "cursor", "--yes").code == 0
    assert "nothing had to change" in jay("install", "cursor", "--yes").out
    answer = jay("uninstall", "cursor", "--yes", "--json").json
    assert [one["how"] for one in answer["files"]] == ["removed"]
    assert jay("uninstall", "cursor", "--yes").code == NotFound.exit_code
