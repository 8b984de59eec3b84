"""Secrets that lie on the disk already: found, named by place and rule, and taken out of a vault's documents (CC-T2).

What is found is never kept or shown. A vault is looked through with its trash and with what git has of it, because
taking a secret out of a document leaves it in both.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from scrubjay.errors import NotFound, ScrubjayError, Unavailable
from scrubjay.operations import indices
from scrubjay.operations.editing import editing
from scrubjay.operations.indices.files import GENERATED
from scrubjay.operations.store import Store
from scrubjay.text.detect import decode
from scrubjay.text.secrets import Finding, redact, scan
from scrubjay.transcripts import places
from scrubjay.types import Problem
from scrubjay.vaults.documents import receipt
from scrubjay.vaults.git import Repository
from scrubjay.vaults.layout import is_indexed
from scrubjay.vaults.shared_repository import SharedRepository
from scrubjay.vaults.visibility import printable

Where = Literal["document", "overview", "trash", "history", "file"]
Progress = Callable[[int, int], None]

MOST_FILES = 200_000
MOST_HISTORY = 50_000
"""Versions of documents in git that are looked at, newest first."""

AT_ONCE = 16 * 1024 * 1024
"""Bytes up to which a file is decoded as a whole; a larger one is read as UTF-8 in blocks."""

_TOGETHER = 100
_BLOCK = 4 * 1024 * 1024
_OVERLAP = 32 * 1024  # of a block that are looked at again with the next: hardly a secret is longer
_HEAD = 8192
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A secret that lies somewhere: path, line, rule, and ``where`` that is. ``sure`` is false for a guess by the word
    before it. ``vault`` is the folder that ``path`` is relative to, where it has one; ``commit`` the newest commit that
    brought a version of the document with the secret in it."""

    path: str
    line: int
    rule: str
    label: str
    where: Where
    sure: bool = True
    scope: str = ""
    vault: str = ""
    commit: str = ""


