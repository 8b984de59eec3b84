"""What agents left for memory in a task's own files, as proposals (SM-38 … SM-40, XC-20). Off unless switched on.

Candidates come from ``.return-meta.json`` beside a task's artifacts and from ``specs/state.json``. Both are foreign
files: they are read with limits and never written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrubjay.errors import NotFound
from scrubjay.ids import new_id
from scrubjay.operations import indices
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.learn import tasks
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, ContentMap, Plan, Proposal, Related, Skipped, Target
from scrubjay.temporal import now
from scrubjay.text.graphemes import cut_before
from scrubjay.text.slug import file_slug
from scrubjay.text.tokens import token_count

META = ".return-meta.json"
STATE = "state.json"
SURE = 0.7
NOOP, UPDATE = 0.9, 0.6
TITLE, ARCHIVED_TITLE = 80, 60

_MOST_BYTES = 8 * 1024 * 1024
_MOST_CANDIDATES = 200
_LONGEST = 8_000  # characters of one candidate
_SENTENCE = re.compile(r"(?<=[.!?…])\s|(?<=[。！？])|\n")
_FIRST_TIER = (("PATTERN", "CONFIG"), 0.8)
_SECOND_TIER = (("WORKFLOW", "TECHNIQUE"), 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that an agent thought worth keeping (SM-38). ``task`` is its number, ``artifact`` where it stands."""

    content: str
    category: str
    confidence: float
    keywords: tuple[str, ...]
    artifact: str
    task: str


def harvest(store: Store, cwd: Path, *, task: int | None = None, archive: bool = False) -> Plan:
    """What the candidates of ``task`` (of all tasks without one) would become.

    By itself a candidate counts from a confidence of 0.7 on, and one whose id the vault has is skipped (SM-39). With
    ``archive`` the rule is that of a finished task: overlap of keywords decides between nothing, UPDATE and CREATE, and
    what is less sure is offered, not recommended, or left out (SM-40). Raises ``NotFound`` without ``specs/``.
    """
    specs = _specs(cwd)
    found, skipped = _candidates(specs, cwd, task)
    known = {entry.id: entry for entry in indices.entries(store)}
    make = _archived if archive else _single
    proposals = []
    for candidate in found:
        proposal = make(store, known, candidate)
        if isinstance(proposal, Skipped):
            skipped.append(proposal)
        else:
            proposals.append(proposal)
    id, moment = new_id(), now()
    numbered = (
        replace(one, key=f"seg-{number:03}", plan=id, created=moment, scope=store.scope, origin="harvest")
        for number, one in enumerate(proposals, 1)
    )
    content = ContentMap(
        mode="harvest",
        path=specs.name if task is None else f"{specs.name}/task {task}",
        total_tokens=sum(one.tokens for one in proposals),
        skipped=tuple(skipped),
        artifacts_reviewed=len(found),
    )
    return Plan(id=id, mode="harvest", created=moment, scope=store.scope, content=content, proposals=tuple(numbered))


def _single(_store: Store, known: Mapping[str, IndexEntry], candidate: Candidate) -> Proposal | Skipped:
    if candidate.confidence < SURE:
        return Skipped(path=candidate.artifact, reason=f"confidence {candidate.confidence:.2f} is below {SURE}")
    first, second = (*candidate.keywords, *("unknown", "general")[len(candidate.keywords) :])[:2]
    parts = (candidate.category.lower() or "insight", first, second)
    id = f"MEM-{'-'.join(file_slug(part, 'unknown') for part in parts)}"
    if id in known:
        return Skipped(path=candidate.artifact, reason=f"{id} is there already")
    rule = f"Its agent was {candidate.confidence:.0%} sure of it."
    return _proposal(candidate, "CREATE", rule, memory_id=id, topic=f"task-{candidate.task}", length=TITLE)


def _archived(store: Store, known: Mapping[str, IndexEntry], candidate: Candidate) -> Proposal | Skipped:
    tier = _tier(candidate)
    if tier == 3:
        reason = f"{candidate.category or 'no category'} with confidence {candidate.confidence:.2f} is not offered"
        return Skipped(path=candidate.artifact, reason=reason)
    share, entry = _closest(known.values(), candidate.keywords)
    action: Action = "CREATE"
    rule = f"{share:.0%} of its keywords are in {entry.id}." if entry else "No memory has its keywords."
    if entry is not None and share > NOOP:
        action = "SKIP"
    elif entry is not None and share > UPDATE:
        action = "UPDATE"
    if tier == 2 and action != "SKIP":
        rule += f" Offered, not recommended: a {candidate.category} with confidence {candidate.confidence:.2f}."
        action = "SKIP"
    targets: tuple[Target, ...] = ()
    related: tuple[Related, ...] = ()
    if entry is not None:
        document = store.vault.read(entry.path)
        related = (Related(id=entry.id, path=entry.path, title=entry.title, overlap=share),)
        if action == "UPDATE":
            targets = (Target(id=entry.id, path=entry.path, hash=document.hash, title=entry.title),)
    topic = candidate.category.lower()
    return _proposal(candidate, action, rule, topic=topic, length=ARCHIVED_TITLE, targets=targets, related=related)


