"""``scrubjay share``: a memory that a team has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, Conflict, Refused
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory

ACTIONS = ("export", "import", "status", "sync")
_OF = {"--remote": "sync", "--anew": "sync", "--deletions": "sync", "--folder": "export"}


@command("share")
@click.argument("action", type=click.Choice(ACTIONS))
@click.argument("place", required=False)
@click.argument("names", nargs=-1)
@click.option("--remote", metavar="ADDRESS", help="Sync: the git remote to share with; it is remembered.")
@click.option("--anew", is_flag=True, help="Sync: begin anew with a remote whose history was rewritten.")
@click.option("--deletions", is_flag=True, help="Sync: most documents were deleted, and for everybody.")
@click.option("--folder", is_flag=True, help="Export: write a folder of plain files instead of one file.")
@click.option("--scope", metavar="SCOPE", help="The memory to share.  [default: the team's]")
@pass_invocation
def run(
    invocation: Invocation,
    action: str,
    place: str | None,
    names: tuple[str, ...],
    remote: str | None,
    anew: bool,
    deletions: bool,
    folder: bool,
    scope: str | None,
) -> None:
    """Share a memory with a team.

    `sync` brings the team's changes here and yours there, through a git remote: documents are merged by meaning, and
    of two wordings both are kept. `export PLACE [NAME...]` writes documents for somebody else, `import PLACE` takes in
    what somebody else wrote, `status` says what the next sync would send. A document that holds a secret is never sent
    nor taken in; it is named, and the others go. The exit code is then 5, and 4 when something waits for a decision.

    \b
    Examples:
      scrubjay share sync --vault team --remote git@example.org:team/memory.git
      scrubjay share status --vault team
      scrubjay share export for-ada.zip build.md --vault team
      scrubjay share import from-ada.zip --vault team
    """
    given = {"--remote": remote is not None, "--anew": anew, "--deletions": deletions, "--folder": folder}
    wrong = next((option for option, is_given in given.items() if is_given and _OF[option] != action), None)
    if wrong is not None:
        raise BadInput(f"{wrong} is for `share {_OF[wrong]}`.")
    if (place is None) == (action in ("export", "import")):
        raise BadInput(f"`share {action}` needs a file or a folder." if place is None else f"What is {place!r} for?")
    if names and action != "export":
        raise BadInput(f"What is {names[0]!r} for?")
    with invocation.memory() as memory:
        code = _done(invocation, memory, action, place or "", names, scope, remote, anew, deletions, folder)
    if code:
        click.get_current_context().exit(code)


def _done(
    invocation: Invocation,
    memory: Memory,
    action: str,
    place: str,
    names: tuple[str, ...],
    scope: str | None,
    remote: str | None,
    anew: bool,
    deletions: bool,
    folder: bool,
) -> int:
    """Does it, says what was done, and returns the exit code."""
    from scrubjay.interfaces.render import sharing

    match action:
        case "export":
            exported = memory.share_export(place, names=names or None, scope=scope, folder=folder)
            invocation.answer(sharing.export_values(exported), sharing.export_text(exported))
            return Refused.exit_code if exported.skipped or exported.refused else 0
        case "import":
            imported = memory.share_import(place, scope=scope)
            invocation.answer(sharing.import_values(imported), invocation.localised(sharing.import_text(imported)))
            return _code(bool(imported.skipped or imported.refused), bool(imported.conflicts))
        case "sync":
            synced = memory.share_sync(remote, scope=scope, anew=anew, deletions=deletions)
            invocation.answer(sharing.sync_values(synced), invocation.localised(sharing.sync_text(synced)))
            return _code(bool(synced.skipped or synced.refused), bool(synced.conflicts))
        case _:
            found = memory.share_status(scope=scope)
            invocation.answer(sharing.status_values(found), invocation.localised(sharing.status_text(found)))
            return 0


def _code(left_out: bool, conflicts: bool) -> int:
    return Refused.exit_code if left_out else Conflict.exit_code if conflicts else 0
