"""``scrubjay mcp``: the memory as a server for agents."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, NotFound
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from scrubjay.memory import Memory

TOKEN = "SCRUBJAY_MCP_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST = 16
PORT = 8437


@command("mcp")
@click.option("--project", metavar="PATH", help="Work for the project at PATH.  [default: the current folder's]")
@click.option("--http", is_flag=True, help="Serve over streamable HTTP instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", metavar="NAME", help="With --http: the address to listen at.")
@click.option("--port", default=PORT, type=click.IntRange(0, 65535), help="With --http: the port; 0 takes a free one.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="With --http: another name by which clients call this machine. May be repeated.",
)
@pass_invocation
def run(invocation: Invocation, project: str | None, http: bool, host: str, port: int, names: tuple[str, ...]) -> None:
    """Serve the memory to agents.

    An agent's host starts this command and talks to it over stdin and stdout (Model Context Protocol). The tools are
    search_memory, get_facts, create_fact, supersede_fact, search_semantic_memory, learn and review. With --http it
    listens at http://127.0.0.1:8437/mcp for several clients at once; a token in the environment variable
    SCRUBJAY_MCP_TOKEN is demanded of all of them, and has to be set before others can reach it. Everything it has to
    say goes to stderr.

    \b
    Examples:
      scrubjay mcp
      scrubjay mcp --project ~/src/billing
      scrubjay mcp --http --port 9000
    """
    if not http and console.is_terminal(sys.stdin):
        invocation.warn("This is a server: an agent's host starts it and talks to it. Ctrl-D ends it.")
    if project is not None:
        _enter(invocation, project)
    if http:
        _over_http(invocation, host, port, names)
        return
    # Nothing else is loaded before the client is greeted.
    from scrubjay.interfaces.mcp import stdio

    stdio.serve(lambda: _built(invocation))


def _over_http(invocation: Invocation, host: str, port: int, names: tuple[str, ...]) -> None:
    from scrubjay.interfaces.mcp import http

    token = os.environ.get(TOKEN, "")
    if token and len(token) < SHORTEST:
        raise BadInput(f"The token in {TOKEN} is too short.", hint=f"Use at least {SHORTEST} characters of chance.")
    http.serve(_built(invocation), host=host, port=port, token=token, names=names)


def _enter(invocation: Invocation, project: str) -> None:
    """Goes to the project, whose memory it is then; paths that were given are meant from here. Raises ``NotFound``."""
    for name in ("home", "vault"):
        if (path := getattr(invocation, name)) is not None:
            setattr(invocation, name, os.path.abspath(os.path.expanduser(path)))
    place = os.path.abspath(os.path.expanduser(project))
    try:
        os.chdir(place)
    except OSError as error:
        raise NotFound(
            f"{place} is no folder to work in: {error.strerror}.", hint="Name the project's folder."
        ) from None


def _built(invocation: Invocation) -> Server[None]:
    import shlex

    from scrubjay.interfaces.mcp import server
    from scrubjay.interfaces.mcp.keeper import Keeper

    def opening() -> Memory:
        from scrubjay.memory import Memory

        return Memory.open(invocation.vault, home=invocation.home, sync=False)

    _log(invocation.debug)
    folder = _for_files()
    where = f"cd {shlex.quote(str(folder))} && " if folder is not None and invocation.vault is None else ""
    return server.build(Keeper(opening), server.Place(folder=folder, inbox=where + invocation.line("inbox")))


def _for_files() -> Path | None:
    """The folder from which agents may learn files: the project's, or the current one unless it is a home folder, or
    holds one."""
    from scrubjay.vaults.identity import project_root

    try:
        here = Path.cwd()
    except OSError:  # it was deleted; the memory says so
        return None
    root = project_root(here)
    if root is not None:
        return root
    return None if Path.home().resolve().is_relative_to(here.resolve()) else here


def _log(debug: bool) -> None:
    """What there is to say goes to stderr: stdout belongs to the protocol."""
    import logging

    logging.basicConfig(stream=sys.stderr, format="scrubjay: %(message)s", level=logging.WARNING)
    logging.getLogger("scrubjay").setLevel(logging.DEBUG if debug else logging.INFO)
