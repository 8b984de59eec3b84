"""A lossless bundle: every document of some stores with its SHA-256, and the facts as Portable AI Memory beside them.

    manifest.json            format, version, and for each document its scope, path and hash
    documents/<scope>/<path> the exact bytes
    memory.pam.json          the same facts and notes for other programs (spec §8.8)

Importing never overwrites: what is there with the same bytes is known, what is there with others is a conflict that is
reported and left alone (F108). Documents go back to the scope they came from where the caller offers it, and no fact
gets a second home. Archives are hostile (SEC-8).
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from scrubjay.errors import BadInput, Conflict, NotFound, Refused, ScrubjayError, Unavailable
from scrubjay.operations import facts, pam
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.redaction import Redaction
from scrubjay.operations.store import Store
from scrubjay.text import frontmatter
from scrubjay.text.secrets import redact, scan
from scrubjay.types import Document, Redacted
from scrubjay.vaults.documents import fact as fact_documents
from scrubjay.vaults.documents import note as note_documents
from scrubjay.vaults.encoding import digest, to_document
from scrubjay.vaults.layout import EPISODES, is_indexed

FORMAT = "scrubjay-bundle"
VERSION = 1
MANIFEST = "manifest.json"
PAM_FILE = "memory.pam.json"
MAX_RATIO = 100
MAX_BYTES = 10 * 1024**3
MOST_MANIFEST = 64 * 1024**2
BATCH = 100


@dataclass(slots=True)
class BundleReport:
    """What was exported or imported: counts that were read back, conflicts and refusals by path.

    ``scopes`` counts what was written by the scope that it was read from or went to; ``damaged`` those refused whose
    bytes the archive lost or changed. ``redacted`` are secrets that were taken out of what was imported (SEC-2).
    """

    target: str
    written: int = 0
    known: int = 0
    conflicts: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    damaged: int = 0
    scopes: dict[str, int] = field(default_factory=dict)
    redacted: list[Redacted] = field(default_factory=list)

    def wrote(self, scope: str) -> None:
        """Counts one document."""
        self.written += 1
        self.scopes[scope] = self.scopes.get(scope, 0) + 1

    def damage(self, path: str, what: str) -> None:
        """Refuses one document that the archive does not hold as it was exported."""
        self.damaged += 1
        self.refused.append(f"{path}: {what}")


def export(stores: Sequence[Store], target: Path) -> BundleReport:
    """Writes the bundle as one zip file, whole or not at all, and counts it again from the disk."""
    documents = ((store.scope, document, data) for store in stores for document, data in _documents(store))
    return write(documents, target)


def write(documents: Iterable[tuple[str, Document, bytes]], target: Path) -> BundleReport:
    """The same for documents with their scopes and exact bytes, whoever chose them."""
    if target.exists():
        raise Conflict(f"{target} exists already.", hint="Choose another name, or move the old file away.")
    listing: list[dict[str, str]] = []
    memories: list[dict[str, Any]] = []
    partial: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".export-", delete=False) as file:
            partial = Path(file.name)
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for scope, document, data in documents:
                    archive.writestr(f"documents/{scope}/{document.path}", data)
                    listing.append({"scope": scope, "path": document.path, "sha256": document.hash})
                    memories += _memories(document, scope)
                archive.writestr(MANIFEST, json.dumps(manifest_of(listing), ensure_ascii=False, indent=2))
                archive.writestr(PAM_FILE, pam.dumps(memories))
            file.flush()
            os.fsync(file.fileno())
        os.link(partial, target)
    except OSError as error:
        raise Unavailable(
            f"{target} cannot be written: {error.strerror}.", hint="Check the disk and the folder."
        ) from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
    return _verified(target)


def manifest_of(listing: Sequence[Mapping[str, str]]) -> dict[str, object]:
    """The manifest of documents that are listed by scope, path and SHA-256."""
    return {"format": FORMAT, "version": VERSION, "documents": list(listing)}


def import_(default: Store, source: Path, *, own: Sequence[Store] = (), others: Sequence[Store] = ()) -> BundleReport:
    """Takes in a bundle, or a single PAM file.

    A document of a bundle goes to the store among ``own`` that has its scope, and else to ``default``. What any of
    ``others`` holds already is known there.
    """
    if not source.is_file():
        raise NotFound(f"There is no file {source}.", hint="Name a bundle made by `scrubjay export`, or a PAM file.")
    if not zipfile.is_zipfile(source):
        return _import_pam(default, source)
    report = BundleReport(target=str(source))
    with zipfile.ZipFile(source) as archive:
        refuse_bombs(archive)
        entries = listed(archive)
        for store, meant in _routed(default, own, entries):
            elsewhere = [other for other in others if other.scope != store.scope]
            for start in range(0, len(meant), BATCH):
                with editing(store, "import", f"Imported from {source.name}") as edits:
                    for entry in meant[start : start + BATCH]:
                        _import_document(store, edits, archive, entry, report, elsewhere)
    return report


def _routed(
    default: Store, own: Sequence[Store], entries: Sequence[dict[str, str]]
) -> list[tuple[Store, list[dict[str, str]]]]:
    """Which entries go to which store, in the order of ``entries``."""
    stores = {store.scope: store for store in own}
    routed: dict[str, tuple[Store, list[dict[str, str]]]] = {}
    for entry in entries:
        store = stores.get(entry["scope"], default)
        routed.setdefault(store.scope, (store, []))[1].append(entry)
    return list(routed.values())


def _documents(store: Store) -> Iterator[tuple[Document, bytes]]:
    for entry in store.vault.entries():
        if is_indexed(entry.path):
            document = store.vault.read(entry.path)
            yield document, store.vault.read_bytes(entry.path)


def _memories(document: Document, scope: str) -> Iterator[dict[str, Any]]:
    if document.path.startswith(f"{fact_documents.FOLDER}/"):
        try:
            yield pam.from_fact(fact_documents.read(document, scope=scope))
        except BadInput:
            return
    elif document.path.startswith(f"{note_documents.FOLDER}/"):
        yield pam.from_note(note_documents.read(document, scope=scope))


def _verified(target: Path) -> BundleReport:
    report = BundleReport(target=str(target))
    with zipfile.ZipFile(target) as archive:
        for entry in listed(archive):
            data = archive.read(f"documents/{entry['scope']}/{entry['path']}")
            if hashlib.sha256(data).hexdigest() != entry["sha256"]:
                raise Conflict(f"{entry['path']} changed while it was exported.", hint="Run the export again.")
            report.wrote(entry["scope"])
    return report


def listed(archive: zipfile.ZipFile) -> list[dict[str, str]]:
    """Scope, path and SHA-256 of every document that the bundle says it holds. Raises ``BadInput``."""
    try:
        if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
            raise BadInput(f"{MANIFEST} of the bundle is larger than any memory needs.")
        return listing_of(archive.read(MANIFEST))
    except KeyError:
        raise BadInput(f"The bundle has no {MANIFEST}.") from None


def listing_of(data: bytes) -> list[dict[str, str]]:
    """The same from the bytes of a manifest."""
    try:
        manifest = json.loads(data)
        if manifest["format"] != FORMAT or manifest["version"] != VERSION:
            raise BadInput(f"The bundle is of format {manifest['format']!r}, version {manifest['version']!r}.")
        return [{key: str(entry[key]) for key in ("scope", "path", "sha256")} for entry in manifest["documents"]]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{MANIFEST} of the bundle cannot be read: {error}.") from None


def refuse_bombs(archive: zipfile.ZipFile) -> None:
    """Raises ``Refused`` for an archive that holds links or climbing paths, or that would fill the disk (SEC-8)."""
    total = 0
    for member in archive.infolist():
        total += member.file_size
        if PurePosixPath(member.filename).is_absolute() or ".." in PurePosixPath(member.filename).parts:
            raise Refused(f"The archive holds an unsafe path: {member.filename!r}.")
        if (member.external_attr >> 16) & 0o170000 == 0o120000:
            raise Refused(f"The archive holds a link: {member.filename!r}.")
        if member.file_size > MAX_RATIO * max(member.compress_size, 1) and member.file_size > 1 << 20:
            raise Refused(f"{member.filename!r} would unpack to over {MAX_RATIO} times its size.")
    if total > MAX_BYTES:
        raise Refused("The archive would unpack to over 10 GB.")


def _import_document(
    store: Store,
    edits: Edits,
    archive: zipfile.ZipFile,
    entry: dict[str, str],
    report: BundleReport,
    elsewhere: Sequence[Store],
) -> None:
    path = entry["path"]
    if store.scope == "project" and elsewhere and path.startswith(f"{EPISODES}/"):
        report.refused.append(f"{path}: conversations are private and do not go into the project's vault")
        return
    try:
        data = archive.read(f"documents/{entry['scope']}/{path}")
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            report.damage(path, "its bytes are not those that were exported")
            return
        data, redacted = _without_secrets(path, data)
        # What was imported before lies here without its secrets too.
        own = digest(data)
        if store.vault.exists(path):
            same = store.vault.read(path).hash in (entry["sha256"], own)
        else:
            held = _held(path, data, entry, store, elsewhere)
            if held is None:
                edits.replace_bytes(path, data, expected=None)
                report.wrote(store.scope)
                report.redacted += redacted
                return
            same = held in (entry["sha256"], own)
        if same:
            report.known += 1
        else:
            report.conflicts.append(path)
    except ScrubjayError as error:
        report.refused.append(f"{path}: {error.message}")
    except KeyError:
        report.damage(path, "missing in the archive")
    except (zipfile.BadZipFile, zlib.error, EOFError):
        report.damage(path, "cannot be unpacked")


def _without_secrets(path: str, data: bytes) -> tuple[bytes, list[Redacted]]:
    """The bytes of a document without secrets, and what was taken out; every other byte stays as it was.

    Raises ``Refused`` for a document in an encoding in which that cannot be done.
    """
    redaction = Redaction()
    clean = redaction.text(data.decode("utf-8", "surrogateescape"), path).encode("utf-8", "surrogateescape")
    if scan(to_document(path, clean, mtime_ns=0).text):
        raise Refused("it holds a secret and is not UTF-8", hint="Take the secret out first.")
    return clean, redaction.found


def _held(path: str, data: bytes, entry: dict[str, str], store: Store, elsewhere: Sequence[Store]) -> str | None:
    """The hash of the document that already stands for this one: the same fact anywhere, or the same bytes in another
    scope where this one would be a guest. ``None`` when there is none."""
    if entry["scope"] != store.scope and any(other.index.with_hash(entry["sha256"]) for other in elsewhere):
        return entry["sha256"]
    if not path.startswith(f"{fact_documents.FOLDER}/"):
        return None
    id = str(frontmatter.parse(data.decode("utf-8", "replace")).values.get("id") or "")
    for each in (store, *elsewhere):
        record = each.index.record(id) if id else None
        there = each.index.document(record.path) if record is not None else None
        if there is not None:
            return there.hash
    return None


def _import_pam(store: Store, source: Path) -> BundleReport:
    report = BundleReport(target=str(source))
    for memory in pam.loads(source):
        try:
            stored = facts.remember(store, pam.to_fact(memory), settle=False)
        except (BadInput, Refused) as error:
            report.refused.append(f"{redact(str(memory.get('id', '?')))[0]}: {error.message}")
            continue
        report.redacted += stored.redacted
        if stored.action == "known":
            report.known += 1
        else:
            report.wrote(store.scope)
    return report
