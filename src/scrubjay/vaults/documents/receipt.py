"""A receipt: what an operation changed, in the trash beside the bytes from before. Undo thus outlives the index."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scrubjay.errors import BadInput
from scrubjay.temporal import format_time, parse_time
from scrubjay.text import frontmatter
from scrubjay.types import Change, Document, Operation

TRASH = "90-Trash"
KIND = "receipt"


def write(operation: Operation) -> str:
    """The document of ``operation``."""
    changes = [
        {"path": change.path, "before": change.before, "after": change.after, "kept": change.kept}
        | ({} if change.prefix is None else {"prefix": change.prefix})
        for change in operation.changes
    ]
    values: dict[str, object] = {
        "id": operation.id,
        "kind": KIND,
        "verb": operation.verb,
        "at": format_time(operation.at),
        "undone": operation.undone,
    }
    table = json.dumps(changes, ensure_ascii=False, indent=2)
    body = f"\n# {operation.summary}\n\nUndo with `scrubjay undo {operation.id}`.\n\n```json\n{table}\n```\n"
    return frontmatter.compose(values, body)


def read(document: Document) -> Operation:
    """The operation that ``document`` records. Raises ``BadInput`` when it is damaged."""
    values = frontmatter.parse(document.text).values
    try:
        id = str(values["id"])
        if path_for(id) != document.path:
            raise ValueError(f"it names operation {id}")
        table = document.text.split("```json\n", 1)[1].rsplit("\n```", 1)[0]
        title = next((line[2:] for line in document.text.splitlines() if line.startswith("# ")), "")
        return Operation(
            id=id,
            verb=str(values["verb"]),
            at=parse_time(str(values["at"])),
            summary=title,
            changes=tuple(_change(item, f"{TRASH}/{id}/") for item in json.loads(table)),
            undone=str(values.get("undone", "")).lower() == "true",
        )
    except (BadInput, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{document.path}: the receipt is damaged ({_reason(error)}).") from None


def path_for(operation_id: str) -> str:
    """Where the receipt of an operation lies."""
    return f"{TRASH}/{operation_id}/receipt.md"


def kept_path(operation_id: str, path: str) -> str:
    """Where the bytes that an operation replaced at ``path`` lie."""
    return f"{TRASH}/{operation_id}/{path}"


def operation_of(path: str) -> str:
    """The id of the operation whose receipt lies at ``path``."""
    return path.split("/")[1]


def _change(item: Mapping[str, object], trash: str) -> Change:
    path, before, after, kept = item["path"], item["before"], item["after"], item.get("kept", "")
    if not isinstance(path, str) or not isinstance(kept, str):
        raise TypeError("a path is not a text")
    if not isinstance(before, str | None) or not isinstance(after, str | None):
        raise TypeError("a hash is not a text")
    if kept and not kept.startswith(trash):
        raise ValueError(f"{kept} is not in {trash}")
    prefix = item.get("prefix")
    if not isinstance(prefix, int | None) or isinstance(prefix, bool) or (prefix or 0) < 0:
        raise TypeError("a prefix is not a number of bytes")
    return Change(path=path, before=before, after=after, kept=kept, prefix=prefix)


def _reason(error: Exception) -> str:
    if isinstance(error, BadInput):
        return error.message.rstrip(".")
    if isinstance(error, KeyError):
        return f"no {error.args[0]}"
    if isinstance(error, IndexError):
        return "no table of changes"
    return str(error)
