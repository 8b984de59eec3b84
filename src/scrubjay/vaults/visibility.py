"""What of a folder is a document: text files in the open, not what editors, tools and the trash keep beside them."""

from __future__ import annotations

from collections.abc import Collection

SUFFIXES = frozenset({".md", ".markdown", ".txt"})
TRASH = "90-Trash"
# Our own temporary files are hidden, so that no vault program and no older version of us ever lists one.
TEMP_PREFIX = ".scrubjay-"
TEMP_SUFFIX = ".tmp"
_CLOSED_FOLDERS = frozenset({"node_modules", "__pycache__"})


def is_document_name(name: str, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Whether a file of this name is a document. Temporary, backup and lock files of editors are not (F32)."""
    if name.startswith((".", "~$", "#")) or name.endswith("~"):
        return False
    dot = name.rfind(".")
    return dot > 0 and name[dot:].casefold() in suffixes


def printable(path: str) -> str:
    """``path`` for people, whatever bytes its names are made of: what has no letter is written as an escape."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in path)


def covers(above: str, path: str) -> bool:
    """Whether ``path`` is ``above`` or lies in the folder ``above``."""
    return f"{path}/".startswith(f"{above}/")


def is_open_folder(name: str, *, top: bool) -> bool:
    """Whether documents are looked for in a folder of this name; ``top``: it lies directly in the vault."""
    return not name.startswith(".") and name not in _CLOSED_FOLDERS and not (top and name == TRASH)


def is_document(path: str, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Whether ``path`` (vault-relative, POSIX) is where a document lies that a listing shows."""
    *folders, name = path.split("/")
    return is_document_name(name, suffixes) and all(
        is_open_folder(folder, top=position == 0) for position, folder in enumerate(folders)
    )


def _escaped(letter: str) -> str:
    if "\udc80" <= letter <= "\udcff":  # how Python hands over a byte that is not UTF-8
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter.encode("unicode_escape", "backslashreplace").decode("ascii")