def _proposal(
    candidate: Candidate,
    action: Action,
    rule: str,
    *,
    topic: str,
    length: int,
    memory_id: str = "",
    targets: tuple[Target, ...] = (),
    related: tuple[Related, ...] = (),
) -> Proposal:
    title = _title(candidate.content, length)
    return Proposal(
        id=new_id(),
        key="seg",
        action=action,
        rule=rule,
        title=title,
        body=candidate.content,
        topic=topic,
        category=candidate.category,
        summary=title,
        key_terms=candidate.keywords[:8],
        tokens=token_count(candidate.content),
        targets=targets,
        related=related,
        memory_id=memory_id,
        source=f"Task {candidate.task}: {candidate.artifact}" if candidate.task else candidate.artifact,
        source_file=candidate.artifact,
    )


def _tier(candidate: Candidate) -> int:
    for number, (categories, least) in enumerate((_FIRST_TIER, _SECOND_TIER), 1):
        if candidate.category in categories and candidate.confidence >= least:
            return number
    return 2 if candidate.category in _FIRST_TIER[0] and candidate.confidence >= _SECOND_TIER[1] else 3


def _closest(entries: Iterable[IndexEntry], keywords: Sequence[str]) -> tuple[float, IndexEntry | None]:
    mine = {word.casefold() for word in keywords}
    best: tuple[float, IndexEntry | None] = (0.0, None)
    for entry in sorted(entries, key=lambda one: one.id):
        shared = len(mine & {word.casefold() for word in entry.keywords}) / len(mine) if mine and entry.active else 0.0
        if shared > best[0]:
            best = (shared, entry)
    return best


def _title(content: str, length: int) -> str:
    first = " ".join(next((part for part in _SENTENCE.split(content) if part.strip()), content).strip("#*- \t").split())
    return first if len(first) <= length else first[: cut_before(first, length)].rstrip()


# --- reading what agents left -----------------------------------------------------------------------------------


def _specs(cwd: Path) -> Path:
    for place in (cwd, *cwd.parents):
        specs = place / tasks.SPECS
        if specs.is_dir() and not specs.is_symlink():
            return specs
        if (place / ".git").exists():
            break
    raise NotFound("There is no specs/ folder here.", hint="Run it in a project whose tasks lie below specs/.")


def _candidates(specs: Path, cwd: Path, task: int | None) -> tuple[list[Candidate], list[Skipped]]:
    """Those of the tasks' own files first, then those of the project's state; each text once."""
    skipped: list[Skipped] = []
    listed = [*_of_folders(specs, cwd, task, skipped), *_of_state(specs, task, skipped)]
    unique: dict[tuple[str, str], Candidate] = {}
    for candidate in listed[:_MOST_CANDIDATES]:
        unique.setdefault((candidate.task, " ".join(candidate.content.split())), candidate)
    return list(unique.values()), skipped


def _of_folders(specs: Path, cwd: Path, task: int | None, skipped: list[Skipped]) -> Iterator[Candidate]:
    folders = [tasks.find(cwd, task)] if task is not None else _task_folders(specs)
    for folder in folders:
        number = _number(folder.name)
        for path in _metas(folder):
            shown = path.relative_to(specs.parent).as_posix()
            value = _load(path, shown, skipped)
            if isinstance(value, Mapping):
                yield from _read(value.get("memory_candidates"), shown, number, skipped)


def _of_state(specs: Path, task: int | None, skipped: list[Skipped]) -> Iterator[Candidate]:
    path = specs / STATE
    if not path.is_file():
        return
    shown = f"{specs.name}/{STATE}"
    value = _load(path, shown, skipped)
    projects = value.get("active_projects") if isinstance(value, Mapping) else None
    for project in projects if isinstance(projects, list) else ():
        if isinstance(project, Mapping):
            number = str(project.get("project_number") or project.get("number") or project.get("id") or "")
            if task is None or number.lstrip("0") == str(task):
                yield from _read(project.get("memory_candidates"), shown, number, skipped)


def _task_folders(specs: Path) -> list[Path]:
    with os.scandir(specs) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    return [specs / name for name in names if _number(name)]


def _number(name: str) -> str:
    found = re.match(r"(?:OC_)?(\d{1,6})_", name)
    return str(int(found.group(1))) if found else ""


def _metas(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if META in names:
            found.append(Path(place, META))
    return found


def _load(path: Path, shown: str, skipped: list[Skipped]) -> Any:
    try:
        if path.is_symlink():
            raise ValueError("it is a link")
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is larger than 8 MB")
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        skipped.append(Skipped(path=shown, reason=f"cannot be read: {str(error)[:120]}"))
        return None


def _read(values: object, shown: str, task: str, skipped: list[Skipped]) -> Iterator[Candidate]:
    for value in values if isinstance(values, list) else ():
        try:
            yield _candidate(value, shown, task)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            skipped.append(Skipped(path=shown, reason=f"a candidate cannot be used: {str(error)[:120]}"))


def _candidate(value: Any, shown: str, task: str) -> Candidate:
    content = str(value["content"]).strip()
    confidence = float(value.get("confidence", 0))
    if not content or len(content) > _LONGEST:
        raise ValueError("its content is empty or longer than 8,000 characters")
    if not 0 <= confidence <= 1:
        raise ValueError(f"its confidence {confidence} is not between 0 and 1")
    words = value.get("suggested_keywords") or []
    return Candidate(
        content=content,
        category=str(value.get("category") or "").strip().strip("[]").upper(),
        confidence=confidence,
        keywords=tuple(" ".join(str(word).split()) for word in words if isinstance(word, str) and word.strip())[:8],
        artifact=" ".join(str(value.get("source_artifact") or shown).split())[:300],
        task=task,
    )
