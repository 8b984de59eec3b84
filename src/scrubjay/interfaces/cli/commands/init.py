"""``scrubjay init``: the folders of a vault."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrubjay.errors import NotFound, Refused
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

PROJECT = "the project's memory"


@command("init")
@click.argument("path", required=False)
@click.option("--user", is_flag=True, help="Make your own vault, which is used everywhere, instead of a project's.")
@pass_invocation
def run(invocation: Invocation, path: str | None, user: bool) -> None:
    """Create the memory vault of a project.

    Makes `.memory/` in the project at PATH (by default the one around the current folder), with a folder for each
    kind of document. Commit it, and everybody who has the project has its memory. What is there already is never
    changed, so that the command can be repeated. Your own memory needs no `init`: it is made by the first write.

    \b
    Examples:
      scrubjay init
      scrubjay init ~/code/shop
      scrubjay init --user
    """
    from scrubjay.interfaces.render.plain import count, one_line, strong
    from scrubjay.memory.opening import PROJECT_FOLDER
    from scrubjay.vaults import layout
    from scrubjay.vaults.folder import FolderVault

    kind, root = _place(invocation, path, user)
    written = layout.init(FolderVault(root))
    what = f"Created {kind}" if written else f"{kind[0].upper()}{kind[1:]} is there already, nothing was missing"
    lines = [f"{strong(what)}: {one_line(str(root))}"]
    if written:
        lines.append(f"  {count(len(written), 'file')} written, none changed")
    shared = kind == PROJECT or root.name == PROJECT_FOLDER
    if kind == PROJECT and os.path.realpath(root.parent) not in _around(path):
        lines.append("  (shared by all worktrees)")
    answer = {"vault": str(root), "scope": "project" if shared else "user", "written": written}
    invocation.answer(answer, "\n".join([*lines, *_next(invocation, shared)]))


def _place(invocation: Invocation, path: str | None, user: bool) -> tuple[str, Path]:
    """What is to be made, in words, and where."""
    from scrubjay import config
    from scrubjay.memory.opening import PROJECT_FOLDER, absolute, shared_vault
    from scrubjay.vaults.identity import project_root

    if sum(map(bool, (path, user, invocation.vault))) > 1:
        raise click.UsageError("Give a PATH, --user or --vault, not several of them.")
    if user:
        home = absolute(Path(invocation.home)) if invocation.home else config.home(os.environ)
        return "your vault", home / "vault"
    if invocation.vault:
        vault = absolute(Path(invocation.vault))
        return "the vault", shared_vault(vault.parent) if vault.name == PROJECT_FOLDER else vault
    folder = absolute(Path(path or "."))
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", hint="Create it first, or check the path.")
    folder = Path(os.path.realpath(folder))
    root = project_root(folder) or folder
    home_folder = Path(os.path.realpath(Path.home()))
    if root == home_folder or root in home_folder.parents:
        raise Refused(
            f"{root} is too wide to be a project.",
            hint="Name a project's folder, or make your own vault with `scrubjay init --user`.",
        )
    return PROJECT, shared_vault(root)


def _around(path: str | None) -> set[str]:
    """The folder that was asked for and those around it; a worktree's project is none of them."""
    here = Path(os.path.realpath(path or "."))
    return {str(folder) for folder in (here, *here.parents)}


def _next(invocation: Invocation, shared: bool) -> list[str]:
    if not shared:
        return ["Next:", f"  {invocation.line('remember', 'Something worth keeping.')}"]
    return [
        "Next:",
        f"  {invocation.line('remember', 'What everybody here should know.', '--scope', 'project')}",
        "  and commit .memory/ to share it with everybody who has the project",
    ]
