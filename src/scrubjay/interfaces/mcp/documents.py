"""The documents of the vaults as resources: listed a page at a time, read by address, nothing else."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from scrubjay.errors import BadInput
from scrubjay.types import Document

if TYPE_CHECKING:
    from scrubjay.memory import Memory

SCHEME = "scrubjay"
TEMPLATE = "scrubjay://{scope}/{+path}"
PAGE = 100
MIME = {"md": "text/markdown", "markdown": "text/markdown", "txt": "text/plain"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document of a listing. ``size`` is in bytes."""

    uri: str
    name: str
    path: str
    scope: str
    size: int
    mime: str


def page(memory: Memory, cursor: str | None) -> tuple[list[Listed], str | None]:
    """A page of documents by scope and path, and where the next one begins. Raises ``BadInput`` for a wrong cursor.

    A cursor names the last document before it, so that what appears or vanishes meanwhile shifts nothing.
    """
    after = _position(cursor) if cursor else None
    found = list(islice(_after(memory, after), PAGE + 1))
    following = _cursor(found[PAGE - 1]) if len(found) > PAGE else None
    return found[:PAGE], following


def read(memory: Memory, uri: str) -> Document:
    """The document at ``uri``. Raises ``BadInput``, ``NotFound``, ``Refused``."""
    scope, path = _place(uri)
    return memory.document(scope, path)


def address(scope: str, path: str) -> str:
    """The URI of a document."""
    return f"{SCHEME}://{scope}/{quote(path)}"


def mime(path: str) -> str:
    """The media type of a document."""
    return MIME.get(path.rpartition(".")[2].casefold(), "text/plain")


def _after(memory: Memory, after: tuple[str, str] | None) -> Iterator[Listed]:
    scopes = list(memory.scopes)
    if after is not None and after[0] not in scopes:
        raise BadInput("The cursor is of another list.", hint="Begin again without a cursor.")
    first = scopes.index(after[0]) if after else 0
    for scope, entry in memory.documents(scopes=scopes[first:]) if scopes else ():
        if after is not None and scope == after[0] and entry.path <= after[1]:
            continue
        yield Listed(
            uri=address(scope, entry.path),
            name=entry.path.rpartition("/")[2],
            path=entry.path,
            scope=scope,
            size=entry.size,
            mime=mime(entry.path),
        )


def _place(uri: str) -> tuple[str, str]:
    head = f"{SCHEME}://"
    scope, slash, path = uri.removeprefix(head).partition("/")
    if not uri.startswith(head) or not slash or not scope or not path:
        raise BadInput("That is no address of a document.", hint=f"Addresses look like {TEMPLATE}.")
    return unquote(scope), unquote(path, errors="strict") if "%" in path else path


def _cursor(last: Listed) -> str:
    return base64.urlsafe_b64encode(f"{last.scope}/{last.path}".encode("utf-8", "surrogateescape")).decode()


def _position(cursor: str) -> tuple[str, str]:
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("utf-8", "surrogateescape")
    except (ValueError, binascii.Error):
        raise BadInput("The cursor is of another list.", hint="Begin again without a cursor.") from None
    scope, _, path = text.partition("/")
    return scope, path
