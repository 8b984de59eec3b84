"""A memory and its language model: configured or not, in use or not, and what `status` and `doctor` say of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrubjay import Memory
from scrubjay.config import LlmSettings
from scrubjay.errors import BadSetting, Unavailable
from scrubjay.interfaces.cli import run
from scrubjay.models.llm.access import Access
from scrubjay.models.llm.prompts import Prompt

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
PROMPT = Prompt(name="try", version=1, purpose="to try it", text="Answer.\n")


@pytest.fixture
def answer() -> Any:
    from pydantic import BaseModel

    class Sum(BaseModel):
        """An answer."""

        total: int

    return Sum


@pytest.fixture
def settings(server: Any, wire: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Settings with which a memory asks the scripted server."""
    monkeypatch.setenv("SCRIPTED_KEY", wire.key)
    return {"llm.model": "openai:s", "llm.endpoint": f"{server.url}/v1", "llm.api_key_env": "SCRIPTED_KEY"}


def access(tmp_path: Path, **settings: Any) -> Access:
    return Access(LlmSettings(**settings), {}, tmp_path / "state")


def test_without_configuration_everybody_works_as_before_and_nothing_is_created(tmp_path: Path) -> None:
    without = access(tmp_path)
    rules: Any = object()
    assert (without.extractor(rules), without.summarizer(rules), without.judge(rules)) == (rules, rules, rules)
    assert without.usage().state == "none"
    assert not without.try_again()
    without.close()
    assert not (tmp_path / "state").exists()


def test_a_configured_model_stands_in_front(tmp_path: Path) -> None:
    rules: Any = object()
    configured = access(tmp_path, model="ollama:m")
    assert configured.extractor(rules).name == "ollama:m extract/1"
    assert configured.summarizer(rules).name == "ollama:m summarise/1"
    assert configured.judge(rules).name == "ollama:m compare/1"
    assert configured.usage().state == "ready"
    assert access(tmp_path, model="ollama:m", enabled=False).usage().state == "off"


def test_a_memory_that_was_closed_asks_nobody(tmp_path: Path, answer: Any) -> None:
    configured = access(tmp_path, model="ollama:m")
    configured.close()
    assert configured.model is not None
    with pytest.raises(Unavailable, match="closed"):
        configured.model.ask(PROMPT, "text", answer)


def test_a_bad_setting_is_said_when_a_memory_is_opened(open_memory: Callable[..., Memory]) -> None:
    with pytest.raises(BadSetting, match=r"llm\.prices"):
        open_memory(settings={"llm.model": "ollama:m", "llm.prices": {"inn": 1.0}})


def test_opening_a_memory_asks_nobody_and_loads_no_library(open_memory, settings, server) -> None:
    usage = open_memory(settings=settings).usage()
    assert (usage.model, usage.state, usage.today.calls) == ("openai:s", "ready", 0)
    assert server.received == []


def test_numbers_are_shared_by_all_memories_of_a_home(open_memory, settings, server, wire, answer, tmp_path) -> None:
    server.says(wire.answers({"total": 5}))
    one = open_memory(settings=settings)
    one._access.model.ask(PROMPT, "text", answer)
    other = open_memory(tmp_path / "another", settings={**settings, "llm.calls_per_day": 1})
    usage = other.usage()
    assert (usage.today.calls, usage.today.tokens, usage.state) == (1, 150, "capped")
    with pytest.raises(Unavailable, match="1 calls"):
        other._access.model.ask(PROMPT, "text", answer)


