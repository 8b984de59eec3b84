"""Which documents may be shared, and which files of others may become documents (CC-T1, CC-T2, SEC-1, F108, F110)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from scrubjay.errors import Refused
from scrubjay.operations.share.reports import Withheld
from scrubjay.text import frontmatter
from scrubjay.text.merge import marker_line
from scrubjay.text.secrets import Finding, redact, scan
from scrubjay.types import Document, Problem
from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.documents import proposal, receipt, tombstone, transcript
from scrubjay.vaults.encoding import to_document
from scrubjay.vaults.layout import EPISODES, FOLDERS, INBOX, INDICES, LOGS, SKELETON, TEMPLATES, TRASH, is_indexed
from scrubjay.vaults.paths import check_writable

TEAM = "team"
"""The scope of a team's memory, which is a notebook."""

INDEX = host.INDEX_NAME
"""The table of contents of a notebook: made from the files, never merged."""

SUFFIX = ".md"
MOST_BYTES = 1_000_000
"""Bytes of the largest document that is shared, unless the settings say otherwise."""

_PRIVATE = frozenset({INBOX, INDICES, TEMPLATES, EPISODES, LOGS, TRASH})
"""Folders of a vault whose documents are one person's, or made by the program."""

_KINDS = frozenset({proposal.KIND, receipt.KIND, transcript.KIND, tombstone.KIND})
"""Kinds of documents that mean something to the program itself: nobody else may bring them along."""


def is_shared(path: str, dialect: str = "") -> bool:
    """Whether a document at ``path`` is one that a team shares; the overview of a notebook is made, not shared.

    In the folder of another program, whose ``dialect`` that is, the folders of a vault of ours mean nothing.
    """
    if not path.endswith(SUFFIX) or path == INDEX or not is_indexed(path):
        return False
    return path.partition("/")[0] not in (FOLDERS if dialect else _PRIVATE)


def is_skeleton(path: str, data: bytes) -> bool:
    """Whether a document is one that every new vault has, as it was made."""
    return path in SKELETON and SKELETON[path].encode("utf-8") == data


def place_of(name: bytes | str) -> str:
    """The path that a file of others may have here, in normal form. Raises ``Refused`` (CC-T1)."""
    try:
        text = name if isinstance(name, str) else name.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("its name is not UTF-8") from None
    path = check_writable(text)
    if path.count("/") > 8:
        raise Refused(f"The path {path!r} is too deep.")
    return path


def collisions(paths: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Each path that a file system without letter case would take for another one, and that other one.

    Those ``taken`` already keep their names; of two new ones the first in order does.
    """
    owners: dict[str, str] = {}
    for path in taken:
        owners.setdefault(path.casefold(), path)
    found = {}
    for path in sorted(paths):
        owner = owners.setdefault(path.casefold(), path)
        if owner != path:
            found[path] = owner
    folders = {above.casefold() for path in owners.values() for above in _above(path)}
    for path in paths:
        if path.casefold() in folders:
            found[path] = f"{path}/"
    return found


def flaw(path: str, data: bytes, most_bytes: int = MOST_BYTES) -> tuple[int, str]:
    """The line and the reason for which a document is not shared, in either direction; 0 and nothing for a good one."""
    if len(data) > most_bytes:
        return 1, f"it has {len(data):,} bytes; {most_bytes:,} is the most that is shared"
    if b"\0" in data:
        return 1, "it is no text"
    text = to_document(path, data, mtime_ns=0).text
    if line := marker_line(text):
        return line, "is a merge conflict marker; resolve the conflict first"
    kind = frontmatter.parse(text).string("kind")
    if kind in _KINDS:
        return 1, f"it claims to be a {kind}, which only this program makes"
    return 0, ""


def secrets_of(path: str, data: bytes) -> tuple[list[Withheld], list[Withheld]]:
    """The secrets in a file and in its name: those that are sure, and those that only look like it."""
    text = to_document(path, data, mtime_ns=0).text
    raw = data.decode("utf-8", "surrogateescape")
    found = {(one.rule, one.label, one.sure) for one in [*scan(text), *scan(path), *(scan(raw) if raw != text else [])]}
    shown = redact(path)[0]
    listed = [(Withheld(path=shown, rule=rule, label=label), sure) for rule, label, sure in sorted(found)]
    return [one for one, sure in listed if sure], [one for one, sure in listed if not sure]


def withheld(scope: str, document: Document) -> Problem | None:
    """Why a document of a team is not put before any agent: it holds a secret, which somebody else put there."""
    if scope != TEAM:
        return None
    found = next((one for one in scan(document.text) if one.sure), None)
    if found is None:
        return None
    line = document.text.count("\n", 0, found.start) + 1
    return Problem(path=document.path, line=line, message=f"holds a secret ({found.label}), so it was not loaded")


def leak(texts: Mapping[str, bytes]) -> Finding | None:
    """A sure secret in any of ``texts``."""
    for name, data in texts.items():
        for text in (name, to_document("", data, mtime_ns=0).text):
            for finding in scan(text):
                if finding.sure:
                    return finding
    return None


def _above(path: str) -> Iterable[str]:
    return (str(folder) for folder in PurePosixPath(path).parents if str(folder) != ".")
