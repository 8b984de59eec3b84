"""Every string that the memory tool answers, in both dialects: one table (MT-2, MT-4, XC-22).

``docs`` is what the documentation of the API says, ``sdk`` what the file-based tool in Anthropic's Python SDK says.
Where the two agree the table has one string; what neither knows is ours, and in ``docs`` begins as its errors do.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

from scrubjay.errors import BadInput

Dialect = Literal["docs", "sdk"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


class Refusal(BadInput):
    """What the contract answers, word for word."""


def _both(text: str) -> tuple[str, str]:
    return text, text


def _error(text: str) -> tuple[str, str]:
    return f"Error: {text}", text


_MISSING: Final = "The path {path} does not exist"
_MISSING_PLEASE: Final = "The path {path} does not exist. Please provide a valid path."
_BAD_LINE: Final = "Invalid `insert_line` parameter: {line}. It should be within the range"

SUCCESSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "folder": (
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:",
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:",
        ),
        "file": _both("Here's the content of {path} with line numbers:"),
        "image": _both("The file {path} is an image ({media_type})."),
        "created": _both("File created successfully at: {path}"),
        "replaced": _both(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        ),
        "inserted": _both("The file {path} has been edited."),
        "deleted": _both("Successfully deleted {path}"),
        "renamed": _both("Successfully renamed {old_path} to {new_path}"),
        "cleared": _both("All memory cleared"),
        # What is added to one of the above.
        "lines left": _both(
            "[Lines {first} to {last} of {total} are shown. Go on with view_range [{next}, {end}].]",
        ),
        "line cut": _both("[The first {shown} of {length} characters of line {line} are shown.]"),
        "items left": _both("[{count} more are not shown. View a directory inside.]"),
        "redacted": _both("[Taken out before it was stored, because it looks like a secret: {found}.]"),
    }
)

ERRORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "view missing": _both(_MISSING_PLEASE),
        "create exists": _error("File {path} already exists"),
        "replace missing": _error(_MISSING_PLEASE),
        "replace folder": (f"Error: {_MISSING_PLEASE}", "The path {path} is not a file."),
        "not verbatim": _both(
            "No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.",
        ),
        "several": _both(
            "No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
            "Please ensure it is unique",
        ),
        "insert missing": (f"Error: {_MISSING}", _MISSING_PLEASE),
        "insert folder": (f"Error: {_MISSING}", "The path {path} is not a file."),
        "bad line": (
            f"Error: {_BAD_LINE} of lines of the file: [0, {{total}}]",
            f"{_BAD_LINE} [0, {{total}}].",
        ),
        "delete missing": _error(_MISSING),
        "rename missing": _error(_MISSING),
        "rename exists": _error("The destination {path} already exists"),
        "too many lines": _both("File {path} exceeds maximum line limit of 999,999 lines."),
        # The SDK's own; the documentation asks for the behaviour and leaves the words open.
        "outside": _error("Path must start with /memories, got: {path}"),
        "escapes": _error("Path {path} would escape /memories directory"),
        "link": _error("Path would escape /memories directory via symlink"),
        "delete root": _error("Cannot delete the /memories directory itself"),
        "rename root": _error("Cannot rename the /memories directory itself"),
        "unsupported": _error("Unsupported file type for {path}"),
        "vanished": _error("The file {path} no longer exists (may have been deleted or renamed concurrently)."),
        # Ours.
        "bad path": _error("Invalid path {path}: {reason}"),
        "inside itself": _error("Cannot rename {path} to a path inside itself"),
        "image file": _error("The file {path} is an image, and images are not shown here."),
        "not text": _error("The file {path} is not text."),
        "not utf-8": _error("The file {path} is not UTF-8 text, so it was not changed."),
        "too large to view": _error("The file {path} is too large to view: {size}."),
        "too large": _error("The file {path} would be too large: {size}, where {most} is the most."),
        "unknown command": _error("Unknown command: {command}"),
        "no input": _error("The input must be an object with a command."),
        "missing field": _error("The command {command} needs `{field}`."),
        "wrong field": _error("Invalid `{field}` parameter: it should be {expected}."),
        "failed": _error("{reason}"),
    }
)


class Wording:
    """The strings of one dialect."""

    def __init__(self, dialect: str) -> None:
        if dialect not in DIALECTS:
            raise BadInput(f"There is no dialect {dialect!r}.", hint=f"Choose one of: {', '.join(DIALECTS)}.")
        self._column = DIALECTS.index(dialect)

    def say(self, key: str, **fields: object) -> str:
        """The answer ``key`` about ``fields``."""
        return SUCCESSES[key][self._column].format(**fields)

    def refusal(self, key: str, **fields: object) -> Refusal:
        """The error ``key`` about ``fields``, to be raised."""
        return Refusal(ERRORS[key][self._column].format(**fields))