def test_a_refused_key_shows_in_doctor_and_can_be_tried_again(open_memory, settings, server, wire, answer) -> None:
    """F58: it stops, it is seen, and the hint that says how to go on works."""
    server.says(wire.fails(401), wire.answers({"total": 5}))
    memory = open_memory(settings=settings)
    with pytest.raises(Unavailable) as caught:
        memory._access.model.ask(PROMPT, "text", answer)
    assert "doctor --repair" in caught.value.hint
    assert memory.usage().state == "stopped"
    (finding,) = [one for one in memory.doctor() if one.scope == "language model"]
    assert (finding.severity, finding.repaired) == ("warning", False)
    (finding,) = [one for one in memory.doctor(repair=True) if one.scope == "language model"]
    assert finding.repaired
    assert memory._access.model.ask(PROMPT, "text", answer).total == 5
    assert [one for one in memory.doctor() if one.scope == "language model"] == []


def test_a_ledger_that_cannot_be_read_breaks_no_status(open_memory, settings, own_home) -> None:
    memory = open_memory(settings=settings)
    day = memory.usage().today.day
    ledger = own_home / ".scrubjay" / "state" / "llm" / f"{day.isoformat()}.jsonl"
    ledger.mkdir(parents=True)
    usage = memory.usage()
    assert usage.state == "unusable"
    assert "ledger" in usage.reason


def status(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["status", *arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture
def at_home(own_home: Path, tmp_path: Path, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose settings name the scripted server."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{name.removeprefix('llm.')} = {json.dumps(value)}" for name, value in settings.items()]
    folder = own_home / ".scrubjay"
    folder.mkdir()
    text = '[models]\nembedder = "none"\n\n[llm]\nprices = { input = 1000.0, output = 0.0 }\n' + "\n".join(lines)
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return folder


def test_status_shows_todays_numbers_and_the_caps(at_home, capsys, server, wire, answer) -> None:
    server.says(wire.answers("{"), wire.answers({"total": 5}), wire.fails(403))
    with Memory.open() as memory:
        memory._access.model.ask(PROMPT, "text", answer)
        with pytest.raises(Unavailable):
            memory._access.model.ask(PROMPT, "text", answer)
    shown = status(capsys)
    assert "language model  openai:s" in shown
    assert "stopped, rules do its work: The language model openai:s refused access (403)." in shown
    assert "3 calls of 1,000, 300 tokens of 2,000,000, $0.24 of $2.00" in shown
    assert "try 3" in shown
    assert "answered 1, denied 1, invalid 1" in shown
    assert wire.key not in shown
    told = json.loads(status(capsys, "--json"))["language_model"]
    assert (told["state"], told["today"]["calls"], told["caps"]["calls"]) == ("stopped", 3, 1000)
    assert told["today"]["outcomes"] == {"answered": 1, "denied": 1, "invalid": 1}


def test_status_without_a_model_says_nothing_of_one(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUBJAY_MODELS_EMBEDDER", "none")
    assert "language model" not in status(capsys)
    assert json.loads(status(capsys, "--json"))["language_model"]["state"] == "none"


def test_status_says_how_to_install_what_is_missing(at_home, capsys, monkeypatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "pydantic_ai" else find(name, *rest)
    )
    shown = status(capsys)
    assert "unusable" in shown
    assert 'pip install "scrubjay[llm]"' in shown


def test_ingest_and_extract_say_when_rules_did_the_work(at_home, tmp_path, capsys, server, wire) -> None:
    server.says(wire.fails(403))
    chat = [
        {
            "session": "s",
            "id": "1",
            "role": "user",
            "text": "Remember that I prefer tea.",
            "at": "2026-05-31T14:00:00Z",
        },
        {"session": "s", "id": "2", "role": "assistant", "text": "Noted.", "at": "2026-05-31T14:00:05Z"},
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in chat), encoding="utf-8")
    assert run(["ingest", "chat.jsonl"]) == 0
    said = capsys.readouterr().err
    assert "Warning: The language model openai:s refused access (403)." in said
    assert "doctor --repair" in said
    assert run(["extract", "--again"]) == 0
    assert "Warning: The language model openai:s refused access (403)." in capsys.readouterr().err
    assert len(server.received) == 1
    assert run(["facts"]) == 0
    assert "tea" in capsys.readouterr().out
