"""``scrubjay status``: what is stored, waiting and wrong."""

from __future__ import annotations

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("status")
@pass_invocation
def run(invocation: Invocation) -> None:
    """Show what is stored, waiting and wrong.

    For each scope: where its vault is, how many documents, searchable records and vectors there are, which model made
    them, what changed on disk since, and which files have problems, by line. Where a language model is configured, what
    it took today, what it may take, and why it is not used, if it isn't. Also which notebooks a coding agent keeps
    here: the project's, its team's, those of single agents; and what hooks left to be taken in. Nothing is changed.

    \b
    Examples:
      scrubjay status
      scrubjay status --json
    """
    from scrubjay.interfaces.cli.commands.install import own_home
    from scrubjay.interfaces.hook import report as hooks
    from scrubjay.interfaces.render import health, language_model, notebook, objects

    invocation.thorough = True
    with invocation.memory(sync=False) as memory:
        found, usage, notebooks = memory.status(), memory.usage(), memory.notebooks()
    kept = hooks.status(str(own_home(invocation)))
    answer = {
        "scopes": [objects.status(one) for one in found],
        "language_model": objects.usage(usage),
        "notebooks": notebook.seen_values(notebooks),
        "hooks": kept,
    }
    parts = (health.status(found), notebook.seen(notebooks), language_model.usage(usage), hooks.told(kept))
    told = "\n\n".join(part for part in parts if part)
    invocation.answer(answer, invocation.localised(told))
