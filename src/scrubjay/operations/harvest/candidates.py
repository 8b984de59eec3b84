"""Candidates for memory in the files of tasks (SM-38): found, read with limits, and made harmless.

Whoever writes these files may be an agent that was talked into it. So files are regular, below ``specs/``, and of a
bounded size and number; fields have their types; secrets are taken out before anything is proposed (SEC-2).
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.learn import tasks
from scrubjay.operations.learn.files import printable
from scrubjay.operations.redaction import Redaction
from scrubjay.proposals import Skipped
from scrubjay.text import secrets
from scrubjay.types import Redacted
from scrubjay.vaults.paths import open_beneath

META = ".return-meta.json"
STATE = "state.json"

MOST_BYTES = 8 * 1024 * 1024
MOST_CANDIDATES = 200
MOST_FOLDERS = 2_000
DEEPEST = 12
LONGEST = 8_000
"""Characters of one candidate; SM-38 asks for about 300 tokens."""

MOST_KEYWORDS = 8

_CATEGORY = re.compile(r"[^\W_][\w-]{0,39}")
_TASK_FOLDER = re.compile(r"(?:OC_)?(\d{1,6})_", re.ASCII)
_UNSEEN = frozenset({"Cc", "Cf"})
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners are part of letters and emoji
_KEYWORD = 60
_ARTIFACT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that an agent thought worth keeping (SM-38). ``task`` is its number, ``artifact`` what it came from,
    ``found`` the file that it stood in."""

    content: str
    category: str
    confidence: float
    keywords: tuple[str, ...]
    artifact: str
    task: str
    found: str
    redacted: tuple[Redacted, ...] = ()


@dataclass(slots=True)
class Candidates:
    """What the files hold: ``all`` in order, each text of a task once, and what could not be used."""

    root: Path
    all: list[Candidate] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def find(cwd: Path, task: int | None) -> Candidates:
    """The candidates of ``task``, of all tasks without one: those of the tasks' folders, then those of the project's
    state. Raises ``NotFound`` without a folder ``specs/`` at ``cwd`` or above it in the repository, and for a task that
    neither has a folder nor stands in the state."""
    specs = _specs(cwd)
    found = Candidates(specs.parent)
    projects, unread = _projects(specs, found.root)
    folders = _task_folders(specs, found) if task is None else _task_folder(cwd, task, projects)
    listed = list(_of_folders(folders, found))
    found.skipped += unread
    listed += _of_state(specs, task, projects, found)
    seen: set[tuple[str, str]] = set()
    more = 0
    for candidate in listed:
        key = candidate.task, " ".join(candidate.content.split())
        if key in seen:
            continue
        seen.add(key)
        if len(found.all) < MOST_CANDIDATES:
            found.all.append(candidate)
        else:
            more += 1
    if more:
        found.notices.append(f"{more} more candidates were not looked at; decide these {MOST_CANDIDATES} first.")
    return found


def _specs(cwd: Path) -> Path:
    for place in (cwd, *cwd.parents):
        specs = place / tasks.SPECS
        if specs.is_dir() and not specs.is_symlink():
            return specs
        if (place / ".git").exists():
            break
    raise NotFound("There is no specs/ folder here.", hint="Run it in a project whose tasks lie below specs/.")


def _of_folders(folders: list[Path], found: Candidates) -> Iterator[Candidate]:
    for folder in folders:
        for path in _metas(folder, found):
            shown = path.relative_to(found.root).as_posix()
            value = _load(found, shown)
            if isinstance(value, Mapping):
                yield from _read(value.get("memory_candidates"), shown, _number(folder.name), found)


def _projects(specs: Path, root: Path) -> tuple[list[tuple[str, object]], list[Skipped]]:
    """The tasks in the project's state by number, with what it holds as their candidates; and why it cannot be read."""
    if not os.path.lexists(specs / STATE):
        return [], []
    state = Candidates(root)
    value = _load(state, f"{specs.name}/{STATE}")
    projects = value.get("active_projects") if isinstance(value, Mapping) else None
    listed = [one for one in projects if isinstance(one, Mapping)] if isinstance(projects, list) else []
    return [(_project_number(one), one.get("memory_candidates")) for one in listed], state.skipped


def _of_state(
    specs: Path, task: int | None, projects: list[tuple[str, object]], found: Candidates
) -> Iterator[Candidate]:
    for number, values in projects:
        if task is None or number == str(task):
            yield from _read(values, f"{specs.name}/{STATE}", number, found)


def _project_number(project: Mapping[str, object]) -> str:
    """The task's number without leading zeros; empty when there is none."""
    values = (project.get(name) for name in ("project_number", "number", "id"))
    text = next((str(value) for value in values if isinstance(value, int | str) and not isinstance(value, bool)), "")
    return str(int(text)) if text.isascii() and text.isdigit() and len(text) <= 6 else ""


