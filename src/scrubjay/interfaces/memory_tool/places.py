"""Between the paths that a model sees, below ``/memories``, and those of the files behind them (MT-2, MT-7, SEC-1).

The letters of a path are judged before the disk is looked at: what climbs in any reading, percent-decoded or in
Unicode's compatibility form, is refused, and what only begins like ``/memories`` is none of ours.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from scrubjay.errors import Refused
from scrubjay.interfaces.memory_tool.wording import Wording
from scrubjay.vaults.paths import check, check_writable
from scrubjay.vaults.tree import Item, Tree

ROOT = "/memories"
_DECODINGS = 8
_LINK = re.compile(r"link\b")


def relative(path: str, wording: Wording) -> str:
    """``path`` relative to ``/memories``, empty for the root itself. Raises ``Refusal``."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise wording.refusal("outside", path=_shown(path))
    inner = path[len(ROOT) :].strip("/")
    if _climbs(inner):
        raise wording.refusal("escapes", path=_shown(path))
    if not [part for part in inner.split("/") if part not in ("", ".")]:
        return ""
    try:
        return check_writable(check(inner))
    except Refused as refused:
        reason = refused.message.split("' ", 1)[-1].split('" ', 1)[-1]
        raise wording.refusal("bad path", path=_shown(path), reason=f"it {reason}") from None


def virtual(inner: str) -> str:
    """The path that a model sees for ``inner``."""
    return f"{ROOT}/{inner}" if inner else ROOT


def find(tree: Tree, inner: str, wording: Wording) -> Item | None:
    """What lies at ``inner``, if anything. Raises ``Refusal`` when a link leads out on the way, or the root is one."""
    try:
        return tree.find(inner)
    except Refused as refused:
        if tree.is_closed(inner) or not _LINK.search(refused.message):
            raise wording.refusal("bad path", path=virtual(inner), reason=refused.message) from None
        raise wording.refusal("link") from None


def _climbs(inner: str) -> bool:
    """Whether any reading of ``inner`` leads up or holds another separator."""
    view = inner
    for _ in range(_DECODINGS):
        folded = unicodedata.normalize("NFKC", "".join(x for x in view if unicodedata.category(x) != "Cf"))
        if "\\" in folded or any(part.strip(" ") == ".." for part in folded.split("/")):
            return True
        decoded = unquote(folded, errors="replace")
        if decoded == folded:
            return False
        if decoded.count("/") > folded.count("/"):
            return True
        view = decoded
    return True


def _shown(path: str) -> str:
    """``path`` as an answer may repeat it: in one line, and not endless."""
    shown = "".join(x if x.isprintable() else x.encode("unicode_escape", "backslashreplace").decode() for x in path)
    return shown if len(shown) <= 200 else f"{shown[:200]}…"
