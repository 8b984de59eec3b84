"""The folders of a vault and what a fresh one holds (SM-1, SM-2, design §4).

``init`` is safe to repeat: it writes what is missing and never touches what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scrubjay.errors import Conflict
from scrubjay.ports import Vault

INBOX = "00-Inbox"
MEMORIES = "10-Memories"
INDICES = "20-Indices"
TEMPLATES = "30-Templates"
FACTS = "40-Facts"
EPISODES = "50-Episodes"
LOGS = "60-Logs"
TRASH = "90-Trash"
FOLDERS = (INBOX, MEMORIES, INDICES, TEMPLATES, FACTS, EPISODES, LOGS, TRASH)

README = "README.md"
INDEX = f"{INDICES}/index.md"
TEMPLATE = f"{TEMPLATES}/memory-template.md"

_NEVER_INDEXED = (INDICES, TEMPLATES, TRASH)

_ABOUT = {
    INBOX: "Proposals that wait for somebody's decision, and quick captures.",
    MEMORIES: "One note a file, named `MEM-<slug>.md`.",
    INDICES: "Generated overviews. They are written anew after every change: edit the notes instead.",
    TEMPLATES: "Skeletons for notes written by hand.",
    FACTS: "One fact a file, in a folder for each category.",
    EPISODES: "Summaries of sessions and what was said in them, by year and month.",
    LOGS: "Daily logs, by year and month. Lines are added, never changed.",
    TRASH: "Retired documents with receipts. `scrubjay undo` brings them back.",
}

_TEMPLATE_TEXT = """\
---
title: ""
created: YYYY-MM-DD
tags: [INSIGHT]
topic: ""
source: ""
modified: YYYY-MM-DD
---

# Title

What was learned, why it is so, and when it applies.

## Connections
<!-- [[MEM-other]] links go here -->
"""

_INDEX_TEXT = f"""\
# Memory Vault Index

## Quick Navigation

- [Inbox](../{INBOX}/{README})
- [Memories](../{MEMORIES}/{README})
- [Templates](../{TEMPLATES}/{README})
"""

# The trash is one person's way back; shared, it would offer everybody to undo what somebody else did.
_IGNORED_TEXT = (
    "# Kept out of git: what programs keep beside the documents, and each person's own trash and settings.\n"
    ".obsidian/\n*.sqlite\n.scrubjay-*.tmp\n90-Trash/*\n!90-Trash/README.md\nconfig.local.toml\n"
)


# Overviews are made anew from the notes after a merge, so both sides' lines may stand until then (F106).
_ATTRIBUTES_TEXT = (
    "# Generated files never conflict: git keeps the lines of both sides, and Scrubjay makes the files anew.\n"
    f"{INDEX} merge=union\n{MEMORIES}/{README} merge=union\n"
    "memory-index.json merge=union\ndistill-log.json merge=union\n"
)


def _root_readme() -> str:
    rows = "".join(f"- [{folder}]({folder}/{README}): {about}\n" for folder, about in _ABOUT.items())
    return (
        "# Memory\n\nWhat agents and people learned here, as Markdown. "
        "Any editor may change it; the index is derived and can be thrown away.\n\n" + rows
    )


def _folder_readme(folder: str) -> str:
    return f"# {folder[3:]}\n\n{_ABOUT[folder]}\n\n[Up: the vault](../{README})\n"


SKELETON: Mapping[str, str] = MappingProxyType(
    {
        ".gitignore": _IGNORED_TEXT,
        ".gitattributes": _ATTRIBUTES_TEXT,
        README: _root_readme(),
        **{f"{folder}/{README}": _folder_readme(folder) for folder in FOLDERS},
        INDEX: _INDEX_TEXT,
        TEMPLATE: _TEMPLATE_TEXT,
    }
)


def init(vault: Vault) -> list[str]:
    """Writes the parts of the layout that ``vault`` lacks and returns their paths; nothing is overwritten (SM-2)."""
    written = []
    for path, text in SKELETON.items():
        if vault.exists(path):
            continue
        try:
            vault.write(path, text, expected=None)
        except Conflict:
            continue
        written.append(path)
    return written


def is_indexed(path: str) -> bool:
    """Whether the document at ``path`` is knowledge, judged by its place alone.

    Not indexed: the generated overviews, the templates, the trash, and the README that we keep in each numbered
    folder. A README of the user's own, in a plain folder or deeper down, is a document like any other.
    """
    parts = path.split("/")
    if len(parts) < 2 or parts[0] not in FOLDERS:
        return True
    return parts[0] not in _NEVER_INDEXED and not (len(parts) == 2 and parts[1].casefold() == README.casefold())
