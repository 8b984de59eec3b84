"""``scrubjay serve``: the memory, warm, for the hooks of this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory


@command("serve")
@click.option("--socket", "over_socket", is_flag=True, help="Serve at a Unix socket that only you can reach.")
@click.option(
    "--idle",
    default=30,
    type=click.IntRange(0, 10_080),
    metavar="MINUTES",
    help="End when nobody asked for so long; 0 never ends.",
)
@pass_invocation
def run(invocation: Invocation, over_socket: bool, idle: int) -> None:
    """Keep the memory warm for hooks.

    With --socket it listens at `state/serve.sock` in your home folder for memories, and answers what hooks ask with
    each prompt when `hooks.inject` is `heads+recall`: by meaning, without loading a model each time. Without it hooks
    work too, by words. Ctrl-C ends it. Serving over HTTP comes with a later version.

    \b
    Examples:
      scrubjay serve --socket
      scrubjay serve --socket --idle 0
    """
    if not over_socket:
        raise BadInput("Serving over HTTP comes with a later version.", hint="Run `scrubjay serve --socket`.")
    from scrubjay import config
    from scrubjay.interfaces.socket import server
    from scrubjay.interfaces.socket.memories import Memories
    from scrubjay.memory import Memory

    home = os.path.abspath(os.path.expanduser(invocation.home)) if invocation.home else str(config.home(os.environ))

    def opening(cwd: str) -> Memory:
        return Memory.open(home=home, cwd=cwd, sync=False)

    memories = Memories(opening)
    memories.warm(os.getcwd())
    invocation.warn("Serving. Ctrl-C ends it.")
    server.serve(home, memories, idle=idle * 60)
