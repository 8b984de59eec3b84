"""A command line to type into: in this process, without a model, in an empty folder."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from scrubjay.interfaces.cli import run


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def shown(self) -> str:
        """stdout with what differs from run to run replaced by its name."""
        text = re.sub(r"file  /\S+?/\.scrubjay/", "file  HOME/", self.out)
        text = re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID", text)
        return re.sub(r"\b20[2-9]\d-\d\d-\d\d( \d\d:\d\d)?", "DATE", text)


class Jay(Protocol):
    def __call__(self, *args: str, stdin: bytes = b"") -> Done: ...


@pytest.fixture
def jay(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Jay:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "SCRUBJAY_MODELS_EMBEDDER": "none",
        "SCRUBJAY_MODELS_RERANKER": "none",
        "COLUMNS": "80",
        "TZ": "UTC",
    }.items():
        monkeypatch.setenv(name, value)
    if hasattr(time, "tzset"):
        time.tzset()

    def call(*args: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = run(args)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call
