"""A receipt: what an operation changed, in the trash beside the bytes from before. Undo thus outlives the index."""

from __future__ import annotations

import json

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
        table = document.text.split("```json\n", 1)[1].rsplit("\n```", 1)[0]
        changes = tuple(
            Change(path=item["path"], before=item["before"], after=item["after"], kept=item.get("kept", ""))
            for item in json.loads(table)
        )
        title = next((line[2:] for line in document.text.splitlines() if line.startswith("# ")), "")
        return Operation(
            id=str(values["id"]),
            verb=str(values["verb"]),
            at=parse_time(str(values["at"])),
            summary=title,
            changes=changes,
            undone=str(values.get("undone", "")).lower() == "true",
        )
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{document.path}: not a readable receipt ({error}).") from None


def path_for(operation_id: str) -> str:
    """Where the receipt of an operation lies."""
    return f"{TRASH}/{operation_id}/receipt.md"


def kept_path(operation_id: str, path: str) -> str:
    """Where the bytes that an operation replaced at ``path`` lie."""
    return f"{TRASH}/{operation_id}/{path}"
