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

_ORDER = "scrubjay.distill.kinds"
_AUTO = "auto mode"
"""Who decided what ``--auto`` did (SM-48)."""


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
            options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
            known = ", ".join(option.opts[0] for option in options if option.opts[0].startswith("--"))
            raise click.UsageError(f"There is no option {error.option_name}. Known: {known}.", ctx=ctx) from None


@click.command("distill", cls=_Known, context_settings=SETTINGS)
@_flag("purge", "Retire memories that nobody used for long.")
@_flag("merge", "Put memories that share most keywords into one.")
@_flag("compress", "Shorten long memories; the long text stays in their history.")
@_flag("refine", "Mend keywords, summaries, topics and categories.")
@_flag("gc", "Move memories retired for a week to the trash.")
@_flag("auto", "Mend what needs no judgement, without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed, and write nothing at all.")
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

    Without a flag it reports how the vault is and changes no memory. With one it proposes, at most so many changes a
    run, and you decide about each. Of several flags the first one counts. Every change can be undone; nothing is ever
    deleted.

    \b
    Examples:
      scrubjay distill
      scrubjay distill --merge
      scrubjay distill --purge --dry-run
      scrubjay distill --auto
    """
    from scrubjay.operations.distill import Report

    if yes and keep:
        raise click.UsageError("--yes decides now and --keep decides later: give one of them.")
    kind = next(iter(ctx.meta.get(_ORDER, [])), "report")
    with invocation.memory() as memory:
        found = memory.distill(kind, cap=cap, scope=scope, dry_run=dry_run)
        if isinstance(found, Report):
            from scrubjay.interfaces.render import distilling

            value = distilling.values(found, verbose=verbose)
            invocation.answer(value, distilling.text(found, columns=console.columns(), verbose=verbose))
        else:
            _decide(invocation, memory, found, dry_run=dry_run, yes=yes, keep=keep)


def _decide(invocation: Invocation, memory: Memory, plan: Plan, *, dry_run: bool, yes: bool, keep: bool) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import distilling
    from scrubjay.operations.learn import exchange

    if not plan.proposals:
        nothing = "\n".join(["Nothing to do: no memory is a candidate.", *distilling.notices(plan)])
        invocation.answer(exchange.plan_values(plan), nothing)
    elif dry_run:
        invocation.answer(exchange.plan_values(plan), distilling.plan(plan, columns=console.columns()))
    elif keep:
        session.keep(invocation, memory, plan)
    elif yes or plan.content.path == "auto":
        session.apply(invocation, memory, plan.decide(rest="recommended", by="--yes" if yes else _AUTO))
    elif invocation.as_json or not console.converses():
        text = distilling.plan(plan, columns=console.columns())
        text += "\nNothing was changed. Add --yes to do this, or --keep to decide later."
        invocation.answer(exchange.plan_values(plan), text)
    else:
        console.write("\n".join([distilling.heading(plan), *distilling.notices(plan)]))
        session.walk(invocation, memory, plan)
