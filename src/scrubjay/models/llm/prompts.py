"""Our own prompts: Markdown files with a name, a version and a purpose, in ``models/prompts``.

A version is raised whenever the text changes: what an answer was made with is written down beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "prompts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Instructions for a model: ``text``, under a ``name`` and a ``version``; ``purpose`` says what for, to people."""

    name: str
    version: int
    purpose: str
    text: str

    @property
    def id(self) -> str:
        """Name and version, such as ``extract/1``."""
        return f"{self.name}/{self.version}"


@cache
def prompt(name: str) -> Prompt:
    """The prompt in ``models/prompts/<name>.md``."""
    _, head, text = (FOLDER / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())
    return Prompt(
        name=fields["name"], version=int(fields["version"]), purpose=fields["purpose"], text=text.strip() + "\n"
    )
