"""SQL in files: ``sql("search", "rows")`` is the block ``-- name: rows`` of ``search.sql`` (style §8)."""

from __future__ import annotations

import os
from functools import cache

_NAME = "-- name: "


def sql(file: str, name: str) -> str:
    """One named statement (or script) of ``<file>.sql``, without its comments' first line."""
    return blocks(file)[name]


@cache
def source(file: str) -> str:
    """The whole text of ``<file>.sql``."""
    # Not through importlib.resources: loading that costs a hook more than reading the file.
    with open(os.path.join(os.path.dirname(__file__), f"{file}.sql"), encoding="utf-8") as stream:
        return stream.read()


@cache
def blocks(file: str) -> dict[str, str]:
    """All statements of ``<file>.sql`` by name; the sentence under each name stays in the file."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in source(file).splitlines():
        if line.startswith(_NAME):
            lines = found[line.removeprefix(_NAME).strip()] = []
        elif not line.startswith("--"):
            lines.append(line)
    return {name: "\n".join(body).strip().removesuffix(";") for name, body in found.items()}
