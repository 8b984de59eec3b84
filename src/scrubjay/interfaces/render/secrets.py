"""Secrets that were found on the disk, for people and as JSON: where and by which rule, never what."""

from __future__ import annotations

import shlex
from collections.abc import Sequence, Set
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render.plain import alert, count, one_line, strong

if TYPE_CHECKING:
    from scrubjay.operations.scanning import Leak, ScanReport

_ADVICE = {
    "document": "In documents of a vault: `scrubjay scan --redact` puts a mark in the place of each.",
    "overview": "In overviews, which are made from the documents: they are made anew once those are redacted.",
    "trash": "In the trash, where undo keeps what was replaced: delete the folder below 90-Trash that is named above. "
    "That operation can then not be undone.",
    "history": "In git: a new commit does not remove it. Rewrite the history (git filter-repo --replace-text) and "
    "let everybody clone anew, or leave it there as worthless once it is replaced.",
    "file": "In other files: edit them yourself; Scrubjay changes nothing but documents of its vaults.",
}
_ROTATE = "First of all replace each secret where it was issued: whoever could read these files may have it."


def text(reports: Sequence[ScanReport]) -> str:
    """What was found, a line each, and what to do about it."""
    found = [leak for report in reports for leak in report.found]
    files = sum(report.files for report in reports)
    versions = sum(report.versions for report in reports)
    looked = count(files, "file") + (f" and {count(versions, 'version')} in git" if versions else "")
    if not found:
        return f"No secret was found in {looked}."
    lines = [f"{_place(leak)}: {leak.rule}{'' if leak.sure else ' (by the word before it)'}" for leak in found]
    lines += ["", alert(f"Found {count(len(found), 'secret')} in {looked}.")]
    return "\n".join([*lines, *_redacted(reports), *(f"- {one}" for one in advice(reports))])


def advice(reports: Sequence[ScanReport]) -> list[str]:
    """What to do about each kind of place in which something was found."""
    found = [leak for report in reports for leak in report.found]
    done = {path for report in reports for path in report.redacted}
    gone = {"document", "overview"} if done else set()
    places = dict.fromkeys(leak.where for leak in found if leak.where not in gone or _stays(leak, done))
    kept = [folder for report in reports for folder in report.kept]
    purge = [
        "The trash keeps them as they were, so that `scrubjay undo` can take this back. Once all is well, purge them: "
        f"rm -r -- {shlex.quote(folder)}"
        for folder in kept
    ]
    return [_ROTATE, *purge, *(_ADVICE[place] for place in places)] if found else []


def values(reports: Sequence[ScanReport]) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "clean": all(report.clean for report in reports),
        "files": sum(report.files for report in reports),
        "binary": sum(report.binary for report in reports),
        "versions": sum(report.versions for report in reports),
        "found": [asdict(leak) for report in reports for leak in report.found],
        "skipped": [asdict(one) for report in reports for one in report.skipped],
        "redacted": [path for report in reports for path in report.redacted],
        "kept": [folder for report in reports for folder in report.kept],
        "advice": advice(reports),
    }


def skipped(reports: Sequence[ScanReport]) -> list[str]:
    """What could not be looked at or changed."""
    return [f"{one_line(one.path)}: {one_line(one.message)}" for report in reports for one in report.skipped]


def _stays(leak: Leak, done: Set[str]) -> bool:
    return leak.where == "document" and leak.path not in done


def _place(leak: Leak) -> str:
    path = f"{leak.vault}/{leak.path}" if leak.vault and leak.where != "history" else leak.path
    where = f"{one_line(path)}:{leak.line}"
    return f"git {leak.commit[:12]} {where}" if leak.commit else where


def _redacted(reports: Sequence[ScanReport]) -> list[str]:
    paths = [path for report in reports for path in report.redacted]
    return [strong(f"Took them out of {count(len(paths), 'document')}.")] if paths else []
