"""Walking through the proposals of a plan, one question each; nothing is written here (SM-11, SM-12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.gate.pages import Ask
from scrubjay.interfaces.render import proposals
from scrubjay.interfaces.render.plain import count, faint, one_line
from scrubjay.proposals import CATEGORIES, LEARNING, Action, Decision, Plan, Proposal

if TYPE_CHECKING:
    from scrubjay.operations.gate.preview import Preview

ALL = "accept all the rest"
"""Who decided when somebody took the recommendations that were left without looking at each (``Plan.by``)."""

_LETTERS: dict[str, Action] = {"u": "UPDATE", "x": "EXTEND", "c": "CREATE", "s": "SKIP"}
_SOME, _WHOLE = 24, 10_000
"""Most lines of a text or a difference that are shown unasked, and asked for."""

_HELP = """\
  Enter  do what is recommended      e  edit the text in $EDITOR
  u      UPDATE the memory           t  change the topic
  x      EXTEND the memory           l  change the title
  c      CREATE a new memory         g  change the category
  s      SKIP: store nothing         o  UPDATE or EXTEND another memory
  b      back to the one before      m  put it into another part's memory
  d      show all of it              a  accept all the rest as recommended
  q      quit; what is left waits in the inbox"""
_HELP_DISTILL = """\
  Enter  do what is recommended      d  show all of it
  s      SKIP: leave it as it is     b  back to the one before
  a      accept all the rest         q  quit; what is left waits in the inbox"""


class End(Enum):
    """How a walk ended: all is decided, what is decided is to be carried out, or nothing is."""

    DECIDED = "decided"
    PART = "part"
    QUIT = "quit"


@dataclass(slots=True)
class Walk:
    """A plan under way and the place in it.

    ``preview`` tells what a decision would make of a memory; ``edit`` opens an editor and returns the new text, or
    ``None`` when it was not saved. ``words`` are what somebody changed about each proposal, by key.
    """

    plan: Plan
    ask: Ask
    preview: Callable[[Plan, str, Decision], Preview]
    edit: Callable[[str], str | None]
    words: dict[str, dict[str, str]] = field(default_factory=dict)
    place: int = 0

    def run(self) -> End:
        """Asks about every proposal. What ``ask`` raises, such as for Ctrl-C, goes to the caller."""
        while self.place < self._end:  # which is where the place is once nothing is undecided
            proposal = self._current()
            console.write("")
            console.write("\n".join(self._shown(proposal)))
            end = self._asked(proposal)
            if end is not None:
                return end
        return End.DECIDED

    def kept(self) -> Plan:
        """The plan with what was changed about undecided proposals as answers, so that no word gets lost."""
        changed = [one for one in self.plan.undecided if self.words.get(one.key)]
        return self.plan.decide({one.key: self._decision(one, one.action) for one in changed})

    @property
    def _end(self) -> int:
        return len(self.plan.proposals)

    def _current(self) -> Proposal:
        """The proposal in question with what was changed about it so far."""
        proposal = self.plan.proposals[self.place]
        return replace(proposal, **self.words.get(proposal.key, {}))  # type: ignore[arg-type]

    def _asked(self, proposal: Proposal) -> End | None:
        """Asks until the proposal is decided or has changed, or the walk ends."""
        while True:
            said = self.ask(self._prompt(proposal)).strip().casefold()
            if said in ("q", "quit"):
                return self._quit()
            if said in ("a", "all"):
                return self._rest()
            try:
                if self._answered(proposal, said):
                    return None
            except ScrubjayError as error:
                console.write_error(f"  {error}")

    def _answered(self, proposal: Proposal, said: str) -> bool:
        """Carries out one answer; whether the proposal has to be shown again, or another one."""
        if said in ("", "y"):
            return self._confirmed(proposal)
        action = _action(proposal, said)
        if action is not None:
            return self._chosen(proposal, action)
        match said:
            case "b":
                self.place = max(0, self.place - 1)
                return True
            case "d":
                console.write("\n".join(self._change_shown(proposal, _WHOLE)))
                return False
            case "?" | "h" | "help":
                console.write(_HELP if proposal.action in LEARNING else _HELP_DISTILL)
                return False
        return self._changed(proposal, said)

    def _changed(self, proposal: Proposal, said: str) -> bool:
        """Whether ``said`` asks for a change to the proposal that was then made."""
        asked = {
            "e": self._edit,
            "t": self._topic,
            "l": self._title,
            "g": self._category,
            "o": self._other,
            "m": self._into,
        }.get(said)
        if asked is None or proposal.action not in LEARNING:
            console.write_error(f"  {one_line(said, 20)!r} is no answer here; ? shows them.")
            return False
        return asked(proposal)

    # --- deciding ---------------------------------------------------------------------------------------------

    def _confirmed(self, proposal: Proposal) -> bool:
        """Enter: the answer that was given before, else what is recommended."""
        if proposal.key not in self.plan.decisions:
            return self._decide(proposal, self._decision(proposal, proposal.action))
        self._go_on()
        return True

    def _chosen(self, proposal: Proposal, action: Action) -> bool:
        decision = self._decision(proposal, action)
        if action in ("UPDATE", "EXTEND") and action != proposal.action and not self._agreed(proposal, decision):
            return True
        return self._decide(proposal, decision)

    def _decide(self, proposal: Proposal, decision: Decision) -> bool:
        self.plan = self.plan.decide({proposal.key: decision})
        self._go_on()
        return True

    def _go_on(self) -> None:
        """To the next proposal without an answer, after this one or else from the beginning."""
        waiting = {one.key for one in self.plan.undecided}
        places = [place for place, one in enumerate(self.plan.proposals) if one.key in waiting]
        self.place = next((place for place in places if place > self.place), next(iter(places), self._end))

    def _agreed(self, proposal: Proposal, decision: Decision) -> bool:
        """Shows what a decision that was not recommended would do, and asks whether it is meant."""
        found = self.preview(self.plan, proposal.key, decision)
        console.write("\n".join(["", *proposals.preview(found, columns=console.columns())]))
        name = one_line(found.path.rpartition("/")[2].removesuffix(".md"), 60)
        return self.ask(f"{decision.action} {name} like this? Enter yes, n no").strip().casefold() in ("", "y", "yes")

    def _rest(self) -> End | None:
        """Accepts what is left; what differs in numbers, names or meaning only when somebody says so."""
        wary = [one for one in self.plan.undecided if one.cautions]
        if wary and len(self.plan.undecided) > len(wary):
            what = f"{len(wary)} of {count(len(self.plan.undecided), 'proposal')} carry a caution."
        else:
            what = f"{count(len(wary), 'proposal')} with a caution."
        if wary and self.ask(f"{what} y accept them too, Enter be asked about them").strip().casefold() != "y":
            rest = [one for one in self.plan.undecided if not one.cautions]
        else:
            rest = list(self.plan.undecided)
        answers = {one.key: self._decision(one, one.action) for one in rest}
        self.plan = self.plan.decide(answers, by=ALL if answers else None)
        self.place -= 1
        self._go_on()
        return None if self.plan.undecided else End.DECIDED

    def _quit(self) -> End:
        done = len(self.plan.decisions)
        if not done:
            return End.QUIT
        said = self.ask(f"{count(done, 'answer')} given: y carry out, Enter keep everything for later")
        return End.PART if said.strip().casefold() in ("y", "yes") else End.QUIT

    # --- changing ---------------------------------------------------------------------------------------------

    def _decision(self, proposal: Proposal, action: Action, *, target: str | None = None) -> Decision:
        """``action`` with what was changed about the proposal and nothing else: a memory that is updated keeps its
        title and topic unless somebody changed them (SM-27)."""
        decision = Decision(action=action, target=target)
        return replace(decision, **self.words.get(proposal.key, {}))  # type: ignore[arg-type]

    def _change(self, proposal: Proposal, name: str, value: str) -> bool:
        if value and value != getattr(proposal, name):
            self.words.setdefault(proposal.key, {})[name] = value
            if proposal.key in self.plan.decisions:
                before = self.plan.decisions[proposal.key]
                self.plan = self.plan.decide({proposal.key: replace(before, **{name: value})})  # type: ignore[arg-type]
        return True

    def _edit(self, proposal: Proposal) -> bool:
        written = self.edit(proposal.body)
        if written is None or not written.strip():
            console.write_error("  The text was not saved, so it stays as it is.")
            return False
        return self._change(proposal, "body", written.strip("\n"))

    def _topic(self, proposal: Proposal) -> bool:
        return self._change(proposal, "topic", self.ask("Topic, such as python/http").strip().strip("/"))

    def _title(self, proposal: Proposal) -> bool:
        return self._change(proposal, "title", self.ask("Title").strip())

    def _category(self, proposal: Proposal) -> bool:
        said = self.ask(f"Category ({', '.join(CATEGORIES)}, or a word of yours)").strip()
        return self._change(proposal, "category", said.upper() if said.upper() in CATEGORIES else said)

    def _other(self, proposal: Proposal) -> bool:
        name = self.ask("Which memory (number above, id or path)").strip()
        if name.isascii() and name.isdigit() and 1 <= int(name) <= len(proposal.related):
            name = proposal.related[int(name) - 1].path
        if not name:
            return True
        action = _LETTERS.get(self.ask("u UPDATE it, x EXTEND it").strip().casefold())
        if action not in ("UPDATE", "EXTEND"):
            return True
        decision = self._decision(proposal, action, target=name)
        return self._decide(proposal, decision) if self._agreed(proposal, decision) else True

    def _into(self, proposal: Proposal) -> bool:
        others = [one for one in self.plan.proposals if one.key != proposal.key]
        if not others:
            console.write_error("  There is no other part.")
            return False
        console.write("\n".join(_listed(number, one) for number, one in enumerate(self.plan.proposals, 1)))
        said = self.ask("Into the memory of which part").strip()
        if said.isascii() and said.isdigit() and 1 <= int(said) <= self._end:
            said = self.plan.proposals[int(said) - 1].key
        if not said:
            return True
        other = self.plan[said]
        if self._leads_to(other, proposal.key):
            console.write_error(f"  {one_line(other.key)} goes into this one already.")
            return False
        return self._decide(proposal, replace(self._decision(proposal, "CREATE"), into=other.key))

    def _leads_to(self, other: Proposal, key: str) -> bool:
        seen: set[str] = set()
        here: str | None = other.key
        while here is not None and here not in seen:
            if here == key:
                return True
            seen.add(here)
            decision = self.plan.decisions.get(here)
            here = decision.into if decision else None
        return False

    # --- showing ----------------------------------------------------------------------------------------------

    def _prompt(self, proposal: Proposal) -> str:
        letters = {action: letter for letter, action in _LETTERS.items()}
        before = self.plan.decisions.get(proposal.key)
        usual = proposals.answered(before) if before else proposal.action
        others = [f"{letters[action]} {action}" for action in proposal.choices if action != usual and action in letters]
        more = ["e edit"] if proposal.action in LEARNING else []
        return ", ".join([f"Enter {usual}", *others, *more, "? more"])

    def _shown(self, proposal: Proposal) -> list[str]:
        before = self.plan.decisions.get(proposal.key)
        number, columns = self.place + 1, console.columns()
        about = proposals.proposal(proposal, number=number, total=self._end, columns=columns, decided=before)
        return [about, "", *self._change_shown(proposal, _SOME)]

    def _change_shown(self, proposal: Proposal, most: int) -> list[str]:
        columns = console.columns()
        if proposal.action == "SKIP":
            if most == _WHOLE:
                return proposals.body(proposal.body, columns=columns, most=most)
            return [faint(f"  {one_line(proposal.body, columns - 4)}")]
        before = self.plan.decisions.get(proposal.key)
        shown = before if before and before.action != "SKIP" and not before.into else None
        try:
            found = self.preview(self.plan, proposal.key, shown or self._decision(proposal, proposal.action))
        except ScrubjayError as error:
            return [f"  ! {one_line(str(error))}", *proposals.body(proposal.body, columns=columns, most=most)]
        return proposals.preview(found, columns=columns, most=most)


def _listed(number: int, one: Proposal) -> str:
    return f"  {number}. {one_line(one.title or one.key, 70)}"


def _action(proposal: Proposal, said: str) -> Action | None:
    named = next((action for action in proposal.choices if said == action.casefold()), None)
    letter = _LETTERS.get(said)
    return named or (letter if letter in proposal.choices else None)
