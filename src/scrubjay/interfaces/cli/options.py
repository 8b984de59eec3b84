"""What commands have in common: the options that work everywhere, and how help looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from scrubjay.interfaces.cli.invocation import Invocation

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}

pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


class _Words(click.types.StringParamType):
    """Text to be kept or looked for, whatever encoding it was typed in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from scrubjay.interfaces.cli import console

        name = param.make_metavar(ctx) if param is not None and ctx is not None else "The text"
        return console.typed(str(super().convert(value, param, ctx)), name)


WORDS = _Words()

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Notes a global option, wherever it stands on the command line; the last one given wins."""
    if value == "":
        raise click.BadParameter("it is empty; give a path, or leave the option out.", ctx=ctx, param=param)
    if value is not None and value is not False:
        setattr(ctx.ensure_object(Invocation), str(param.name), value)


def _global(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_keep, is_eager=True, **settings)


def global_options() -> list[click.Option]:
    """Fresh copies of the options that stand before or after any command."""
    return [
        _global(
            "--vault",
            metavar="PATH",
            help="Use the folder of Markdown at PATH as the only vault, instead of your own and the project's.",
        ),
        _global(
            "--home",
            metavar="PATH",
            help="Keep Scrubjay's own files at PATH instead of SCRUBJAY_HOME or ~/.scrubjay.",
        ),
        _global("--json", "as_json", is_flag=True, help="Print one JSON object instead of text, errors included."),
        _global("--debug", is_flag=True, help="Show the traceback of an unexpected error, and every warning."),
    ]


def add_global_options(function: Decorated) -> Decorated:
    """Decorates a command's function with the global options."""
    function.__click_params__ = [*reversed(global_options()), *getattr(function, "__click_params__", [])]  # type: ignore[attr-defined]
    return function


class Verb(click.Command):
    """A command that also takes the global options, listed apart from its own in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.everywhere = global_options()
        self.params = [*self.params, *self.everywhere]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        own = [option for option in options if option not in self.everywhere]
        for title, params in (("Options", own), ("Options of every command", self.everywhere)):
            rows = [row for param in params if (row := param.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def command(name: str) -> Callable[[Callable[..., Any]], Verb]:
    """Makes a function the command ``name``; its docstring is the help."""
    return click.command(name, cls=Verb, context_settings=SETTINGS)


def scopes_option(function: Decorated) -> Decorated:
    """``--scope`` of a command that reads: may be given several times."""
    return click.option(
        "--scope",
        "scopes",
        multiple=True,
        metavar="SCOPE",
        help="Only this scope: user, local or project. May be repeated.  [default: all there are]",
    )(function)


def scope_option(function: Decorated) -> Decorated:
    """``--scope`` of a command that writes: at most one."""
    return click.option(
        "--scope",
        metavar="SCOPE",
        help="Who will read it: user (you, everywhere), local (you, in this project) or project (everybody who has the"
        " project).  [default: local inside a project for what is not personal, else user]",
    )(function)


def tags_option(meaning: str) -> Callable[[Decorated], Decorated]:
    """``--tag``, which may be given several times."""
    return click.option("--tag", "tags", type=WORDS, multiple=True, metavar="TAG", help=f"{meaning} May be repeated.")


def embed_option(function: Decorated) -> Decorated:
    """``--no-embed`` of commands that compute vectors at their end."""
    return click.option(
        "--no-embed",
        is_flag=True,
        help="Leave the vectors for later; until then new text is found by its words only.",
    )(function)


def two_clocks(function: Decorated) -> Decorated:
    """``--as-of`` and ``--known-at``."""
    as_of = click.option("--as-of", metavar="TIME", help="What was true then.  [default: now]")
    known_at = click.option("--known-at", metavar="TIME", help="What was believed then.  [default: now]")
    return as_of(known_at(function))


def fact_options(function: Decorated) -> Decorated:
    """The parts of a fact beside its text."""
    for decorate in (
        click.option("--valid-to", metavar="TIME", help="From when it is no longer true, such as 2027 or 2026-05-31."),
        click.option("--valid-from", metavar="TIME", help="Since when it is true, such as 2026-05-31T14:00:00Z."),
        click.option("--object", "object_", type=WORDS, metavar="WORDS", help="What the subject is tied to."),
        click.option("--predicate", type=WORDS, metavar="WORDS", help="How the subject is tied to the object."),
        click.option("--subject", type=WORDS, metavar="WORDS", help="Whom or what it is about."),
        click.option("--confidence", type=click.FloatRange(0, 1), help="How sure it is, from 0 to 1."),
        click.option(
            "--category", type=WORDS, help="What kind of fact: Preference, Identity, Decision, TODO or a word of yours."
        ),
    ):
        function = decorate(function)
    return function


def given(values: tuple[str, ...]) -> tuple[str, ...] | None:
    """The values of a repeatable option, or ``None`` when it was not given."""
    return values or None
