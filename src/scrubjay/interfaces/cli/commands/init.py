"""``scrubjay init``: the folders of a vault."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrubjay.errors import NotFound, Refused
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


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
    from scrubjay.vaults import layout
    from scrubjay.vaults.folder import FolderVault

    kind, root = _place(invocation, path, user)
    written = layout.init(FolderVault(root))
    what = f"Created {kind}" if written else f"{kind[0].upper()}{kind[1:]} is there already, nothing was missing"
    lines = [f"{strong(what)}: {one_line(str(root))}"]
    if written:
        lines.append(f"  {count(len(written), 'file')} written, none changed")
    answer = {"vault": str(root), "scope": "project" if root.name == ".memory" else "user", "written": written}
    invocation.answer(answer, "\n".join([*lines, *_next(invocation, root)]))


def _place(invocation: Invocation, path: str | None, user: bool) -> tuple[str, Path]:
    """What is to be made, in words, and where."""
    from scrubjay import config
    from scrubjay.vaults.identity import project_root

    if sum(map(bool, (path, user, invocation.vault))) > 1:
        raise click.UsageError("Give a PATH, --user or --vault, not several of them.")
    if user:
        home = Path(invocation.home).expanduser().absolute() if invocation.home else config.home(os.environ)
        return "your vault", home / "vault"
    if invocation.vault:
        return "the vault", Path(invocation.vault).expanduser().absolute()
    folder = Path(path or ".").expanduser().absolute()
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
    return "the project's memory", root / ".memory"


def _next(invocation: Invocation, root: Path) -> list[str]:
    if root.name != ".memory":
        return ["Next:", f"  {invocation.line('remember', 'Something worth keeping.')}"]
    return [
        "Next:",
        f"  {invocation.line('remember', 'What everybody here should know.', '--scope', 'project')}",
        "  and commit .memory/ to share it with everybody who has the project",
    ]
