"""What the proposals of one plan have to do with each other, and with the names that the vault has (SM-12, SM-30)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from scrubjay.operations.learn.matching import Shelf
from scrubjay.proposals import Proposal
from scrubjay.text.slug import memory_slug
from scrubjay.vaults.layout import MEMORIES


def pointed_out(proposals: Iterable[Proposal], shelf: Shelf) -> list[Proposal]:
    """The proposals, those that say the same as an earlier one skipped; new memories with the id they would get, and a
    caution where an earlier one changes the same memory or a memory has the same title."""
    earlier = _Earlier(
        titles={memory.title.casefold(): memory.id for memory in shelf.by_path.values()},
        taken={path.removeprefix(f"{MEMORIES}/MEM-").removesuffix(".md") for path in shelf.by_path},
    )
    return [proposal if proposal.action == "SKIP" else earlier.beside(proposal) for proposal in proposals]


@dataclass(slots=True)
class _Earlier:
    """The titles (in lower case, with their ids) and slugs that are taken, and what the proposals so far would do."""

    titles: Mapping[str, str]
    taken: set[str]
    texts: dict[str, Proposal] = field(default_factory=dict)
    targets: dict[str, Proposal] = field(default_factory=dict)

    def beside(self, proposal: Proposal) -> Proposal:
        """``proposal`` with what the earlier ones mean for it; the next one hears of it."""
        twin = self.texts.setdefault(" ".join(proposal.body.split()), proposal)
        if twin is not proposal:
            return replace(
                proposal, action="SKIP", rule=f"{twin.key} says exactly the same: SKIP.", targets=(), cautions=()
            )
        return self._changing(proposal) if proposal.targets else self._new(proposal)

    def _changing(self, proposal: Proposal) -> Proposal:
        target = proposal.targets[0]
        other = self.targets.setdefault(target.path, proposal)
        if other is proposal:
            return proposal
        return _with_caution(
            proposal, f"“{other.title}” would change “{target.title}” too; both apply, one after the other."
        )

    def _new(self, proposal: Proposal) -> Proposal:
        slug = memory_slug(proposal.topic, proposal.title, self.taken)
        self.taken.add(slug)
        named = replace(proposal, rule=f"{proposal.rule.removesuffix('.')} as MEM-{slug}.")
        same = self.titles.get(proposal.title.casefold())
        if same is None:
            return named
        return _with_caution(named, f"{same} has this title already. Consider putting both into one.")


def _with_caution(proposal: Proposal, caution: str) -> Proposal:
    return replace(proposal, cautions=(*proposal.cautions, caution))
