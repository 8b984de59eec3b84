"""``scrubjay hook``: what the host of an agent runs. This module only explains it; it is run before click is loaded."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("hook")
@click.argument("event", default="")
@pass_invocation
def run(invocation: Invocation, event: str) -> None:
    """Answer an event of an agent's host.

    A host such as Claude Code runs this when a session starts, pauses, is compacted or ends, and with each prompt, and
    tells on stdin what happened. The answer is JSON, or nothing. It never fails and never keeps a session waiting:
    what takes time is done by a process in the background. EVENT is SessionStart, UserPromptSubmit, Stop,
    SubagentStop, PreCompact, PostCompact or SessionEnd.

    \b
    Examples:
      scrubjay hook SessionStart < event.json
      scrubjay hook SessionEnd < event.json
    """
    from scrubjay.interfaces import hook

    hook.main([event, *(["--home", invocation.home] if invocation.home else [])])
