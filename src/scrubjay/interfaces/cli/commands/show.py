"""``scrubjay show``: one thing in full."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("show")
@click.argument("name")
@click.option("--whole", is_flag=True, help="The whole document, even if NAME is the id of a piece of it.")
@pass_invocation
def run(invocation: Invocation, name: str, whole: bool) -> None:
    """Show a fact, note, message or document.

    NAME is an id from a search, a file name or a path in a vault. An id shows the piece it names and where it stands,
    a file name the document as it is.

    \b
    Examples:
      scrubjay show 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX
      scrubjay show MEM-http-retry-policy
    """
    from scrubjay.interfaces.render import lines, objects

    with invocation.memory() as memory:
        document, record = memory.show(name)
        evidence = memory.evidence(record.id) if record is not None and record.layer == "facts" else []
        zone = memory.zone
    piece = record is not None and not whole
    answer = {
        "document": objects.document(document),
        "record": objects.record(record) if record else None,
        "evidence": [objects.record(one) for one in evidence],
    }
    text = lines.record(record, zone=zone) if record and piece else lines.document(document)
    said = "\n".join(lines.said(one, zone) for one in evidence)
    invocation.answer(answer, f"{text}\n\n{said}" if said else text)
