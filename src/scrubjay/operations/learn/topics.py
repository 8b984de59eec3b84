"""The topic of a segment: what its note says, its folder, then the field its words belong to (SM-24).

What is left without a topic takes that of a related memory, or a person's (``planning``, the gate).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from scrubjay.operations.learn.domains import domains
from scrubjay.text.graphemes import cut_before

LEVELS = 3
_LONGEST_PART = 40

_EMPTY_NAMES = frozenset(
    """
    . .. a app apps archive article articles assets book books cmd code content contents data desktop dev doc docs
    document documents download downloads draft drafts en example examples export files folder home inbox include
    internal java_src lib libs local main md memory misc mnt my new note notes old org packages page pages pkg post
    posts private project projects public raw readme repo repos root ru shared site source sources spec specs src srv
    static temp test tests text texts tmp untitled user users usr vault vaults version versioned_docs wiki work
    workspace www zh zh-cn документы заметки записи 文档 笔记
    """.split()
)
"""Names of folders that say nothing of what is in them."""

_ORDER = re.compile(r"^(?:\d{1,4}[-_. )]+)+(?=\D)|^\d+[-_.\d]*$")
_APART = re.compile(r"[\s_]+")


def from_path(path: str) -> str:
    """The topic that the folders of ``path`` (relative, POSIX, a file) name: at most three levels, in lower case."""
    parts = [_part(part) for part in path.split("/")[:-1] if not part.startswith(".")]
    return "/".join([part for part in parts if part and part not in _EMPTY_NAMES][:LEVELS])


def from_name(folder: str) -> str:
    """The topic that a folder's own name gives, or nothing where it says nothing."""
    part = _part(folder)
    return "" if part in _EMPTY_NAMES else part


def from_words(words: Iterable[str], title: str = "") -> str:
    """The field of the first of ``words`` that the domain map knows; ``title`` is searched for words of scripts
    without spaces."""
    known = domains()
    for word in words:
        topic = known.get(word.casefold())
        if topic:
            return topic
    if not title.isascii():
        return next(
            (topic for word, topic in known.items() if len(word) > 1 and not word.isascii() and word in title), ""
        )
    return ""


def normal(topic: str) -> str:
    """A topic that somebody wrote, as SM-4 has it: a slash path in lower case."""
    parts = (_part(part, keep_numbers=True) for part in topic.strip().split("/"))
    return "/".join([part for part in parts if part][: LEVELS + 1])


def _part(name: str, *, keep_numbers: bool = False) -> str:
    name = unicodedata.normalize("NFC", name.strip().lower()).encode("utf-8", "ignore").decode("utf-8")
    if not keep_numbers:
        name = _ORDER.sub("", name)
    name = "".join(
        letter if letter.isalnum() or letter in "-._+#" or unicodedata.combining(letter) else " " for letter in name
    )
    name = _APART.sub("-", name.strip()).strip("-.")
    return name[: cut_before(name, _LONGEST_PART)] if name else ""
