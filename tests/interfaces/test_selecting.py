"""``scrubjay notebook select`` as users type it (CC-S3, CC-S4, CC-F5)."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.interfaces.cli import run
from scrubjay.vaults.identity import claude_key

WITHOUT_MODELS = ("SCRUBJAY_MODELS_EMBEDDER", "SCRUBJAY_MODELS_RERANKER")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose agent keeps a notebook."""
    root = tmp_path / "work"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "app.py").write_text("def start(): ...\n", encoding="utf-8")
    folder = tmp_path / "claude" / "projects" / claude_key(str(root.resolve())) / "memory"
    folder.mkdir(parents=True)
    for name in WITHOUT_MODELS:
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(root)
    put(folder, "kettle", "When to descale the kettle", "Vinegar in March. See `app.py`, `lib/gone.py`.", days=40)
    put(folder, "kettle_manual", "How the kettle is switched on", "Press the button.", type="reference")
    put(folder, "tokens", "Where the tokens of the machine are", "In the drawer.\n" + "More words here. " * 900)
    return root


def put(folder: Path, name: str, description: str, body: str, *, type: str = "project", days: int = 0) -> None:
    place = folder / f"{name}.md"
    text = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {type}\n---\n{body}\n"
    place.write_text(text, encoding="utf-8")
    moment = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    os.utime(place, (moment, moment))


def test_the_block_is_printed_with_age_and_standing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["notebook", "select", "when to descale the kettle"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("<memory-context>") and shown.rstrip().endswith("</memory-context>")
    assert "kettle.md, written 40 days ago) [FRESH: 1 of the 2 things it names were found]" in shown
    assert "Vinegar in March." in shown


def test_json_has_everything(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["notebook", "select", "when to descale the kettle", "--limit", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (memo,) = found["memories"]
    assert (memo["filename"], memo["age_days"], memo["standing"]) == ("kettle.md", 40, "FRESH")
    assert Path(memo["path"]).name == "kettle.md" and memo["mtime_ms"] > 0
    assert {"kind": "file", "text": "app.py", "standing": "FRESH", "now": ""} in memo["claims"]
    assert found["text"].startswith("<memory-context>") and found["left"] == []


def test_cc_s3_what_was_surfaced_and_manuals_of_tools_in_use_are_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--surfaced", "kettle.md", "--tool", "kettle"]
    assert run(["notebook", "select", "how is the kettle switched on", "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["memories"] == [] and found["reason"] == "Nothing in the notebook bears on the question."


def test_f73_nothing_bears_on_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["notebook", "select", "penguins on mars"]) == 0
    assert capsys.readouterr().out == "Nothing in the notebook bears on the question.\n"


def test_a_long_memory_is_cut_to_the_budget(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["notebook", "select", "where are the tokens of the machine", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["memories"][0]["text"]) > 10_000
    assert len(found["text"]) < 8_000 and "…" in found["text"] and "In the drawer." in found["text"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["select"], "needs a question"),
        (["list", "--limit", "3"], "--limit is for `notebook select`"),
        (["check", "--tool", "Bash"], "--tool is for `notebook select`"),
        (["select", "q", "--mend"], "--mend is for `notebook check`"),
        (["select", "q", "--flat"], "--flat is for `notebook save`"),
        (["select", "q", "more"], "What is 'more' for?"),
    ],
)
def test_options_of_other_actions_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(["notebook", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_setting_puts_the_language_model_in_front(project: Path, tmp_path: Path) -> None:
    off = {"models.embedder": "none", "models.reranker": "none", "notebook.selector": "model"}
    with Memory.open(home=tmp_path / "home", settings=off, background=False) as memory:  # none is configured
        found = memory.select("when to descale the kettle")
        assert [memo.selected.filename for memo in found.memories][:1] == ["kettle.md"]