@dataclass(slots=True, kw_only=True)
class ScanReport:
    """What was looked at and found. ``binary`` counts files that are no text; ``skipped`` could not be looked at.

    ``redacted`` are the documents out of which secrets were taken now, ``kept`` the folders of the trash where undo
    keeps what they were before, secrets included.
    """

    files: int = 0
    binary: int = 0
    versions: int = 0
    found: list[Leak] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether no secret was found."""
        return not self.found


def scan_path(path: Path, report: ScanReport, *, progress: Progress | None = None) -> None:
    """Adds to ``report`` what ``path``, a file or a folder, holds; links inside a folder are not followed.

    Raises ``NotFound``, and ``Unavailable`` for a file that cannot be read; in a folder that is reported.
    """
    if not path.exists():
        raise NotFound(f"There is nothing at {path}.", hint="Check the path.")
    if path.is_dir():
        for place in _walk(path, report, progress):
            _scan_file(place, report, str(place), "file")
        return
    with places.open_file(path, follow=True) as file:
        _scan_open(file, report, str(path), "file")


def scan_store(store: Store, report: ScanReport, *, progress: Progress | None = None) -> None:
    """Adds to ``report`` what the vault holds: documents, other files, trash, and the history that git has of it."""
    root = Path(store.vault.name)
    beside = getattr(store.vault, "beside", None)
    for folder in (root, Path(beside)) if beside else (root,):
        for place in _walk(folder, report, progress) if folder.is_dir() else ():
            path = place.relative_to(folder).as_posix()
            _scan_file(place, report, path, _where(store, path), store, folder)
    try:
        repository = Repository.around(root) if root.is_dir() else None
        if repository is not None:
            _scan_history(repository, report, store)
    except ScrubjayError as error:
        report.skipped.append(Problem(path=str(root), message=f"its git history was not looked at: {error.message}"))


def scan_carriers(folder: Path, report: ScanReport, *, scope: str) -> None:
    """Adds to ``report`` what the repositories in ``folder`` hold, which carry a memory to its team: every version of
    every document, those too that were left where they are because of a secret."""
    for place in sorted(folder.glob("*.git")) if folder.is_dir() else ():
        repository = SharedRepository(place)
        try:
            told: set[tuple[str, str]] = set()
            items = repository.everything()
            sizes = repository.sizes(item.id for item in items)
            fitting = [item for item in items if sizes.get(item.id, AT_ONCE + 1) <= AT_ONCE]
            for start in range(0, len(fitting), _TOGETHER):
                batch = fitting[start : start + _TOGETHER]
                contents = repository.contents([item.id for item in batch])
                for item in batch:
                    report.versions += 1
                    path = printable(item.path.decode("utf-8", "surrogateescape"))
                    text = decode(contents.get(item.id, b""), path).text
                    _add_versions(report, path, text, told, scope=scope, vault=str(place))
        except ScrubjayError as error:
            report.skipped.append(Problem(path=str(place), message=f"was not looked at: {error.message}"))


def _where(store: Store, path: str) -> Where:
    if path.startswith(f"{receipt.TRASH}/"):
        return "trash"
    if path in GENERATED:
        return "overview"
    return "document" if is_indexed(path) and store.index.document(path) is not None else "file"


def redact_store(store: Store, report: ScanReport) -> None:
    """Takes the secrets out of the documents of ``store`` that ``report`` names, in one operation.

    The trash keeps what was there before, for undo; the report says where. What cannot be rewritten is reported.
    """
    paths = dict.fromkeys(
        leak.path for leak in report.found if leak.where == "document" and leak.vault == store.vault.name
    )
    if not paths:
        return
    with editing(store, "redact", f"Took secrets out of {len(paths)} document{'s' * (len(paths) != 1)}") as edits:
        for path in paths:
            try:
                document = store.vault.read(path)
                clean, found = redact(document.text)
                if found:
                    with edits.attempt():
                        edits.replace(document, clean)
                    report.redacted.append(path)
            except ScrubjayError as error:
                report.skipped.append(Problem(path=path, message=f"not changed: {error.message}"))
    if edits.changed:
        indices.regenerate(store)
        report.kept.append(str(Path(store.vault.name) / receipt.TRASH / edits.id))


def _walk(root: Path, report: ScanReport, progress: Progress | None) -> Iterator[Path]:
    walk = places.Walk(root, ("",), MOST_FILES, ignored=frozenset({".git"}))
    for number, place in enumerate(walk):
        if progress is not None and number % 100 == 0:
            progress(number, max(number, 1))
        yield place.path
    for count, reason in ((walk.links, "links and special files"), (walk.unreadable, "entries that cannot be read")):
        if count:
            report.skipped.append(Problem(path=str(root), message=f"{count} {reason}"))
    if walk.capped:
        report.skipped.append(Problem(path=str(root), message="too many files; name a folder inside"))


def _scan_file(
    place: Path, report: ScanReport, shown: str, where: Where, store: Store | None = None, folder: Path | None = None
) -> None:
    try:
        with places.open_file(place) as file:
            _scan_open(file, report, shown, where, store, folder)
    except ScrubjayError as error:
        report.skipped.append(Problem(path=redact(shown)[0], message=redact(error.message)[0]))


def _scan_open(
    file: BinaryIO, report: ScanReport, shown: str, where: Where, store: Store | None = None, folder: Path | None = None
) -> None:
    """Adds what an open file holds, and its name, which may be one too."""
    name, named = redact(shown)
    report.files += 1
    found = [(0, finding) for finding in named]
    try:
        head = file.read(_HEAD)
        if b"\0" in head and not head.startswith(_WIDE):
            report.binary += 1
        else:
            file.seek(0)
            found += _located(file, shown)
    except OSError as error:
        raise Unavailable(f"{name} cannot be read: {error.strerror}.", hint="Check the disk.") from None
    for line, finding in found:
        report.found.append(
            Leak(
                path=name if named else shown,
                line=line,
                rule=finding.rule,
                label=finding.label,
                where=where,
                sure=finding.sure,
                scope=store.scope if store else "",
                vault=str(folder) if folder else "",
            )
        )


def _located(file: BinaryIO, name: str) -> Iterator[tuple[int, Finding]]:
    """Each secret with its line."""
    data = file.read(AT_ONCE + 1)
    if len(data) <= AT_ONCE:
        text = decode(data, name).text
        yield from ((text.count("\n", 0, finding.start) + 1, finding) for finding in scan(text))
        return
    line, seen = 1, 0  # ``seen`` bytes at the beginning of ``data`` were looked at before
    while True:
        # A character for each byte: what is known of secrets is ASCII but for the words before a password.
        text = data.decode("latin-1")
        for finding in scan(text):
            if finding.end > seen:
                yield line + data.count(b"\n", 0, finding.start), finding
        kept = data[-_OVERLAP:]
        line += data.count(b"\n", 0, len(data) - len(kept))
        more = file.read(_BLOCK)
        if not more:
            return
        data, seen = kept + more, len(kept)


def _scan_history(repository: Repository, report: ScanReport, store: Store) -> None:
    """Adds each secret that a committed version of a document holds, once a path and rule."""
    told: set[tuple[str, str]] = set()
    listed = repository.history(MOST_HISTORY)
    for changed, text in repository.contents(listed):
        report.versions += 1
        _add_versions(
            report, changed.path, text, told, scope=store.scope, vault=store.vault.name, commit=changed.commit
        )


def _add_versions(
    report: ScanReport, path: str, text: str, told: set[tuple[str, str]], *, scope: str, vault: str, commit: str = ""
) -> None:
    """Adds the secrets of one version of a document, of which others were ``told`` before."""
    for finding in scan(text):
        if (path, finding.rule) not in told:
            told.add((path, finding.rule))
            report.found.append(
                Leak(
                    path=redact(path)[0],
                    line=text.count("\n", 0, finding.start) + 1,
                    rule=finding.rule,
                    label=finding.label,
                    where="history",
                    sure=finding.sure,
                    scope=scope,
                    vault=vault,
                    commit=commit,
                )
            )