def _task_folder(cwd: Path, task: int, projects: list[tuple[str, object]]) -> list[Path]:
    try:
        return [tasks.find(cwd, task)]
    except NotFound:
        if any(number == str(task) for number, _ in projects):  # a task whose folder is gone
            return []
        raise


def _task_folders(specs: Path, found: Candidates) -> list[Path]:
    _, folders = _inside(specs, found)
    return [specs / name for name in folders if _number(name)]


def _number(name: str) -> str:
    match = _TASK_FOLDER.match(name)
    return str(int(match.group(1))) if match else ""


def _metas(folder: Path, found: Candidates) -> Iterator[Path]:
    """The files of that name at and below ``folder``, in order; links and hidden folders are not followed."""
    waiting = [(folder, 0)]
    seen = 0
    while waiting and seen < MOST_FOLDERS:
        place, depth = waiting.pop()
        seen += 1
        names, below = _inside(place, found)
        if META in names:
            yield place / META
        if depth < DEEPEST:
            waiting += [(place / name, depth + 1) for name in reversed(below)]
    if waiting:
        shown = printable(folder.name)
        found.notices.append(f"{shown} has more than {MOST_FOLDERS} folders; the rest was not looked at.")


def _inside(place: Path, found: Candidates) -> tuple[set[str], list[str]]:
    """The names in a folder, and those of its folders in order."""
    try:
        with os.scandir(place) as entries:
            inside = list(entries)
    except OSError as error:
        reason = f"Cannot be read: {error.strerror or type(error).__name__}."
        found.skipped.append(Skipped(path=printable(place.name), reason=reason))
        return set(), []
    folders = (entry.name for entry in inside if entry.is_dir(follow_symlinks=False))
    return {entry.name for entry in inside}, sorted(name for name in folders if not name.startswith("."))


def _load(found: Candidates, path: str) -> Any:
    try:
        with os.fdopen(open_beneath(found.root, path, os.O_RDONLY), "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError("it is larger than 8 MB")
        return json.loads(data.decode("utf-8-sig"))
    except (ScrubjayError, OSError, ValueError, RecursionError) as error:
        reason = printable(" ".join(str(error).split())[:160])
        found.skipped.append(Skipped(path=printable(path), reason=f"Cannot be read: {reason}"))
        return None


def _read(values: object, shown: str, task: str, found: Candidates) -> Iterator[Candidate]:
    for number, value in enumerate(values[:MOST_CANDIDATES] if isinstance(values, list) else (), 1):
        try:
            yield _candidate(value, shown, task)
        except ValueError as error:
            found.skipped.append(Skipped(path=printable(shown), reason=f"Candidate {number} cannot be used: {error}"))


def _candidate(value: object, shown: str, task: str) -> Candidate:
    """The candidate that ``value`` is. Raises ``ValueError`` with what is wrong."""
    if not isinstance(value, Mapping):
        raise ValueError("it is no object.")
    content = _text(value.get("content"), lines=True)
    if not content:
        raise ValueError("it has no content.")
    if len(content) > LONGEST:
        raise ValueError(f"its content is longer than {LONGEST:,} characters.")
    category = _CATEGORY.match(_text(value.get("category")).strip("[] "))
    redaction = Redaction()
    content = redaction.text(content, f"task {task} content")
    return Candidate(
        content=content,
        category=category.group().upper() if category else "",
        confidence=_confidence(value.get("confidence")),
        keywords=_keywords(value.get("suggested_keywords")),
        artifact=_text(value.get("source_artifact"))[:_ARTIFACT] or printable(shown),
        task=task,
        found=printable(shown),
        redacted=tuple(redaction.found),
    )


def _confidence(value: object) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if not 0 <= number <= 1:
        raise ValueError("its confidence is no number from 0 to 1.")
    return float(number)


def _keywords(value: object) -> tuple[str, ...]:
    """A list of texts, or one text with commas; each once, short, and no secret."""
    words = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    found = (_text(word)[:_KEYWORD] for word in words[: 4 * MOST_KEYWORDS])
    unique = {word.casefold(): word for word in reversed([word for word in found if word and not secrets.scan(word)])}
    return tuple(reversed(unique.values()))[:MOST_KEYWORDS]


def _text(value: object, *, lines: bool = False) -> str:
    """``value`` as text that can be stored and shown: no lone surrogates, no control or direction characters; in one
    line unless ``lines``."""
    if not isinstance(value, str):
        return ""
    text = value[: 4 * LONGEST].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(
        letter for letter in text if letter in "\n\t\u200c\u200d" or unicodedata.category(letter) not in _UNSEEN
    )
    return kept.strip() if lines else " ".join(kept.split())
