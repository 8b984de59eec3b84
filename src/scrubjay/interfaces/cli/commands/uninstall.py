"""``scrubjay uninstall``: out of an agent's host, and what was there before back in."""

from __future__ import annotations

from typing import Literal

import click

from scrubjay.errors import NotFound, Refused
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.commands.install import NAMES, own_home, wanted
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("uninstall")
@click.argument("host", type=click.Choice(NAMES))
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", help="For you, or for this project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_invocation
def run(invocation: Invocation, host: str, scope: Literal["user", "project"], yes: bool) -> None:
    """Take Scrubjay out of an agent's host.

    Every file that was not changed since gets its bytes from before back; one that was changed loses only what
    `scrubjay install` put into it. Your memories stay where they are.

    \b
    Examples:
      scrubjay uninstall claude-code
      scrubjay uninstall cursor --scope project --yes
    """
    from scrubjay.interfaces.install import carrying, hosts, record
    from scrubjay.interfaces.render import installing

    asked, home = wanted(scope), own_home(invocation)
    found = record.load(home, host, asked)
    if found is None:
        raise NotFound(
            f"Scrubjay was not installed into {hosts.HOSTS[host].title} from here.",
            hint="What is wired by hand is taken out by hand; `scrubjay doctor` shows what is wired.",
        )
    if not yes and console.asks():
        names = ", ".join(str(written.file) for written in found.files)
        if not click.confirm(f"Take Scrubjay out of {names}?", err=True):
            raise Refused("Nothing was taken out.")
    restored = carrying.uninstall(found, asked, home)
    files = [{"path": str(one.file), "how": one.how} for one in restored]
    invocation.answer({"host": host, "scope": scope, "files": files}, installing.undone(hosts.HOSTS[host], restored))
