"""Documents for somebody else, as one file or as a folder; none of them holds a secret (CC-T2, CC-T3)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from scrubjay.errors import BadInput, Conflict, NotFound, ScrubjayError, Unavailable
from scrubjay.operations import bundle, notes
from scrubjay.operations.share.reports import ExportReport
from scrubjay.operations.share.rows import Versions, overview, targets
from scrubjay.operations.share.screening import INDEX, MOST_BYTES, SUFFIX, flaw, is_shared, is_skeleton, secrets_of
from scrubjay.operations.store import Store
from scrubjay.text.secrets import redact
from scrubjay.types import Document, Problem
from scrubjay.vaults.encoding import to_document
from scrubjay.vaults.folder import FolderVault

Chosen = dict[str, tuple[Document, bytes]]


def export(
    store: Store, target: Path, names: Sequence[str] = (), *, folder: bool = False, most_bytes: int = MOST_BYTES
) -> ExportReport:
    """Writes the documents ``names`` of ``store`` (ids, file names or paths; all that may be shared without any) to
    ``target``: a bundle, or with ``folder`` a folder of plain files with a manifest.

    A document that holds a secret is skipped and named, the others go. Conversations, logs, drafts and the trash are
    never exported. Raises ``NotFound`` for a name that nothing has, ``Conflict`` where ``target`` exists, ``BadInput``
    when nothing is left.
    """
    report = ExportReport(target=str(target))
    chosen: Chosen = {}
    for document in _documents(store, names, report):
        data = store.vault.read_bytes(document.path)
        if is_skeleton(document.path, data):
            continue
        line, reason = flaw(document.path, data, most_bytes)
        sure, doubtful = secrets_of(document.path, data)
        if sure:
            report.skipped += sure
        elif reason:
            report.refused.append(Problem(path=document.path, line=max(line, 1), message=reason))
        else:
            report.doubtful += doubtful
            chosen[document.path] = (document, data)
    if not chosen:
        left = " All of them were left out." if report.skipped or report.refused else ""
        raise BadInput(f"There is nothing to export.{left}", hint="`scrubjay share status` says what is shared.")
    _add_overview(store, chosen, report)
    if folder:
        _write_folder(store, chosen, target)
    else:
        bundle.write(((store.scope, document, data) for document, data in chosen.values()), target)
    report.written = list(chosen)
    return report


def _documents(store: Store, names: Sequence[str], report: ExportReport) -> Iterator[Document]:
    if names:
        for document in {one.path: one for one in (_called(store, name) for name in names)}.values():
            if not is_shared(document.path, store.dialect):
                raise BadInput(f"{document.path} is no document that is shared.", hint="Name notes or facts.")
            yield document
        return
    for entry in store.vault.entries():
        if is_shared(entry.path, store.dialect):
            try:
                yield store.vault.read(entry.path)
            except NotFound:
                continue
            except ScrubjayError as error:
                report.refused.append(Problem(path=redact(entry.path)[0], message=error.message))
    report.refused += store.vault.skipped()


def _called(store: Store, name: str) -> Document:
    """The document called ``name``; one that the index does not have, for its secret, by its path or file name."""
    for path in (name, f"{name}{SUFFIX}"):
        with suppress(ScrubjayError):
            return store.vault.read(path)
    return notes.find(store, name)


def _add_overview(store: Store, chosen: Chosen, report: ExportReport) -> None:
    """Of a notebook, an overview of just these documents."""
    if not store.vault.exists(INDEX):
        return
    own = store.vault.read(INDEX).text
    texts = {path: one.text for path, (one, _) in chosen.items()}
    text = overview(Versions(base=own, ours=own, theirs=own), texts, gone=targets(own), fresh=texts)
    data = text.encode("utf-8")
    sure, doubtful = secrets_of(INDEX, data)
    if sure:
        report.skipped += sure
    else:
        report.doubtful += doubtful
        chosen[INDEX] = (to_document(INDEX, data, mtime_ns=0), data)


def _write_folder(store: Store, chosen: Mapping[str, tuple[Document, bytes]], target: Path) -> None:
    if os.path.lexists(target) and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{target} exists already.", hint="Choose another name, or empty the folder.")
    vault = FolderVault(target)
    listing = [{"scope": store.scope, "path": path, "sha256": one.hash} for path, (one, _) in chosen.items()]
    try:
        for path, (_, data) in chosen.items():
            vault.write_bytes(path, data, expected=None)
        manifest = json.dumps(bundle.manifest_of(listing), ensure_ascii=False, indent=2)
        vault.write(bundle.MANIFEST, f"{manifest}\n", expected=None)
    except OSError as error:
        raise Unavailable(f"{target} cannot be written: {error.strerror}.", hint="Check the disk.") from None
