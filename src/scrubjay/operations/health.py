"""How a store is: what it holds, what waits, what is wrong, and how to mend it (F13, F35, F39, F41, F42)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scrubjay.errors import ScrubjayError
from scrubjay.operations.store import Store
from scrubjay.operations.sync import rebuild, sync
from scrubjay.ports import Coverage, Embedder, Job
from scrubjay.types import Problem
from scrubjay.vaults.documents import receipt
from scrubjay.vaults.documents.proposal import KIND
from scrubjay.vaults.layout import is_indexed
from scrubjay.vaults.visibility import covers

Severity = Literal["info", "warning", "error"]

LEFTOVER_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """One store at a glance. ``behind`` are documents on disk that the index does not hold as they are, ``proposals``
    those that wait in the inbox for a decision."""

    scope: str
    vault: str
    model: str
    coverage: Coverage
    behind: int
    waiting: int
    problems: tuple[Problem, ...]
    jobs: tuple[Job, ...]
    counters: Mapping[str, int]
    operations: int
    proposals: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that ``doctor`` saw. ``repaired`` tells whether it was mended just now; ``hint`` how to mend it."""

    scope: str
    severity: Severity
    message: str
    hint: str = ""
    repaired: bool = False


def status(store: Store, embedder: Embedder | None) -> Status:
    """Counts and shares of ``store``; reads metadata only."""
    model = embedder.name if embedder is not None else ""
    return Status(
        scope=store.scope,
        vault=store.vault.name,
        model=model,
        coverage=store.index.coverage(model or None),
        behind=_behind(store),
        waiting=store.index.pending_count(model) if model else 0,
        problems=_problems(store),
        jobs=tuple(store.index.jobs()),
        counters=dict(store.index.counters()),
        operations=len(store.index.operations(10_000)),
        proposals=sum(indexed.kind == KIND for indexed in store.index.documents().values()),
    )


def examine(store: Store, embedder: Embedder | None, *, repair: bool) -> list[Finding]:
    """Everything wrong with ``store``, worst first. With ``repair`` the index is synced, or rebuilt if it is damaged;
    documents are never changed."""
    broken = list(store.index.check())
    if repair:
        store.vault.sweep(older_than=LEFTOVER_SECONDS)
    if broken and repair:
        rebuild(store)
        broken_after = list(store.index.check())
        findings = [
            Finding(
                scope=store.scope,
                severity="error",
                message=f"index: {sentence}",
                hint="" if sentence not in broken_after else "Delete the index folder and run `scrubjay sync`.",
                repaired=sentence not in broken_after,
            )
            for sentence in broken
        ]
    else:
        findings = [
            Finding(
                scope=store.scope,
                severity="error",
                message=f"index: {sentence}",
                hint="Run `scrubjay doctor --repair`.",
            )
            for sentence in broken
        ]
    return [
        *findings,
        *_behind_findings(store, repair),
        *_receipt_findings(store),
        *_dangling_findings(store),
        *_soft_findings(store, embedder),
    ]


def _behind_findings(store: Store, repair: bool) -> Iterator[Finding]:
    behind = _behind(store)
    if not behind:
        return
    if repair:
        sync(store)
    yield Finding(
        scope=store.scope,
        severity="warning",
        message=f"{behind} document{'s' * (behind != 1)} changed on disk since the last sync",
        hint="" if repair else "Run `scrubjay sync`.",
        repaired=repair and not _behind(store),
    )


def _receipt_findings(store: Store) -> Iterator[Finding]:
    """Receipts that cannot be read: the next rebuild of the index would take away that undo."""
    for path in store.vault.receipts():
        try:
            receipt.read(store.vault.read(path))
        except ScrubjayError as error:
            kept = ", ".join(_kept_beside(store, path)) or "nothing that could be found"
            yield Finding(
                scope=store.scope,
                severity="warning",
                message=f"{path}: {error.message.removeprefix(f'{path}: ')} Its operation cannot be undone from it. "
                f"Kept beside it: {kept}",
                hint=f"To bring a file back, copy it from {path.removesuffix('/receipt.md')}/ to the same path in the "
                "vault, then run `scrubjay sync`.",
            )


def _kept_beside(store: Store, path: str) -> list[str]:
    """What the trash holds beside a receipt; vaults that are no folder cannot tell."""
    root = getattr(store.vault, "root", None)
    folder = Path(root, path).parent if root is not None else None
    if root is None or folder is None or folder.is_symlink():
        return []
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return sorted(each.relative_to(root).as_posix() for each in found if each != folder / "receipt.md")


def _dangling_findings(store: Store) -> Iterator[Finding]:
    """Facts that were closed for a successor which is gone: no answer holds either of them."""
    for record in store.index.facts():
        if record.superseded_by and not record.retracted and store.index.record(record.superseded_by) is None:
            yield Finding(
                scope=store.scope,
                severity="warning",
                message=f"{record.path}: superseded by {record.superseded_by}, which is gone, so neither is current",
                hint="Bring the successor back (`scrubjay undo --list`), or remove the lines closed, superseded_by and "
                "superseded_from from the file to make it current again.",
            )


def _soft_findings(store: Store, embedder: Embedder | None) -> Iterator[Finding]:
    for problem in _problems(store):
        yield Finding(
            scope=store.scope,
            severity="warning",
            message=f"{problem.path}:{problem.line}: {problem.message}"
            if problem.line
            else f"{problem.path}: {problem.message}",
            hint="Correct the file; it is indexed as well as it can be and was not changed.",
        )
    for job in store.index.jobs():
        if job.state == "dead":
            yield Finding(
                scope=store.scope,
                severity="error",
                message=f"background job {job.kind} gave up after {job.attempts} attempts: {job.error}",
                hint=f"Mend the cause, then run `scrubjay {'sync' if job.kind == 'embed' else 'extract'}`.",
            )
    if embedder is None:
        yield Finding(
            scope=store.scope,
            severity="info",
            message="no embedding model is configured: search goes by words only",
            hint='Set `[models] embedder = "packaged"`.',
        )
        return
    verify = getattr(embedder, "verify", None)
    if verify is not None:
        try:
            verify()
        except ScrubjayError as error:
            yield Finding(scope=store.scope, severity="error", message=error.message, hint=error.hint)
    waiting = store.index.pending_count(embedder.name)
    if waiting:
        yield Finding(
            scope=store.scope,
            severity="info",
            message=f"{waiting} record{'s' * (waiting != 1)} wait for a vector and are found by words only",
            hint="Run `scrubjay sync` to compute them now.",
        )


def _behind(store: Store) -> int:
    known = store.index.documents()
    on_disk = {entry.path: entry for entry in store.vault.entries() if is_indexed(entry.path)}
    changed = sum(
        path not in known or (known[path].size, known[path].mtime_ns) != (entry.size, entry.mtime_ns)
        for path, entry in on_disk.items()
    )
    skipped = [problem.path for problem in store.vault.skipped()]
    gone = (path for path in known if path not in on_disk)
    return changed + sum(not any(covers(above, path) for above in skipped) for path in gone)


def _problems(store: Store) -> tuple[Problem, ...]:
    """What is wrong inside documents, and what of the vault could not be read; call it after a listing."""
    return (*store.index.problems(), *store.vault.skipped())
