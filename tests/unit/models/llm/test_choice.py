"""Which language model is meant, where it is, with which key, and when it is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scrubjay.config import LlmSettings, Settings
from scrubjay.errors import BadSetting
from scrubjay.models.llm.choice import Choice, choose
from scrubjay.models.llm.holds import Holds

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def chosen(environ: dict[str, str] | None = None, **settings: Any) -> Choice:
    found = choose(LlmSettings(**settings), environ or {})
    assert found is not None
    return found


def test_without_configuration_there_is_none() -> None:
    assert choose(LlmSettings(), {"OPENAI_API_KEY": "k"}) is None
    assert choose(LlmSettings(model="openai:m", enabled=False), {"OPENAI_API_KEY": "k"}) is None


@pytest.mark.parametrize(
    ("model", "endpoint", "address"),
    [
        ("openai:gpt", "", "https://api.openai.com/v1"),
        ("openai:gpt", "http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("anthropic:claude", "", "https://api.anthropic.com"),
        ("google:gemini", "", "https://generativelanguage.googleapis.com"),
        ("ollama:qwen3:8b", "", "http://127.0.0.1:11434/v1"),
        ("ollama:qwen3:8b", "http://box:11434", "http://box:11434/v1"),
        ("ollama:qwen3:8b", "http://box:11434/v1", "http://box:11434/v1"),
    ],
)
def test_addresses(model: str, endpoint: str, address: str) -> None:
    """SEC-5: Ollama is looked for on this machine, and no variable of another library moves an address."""
    assert chosen({"OPENAI_BASE_URL": "http://evil"}, model=model, endpoint=endpoint).endpoint == address


def test_the_key_comes_from_the_usual_variable_or_the_named_one() -> None:
    environ = {"OPENAI_API_KEY": "usual", "MINE": "named"}
    assert chosen(environ, model="openai:m").key == "usual"
    assert chosen(environ, model="openai:m", api_key_env="MINE").key == "named"
    assert "usual" not in repr(chosen(environ, model="openai:m"))


def test_another_server_never_gets_the_usual_key() -> None:
    found = chosen({"OPENAI_API_KEY": "usual"}, model="openai:m", endpoint="http://localhost:1/v1")
    assert (found.key, found.problem) == ("", "")


def test_a_missing_key_is_a_problem_that_is_named() -> None:
    found = chosen(model="anthropic:claude")
    assert "ANTHROPIC_API_KEY" in found.problem
    assert "api_key_env" in found.hint
    assert chosen(model="ollama:m").problem == ""


def test_the_form_of_answers_suits_the_provider_unless_it_is_set() -> None:
    assert chosen(model="ollama:m").form == "schema"
    assert chosen(model="anthropic:m").form == "tools"
    assert chosen(model="ollama:m", answers="prompt").form == "prompt"


@pytest.mark.parametrize("endpoint", ["ftp://x", "http://user:word@host/v1", "http://host/v1?key=k", "http://"])
def test_odd_addresses_are_refused(endpoint: str) -> None:
    with pytest.raises(BadSetting):
        chosen(model="openai:m", endpoint=endpoint)


def test_unknown_prices_are_refused() -> None:
    with pytest.raises(BadSetting, match="in_put"):
        chosen(model="ollama:m", prices={"in_put": 1.0})


@pytest.mark.parametrize("model", ["gpt", "openai:", "mistral:x", "openai:a b", "openai:\x1b[31m"])
def test_a_model_that_cannot_be_meant_is_a_bad_setting(tmp_path: Path, model: str) -> None:
    with pytest.raises(BadSetting, match=r"llm\.model"):
        Settings.load(tmp_path, environ={}, overrides={"llm.model": model})


def test_a_clone_chooses_no_model_and_spends_no_money(tmp_path: Path) -> None:
    """F112: every setting of [llm] needs a trusted source."""
    folder = tmp_path / "project" / ".memory"
    folder.mkdir(parents=True)
    values = {
        "model": '"openai:evil"', "enabled": "true", "endpoint": '"http://evil/v1"', "api_key_env": '"AWS_SECRET"',
        "answers": '"tools"', "timeout": "1.0", "retries": "9", "window": "900000", "calls_per_day": "9",
        "tokens_per_day": "9", "money_per_day": "9.0", "prices": "{ input = 0.0 }",
    }  # fmt: skip
    assert set(values) == set(LlmSettings.__dataclass_fields__)
    text = "[llm]\n" + "\n".join(f"{name} = {value}" for name, value in values.items())
    (folder / "config.toml").write_text(text, encoding="utf-8")
    loaded = Settings.load(tmp_path / "home", tmp_path / "project", environ={})
    assert loaded.llm == LlmSettings()
    assert any("llm." in warning for warning in loaded.warnings)


def holds(folder: Path, fingerprint: str = "f", later: float = 0.0) -> Holds:
    return Holds(folder, fingerprint, now=lambda: NOW + timedelta(seconds=later))


def test_a_hold_is_seen_by_others_until_it_ends(tmp_path: Path) -> None:
    holds(tmp_path).put("It is busy.", hint="Wait.", seconds=60)
    hold = holds(tmp_path, later=59).current()
    assert hold is not None
    assert (hold.reason, hold.hint) == ("It is busy.", "Wait.")
    assert holds(tmp_path, later=61).current() is None


def test_a_refusal_holds_for_ever_but_only_this_configuration(tmp_path: Path) -> None:
    holds(tmp_path).put("No.")
    assert holds(tmp_path, later=1e8).current() is not None
    assert holds(tmp_path, "another key").current() is None
    holds(tmp_path, "another key").put("Nor this.", seconds=5)
    hold = holds(tmp_path, later=1e8).current()
    assert hold is not None
    assert hold.reason == "No."
    holds(tmp_path).clear()
    assert holds(tmp_path).current() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"until": "soon"}', '{"until": 5}', "[" * 5000])
def test_a_file_that_means_nothing_holds_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "hold-f.json").write_text(text, encoding="utf-8")
    assert holds(tmp_path).current() is None
    holds(tmp_path).put("No.")
    assert holds(tmp_path).current() is not None


def test_changing_the_key_changes_the_fingerprint() -> None:
    first = chosen({"OPENAI_API_KEY": "a"}, model="openai:m")
    second = chosen({"OPENAI_API_KEY": "b"}, model="openai:m")
    assert first.fingerprint != second.fingerprint
