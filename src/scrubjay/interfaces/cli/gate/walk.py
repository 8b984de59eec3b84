"""Walking through the proposals of a plan, one question each; nothing is written here (SM-11, SM-12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.gate.pages import Ask
from scrubjay.interfaces.render import diff, proposals
from scrubjay.interfaces.render.plain import faint, one_line
from scrubjay.proposals import CATEGORIES, Action, Decision, Plan, Proposal

ALL = "accept all the rest"
_LETTERS: dict[str, Action] = {
    "u": "UPDATE",
    "x": "EXTEND",
    "c": "CREATE",
    "s": "SKIP",
}
HELP = """\
  Enter  do what is recommended      e  edit the text in $EDITOR
  u      UPDATE the memory           t  change the topic
  x      EXTEND the memory           l  change the title
  c      CREATE a new memory         g  change the category
  s      SKIP: store nothing         o  UPDATE or EXTEND another memory
  m      put it into another part's memory
  b      back to the one before      a  accept all the rest as recommended
  d      the whole text              q  quit; what is left waits in the inbox"""


class End(Enum):
    """How a walk ended."""

    DECIDED = "decided"
    QUIT = "quit"


@dataclass(slots=True)
class Walk:
    """A plan under way and the place in it. ``old_text`` gives a memory's own words and ``new_text`` those of a
    proposal, to compare; ``edit`` opens an editor and returns the new text, or ``None`` when it was not saved."""

    plan: Plan
    ask: Ask
    old_text: Callable[[str], str]
    new_text: Callable[[Proposal], str]
    edit: Callable[[str], str | None]
    place: int = 0

    def run(self) -> End:
        """Asks about every proposal. ``KeyboardInterrupt`` and ``EOFError`` of ``ask`` go to the caller."""
        while self.place < len(self.plan.proposals):
            proposal = self._current()
            console.write("")
            console.write(self._shown(proposal))
            said = self.ask(f"{self._prompt(proposal)} [{proposal.action}]").strip().casefold()
            if said in ("q", "quit"):
                return End.QUIT
            if said in ("a", "all"):
                self.plan = self.plan.decide(rest="recommended", by=ALL)
                return End.DECIDED
            try:
                self._answered(proposal, said)
            except ScrubjayError as error:
                console.write_error(f"  {error}")
        return End.DECIDED

    def _current(self) -> Proposal:
        """The proposal as it stands with what was changed about it so far."""
        return self.plan.proposals[self.place]

    def _answered(self, proposal: Proposal, said: str) -> None:
        action = proposal.action if said in ("", "y") else _LETTERS.get(said) or _word(proposal, said)
        if action is not None:
            self._decide(proposal, Decision(action=action))
        elif said == "b":
            self.place = max(0, self.place - 1)
        elif said == "d":
            console.write("\n".join(proposals.body(proposal, columns=console.columns(), most=10_000)))
        elif said in ("?", "h", "help"):
            console.write(HELP)
        elif not self._changed(proposal, said):
            console.write_error(f"  {one_line(said, 20)!r} is no answer here; ? shows them.")

    def _changed(self, proposal: Proposal, said: str) -> bool:
        """Whether ``said`` asks for a change to the proposal, which is then made."""
        match said:
            case "e":
                self._edit(proposal)
            case "t":
                self._topic(proposal)
            case "l":
                self._title(proposal)
            case "g":
                self._category(proposal)
            case "o":
                self._other(proposal)
            case "m":
                self._into(proposal)
            case _:
                return False
        return True

    def _decide(self, proposal: Proposal, decision: Decision) -> None:
        words = {
            "title": proposal.title,
            "body": proposal.body,
            "topic": proposal.topic,
            "category": proposal.category,
            "tags": proposal.tags,
        }
        self.plan = self.plan.decide({proposal.key: replace(decision, **words)})  # type: ignore[arg-type]
        self.place += 1

    def _change(self, proposal: Proposal, **words: object) -> None:
        changed = replace(proposal, **words)  # type: ignore[arg-type]
        every = tuple(changed if one.key == proposal.key else one for one in self.plan.proposals)
        self.plan = replace(self.plan, proposals=every)

    def _edit(self, proposal: Proposal) -> None:
        written = self.edit(proposal.body)
        if written is None or not written.strip():
            console.write_error("  The text was not saved, so it stays as it is.")
        else:
            self._change(proposal, body=written.strip("\n"))

    def _topic(self, proposal: Proposal) -> None:
        self._change(proposal, topic=self.ask("Topic, such as python/http").strip().strip("/") or proposal.topic)

    def _title(self, proposal: Proposal) -> None:
        self._change(proposal, title=self.ask("Title").strip() or proposal.title)

    def _category(self, proposal: Proposal) -> None:
        said = self.ask(f"Category ({', '.join(CATEGORIES)}, or a word of yours)").strip()
        self._change(proposal, category=said.upper() if said.upper() in CATEGORIES else said or proposal.category)

    def _other(self, proposal: Proposal) -> None:
        name = self.ask("Which memory (number above, id or path)").strip()
        if name.isdigit() and 1 <= int(name) <= len(proposal.related):
            name = proposal.related[int(name) - 1].path
        if not name:
            return
        how = self.ask("u to UPDATE it, x to EXTEND it").strip().casefold()
        if how in ("u", "x"):
            self._decide(proposal, Decision(action=_LETTERS[how], target=name))

    def _into(self, proposal: Proposal) -> None:
        key = self.ask("Into the memory of which part (such as seg-002)").strip()
        if key:
            other = self.plan[key]
            if other.key == proposal.key:
                console.write_error("  A part cannot go into itself.")
                return
            self._decide(proposal, Decision(action="SKIP" if proposal.action == "SKIP" else "CREATE", into=other.key))

    def _prompt(self, proposal: Proposal) -> str:
        letters = {"UPDATE": "u", "EXTEND": "x", "CREATE": "c", "SKIP": "s"}
        known = [f"{letters[action]} {action}" for action in proposal.choices if action in letters]
        return f"{', '.join(known)}, e edit, ? more"

    def _shown(self, proposal: Proposal) -> str:
        columns = console.columns()
        lines = [
            proposals.proposal(proposal, number=self.place + 1, total=len(self.plan.proposals), columns=columns),
            "",
        ]
        if proposal.action == "UPDATE" and proposal.targets:
            lines += diff.compared(self.old_text(proposal.targets[0].path), self.new_text(proposal), columns=columns)
        elif proposal.action == "SKIP":
            lines.append(faint(f"  {one_line(proposal.body, columns - 4)}"))
        else:
            lines += proposals.body(proposal, columns=columns)
        return "\n".join(lines)


def _word(proposal: Proposal, said: str) -> Action | None:
    return next((action for action in proposal.choices if said == action.casefold()), None)
