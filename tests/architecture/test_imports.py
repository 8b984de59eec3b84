"""Importing does nothing, and small commands load nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in (SOURCE / "scrubjay").rglob("*.py")
)

# Each costs a command more than it may take to print its help (design §8).
HEAVY = frozenset(
    """
    anthropic anyio apsw asyncio charset_normalizer google.genai httpx2 logging.config markdown_it multiprocessing numpy
    onnxruntime openai pydantic pydantic_ai rich sqlite3 sqlite_vec ssl Stemmer tokenizers tree_sitter urllib.request
    watchfiles yaml
    """.split()
)

WATCHED = """
import importlib, json, logging, os, sys, threading

home, modules = sys.argv[1], json.loads(sys.argv[2])
found, current = [], ""

def watch(event, args):
    if event == "open":
        path, mode, flags = args
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND)
        reads_settings = str(path).endswith(("config.toml", "config.local.toml", ".env"))
        if (writes and path != os.devnull) or reads_settings or str(path).startswith(home):
            found.append([current, event, str(path)])
    elif event.startswith(("socket.", "subprocess.", "os.mkdir", "os.remove", "os.rename", "os.exec", "os.fork",
                           "shutil.", "tempfile.", "sqlite3.", "urllib.")):
        found.append([current, event, repr(args)[:200]])

sys.addaudithook(watch)
environment = dict(os.environ)
for current in modules:
    importlib.import_module(current)
    for what, changed in (
        ("a thread was started", threading.active_count() > 1),
        ("logging was set up", bool(logging.getLogger().handlers or logging.getLogger("scrubjay").handlers)),
        ("the environment was changed", dict(os.environ) != environment),
    ):
        if changed:
            found.append([current, what, ""])
print(json.dumps(found))
"""


def run(code: str, *arguments: str, **variables: str) -> str:
    """What ``code`` prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, encoding="utf-8").stdout


def test_importing_any_module_does_nothing(tmp_path: Path) -> None:
    """No file is written, no setting read, no socket opened, no thread started, nothing looked for in the home."""
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    variables = {"HOME": str(home), "SCRUBJAY_HOME": str(home / "memories"), "XDG_CONFIG_HOME": str(home)}
    assert json.loads(run(WATCHED, str(home), json.dumps(MODULES), **variables)) == []
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("module", ["scrubjay", "scrubjay.types", "scrubjay.config", "scrubjay.interfaces.cli"])
def test_a_light_module_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}") & HEAVY == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["remember", "--help"], ["search", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    call = f"try: main({arguments!r})\nexcept SystemExit as end: assert not end.code"
    assert loaded_by(f"from scrubjay.interfaces.cli import main\n{call}") & HEAVY == set()


def test_a_language_model_that_is_configured_is_loaded_when_it_is_asked(tmp_path: Path) -> None:
    """A hook or a search pays nothing for it (design §8)."""
    settings = '{"llm.model": "openai:m", "models.embedder": "none"}'
    code = f"""
from scrubjay import Memory
with Memory.open({str(tmp_path / "vault")!r}, home={str(tmp_path / "home")!r}, settings={settings}) as memory:
    assert memory.usage().model == "openai:m"
"""
    heavy = {"anthropic", "google.genai", "openai", "pydantic", "pydantic_ai", "httpx2"}
    assert loaded_by(code) & heavy == set()


def loaded_by(code: str) -> set[str]:
    """The modules that ``code`` has loaded when it is through."""
    return set(
        json.loads(run(f"import sys\n{code}\nimport json\nprint(json.dumps(list(sys.modules)))").splitlines()[-1])
    )
