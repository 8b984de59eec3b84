"""The commands by name. A command's module is imported when it is called, and not for ``--help`` or ``--version``."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType

import click

import scrubjay
from scrubjay.interfaces.cli.options import SETTINGS, add_global_options

# Every command, in the order in which people meet them, with the line that ``scrubjay --help`` shows.
COMMANDS = MappingProxyType(
    {
        "init": "Create the memory vault of a project.",
        "learn": "Learn from a text, a file, a folder or a finished task.",
        "inbox": "Decide what waits.",
        "retrieve": "Print memories for a task, for an agent's context.",
        "harvest": "Propose what agents left in a task's files.",
        "distill": "Keep a vault small and sharp.",
        "dream": "Put an agent's notebook in order.",
        "remember": "Remember one statement.",
        "note": "Write a note.",
        "notebook": "Read and write the memory that a coding agent keeps.",
        "search": "Ask the memory a question.",
        "facts": "List facts that hold.",
        "supersede": "Replace a fact by a newer one and keep both.",
        "retract": "Say that a fact was never true.",
        "show": "Show a fact, note, message or document.",
        "history": "Show how a fact changed.",
        "log": "List the versions of a document, newest first.",
        "diff": "Show what changed in a document.",
        "forget": "Move something to the trash.",
        "undo": "Take back what was done.",
        "ingest": "Take in conversations from files.",
        "extract": "Learn facts from conversations.",
        "sync": "Take in what changed on disk.",
        "reindex": "Build the index anew.",
        "status": "Show what is stored, waiting and wrong.",
        "doctor": "Look for damage and mend it.",
        "scan": "Look for secrets that lie on the disk.",
        "export": "Write everything to a bundle.",
        "import": "Take in a bundle.",
        "journal": "Write down what happened, by day.",
        "share": "Share a memory with a team.",
        "mcp": "Serve the memory to agents.",
        "install": "Install Scrubjay into an agent's host.",
        "uninstall": "Take Scrubjay out of an agent's host.",
        "hook": "Answer an event of an agent's host.",
        "serve": "Keep the memory warm for hooks.",
        "completion": "Print the completion script of a shell.",
    }
)


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads each one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name}_" if cmd_name == "import" else cmd_name
        command: click.Command = import_module(f"scrubjay.interfaces.cli.commands.{name}").run
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = str(args[0])
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            ctx.fail(f"There is no command {name!r}.{f' Did you mean {near[0]!r}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings=SETTINGS)
@click.version_option(scrubjay.__version__, "--version", prog_name="scrubjay", message="%(prog)s %(version)s")
@add_global_options
def cli() -> None:
    """Scrubjay: long-term memory for AI agents.

    It keeps facts, notes and conversations as Markdown files that you can read and edit, and answers questions with
    ranked, dated, cited evidence. Everything stays on this machine.

    \b
      scrubjay remember "Max prefers uv over pip." --category Preference
      scrubjay search "which package manager does Max like?"

    `scrubjay COMMAND --help` explains a command, with examples.
    """
