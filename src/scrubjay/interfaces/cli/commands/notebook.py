"""``scrubjay notebook``: the memory that a coding agent keeps of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, Refused
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrubjay.memory import Memory

ACTIONS = ("list", "show", "select", "save", "remove", "check", "extract")
TYPES = ("user", "feedback", "project", "reference")
_NAMED = ("show", "select", "save", "remove", "extract")


@command("notebook")
@click.argument("action", type=click.Choice(ACTIONS), default="list")
@click.argument("name", type=WORDS, required=False)
@click.argument("text", type=WORDS, required=False)
@click.option("--description", "-d", type=WORDS, metavar="WORDS", help="Save: the line by which it is found.")
@click.option("--type", "kind", type=click.Choice(TYPES), help="Save: what kind of memory it is.")
@click.option("--title", type=WORDS, metavar="WORDS", help="Save: its title in MEMORY.md.  [default: its name]")
@click.option("--hook", type=WORDS, metavar="WORDS", help="Save: what MEMORY.md says of it.  [default: description]")
@click.option("--branch", type=WORDS, metavar="NAME", help="Save: the only branch of the project on which it holds.")
@click.option("--file", metavar="PATH", help="Save: read the text from the file at PATH.")
@click.option("--flat", is_flag=True, help="Save: write the older shape of frontmatter in a new file.")
@click.option("--mend", is_flag=True, help="Check: bring MEMORY.md in line with the files.")
@click.option("--surfaced", multiple=True, metavar="FILE", help="Select: a memory that the agent has seen already.")
@click.option("--tool", "tools", multiple=True, metavar="NAME", help="Select: a tool that the agent is using.")
@click.option("--limit", type=click.IntRange(1, 5), help="Select: how many memories at most.  [default: 5]")
@click.option("--scope", default="notebook", metavar="SCOPE", help="Whose memory: notebook, team, or agent:NAME.")
@pass_invocation
def run(
    invocation: Invocation,
    action: str,
    name: str | None,
    text: str | None,
    description: str | None,
    kind: str | None,
    title: str | None,
    hook: str | None,
    branch: str | None,
    file: str | None,
    flat: bool,
    mend: bool,
    surfaced: tuple[str, ...],
    tools: tuple[str, ...],
    limit: int | None,
    scope: str,
) -> None:
    """Read and write the memory that a coding agent keeps.

    Claude Code and its like keep one folder a project: a file for each memory, and MEMORY.md with a line for each.
    `list` shows them newest first, `show NAME` one of them, or without NAME what is loaded of MEMORY.md when a session
    starts. `select QUESTION` prints at most five memories that bear on a question, for an agent's context, with their
    age, and says which of the files and functions they name are gone. `save` writes one with its line: TEXT comes from
    the argument, from stdin (`-`) or from a file, and of one that is there already only what you give changes. `remove`
    takes file and line away. `check` compares the two and measures MEMORY.md; its exit code is 5 when something is
    wrong. `extract` notes down what was learned from sessions, after taking in the transcript NAME if you give one.
    `scrubjay undo` takes back what was written.

    \b
    Examples:
      scrubjay notebook
      scrubjay notebook save prefer-uv "Use uv, never pip." --type feedback -d "Max prefers uv over pip"
      scrubjay notebook show prefer-uv
      scrubjay notebook select "how do I install a package here?"
      scrubjay notebook check
    """
    saving = {"--description": description, "--type": kind, "--title": title, "--hook": hook, "--file": file}
    saving["--branch"] = branch
    _require_own(action, save={**saving, "--flat": flat}, check={"--mend": mend})
    _require_own(action, select={"--surfaced": surfaced, "--tool": tools, "--limit": limit})
    if name is None and action in ("select", "save", "remove"):
        what = "a question" if action == "select" else "the name of a memory"
        raise BadInput(f"`notebook {action}` needs {what}.")
    if (name is not None and action not in _NAMED) or (text is not None and action != "save"):
        raise BadInput(f"What is {text if action in _NAMED else name!r} for?")
    if text is not None and file is not None:
        raise click.UsageError("Give a TEXT or --file, not both.")
    with invocation.memory() as memory:
        if action == "save":
            body = console.read_file(file) if file is not None else console.read_stdin() if text == "-" else text
            _save(invocation, memory, str(name), body, scope, description, kind, title, hook, branch, flat)
        elif action == "select":
            _select(invocation, memory, str(name), surfaced, tools, limit)
        elif not _others(invocation, memory, action, name, mend, scope):
            click.get_current_context().exit(Refused.exit_code)


def _require_own(action: str, **options: Mapping[str, object]) -> None:
    """Raises ``BadInput`` for an option that was given and belongs to another action."""
    for owner, given in options.items():
        wrong = next((option for option, value in given.items() if value not in (None, False, ())), None)
        if wrong and owner != action:
            raise BadInput(f"{wrong} is for `notebook {owner}`.")


def _select(
    invocation: Invocation,
    memory: Memory,
    question: str,
    surfaced: tuple[str, ...],
    tools: tuple[str, ...],
    limit: int | None,
) -> None:
    from scrubjay.interfaces.cli.embedding import embed_few
    from scrubjay.interfaces.render import selection as render

    embed_few(memory)
    found = memory.select(question, surfaced=surfaced, tools=tools, limit=limit or 5)
    invocation.answer(render.values(question, found), render.text(found))
    for line in render.left(found):
        invocation.warn(line)


def _save(
    invocation: Invocation,
    memory: Memory,
    name: str,
    body: str | None,
    scope: str,
    description: str | None,
    kind: str | None,
    title: str | None,
    hook: str | None,
    branch: str | None,
    flat: bool,
) -> None:
    from scrubjay.interfaces.render import notebook as render

    saved = memory.note_down(
        name,
        body,
        description=description,
        type=kind,
        title=title,
        hook=hook,
        branch=branch,
        flat=flat,
        scope=scope,
    )
    invocation.answer(render.saved_values(saved), render.saved(saved))
    if saved.message:
        invocation.warn(saved.message)


def _others(invocation: Invocation, memory: Memory, action: str, name: str | None, mend: bool, scope: str) -> bool:
    """Does what is no saving; returns whether all is well."""
    from scrubjay.interfaces.render import notebook as render

    match action:
        case "remove":
            removed = memory.strike_out(str(name), scope=scope)
            invocation.answer(render.saved_values(removed), render.saved(removed))
        case "check":
            mended = memory.mend_notebook(scope=scope) if mend else None
            found = memory.check_notebook(scope=scope)
            invocation.answer(render.check_values(found, mended), invocation.localised(render.check(found, mended)))
            return found.healthy
        case "show" if name is not None:
            document = memory.noted(name, scope=scope)
            invocation.answer(render.document_values(document), render.document(document))
        case "show":
            shown = memory.notebook(scope=scope)
            invocation.answer(render.loaded_values(shown), render.loaded(shown))
        case "extract":
            noted = memory.note_session(name, asked=True)
            invocation.answer(render.noted_values(noted), invocation.localised(render.noted(noted)))
        case _:
            listed = memory.notebook(scope=scope)
            invocation.answer(render.listed_values(listed), render.listed(listed))
    return True
