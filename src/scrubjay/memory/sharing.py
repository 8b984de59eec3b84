"""What a memory shares with a team, and what it takes in from one (CC-P6, CC-T1 … CC-T3)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput, Refused
from scrubjay.memory import arguments
from scrubjay.memory.opened import PRIVATE, Opened

if TYPE_CHECKING:
    from scrubjay.operations.share.reports import ExportReport, ImportReport, ShareStatus, SyncReport
    from scrubjay.operations.store import Store
    from scrubjay.vaults.shared_repository import SharedRepository

TEAM = "team"
PROJECT = "project"
LOCK = "lock"
BUSY = "Another process is sharing this memory."


class Sharing(Opened):
    """The methods of ``Memory`` that share it."""

    def share_export(
        self,
        target: str | os.PathLike[str],
        *,
        names: Iterable[str] | None = None,
        scope: str | None = None,
        folder: bool = False,
    ) -> ExportReport:
        """Writes documents for somebody else: those called ``names`` (ids, file names, paths), or all that the memory
        shares. ``target`` becomes a bundle, or with ``folder`` a folder of plain files.

        A file that holds a secret is skipped and named in the report, and the others go (CC-T2). Without ``scope`` it
        is the team's memory; a personal one is exported by name only. Raises ``Conflict`` where ``target`` exists.
        """
        from scrubjay.operations.share.exporting import export

        chosen = arguments.strings(names, "names") if names is not None else ()
        store = self._shared(scope)
        if not chosen and store.scope in PRIVATE and self._is_own(store):
            raise Refused("A personal memory is not shared as a whole.", hint="Name the notes or facts to export.")
        place = arguments.path(target, "target")
        return export(store, place, chosen, folder=folder, most_bytes=self.settings.share.most_bytes)

    def share_import(self, source: str | os.PathLike[str], *, scope: str | None = None) -> ImportReport:
        """Takes in a bundle or a folder from somebody else, as one operation. Without ``scope`` it goes to the team's
        memory.

        Nothing here is overwritten: what says something else waits in the inbox. Files with secrets, unsafe names or
        damaged bytes are left out and named. Anywhere but in the team's memory it gets low trust (SEC-3).
        """
        from scrubjay.operations.share.importing import import_

        place = arguments.path(source, "source")
        return self._woken(import_(self._shared(scope), place, most_bytes=self.settings.share.most_bytes))

    def share_sync(
        self, remote: str | None = None, *, scope: str | None = None, anew: bool = False, deletions: bool = False
    ) -> SyncReport:
        """Brings the team's memory here and one's own changes there, through a git remote.

        ``remote`` is remembered, in our own home. ``anew`` begins anew with a remote whose history was rewritten:
        nothing is deleted here. ``deletions`` says that most documents are meant to be deleted for everybody. Raises
        ``Refused`` for a rewritten history, ``Unavailable`` when the remote cannot be reached.
        """
        from scrubjay.index.sqlite.filelock import exclusive
        from scrubjay.operations.share import remembered
        from scrubjay.operations.share.syncing import Wishes, sync
        from scrubjay.operations.sync import sync as take_in
        from scrubjay.temporal import now
        from scrubjay.vaults.atomic import folders_for
        from scrubjay.vaults.remote_address import checked

        store = self._shared(scope)
        self._require_shareable(store)
        folder = self._share_folder(store)
        known = remembered.load(folder)
        address = checked(arguments.string(remote, "remote")) if remote is not None else known.address
        if not address:
            raise BadInput(
                "Nobody said yet where this memory is shared.", hint="Run `scrubjay share sync --remote ADDRESS` once."
            )
        repository = self._carrier(folder, address)
        wishes = Wishes(anew=anew, deletions=deletions, most_bytes=self.settings.share.most_bytes)
        with folders_for(folder), exclusive(folder / LOCK, wait_seconds=self.settings.share.timeout, busy=BUSY):
            if address != known.address:
                repository.prepare()
                repository.remote_head(address)  # or says why it cannot be reached
                remembered.save(folder, remembered.Remembered(address=address))
            take_in(store)
            report = sync(store, repository, address, wishes)
            remembered.save(folder, remembered.Remembered(address=address, synced=now()))
        return self._woken(report)

    def share_status(self, *, scope: str | None = None) -> ShareStatus:
        """What would go out at the next sync, what would not and why, and what waits; the remote is not asked."""
        from scrubjay.operations.share import remembered
        from scrubjay.operations.share.standing import status

        store = self._shared(scope)
        folder = self._share_folder(store)
        known = remembered.load(folder)
        return status(store, known, self._carrier(folder, known.address), self.settings.share.most_bytes)

    def _shared(self, scope: str | None) -> Store:
        """The store that is shared: the one of ``scope``, the team's, or a single vault that was named."""
        if scope is not None:
            return self._made(arguments.string(scope, "scope"))
        if TEAM in self._absent or any(store.scope == TEAM for store in self._stores):
            return self._made(TEAM)
        if len(self._stores) == 1 and not self._is_own(self._stores[0]):
            return self._stores[0]
        raise BadInput(
            "There is no memory of a team here.",
            hint="Go into the project whose agents have one, name a folder with --vault, or say --scope.",
        )

    def _require_shareable(self, store: Store) -> None:
        if store.scope == PROJECT:
            raise Refused(
                "The memory of a project travels with the project's own git.", hint="Commit and push it there."
            )
        if store.scope != TEAM and self._is_own(store):
            raise Refused(
                "A personal memory is not shared.", hint="Export what others should have: `scrubjay share export`."
            )
        if os.path.lexists(Path(store.vault.name) / ".git"):
            raise Refused(
                f"{store.vault.name} is a git repository of somebody's own; it was left alone.",
                hint="Share it with git itself.",
            )

    def _is_own(self, store: Store) -> bool:
        """Whether ``store`` is one person's, kept in our own home."""
        if store.scope not in PRIVATE or self._home is None:
            return False
        home = os.path.realpath(self._home)
        return os.path.realpath(store.vault.name).startswith(home.rstrip(os.sep) + os.sep)

    def _share_folder(self, store: Store) -> Path:
        from scrubjay.operations.share import remembered

        if self._home is None:
            raise BadInput("This memory was opened without a home, so it has no place to remember a remote.")
        return remembered.folder_of(self._home, store)

    def _carrier(self, folder: Path, address: str) -> SharedRepository:
        from scrubjay.operations.share import remembered

        settings = self.settings.share
        return remembered.repository(folder, address, branch=settings.branch, timeout=settings.timeout)
