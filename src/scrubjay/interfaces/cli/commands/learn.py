"""``scrubjay learn``: from a text, a file, a folder or a task to memories that somebody decided on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, Conflict, NotFound, Unavailable
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.failures import INTERRUPTED
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.proposals import Plan

USAGE = "Usage: /learn <text or file path or directory> OR /learn --task N"


@command("learn")
@click.argument("what", type=WORDS, nargs=-1)
@click.option("-f", "--file", "file", type=WORDS, metavar="PATH", help="Learn from the file at PATH.")
@click.option("-d", "--directory", "folder", type=WORDS, metavar="PATH", help="Learn from the folder at PATH.")
@click.option("--task", type=click.IntRange(0), metavar="N", help="Learn from the artifacts of task N below specs/.")
@click.option("--category", type=WORDS, metavar="WORD", help="TECHNIQUE, PATTERN, CONFIG, WORKFLOW, INSIGHT or yours.")
@click.option("--scope", metavar="SCOPE", help="Whose vault it is for.  [default: the project's where there is one]")
@click.option(
    "--select",
    "patterns",
    type=WORDS,
    multiple=True,
    metavar="PATTERN",
    help="Only these files of the folder, such as 'api/*.md'. May be repeated.",
)
@click.option("--yes", is_flag=True, help="Do what is recommended without asking; the result says so.")
@click.option("--keep", is_flag=True, help="Decide nothing now: the proposals wait in the inbox.")
@click.option("--plan", "plan_file", metavar="FILE", help="Write the plan with its questions to FILE (- is stdout).")
@click.option("--apply", "answers", metavar="FILE", help="Carry out the decisions in FILE, a plan that was filled in.")
@pass_invocation
def run(
    invocation: Invocation,
    what: tuple[str, ...],
    file: str | None,
    folder: str | None,
    task: int | None,
    category: str | None,
    scope: str | None,
    patterns: tuple[str, ...],
    yes: bool,
    keep: bool,
    plan_file: str | None,
    answers: str | None,
) -> None:
    """Learn from a text, a file, a folder or a finished task.

    WHAT is cut into parts, each part is compared with what the vault knows, and you decide: UPDATE a memory, EXTEND it,
    CREATE a new one, or SKIP. Nothing is written before you have decided. On a terminal you are asked part by part,
    with the differences before your eyes; elsewhere use --yes, --keep, or --plan and --apply.

    \b
    Examples:
      scrubjay learn docs/deployment.md
      scrubjay learn notes/ --select '*.md' --keep
      scrubjay learn "Retries back off from 1 s to 60 s, five times."
      scrubjay learn --task 12
      scrubjay learn notes/ --plan plan.json
      scrubjay learn --apply plan.json
    """
    chosen = [name for name, given in (("--yes", yes), ("--keep", keep), ("--plan", plan_file)) if given]
    if len(chosen) > 1 or (answers and (chosen or what or task is not None)):
        raise click.UsageError("Give one of --yes, --keep, --plan and --apply, and WHAT only without --apply.")
    from scrubjay.interfaces.cli.gate import session

    named = [f"-{letter} {path.strip()}" for letter, path in (("f", file), ("d", folder)) if path is not None]
    if len(named) + bool(what) > 1:
        raise click.UsageError("Give WHAT, --file or --directory, not several of them.")
    text = _source(what or tuple(named), task, answers)
    if answers is not None:
        with invocation.memory() as memory:
            session.apply(invocation, memory, _read_plan(answers), file=answers)
        return
    from scrubjay.interfaces.cli.progress import bar

    asks = not chosen and not invocation.as_json and console.converses()
    with invocation.memory() as memory:
        files = _files(memory, text, task, patterns, asks=asks)
        if files == []:
            console.write("No files selected. Exiting.")
            return
        with bar("Reading") as progress:
            plan = memory.learn(text, task=task, category=category, scope=scope, selected=files, progress=progress)
        _decide(invocation, memory, plan, yes=yes, keep=keep, plan_file=plan_file, asks=asks)


def _source(what: Sequence[str], task: int | None, answers: str | None) -> str | None:
    """What to learn from, as one text. ``-`` reads stdin."""
    if list(what) == ["-"]:
        return console.read_stdin()
    if what:
        return " ".join(what)
    if task is None and answers is None:
        raise BadInput(USAGE, hint="Here that is `scrubjay learn WHAT` or `scrubjay learn --task N`.")
    return None


def _files(
    memory: Memory, text: str | None, task: int | None, patterns: Sequence[str], *, asks: bool
) -> list[str] | None:
    """The files of a folder that ``patterns`` mean or somebody picks; ``None`` for all there are to learn from."""
    folder = text is not None and task is None and memory.is_folder(text)
    if patterns and not folder:
        raise BadInput("--select chooses among the files of a folder.", hint="Name a folder, such as `docs/`.")
    if text is None or not folder or not (patterns or asks):
        return None
    listing = memory.listing(text)
    if patterns:
        return _matching([file.path for file in listing.files], patterns, listing.shown)
    from scrubjay.interfaces.cli.gate import pages, session

    for notice in listing.notices:
        console.write_error(notice)
    try:
        return pages.choose(listing, session.ask)
    except (click.Abort, EOFError):
        console.write(f"\n{session.CANCELLED}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _matching(paths: Sequence[str], patterns: Sequence[str], folder: str) -> list[str]:
    """The paths that one of the patterns means, by itself or with ``*`` and ``?``; each has to mean one at least."""
    from fnmatch import fnmatchcase

    found: set[str] = set()
    for pattern in patterns:
        meant = {path for path in paths if path == pattern or fnmatchcase(path, pattern)}
        if not meant:
            raise NotFound(f"No file of {folder} is called {pattern}.", hint="Name paths as they are below the folder.")
        found |= meant
    return sorted(found)


def _decide(
    invocation: Invocation, memory: Memory, plan: Plan, *, yes: bool, keep: bool, plan_file: str | None, asks: bool
) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals

    if plan_file is not None:
        _write_plan(invocation, plan, plan_file)
    elif yes:
        session.apply(invocation, memory, plan.decide(rest="recommended", by="--yes"))
    elif keep:
        session.keep(invocation, memory, plan)
    elif not asks or not plan.proposals:
        from scrubjay.operations.learn import exchange

        text = proposals.plan(plan, columns=console.columns())
        if plan.proposals:
            text += "\nNothing was written. Add --yes to do this, --keep to decide later, or --plan FILE."
        invocation.answer(exchange.plan_values(plan), text)
    else:
        console.write("\n".join([proposals.heading(plan), *proposals.skipped(plan.content)]))
        session.walk(invocation, memory, plan)


def _write_plan(invocation: Invocation, plan: Plan, name: str) -> None:
    from scrubjay.operations.learn import exchange

    text = exchange.to_json(plan)
    if name == "-":
        click.echo(text)
        return
    path = Path(name).expanduser()
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Conflict(f"There is a file {path} already.", hint="Name another one, or move it away.") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}.", hint="Name another file.") from None
    message = (
        f'Wrote the plan to {path}. Fill in each "decision", then run:\n  {invocation.line("learn", "--apply", name)}'
    )
    invocation.answer({"status": "planned", "plan": str(path), "proposals": len(plan.proposals)}, message)


def _read_plan(name: str) -> Plan:
    from scrubjay.operations.learn import exchange

    if name == "-":
        return exchange.from_json(console.read_stdin(), name="stdin")
    path = Path(name).expanduser()
    try:
        return exchange.from_json(console.decode(path.read_bytes(), name), name=name)
    except FileNotFoundError:
        raise NotFound(f"There is no file {name}.", hint="Write one with `scrubjay learn WHAT --plan FILE`.") from None
    except OSError as error:
        raise Unavailable(f"{name} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
