"""``scrubjay extract``: facts from conversations."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation
from scrubjay.interfaces.cli.progress import bar


@command("extract")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--dry-run", is_flag=True, help="Show what would be learned and write nothing.")
@click.option("--again", is_flag=True, help="Read from the beginning, also what was read before.")
@click.option("--all", "every", is_flag=True, help="Show also what was known, forgotten or refused, with the reason.")
@click.option("--scope", metavar="SCOPE", help="Where to, instead of the conversation's own vault; `project` proposes.")
@pass_invocation
def run(
    invocation: Invocation, sessions: tuple[str, ...], dry_run: bool, again: bool, every: bool, scope: str | None
) -> None:
    """Learn facts from conversations.

    What people state outright in conversations that were taken in becomes facts: preferences, decisions, who they are,
    where things run, tasks. Each fact is shown with its quote and where that stands. A SESSION is the id of a session
    or the file of its transcript; every conversation by default, from where reading stopped. `ingest` and `sync` do
    this by themselves, unless `enabled = false` stands under [extract] in your config.toml.

    What is known changes nothing; what was forgotten or retracted does not come back; what was said before a newer fact
    becomes its history. With `--scope project` nothing is written: the statements wait in the project's inbox.

    \b
    Examples:
      scrubjay extract --dry-run
      scrubjay extract --again --all
    """
    from scrubjay.interfaces.render import conversations, language_model

    with invocation.memory() as memory:
        with bar("Reading conversations") as progress:
            done = memory.extract(sessions or None, scope=scope, again=again, dry_run=dry_run, progress=progress)
        zone, usage = memory.zone, memory.usage()
    text = conversations.extracted(done, zone=zone, columns=console.columns(), every=every, dry_run=dry_run)
    invocation.answer(conversations.values(done), text)
    if done.sessions and (line := language_model.warning(usage)):
        invocation.warn(line)
    for path, reason in done.failures:
        invocation.warn(f"{path}: {reason}")
    if done.failures:
        click.get_current_context().exit(1)
