"""``scrubjay scan``: secrets that lie on the disk already."""

from __future__ import annotations

import click

from scrubjay.errors import Refused
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation
from scrubjay.interfaces.cli.progress import bar


@command("scan")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--redact", is_flag=True, help="Take the secrets out of the vaults' documents.")
@pass_invocation
def run(invocation: Invocation, paths: tuple[str, ...], redact: bool) -> None:
    """Look for secrets that lie on the disk.

    Looks through the vaults with their trash and their git history, or through the files and folders at PATH. Each
    secret is named by file, line and rule, never shown, with what to do about it. `--redact` puts a mark in its place
    in the documents of the vaults; `undo` takes that back, so the trash still has it until you delete it there. Ends
    with exit code 5 when something was found, and with 0 otherwise.

    \b
    Examples:
      scrubjay scan
      scrubjay scan --redact
      scrubjay scan ~/.claude/projects notes.md
    """
    from scrubjay.interfaces.render import secrets

    if redact and paths:
        raise click.UsageError("--redact changes documents of the vaults only: leave out PATH, or edit the files.")
    with invocation.memory(sync=not paths) as memory, bar("Looking") as progress:
        reports = [memory.scan(path, progress=progress) for path in paths or (None,)] if not redact else []
        if redact:
            reports.append(memory.scan(redact=True, progress=progress))
    invocation.answer(secrets.values(reports), invocation.localised(secrets.text(reports)))
    for line in secrets.skipped(reports):
        if not invocation.as_json:
            invocation.warn(line)
    if not all(report.clean for report in reports):
        click.get_current_context().exit(Refused.exit_code)
