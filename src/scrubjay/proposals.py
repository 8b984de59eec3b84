"""Changes that wait for somebody's decision, as data (design §2.5; SM-9 … SM-13, SM-19).

``ContentMap`` is what a source was cut into. ``Proposal`` is one change that somebody may accept: it says what would
be done, by which rule, and what speaks for something else. ``Plan`` holds the proposals of one run with all its
questions, ``Plan.decide`` answers them, ``Memory.apply`` carries the answers out and ``Applied`` says what became of
each. Nothing in here reads or writes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal, get_args

from scrubjay.errors import BadInput
from scrubjay.types import Redacted

Mode = Literal["text", "file", "directory", "task", "harvest", "distill", "extract", "share", "dream"]
Action = Literal["CREATE", "UPDATE", "EXTEND", "SKIP", "MERGE", "RETIRE", "COMPRESS", "REFINE", "DELETE", "REPLACE"]
ACTIONS: tuple[Action, ...] = get_args(Action)
LEARNING: tuple[Action, ...] = ("UPDATE", "EXTEND", "CREATE", "SKIP")

CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
"""The taxonomy of SM-6, without SKIP, which stores nothing. Vaults hold other categories too."""

RECOMMENDED = "recommended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a source that is about one thing. ``source_lines`` are 1-based, ``tokens`` by R-COM-7."""

    id: str
    topic: str = ""
    source_file: str = ""
    source_lines: tuple[int, int] = (1, 1)
    summary: str = ""
    title: str = ""
    tokens: int = 0
    key_terms: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that was left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentMap:
    """What a source holds (SM-19): its segments in order, and the files that could not be taken in.

    ``notices`` are sentences for the reader, such as the warning about many files. ``redacted`` are secrets that were
    taken out of it (SEC-2).
    """

    mode: Mode
    path: str = ""
    total_tokens: int = 0
    segments: tuple[Segment, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()
    files_scanned: int = 0
    files_selected: int = 0
    artifacts_reviewed: int = 0
    redacted: tuple[Redacted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A memory that a segment may belong to. ``overlap`` is the share of the segment's key terms that it has (SM-25),
    ``score`` the product's own recall in 0..1 where it ran, ``shared`` the terms in common."""

    id: str
    path: str
    title: str
    overlap: float = 0.0
    score: float | None = None
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A document that a proposal would change: ``hash`` is that of the bytes on which the proposal rests."""

    id: str
    path: str
    hash: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One change that waits. ``key`` names it within its plan (``seg-001``), ``id`` everywhere.

    ``action`` is what is recommended and ``rule`` the sentence that says why. ``targets`` are the documents that it
    changes: one for UPDATE and EXTEND, the one that stays first for MERGE. ``body`` is the text that would be written,
    ``values`` frontmatter that would be set, ``memory_id`` the id of a new memory where it is not made from the title.
    ``cautions`` are differences that a person should see: other numbers, dates, names, or the opposite meaning.
    ``redacted`` are secrets that were taken out of what somebody changed just now.
    """

    id: str
    key: str
    action: Action
    rule: str = ""
    title: str = ""
    body: str = ""
    topic: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    summary: str = ""
    key_terms: tuple[str, ...] = ()
    tokens: int = 0
    targets: tuple[Target, ...] = ()
    related: tuple[Related, ...] = ()
    cautions: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    memory_id: str = ""
    source: str = ""
    source_file: str = ""
    source_lines: tuple[int, int] = (1, 1)
    origin: str = "learn"
    plan: str = ""
    created: datetime | None = None
    scope: str = ""
    path: str = ""
    redacted: tuple[Redacted, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise BadInput(f"action must be one of {', '.join(ACTIONS)}, not {self.action!r}.")

    @property
    def choices(self) -> tuple[Action, ...]:
        """What somebody may answer. UPDATE and EXTEND need a memory to change (SM-12)."""
        if self.action not in LEARNING:
            return (self.action, "SKIP")
        if self.action == "SKIP" and self.origin == "distill":  # there is no need for it any more
            return ("SKIP",)
        possible = LEARNING if self.targets or self.related else ("CREATE", "SKIP")
        return (self.action, *(action for action in possible if action != self.action))


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer to a question (SM-13)."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as data (SM-13). ``key`` is that of the proposal it is about."""

    key: str
    question: str
    header: str
    options: tuple[Option, ...]
    multi_select: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What somebody decided about one proposal. ``None`` keeps what the proposal says.

    ``target`` names another memory than the recommended one for UPDATE and EXTEND, by id or path. ``into`` is the key
    of another proposal of the plan whose memory takes this text in as well (SM-12).
    """

    action: Action
    target: str | None = None
    title: str | None = None
    body: str | None = None
    topic: str | None = None
    category: str | None = None
    tags: tuple[str, ...] | None = None
    into: str | None = None

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise BadInput(f"A decision must be one of {', '.join(ACTIONS)}, not {self.action!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one run would do: proposals, the questions about them, and the answers so far.

    ``by`` says who answered: ``person``, or ``--yes`` for the recommendations taken without looking (SM-11).
    """

    id: str
    mode: Mode
    created: datetime
    scope: str
    content: ContentMap
    proposals: tuple[Proposal, ...] = ()
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    by: str = "person"

    def __getitem__(self, key: str) -> Proposal:
        for proposal in self.proposals:
            if key in (proposal.key, proposal.id):
                return proposal
        known = ", ".join(proposal.key for proposal in self.proposals[:5])
        raise BadInput(f"The plan has no proposal {key!r}.", hint=f"It has {known or 'none'}.")

    @property
    def undecided(self) -> tuple[Proposal, ...]:
        """Proposals that nobody answered yet."""
        return tuple(proposal for proposal in self.proposals if proposal.key not in self.decisions)

    @property
    def questions(self) -> tuple[Question, ...]:
        """A question for each proposal without an answer, as data for any door (SM-11, SM-13)."""
        return tuple(_question(proposal) for proposal in self.undecided)

    def decide(
        self,
        answers: Mapping[str, Decision | str] | str | None = None,
        *,
        rest: str | None = None,
        by: str | None = None,
    ) -> Plan:
        """A plan with these answers added. Nothing is written.

        ``answers`` maps keys or ids of proposals to a ``Decision`` or an action (``"CREATE"``); a single word answers
        all of them. ``rest`` answers what is left. ``"recommended"`` is each proposal's own action. Raises
        ``BadInput`` for an unknown key or an action that the proposal does not allow.
        """
        if isinstance(answers, str):
            return self.decide(rest=answers, by=by)
        decisions = dict(self.decisions)
        for key, answer in (answers or {}).items():
            proposal = self[key]
            decisions[proposal.key] = _decided(proposal, answer)
        if rest is not None:
            for proposal in self.proposals:
                if proposal.key not in decisions:
                    decisions[proposal.key] = _decided(proposal, rest)
        return replace(self, decisions=MappingProxyType(decisions), by=by or self.by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of one proposal, as read back: the memory's id, its path, and what was done."""

    action: Action
    key: str
    memory_id: str = ""
    path: str = ""
    category: str = ""
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What ``Memory.apply`` did (SM-9). Every number is counted from what was read back from the disk.

    ``stale`` are proposals whose target changed since they were made: they were matched anew, not applied, and wait
    for a new decision. ``refused`` name proposals that would lose something, with the reason. ``waiting`` are
    proposals without an answer; ``operations`` are what ``undo`` takes back.
    """

    mode: Mode
    content: ContentMap
    done: tuple[Done, ...] = ()
    stale: tuple[Proposal, ...] = ()
    refused: tuple[tuple[Proposal, str], ...] = ()
    waiting: tuple[Proposal, ...] = ()
    operations: tuple[str, ...] = ()
    by: str = "person"
    message: str = ""
    commit: str = ""

    @property
    def redacted(self) -> tuple[Redacted, ...]:
        """Secrets that were taken out, when the source was read and of what somebody wrote since (SEC-2)."""
        return self.content.redacted

    @property
    def memories_affected(self) -> int:
        """How many memories were written."""
        return len({done.path for done in self.done if done.action != "SKIP" and done.path})

    @property
    def status(self) -> str:
        """``completed``, or ``partial`` when something is stale, refused or waits."""
        return "partial" if self.stale or self.refused or self.waiting else "completed"


def _decided(proposal: Proposal, answer: Decision | str) -> Decision:
    if isinstance(answer, Decision):
        decision = answer
    elif isinstance(answer, str):
        word = answer.strip()
        action = proposal.action if word.casefold() in (RECOMMENDED, "accept") else word.upper()
        decision = Decision(action=_action(proposal, action))
    else:
        raise BadInput(f"An answer must be a Decision or an action, not {type(answer).__name__}.")
    allowed: Iterable[str] = proposal.choices
    if decision.action not in allowed and not (decision.target and decision.action in ("UPDATE", "EXTEND")):
        raise _not_allowed(proposal, decision.action)
    return decision


def _action(proposal: Proposal, word: str) -> Action:
    for action in ACTIONS:
        if action == word:
            return action
    raise _not_allowed(proposal, word)


def _not_allowed(proposal: Proposal, word: str) -> BadInput:
    return BadInput(
        f"{proposal.key} cannot be answered with {word!r}.", hint=f"Answer with {', '.join(proposal.choices)}."
    )


_MEANING: Mapping[Action, str] = MappingProxyType(
    {
        "UPDATE": "Put this text in place of the memory's; the old one moves into its history.",
        "EXTEND": "Add this text to the memory as a dated section.",
        "CREATE": "Write a new memory.",
        "SKIP": "Store nothing.",
        "MERGE": "Add the second memory to the first and retire the second.",
        "RETIRE": "Mark the memory as retired; it leaves every answer and stays on disk.",
        "COMPRESS": "Put the short form in place of the text; the long one stays in its history.",
        "REFINE": "Mend the memory's keywords, summary and topic.",
        "DELETE": "Move the retired memory to the trash.",
        "REPLACE": "Put this document in place of the one that is there; the old one goes to the trash.",
    }
)


def _question(proposal: Proposal) -> Question:
    where = f" → {proposal.targets[0].title or proposal.targets[0].id}" if proposal.targets else ""
    options = []
    for action in proposal.choices:
        mark = " (recommended)" if action == proposal.action else ""
        options.append(Option(label=action, description=_MEANING[action] + mark))
    cautions = f" Note: {' '.join(proposal.cautions)}" if proposal.cautions else ""
    return Question(
        key=proposal.key,
        question=f"{proposal.title or proposal.summary or proposal.key}: {proposal.action}{where}? "
        f"{proposal.rule}{cautions}".strip(),
        header=proposal.key,
        options=tuple(options),
    )
