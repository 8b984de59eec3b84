"""The artifacts of a finished task (SM-14, SM-15)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from scrubjay.errors import NotFound
from scrubjay.operations.learn.files import SKIPPED_FOLDERS

TASK_NOT_FOUND = "Task directory not found: specs/{number:03d}_*"
NO_ARTIFACTS = "No artifacts found for task {number}"

SPECS = "specs"


def find(cwd: Path, number: int) -> Path:
    """The folder of task ``number`` below the nearest ``specs/`` of ``cwd`` or the folders above it, up to the root of
    the repository.

    Looked for in this order: ``NNN_*``, ``N_*``, ``OC_N_*``, ``archive/NNN_*``, ``archive/N_*``; the first in the order
    of names. Raises ``NotFound``. Links are not followed.
    """
    for specs in _specs(cwd):
        for below, start in (
            ("", f"{number:03d}_"),
            ("", f"{number}_"),
            ("", f"OC_{number}_"),
            ("archive", f"{number:03d}_"),
            ("archive", f"{number}_"),
        ):
            for name in _folders(specs / below):
                if name.startswith(start):
                    return specs / below / name
    raise NotFound(TASK_NOT_FOUND.format(number=number))


def artifacts(folder: Path, number: int) -> list[str]:
    """The Markdown files below a task's folder, sorted, relative to it. Raises ``NotFound`` without any."""
    found = sorted(_markdown(folder, ""))
    if not found:
        raise NotFound(NO_ARTIFACTS.format(number=number))
    return found


def _specs(cwd: Path) -> Iterator[Path]:
    for place in (cwd, *cwd.parents):
        specs = place / SPECS
        if specs.is_dir() and not specs.is_symlink():
            yield specs
            return
        if (place / ".git").exists():
            return


def _folders(place: Path) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _markdown(folder: Path, prefix: str) -> Iterator[str]:
    """Links are among them: reading one names it as skipped."""
    try:
        with os.scandir(folder / prefix) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED_FOLDERS:
                yield from _markdown(folder, f"{prefix}{entry.name}/")
        elif entry.name.lower().endswith(".md"):
            yield f"{prefix}{entry.name}"
