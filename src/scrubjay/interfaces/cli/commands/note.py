"""``scrubjay note``: a note of any length."""

from __future__ import annotations

import sys

import click

from scrubjay.errors import BadInput
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation, scope_option, tags_option


@command("note")
@click.argument("title", type=WORDS)
@click.argument("body", type=WORDS, required=False)
@click.option("--file", metavar="PATH", help="Read the body from the file at PATH.")
@click.option("--topic", type=WORDS, default="", metavar="PATH", help="What it belongs to, such as build/caching.")
@click.option("--source", type=WORDS, default="", metavar="WORDS", help="Where it comes from.")
@tags_option("A word to find it by.")
@scope_option
@pass_invocation
def run(
    invocation: Invocation,
    title: str,
    body: str | None,
    file: str | None,
    topic: str,
    source: str,
    tags: tuple[str, ...],
    scope: str | None,
) -> None:
    """Write a note.

    The note becomes the file `10-Memories/MEM-….md` of a vault, yours to edit with any editor. Its BODY is Markdown
    and comes from the argument, from stdin (`-`), or from a file; on a terminal, without any of them, your $EDITOR
    opens.

    \b
    Examples:
      scrubjay note "Retry policy" "Retries back off from 1 s to 60 s, five times." --topic http --tag DECISION
      scrubjay note "Release steps" --file release.md
      git log -5 | scrubjay note "Last commits" -
    """
    from scrubjay.interfaces.render import lines, objects

    if body is not None and file is not None:
        raise click.UsageError("Give a BODY or --file, not both.")
    text = _body(title, body, file)
    with invocation.memory() as memory:
        written = memory.note(title, text, topic=topic, tags=tags, source=source, scope=scope)
        vault = memory.scopes[written.scope]
    invocation.answer(objects.note(written), lines.note(written, vault=vault))


def _body(title: str, body: str | None, file: str | None) -> str:
    if file is not None:
        return console.read_file(file)
    if body == "-" or (body is None and not console.is_terminal(sys.stdin)):
        return console.read_stdin()
    if body is not None:
        return body
    written = click.edit(f"\n\n<!-- The note {title!r}. Lines above are its body. -->\n", extension=".md")
    if written is None:
        raise BadInput("The note was not saved in the editor, so nothing was written.")
    return written.split("\n<!-- The note ", 1)[0]
