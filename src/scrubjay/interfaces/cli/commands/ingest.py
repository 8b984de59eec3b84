"""``scrubjay ingest``: conversations from files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--discover", is_flag=True, help="Find the transcripts of agents on this machine and say what they are.")
@click.option("--yes", is_flag=True, help="Take in everything that --discover finds.")
@click.option("--watch", is_flag=True, help="Go on with what is added to them, until Ctrl-C.")
@scope_option
@embed_option
@pass_invocation
def run(
    invocation: Invocation,
    files: tuple[str, ...],
    discover: bool,
    yes: bool,
    watch: bool,
    scope: str | None,
    no_embed: bool,
) -> None:
    """Take in conversations from files.

    A FILE is a transcript of Claude Code, Codex, Gemini, Cursor, opencode or SpecStory, a folder of them, an export of
    ChatGPT or Claude.ai (a zip too), or plain JSON, one message a line: role, text, and where known id, speaker, at and
    session; `-` reads stdin. What it is, is seen by looking. A message is stored once, however often it is handed over;
    a file that grew is read on from where it ended. Secrets are taken out before anything is stored.

    It can be searched at once; vectors, which find paraphrases and other languages, are computed at the end. What
    cannot be used is named on stderr and the rest is taken in; a FILE without any usable line is an error (exit code
    2). Conversations are private: they never go to a project's vault. `--watch` follows live sessions; it prints a line
    for each change, and the counts when you press Ctrl-C. What vanishes there stays in the memory.

    \b
    Examples:
      scrubjay ingest chat.jsonl
      scrubjay ingest monday.jsonl tuesday.jsonl --no-embed
      scrubjay ingest --discover
      scrubjay ingest --discover --watch
    """
    from scrubjay.interfaces.render import objects

    if discover == bool(files) or (yes and not discover):
        raise click.UsageError(
            "Name the files to take in, or use --discover (with --yes or --watch to take in what it finds)."
        )
    if watch and "-" in files:
        raise click.UsageError("Stdin cannot be watched: name files or folders.")
    if discover:
        files = _discovered(invocation, go_on=yes or watch)
        if not files:
            return
    if watch:
        from scrubjay.interfaces.cli import following

        with invocation.memory() as memory:
            following.run(invocation, memory, files, scope, embeds=not no_embed)
        return
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


def _discovered(invocation: Invocation, *, go_on: bool) -> tuple[str, ...]:
    """Says what transcripts lie on this machine; their folders, when they are to be taken in."""
    from scrubjay.interfaces.render import health
    from scrubjay.transcripts.discover import of_this_machine
    from scrubjay.vaults.identity import project_root

    found = of_this_machine(project_root(Path.cwd()))
    if go_on and found:
        return tuple(dict.fromkeys(str(one.folder) for one in found))
    text = health.discovered(found)
    if found:
        text += f"\nNothing was read. Take them in with {invocation.line('ingest', '--discover', '--yes')}"
    values = [{"format": one.format, "folder": str(one.folder), "files": one.files, "bytes": one.size} for one in found]
    invocation.answer({"found": values}, text)
    return ()


def _take_in(invocation: Invocation, memory: Memory, file: str, scope: str | None) -> dict[str, Any]:
    from scrubjay.interfaces.render import health, objects
    from scrubjay.interfaces.render.plain import one_line

    name = "stdin" if file == "-" else file
    with _path(file) as path, bar(one_line(name, 40)) as progress:
        report = memory.ingest(path, scope=scope, progress=progress)
    answer = {"file": file, **objects.ingested(report)}
    if not invocation.as_json:
        invocation.answer(answer, health.ingested(name, report))
        for line in health.ingest_problems(name, report):
            invocation.warn(line)
    return answer


@contextmanager
def _path(file: str) -> Iterator[str]:
    """Where to read ``file``; for ``-`` a copy of stdin that only this user can read, for as long as it is needed."""
    if file != "-":
        yield file
        return
    import shutil
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stdin")
        with open(path, "wb") as copy:
            if sys.stdin is not None:
                shutil.copyfileobj(sys.stdin.buffer, copy)
        yield path
