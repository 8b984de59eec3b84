"""What an installation would change, did, and took back, for people."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.interfaces.install.carrying import Restored
from scrubjay.interfaces.install.hosts import Host
from scrubjay.interfaces.install.plans import Plan
from scrubjay.interfaces.render.diff import compared
from scrubjay.interfaces.render.plain import count, faint, one_line, strong

_NEW_LINES = 12


def shown(plan: Plan, columns: int) -> str:
    """Every file with the lines that would change in it."""
    lines = [strong(f"{plan.host.title}: {count(len(plan.changes), 'file')} would change")]
    for change in plan.changes:
        what = ", ".join(dict.fromkeys(entry.what for entry, _ in change.entries))
        kind = "new" if change.now is None else "changed"
        lines += ["", f"{strong(one_line(str(change.file)))}  {faint(f'{kind}: {what}')}"]
        most = _NEW_LINES if any(entry.form == "file" for entry, _ in change.entries) else 120
        before = (change.now or b"").decode("utf-8", "replace")
        lines += compared(before, change.then.decode("utf-8", "replace"), columns=columns, most=most)
    return "\n".join([*lines, *_notes(plan)])


def done(plan: Plan) -> str:
    """What was written, and what comes next."""
    lines = [strong(f"Scrubjay is installed into {plan.host.title}.")]
    lines += [f"  {one_line(str(change.file))}" for change in plan.changes]
    lines += _notes(plan)
    lines += ["Next:", f"  start a new session in {plan.host.title}", "  `scrubjay doctor` proves that it is delivered"]
    return "\n".join([*lines, f"  `scrubjay uninstall {plan.host.name}` brings back what was there"])


def nothing(plan: Plan) -> str:
    """Nothing had to be written."""
    said = f"Scrubjay is installed into {plan.host.title} already; nothing had to change."
    return "\n".join([said, *_notes(plan)])


def undone(host: Host, restored: Sequence[Restored]) -> str:
    """What became of each file."""
    words = {
        "restored": "is as it was before",
        "removed": "was taken away; it was not there before",
        "cleaned": "was changed since: only our entries were taken out",
        "gone": "is not there any more",
    }
    lines = [f"  {one_line(str(one.file))} {words.get(one.how, one.how)}" for one in restored]
    return "\n".join([strong(f"Scrubjay is out of {host.title}. Your memories stay where they are."), *lines])


def _notes(plan: Plan) -> list[str]:
    return [faint(f"  {one_line(sentence)}") for sentence in (*plan.left, plan.host.note) if sentence]
