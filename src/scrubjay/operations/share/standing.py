"""How a shared memory stands, without asking the remote (SEC-5)."""

from __future__ import annotations

from pathlib import Path

from scrubjay.operations.gate import inbox
from scrubjay.operations.share import conflicts
from scrubjay.operations.share.planning import plan
from scrubjay.operations.share.remembered import Remembered
from scrubjay.operations.share.reports import ShareStatus, Withheld
from scrubjay.operations.share.screening import MOST_BYTES, flaw, secrets_of
from scrubjay.operations.share.sides import read_commit, read_vault
from scrubjay.operations.store import Store
from scrubjay.types import Problem
from scrubjay.vaults.remote_address import shown
from scrubjay.vaults.shared_repository import BASE, SharedRepository


def status(store: Store, known: Remembered, repository: SharedRepository, most_bytes: int = MOST_BYTES) -> ShareStatus:
    """What would go out, what would not and why, and what waits. ``known`` is what is remembered of the remote."""
    base = read_commit(repository, repository.commit_of(BASE), dialect=store.dialect).ids if repository.exists else {}
    ours = read_vault(store, base)
    refused, skipped = list(ours.problems), list[Withheld]()
    planned = plan(base, {**ours.ids, **{path: id for path, id in base.items() if path in ours.held}}, base)
    going = []
    for path, data in ours.files.items():
        sure, _ = secrets_of(path, data)
        skipped += sure
        if path not in planned.give:
            continue
        line, reason = flaw(path, data, most_bytes)
        if reason and not sure:
            refused.append(Problem(path=path, line=max(line, 1), message=reason))
        elif not sure:
            going.append(path)
    return ShareStatus(
        folder=Path(store.vault.name),
        remote=shown(known.address),
        synced=known.synced,
        new=tuple(path for path in going if path not in base),
        changed=tuple(path for path in going if path in base),
        deleted=tuple(planned.withdraw),
        skipped=tuple(skipped),
        refused=tuple(refused),
        waiting=tuple(one.path for one in inbox.waiting(store) if one.origin == conflicts.ORIGIN),
    )
