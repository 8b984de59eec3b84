"""What keeps a memory in order: sync, rebuild, health, bundles."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput
from scrubjay.memory import arguments
from scrubjay.memory.opened import PRIVATE, Opened

if TYPE_CHECKING:
    from scrubjay.models.llm.usage import Usage
    from scrubjay.operations.bundle import BundleReport
    from scrubjay.operations.embedding import EmbedReport
    from scrubjay.operations.health import Finding, Severity, Status
    from scrubjay.operations.scanning import ScanReport
    from scrubjay.operations.sync import Progress, SyncReport


class Upkeep(Opened):
    """The methods of ``Memory`` that keep it in order."""

    def sync(self, *, progress: Progress | None = None) -> dict[str, SyncReport]:
        """Brings every index to what its vault holds now; unchanged files are not read. A report for each scope."""
        from scrubjay.operations.sync import sync

        reports = {store.scope: sync(store, progress=progress) for store in self._stores}
        if any(report.anything for report in reports.values()):
            self._worker.wake()
        return reports

    def reindex(self, *, progress: Progress | None = None) -> dict[str, SyncReport]:
        """Builds every index anew beside the old one and swaps it in; searches go on meanwhile."""
        from scrubjay.operations.sync import rebuild

        reports = {store.scope: rebuild(store, progress=progress) for store in self._stores}
        self._worker.wake()
        return reports

    def drain(self, *, limit: int | None = None, progress: Progress | None = None) -> EmbedReport:
        """Waits until no vector is missing, or ``limit`` were computed, or says in ``error`` why some stay missing."""
        return self._worker.drain(progress, limit=limit)

    def wake(self) -> None:
        """Lets the background thread compute what an earlier process left undone. Nothing waits for it."""
        self._worker.wake()

    def waiting(self) -> int:
        """How many records wait for a vector."""
        model = self._embedder.name if self._embedder is not None else ""
        return sum(store.index.pending_count(model) for store in self._stores) if model else 0

    def status(self) -> list[Status]:
        """How each store is: where, how much, what waits, what is wrong."""
        from scrubjay.operations import health

        return [health.status(store, self._embedder) for store in self._stores]

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Looks for damage and, with ``repair``, mends what can be mended without losing anything."""
        from scrubjay.operations import health

        found = [finding for store in self._stores for finding in health.examine(store, self._embedder, repair=repair)]
        return [*found, *self._language_model_findings(repair)]

    def usage(self) -> Usage:
        """What the language model took today, what it may take, and whether it is in use; numbers are shared by all
        memories of a home."""
        from scrubjay.models.llm.usage import Caps, Day, Usage

        if self._access is None:
            return Usage(model="", state="none", today=Day.empty(), caps=Caps())
        return self._access.usage()

    def _language_model_findings(self, repair: bool) -> list[Finding]:
        """Why the language model is not used, if it isn't; ``repair`` lets one that was left alone be asked again."""
        from scrubjay.operations.health import Finding

        usage = self.usage()
        if usage.state in ("none", "off", "ready"):
            return []
        again = repair and self._access is not None and self._access.try_again()
        severity: Severity = "info" if usage.state in ("resting", "capped") else "warning"
        return [
            Finding(scope="language model", severity=severity, message=usage.reason, hint=usage.hint, repaired=again)
        ]

    def scan(
        self, path: str | os.PathLike[str] | None = None, *, redact: bool = False, progress: Progress | None = None
    ) -> ScanReport:
        """Looks for secrets that lie on the disk already: in the vaults with their trash and git history and in what
        carries a shared memory to its team, or in the file or folder ``path``. Each is named by path, line and rule,
        and never shown (CC-T2).

        ``redact`` takes them out of the vaults' documents, as one operation a vault; what undo keeps of them is named
        in the report. Raises ``NotFound`` for a missing ``path``.
        """
        from scrubjay.operations import scanning
        from scrubjay.operations.share import remembered

        report = scanning.ScanReport()
        if path is not None:
            if redact:
                raise BadInput("Only documents of a vault are changed.", hint="Leave out the path, or edit the files.")
            scanning.scan_path(arguments.path(path, "path"), report, progress=progress)
            return report
        for store in self._stores:
            scanning.scan_store(store, report, progress=progress)
            if self._home is not None:
                scanning.scan_carriers(remembered.folder_of(self._home, store), report, scope=store.scope)
            if redact:
                scanning.redact_store(store, report)
        return report

    def export(self, target: str | os.PathLike[str], *, scopes: Iterable[str] | None = None) -> BundleReport:
        """Writes a lossless bundle of documents with a Portable AI Memory file beside them (spec §8.8); without
        ``scopes`` of our own vaults, not of the folders of other programs."""
        from scrubjay.operations import bundle

        chosen = self._stores.chosen(arguments.optional_strings(scopes, "scopes"))
        if scopes is None:
            chosen = [store for store in chosen if not store.dialect]
        return bundle.export(chosen, arguments.path(target, "target"))

    def import_(self, source: str | os.PathLike[str], *, scope: str | None = None) -> BundleReport:
        """Takes in a bundle or a PAM file; what is there already stays as it is, conflicts are reported.

        The documents of a bundle go back to their own scope where it is open. What was shared with a project is
        shared again only for ``scope="project"``. A ``scope`` takes in all of it.
        """
        from scrubjay.operations import bundle

        given = arguments.path(source, "source")
        default = self._for_writing(scope)
        own = () if scope is not None else [store for store in self._stores if store.scope in PRIVATE]
        return self._woken(bundle.import_(default, given, own=own, others=list(self._stores)))

    def indices(self) -> dict[str, list[str]]:
        """Makes the overviews of each vault anew where they are not up to date, and says which files were written."""
        from scrubjay.operations import indices

        return {store.scope: indices.regenerate(store) for store in self._stores}
