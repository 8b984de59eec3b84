"""A bundle or a folder from somebody else, taken in: hostile until looked at (CC-T1 … CC-T3, SEC-8, F108, F112).

Nothing that is here is overwritten. What says something else than the document here waits in the inbox, an older
version of it is known as such, and a document that was deleted here does not come back.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrubjay.errors import BadInput, Corrupt, NotFound, Refused, ScrubjayError
from scrubjay.operations import bundle, indices
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.share import conflicts
from scrubjay.operations.share.reports import ImportReport
from scrubjay.operations.share.rows import Versions, overview
from scrubjay.operations.share.screening import (
    INDEX,
    MOST_BYTES,
    TEAM,
    collisions,
    flaw,
    is_shared,
    place_of,
    secrets_of,
)
from scrubjay.operations.share.sides import is_there
from scrubjay.operations.store import Store
from scrubjay.text import frontmatter
from scrubjay.text.secrets import redact
from scrubjay.types import Document, Problem
from scrubjay.vaults.documents import fact as facts
from scrubjay.vaults.encoding import digest, to_document
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.visibility import printable

MOST_FILES = 20_000
MOST_IN_ALL = 256 * 1024 * 1024
_JOURNAL = 10_000
_LOW_TRUST = {"trust": "low"}

Entries = Iterator[tuple[str, bytes | Problem]]


@dataclass(slots=True, kw_only=True)
class _Arrival:
    """What came, sorted: documents that may be taken in, by path."""

    report: ImportReport
    most_bytes: int
    dialect: str
    files: dict[str, bytes] = field(default_factory=dict)


def import_(store: Store, source: Path, *, most_bytes: int = MOST_BYTES) -> ImportReport:
    """Takes in ``source``, a bundle or a folder, as one operation, and says what became of each file.

    Into another memory than the team's it comes with low trust, since nobody there wrote it: it is found, and never
    given to an agent unasked (SEC-3). Raises ``NotFound``, ``BadInput``, ``Corrupt`` or ``Refused`` for a source that
    cannot be read as a whole.
    """
    report = ImportReport(source=source.name, scope=store.scope)
    arrival = _Arrival(report=report, most_bytes=most_bytes, dialect=store.dialect)
    for name, content in _entries(source, most_bytes):
        _receive(arrival, name, content)
    _refuse_clashes(arrival, store)
    rivals: list[tuple[Document, bytes]] = []
    earlier = _earlier(store)
    with editing(store, "share", f"Imported from {redact(source.name)[0]}", batch=True) as edits:
        for path, data in arrival.files.items():
            try:
                with edits.attempt():
                    _place(store, edits, path, data, arrival=arrival, earlier=earlier.get(path, set()), rivals=rivals)
            except ScrubjayError as error:
                report.refused.append(Problem(path=path, message=error.message))
        if rivals:
            kept = conflicts.keep(
                store, edits, rivals, rule=conflicts.THEIRS, source=f"import of {redact(source.name)[0]}"
            )
            report.proposals = [one.path for one in kept]
        if report.written:
            _renew_overview(store, edits, report.written)
    report.operation = edits.id if edits.changed else ""
    if report.written and not store.dialect and store.scope != TEAM:
        indices.regenerate(store)
    return report


def _entries(source: Path, most_bytes: int) -> Entries:
    if source.is_symlink() or not source.exists():
        raise NotFound(f"There is no file or folder {source}.", hint="Name what `scrubjay share export` wrote.")
    return _of_folder(source, most_bytes) if source.is_dir() else _of_bundle(source, most_bytes)


def _of_bundle(source: Path, most_bytes: int) -> Entries:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError):
        raise BadInput(f"{source} is no bundle.", hint="Name what `scrubjay share export` wrote.") from None
    with archive:
        try:
            bundle.refuse_bombs(archive)
            listed = bundle.listed(archive)
            sizes = {member.filename: member.file_size for member in archive.infolist()}
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError):
            raise Corrupt(f"{source} cannot be unpacked.", hint="Ask for it again.") from None
        names = [f"documents/{entry['scope']}/{entry['path']}" for entry in listed]
        _require_bounded(len(listed), sum(min(sizes.get(name, 0), most_bytes) for name in set(names)))
        for entry, name in zip(listed, names, strict=True):
            path = entry["path"]
            if sizes.get(name, 0) > most_bytes:
                yield path, _too_large(path, sizes[name], most_bytes)
                continue
            try:
                yield path, _verified(path, archive.read(name), entry["sha256"])
            except KeyError:
                yield path, Problem(path=path, message="it is missing in the bundle")
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError):
                yield path, Problem(path=path, message="it cannot be unpacked")


def _of_folder(source: Path, most_bytes: int) -> Entries:
    vault = FolderVault(source, suffixes=(".md",))
    entries = list(vault.entries())
    _require_bounded(len(entries), sum(min(entry.size, most_bytes) for entry in entries))
    hashes = _manifest(vault)
    for entry in entries:
        if entry.size > most_bytes:
            yield (
                entry.path,
                Problem(path=entry.path, message=f"it has {entry.size:,} bytes; {most_bytes:,} is the most"),
            )
            continue
        try:
            data = vault.read_bytes(entry.path)
        except ScrubjayError as error:
            yield entry.path, Problem(path=entry.path, message=error.message)
            continue
        if hashes is not None and entry.path not in hashes:
            yield entry.path, Problem(path=entry.path, message="it is not in the manifest of the folder")
        else:
            yield entry.path, data if hashes is None else _verified(entry.path, data, hashes[entry.path])
    yield from ((problem.path, problem) for problem in vault.skipped())
    for path in sorted(set(hashes or ()) - {entry.path for entry in entries}):
        yield path, Problem(path=path, message="it is missing in the folder")


def _manifest(vault: FolderVault) -> dict[str, str] | None:
    """The hashes that a folder gives for its files; ``None`` for one that gives none."""
    try:
        if (vault.root / bundle.MANIFEST).lstat().st_size > bundle.MOST_MANIFEST:
            raise Refused(f"{bundle.MANIFEST} of the folder is larger than any memory needs.")
        data = vault.read_bytes(bundle.MANIFEST)
    except (NotFound, FileNotFoundError):
        return None
    return {entry["path"]: entry["sha256"] for entry in bundle.listing_of(data)}


def _verified(path: str, data: bytes, sha256: str) -> bytes | Problem:
    wrong = digest(data) != sha256
    return Problem(path=path, message="its bytes are not those that were exported") if wrong else data


def _too_large(path: str, size: int, most_bytes: int) -> Problem:
    return Problem(path=path, message=f"it has {size:,} bytes; {most_bytes:,} is the most that is shared")


def _require_bounded(count: int, size: int) -> None:
    if count > MOST_FILES or size > MOST_IN_ALL:
        raise Refused(
            f"That is more than is taken in at once: {count:,} files, {size:,} bytes.", hint="Take it in in parts."
        )


def _receive(arrival: _Arrival, name: str, content: bytes | Problem) -> None:
    """Looks at one file on its own."""
    report, shown = arrival.report, redact(printable(name))[0]
    if isinstance(content, Problem):
        report.refused.append(Problem(path=shown, message=redact(content.message)[0]))
        return
    try:
        path = place_of(name)
    except Refused as error:
        report.refused.append(Problem(path=shown, message=redact(error.message)[0]))
        return
    if path == INDEX:
        return  # made from the files
    line, reason = flaw(path, content, arrival.most_bytes)
    sure, _ = secrets_of(path, content)
    if sure:
        report.skipped += sure
    elif reason or not is_shared(path, arrival.dialect):
        reason = reason or "it is no document that is shared"
        report.refused.append(Problem(path=shown, line=max(line, 1), message=reason))
    elif arrival.files.get(path, content) != content:
        report.refused.append(Problem(path=shown, message="it comes twice, with different bytes"))
    else:
        arrival.files[path] = content


def _refuse_clashes(arrival: _Arrival, store: Store) -> None:
    for path, other in collisions(arrival.files, store.index.documents()).items():
        del arrival.files[path]
        message = f"it differs from {other} by the case of letters only"
        arrival.report.refused.append(Problem(path=path, message=message))


def _place(
    store: Store,
    edits: Edits,
    path: str,
    data: bytes,
    *,
    arrival: _Arrival,
    earlier: set[str],
    rivals: list[tuple[Document, bytes]],
) -> None:
    report = arrival.report
    marked = _marked(store, path, data)
    hashes = {digest(data), digest(marked)}
    here = store.vault.read(path) if is_there(store, path) else None
    if here is not None and here.hash in hashes:
        report.known.append(path)
    elif hashes & earlier:
        report.stale.append(path)
    elif here is not None:
        report.conflicts.append(path)
        rivals.append((here, marked))
    else:
        _require_no_superseding(store, path, data)
        edits.replace_bytes(path, marked, expected=None)
        report.written.append(path)


def _marked(store: Store, path: str, data: bytes) -> bytes:
    """``data`` as it is kept: what did not come to the team's own memory says that it is not to be trusted."""
    if store.scope == TEAM:
        return data
    document = to_document(path, data, mtime_ns=0)
    if not document.exact or document.encoding not in ("utf-8", "utf-8-sig", "ascii"):
        raise Refused(f"{path} is not UTF-8, so it cannot be marked as somebody else's.")
    try:
        return frontmatter.set_values(document.text, _LOW_TRUST, create=True).encode("utf-8")
    except BadInput as error:
        raise Refused(f"{path} cannot be marked as somebody else's: {error.message}") from None


