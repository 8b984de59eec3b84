"""``scrubjay completion``: the script that lets a shell complete our commands."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_invocation
def run(invocation: Invocation, shell: str) -> None:
    """Print the completion script of a shell.

    Add its output to what your shell reads at its start, and TAB completes commands and options.

    \b
    Examples:
      scrubjay completion bash >> ~/.bashrc
      scrubjay completion zsh >> ~/.zshrc
      scrubjay completion fish > ~/.config/fish/completions/scrubjay.fish
    """
    from click.shell_completion import get_completion_class

    from scrubjay.interfaces.cli.group import cli
    from scrubjay.interfaces.cli.running import COMPLETE, PROGRAM

    kind = get_completion_class(shell)
    scripts = [kind(cli, {}, name, COMPLETE).source().strip() for name in (PROGRAM, "jay")] if kind else []
    script = "\n".join(scripts)
    invocation.answer({"shell": shell, "script": script}, script)
