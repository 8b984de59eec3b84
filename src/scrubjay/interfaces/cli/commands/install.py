"""``scrubjay install``: into an agent's host, after showing what would change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from scrubjay.errors import Refused
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.interfaces.install.hosts import Asked
    from scrubjay.interfaces.install.plans import Plan

NAMES = ("claude-code", "codex", "cursor", "gemini", "opencode")


@command("install")
@click.argument("host", type=click.Choice(NAMES))
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", help="For you, or for this project.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--own-memory",
    type=click.Choice(["keep", "off"]),
    default="keep",
    help="Whether Claude Code goes on keeping its own memory files.",
)
@pass_invocation
def run(
    invocation: Invocation,
    host: str,
    scope: Literal["user", "project"],
    dry_run: bool,
    yes: bool,
    own_memory: Literal["keep", "off"],
) -> None:
    """Install Scrubjay into an agent's host.

    Shows every line that would change in the host's settings and asks before it writes. What was there is kept, byte
    for byte, so that `scrubjay uninstall` brings it back. Nothing of yours is switched off: the host's own memory goes
    on unless you say `--own-memory off`.

    \b
    Examples:
      scrubjay install claude-code --dry-run
      scrubjay install claude-code --yes
      scrubjay install cursor --scope project --yes
    """
    from scrubjay.interfaces.install import carrying, hosts, plans, record
    from scrubjay.interfaces.render import installing

    asked = wanted(scope, own_memory)
    home = own_home(invocation)
    plan = plans.plan(hosts.HOSTS[host], asked, record.load(home, host, asked))
    if not plan.changes:
        invocation.answer(_answer(plan, False), installing.nothing(plan))
        return
    if dry_run:
        invocation.answer(_answer(plan, False), installing.shown(plan, console.columns()))
        return
    if not yes:
        if not console.asks():
            raise Refused("Nothing was installed, because nobody is there to ask.", hint="Add --yes, or --dry-run.")
        console.write_error(installing.shown(plan, console.columns()))
        if not click.confirm("Write this?", err=True):
            raise Refused("Nothing was installed.")
    carrying.install(plan, home)
    invocation.answer(_answer(plan, True), invocation.localised(installing.done(plan)))


def wanted(scope: Literal["user", "project"], own_memory: Literal["keep", "off"] = "keep") -> Asked:
    """What is asked for from here. Raises ``Refused`` where there is no project for ``scope`` project."""
    from scrubjay.interfaces.install.hosts import Asked
    from scrubjay.interfaces.install.plans import own_command
    from scrubjay.memory.opening import current_folder
    from scrubjay.vaults.identity import project_root

    project = project_root(current_folder())
    if scope == "project" and project is None:
        raise Refused("There is no project here.", hint="Go into the project's folder, or leave --scope out.")
    return Asked(
        scope=scope,
        project=project or Path(os.devnull),
        command=own_command(),
        environ=os.environ,
        own_memory=own_memory,
    )


def own_home(invocation: Invocation) -> Path:
    """The folder of our own files."""
    from scrubjay import config
    from scrubjay.memory.opening import absolute

    return absolute(Path(invocation.home)) if invocation.home else config.home(os.environ)


def _answer(plan: Plan, installed: bool) -> dict[str, Any]:
    files = [
        {"path": str(change.file), "new": change.now is None, "entries": [entry.what for entry, _ in change.entries]}
        for change in plan.changes
    ]
    return {"host": plan.host.name, "scope": plan.asked.scope, "installed": installed, "files": files} | {
        "left": list(plan.left)
    }
