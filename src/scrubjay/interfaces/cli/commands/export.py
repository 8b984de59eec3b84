"""``scrubjay export``: everything in one file."""

from __future__ import annotations

from dataclasses import asdict

import click

from scrubjay.errors import BadInput
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, given, pass_invocation, scopes_option


@command("export")
@click.argument("target")
@scopes_option
@pass_invocation
def run(invocation: Invocation, target: str, scopes: tuple[str, ...]) -> None:
    """Write everything to a bundle.

    TARGET becomes one zip file: every document byte for byte with its checksum, and beside them the same memories in
    the Portable AI Memory format for other programs. `scrubjay import` reads it. An existing file is not overwritten.

    \b
    Examples:
      scrubjay export memory.zip
      scrubjay export mine.zip --scope user
    """
    from scrubjay.interfaces.render.plain import count, one_line, strong

    if target == "-":
        raise BadInput("A bundle cannot be written to stdout.", hint="Name a file, such as memory.zip.")
    with invocation.memory() as memory:
        done = memory.export(target, scopes=given(scopes))
    text = f"{strong('Exported')} {count(done.written, 'document')} to {one_line(done.target)}"
    invocation.answer(asdict(done), "\n".join([text, *(f"  refused {one_line(path)}" for path in done.refused)]))
