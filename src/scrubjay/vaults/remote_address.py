"""Where a team's memory is shared: which addresses git may be given, and how one is shown (SEC-5, F110, F112).

Only ``https``, ``ssh`` and folders of this machine. An address that names another transport (``ext::`` runs a program),
that begins like an option, or that holds a password is refused: addresses are remembered, and shown in messages.
"""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from scrubjay.errors import BadInput, Refused
from scrubjay.text.secrets import redact, scan

PROTOCOLS = "file:https:ssh"
"""What git is allowed to speak (``GIT_ALLOW_PROTOCOL``), whatever its configuration says."""

MOST_LETTERS = 2048
_HINT = "Use https://host/path, ssh://user@host/path, user@host:path or the full path of a folder."
_SCP = re.compile(r"(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9.][A-Za-z0-9.-]+:(?!:)(?!//)[^:\s-][^\s]*")
_LONGEST_USER = 32
_USER = re.compile(r"(?<=://)[^/@\s'\"]+@")


def checked(address: str, *, known: bool = False) -> str:
    """``address`` as git is given it: a folder becomes its full path, and has to be there unless it is ``known``.

    Raises ``BadInput`` or ``Refused``.
    """
    text = address.strip()
    if not text or len(text) > MOST_LETTERS or not text.isprintable():
        raise BadInput("That is no address of a remote.", hint=_HINT)
    if scan(text):
        raise Refused("The address of the remote holds a secret.", hint=_WITHOUT)
    if text.startswith("-") or "::" in text.partition("/")[0]:
        raise Refused(f"The remote {shown(text)!r} would make git run a program.", hint=_HINT)
    if "://" in text:
        return _url(text)
    if os.path.isabs(text) or text.startswith(("~", ".")) or os.path.isdir(text):
        return _folder(text, known=known)
    if _SCP.fullmatch(text):
        return text
    raise BadInput(f"{shown(text)!r} is no address of a remote.", hint=_HINT)


def shown(text: str) -> str:
    """``text``, an address or what git said about one, without user, password or any other secret."""
    return redact(_USER.sub("", text))[0]


_WITHOUT = "Leave it out: git asks its credential helper, and ssh its agent."


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        user, password, host = parts.username or "", parts.password, parts.hostname or ""
    except ValueError:
        raise BadInput("That is no address of a remote.", hint=_HINT) from None
    if parts.scheme not in PROTOCOLS.split(":"):
        raise Refused(f"Memories are not shared over {parts.scheme}.", hint=_HINT)
    if password is not None or len(user) > _LONGEST_USER or (user and parts.query):
        raise Refused("The address of the remote holds a password.", hint=_WITHOUT)
    if parts.scheme != "file" and not re.fullmatch(r"[A-Za-z0-9\[][A-Za-z0-9.:\]-]*", host):
        raise BadInput(f"{shown(text)!r} names no host.", hint=_HINT)
    if user.startswith("-"):
        raise Refused(f"The remote {shown(text)!r} would make git run a program.", hint=_HINT)
    return text


def _folder(text: str, *, known: bool) -> str:
    place = os.path.abspath(os.path.expanduser(text))
    if "::" in place or not (known or os.path.isdir(place)):
        raise BadInput(f"There is no folder {place}.", hint="Make one with `git init --bare`, or check it.")
    return place
