"""``scrubjay ingest``: conversations from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.cli.embedding import embed
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, embed_option, pass_invocation, scope_option
from scrubjay.interfaces.cli.progress import bar

if TYPE_CHECKING:
    from scrubjay.memory import Memory


@command("ingest")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@scope_option
@embed_option
@pass_invocation
def run(invocation: Invocation, files: tuple[str, ...], scope: str | None, no_embed: bool) -> None:
    """Take in conversations from files.

    Each FILE holds one message a line as JSON: role, text, and where known id, speaker, at and session. A message is
    stored once, however often it is handed over. It can be searched at once; its vector, which finds paraphrases and
    other languages, is computed at the end. Lines that cannot be used are named, and the rest is taken in.
    Conversations are private: they never go to a project's vault.

    \b
    Examples:
      scrubjay ingest chat.jsonl
      scrubjay ingest monday.jsonl tuesday.jsonl --no-embed
    """
    from scrubjay.interfaces.render import objects

    answers: list[dict[str, Any]] = []
    failed: ScrubjayError | None = None
    with invocation.memory() as memory:
        for file in files:
            try:
                answers.append(_take_in(invocation, memory, file, scope))
            except ScrubjayError as error:
                if len(files) == 1:
                    raise
                failed = failed or error
                answers.append({"file": file, "error": objects.error(error)})
                invocation.warn(f"Error: {file}: {error}")
        embedded = None if no_embed else embed(invocation, memory)
    invocation.answer({"files": answers, "embedded": objects.embedded(embedded) if embedded else None}, "")
    if failed is not None:
        click.get_current_context().exit(failed.exit_code)


def _take_in(invocation: Invocation, memory: Memory, file: str, scope: str | None) -> dict[str, Any]:
    from scrubjay.interfaces.render import health, objects
    from scrubjay.interfaces.render.plain import one_line

    with bar(one_line(file, 40)) as progress:
        report = memory.ingest(file, scope=scope, progress=progress)
    answer = {"file": file, **objects.ingested(report)}
    if not invocation.as_json:
        invocation.answer(answer, health.ingested(file, report))
        for line in health.problems(report.problems):
            invocation.warn(line)
    return answer