def _earlier(store: Store) -> dict[str, set[str]]:
    """By path, the hashes of all versions that our own operations replaced or deleted."""
    found: dict[str, set[str]] = {}
    for operation in store.index.operations(_JOURNAL):
        for change in operation.changes:
            if change.before:
                found.setdefault(change.path, set()).add(change.before)
    return found


def _require_no_superseding(store: Store, path: str, data: bytes) -> None:
    """Raises ``Refused`` for a fact of others that would close one of ours."""
    if store.scope == TEAM:
        return
    parsed = frontmatter.parse(to_document(path, data, mtime_ns=0).text)
    old = parsed.string("supersedes")
    if parsed.string("kind") == facts.KIND and old and store.index.record(old) is not None:
        raise Refused(f"it would supersede the fact {old}, which is here")


def _renew_overview(store: Store, edits: Edits, fresh: Sequence[str]) -> None:
    """The overview of a notebook, made anew with what came."""
    if store.scope != TEAM and not store.vault.exists(INDEX):
        return
    files = {
        entry.path: store.vault.read(entry.path).text
        for entry in store.vault.entries()
        if is_shared(entry.path, store.dialect)
    }
    own = store.vault.read(INDEX) if store.vault.exists(INDEX) else None
    text = overview(Versions(ours=own.text if own else ""), files, fresh=fresh)
    if own is None and text:
        edits.replace_bytes(INDEX, text.encode("utf-8"), expected=None)
    elif own is not None and text != own.text:
        edits.replace(own, text)
