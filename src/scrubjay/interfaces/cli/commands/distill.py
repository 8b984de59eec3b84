"""``scrubjay distill``: what is stale, double, too long or untidy, and mending it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import SETTINGS, Decorated, Verb, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.proposals import Plan

_FLAGS = ("purge", "merge", "compress", "refine", "gc", "auto")
_ORDER = "scrubjay.distill.kinds"


def _noted(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    """Remembers in which order the flags stand on the line: the first one wins (SM-42)."""
    if value:
        ctx.meta.setdefault(_ORDER, []).append(str(param.name))
    return value


def _flag(name: str, meaning: str) -> Callable[[Decorated], Decorated]:
    return click.option(f"--{name}", is_flag=True, expose_value=False, callback=_noted, help=meaning)


class _Known(Verb):
    """Names every flag when an unknown one is given (SM-42)."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            flags = ", ".join(f"--{name}" for name in _FLAGS)
            raise click.UsageError(f"There is no option {error.option_name}. Known: {flags}.", ctx=ctx) from None


@click.command("distill", cls=_Known, context_settings=SETTINGS)
@_flag("purge", "Retire memories that nobody used for long.")
@_flag("merge", "Put memories that share most keywords into one.")
@_flag("compress", "Shorten long memories; the long text stays in their history.")
@_flag("refine", "Mend keywords, summaries, topics and categories.")
@_flag("gc", "Move memories retired for a week to the trash.")
@_flag("auto", "Mend what needs no judgement, without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed and stop.")
@click.option("--verbose", is_flag=True, help="Show every memory with its score.")
@click.option("--yes", is_flag=True, help="Do what is proposed without asking; the result says so.")
@click.option("--keep", is_flag=True, help="Decide nothing now: the proposals wait in the inbox.")
@click.option("--cap", type=click.IntRange(1), metavar="N", help="Most proposals of this run.  [default: distill.cap]")
@click.option("--scope", metavar="SCOPE", help="Whose vault.  [default: the project's where there is one]")
@pass_invocation
@click.pass_context
def run(
    ctx: click.Context,
    invocation: Invocation,
    dry_run: bool,
    verbose: bool,
    yes: bool,
    keep: bool,
    cap: int | None,
    scope: str | None,
) -> None:
    """Keep a vault small and sharp.

    Without a flag it reports how the vault is and changes nothing. With one it proposes, at most so many changes a
    run, and you decide about each. Every change can be undone; nothing is ever deleted.

    \b
    Examples:
      scrubjay distill
      scrubjay distill --merge
      scrubjay distill --purge --dry-run
      scrubjay distill --auto
    """
    from scrubjay.operations.distill import Report

    kind = next(iter(ctx.meta.get(_ORDER, [])), "report")
    with invocation.memory() as memory:
        found = memory.distill(kind, cap=cap, scope=scope)
        if isinstance(found, Report):
            from scrubjay.interfaces.render import distilling

            value = distilling.values(found, verbose=verbose)
            invocation.answer(value, distilling.text(found, columns=console.columns(), verbose=verbose))
        else:
            _decide(invocation, memory, found, dry_run=dry_run, yes=yes or kind == "auto", keep=keep)


def _decide(invocation: Invocation, memory: Memory, plan: Plan, *, dry_run: bool, yes: bool, keep: bool) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals
    from scrubjay.operations.learn import exchange

    if not plan.proposals:
        invocation.answer(exchange.plan_values(plan), "Nothing to do: no memory is a candidate.")
    elif dry_run:
        invocation.answer(exchange.plan_values(plan), proposals.plan(plan, columns=console.columns()))
    elif yes:
        by = "auto mode" if plan.content.path == "auto" else "--yes"
        session.apply(invocation, memory, plan.decide(rest="recommended", by=by))
    elif keep:
        session.keep(invocation, memory, plan)
    elif invocation.as_json or not console.converses():
        text = proposals.plan(plan, columns=console.columns())
        text += "\nNothing was changed. Add --yes to do this, or --keep to decide later."
        invocation.answer(exchange.plan_values(plan), text)
    else:
        console.write(proposals.heading(plan))
        session.walk(invocation, memory, plan)
