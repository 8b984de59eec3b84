"""What models are asked to answer with. Loaded when one is asked, since it needs pydantic (extra ``llm``).

Limits are checked here and not said in the schemas: a server that makes a model follow a schema letter by letter builds
a grammar from it, in which "at most 2,000 letters" is 2,000 rules.
"""

from __future__ import annotations

from collections.abc import Sized
from functools import cache
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from scrubjay.text.detect import Language, language

MOST_STATEMENTS = 60
MOST_NAMES = 50
LONGEST_SUMMARY = 220
"""Words, or characters of Chinese; what is asked for is 200."""
_LONGEST_FIELD = 300


def _at_most(limit: int) -> AfterValidator:
    """Refuses what is longer than ``limit`` characters or items."""

    def check(value: Sized | None) -> Sized | None:
        if value is not None and len(value) > limit:
            raise ValueError(f"longer than {limit:,}")
        return value

    return AfterValidator(check)


def _share(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError("not between 0 and 1")
    return value


Part = Annotated[str | None, _at_most(_LONGEST_FIELD)]


class Statement(BaseModel):
    """A statement worth keeping, with the words that say it."""

    n: int = Field(description="number of the message")
    quote: Annotated[str, _at_most(2_000)] = Field(description="words of that message, copied exactly")
    text: Annotated[str, _at_most(1_000)] = Field(description="one sentence that stands alone")
    category: Annotated[str, _at_most(40)] = "Fact"
    subject: Part = None
    predicate: Part = None
    object: Part = None
    since: Part = None
    until: Part = None
    replaces: Part = None
    confidence: Annotated[float, AfterValidator(_share)] = 0.7


class Statements(BaseModel):
    """All statements worth keeping; none where there are none."""

    statements: Annotated[list[Statement], _at_most(MOST_STATEMENTS)]


class Summary(BaseModel):
    """A conversation in short."""

    summary: Annotated[str, _at_most(6_000)]


class SelectedMemories(BaseModel):
    """The names of the files that help, best first; none where none does."""

    model_config = ConfigDict(extra="forbid")

    selected_memories: Annotated[list[str], _at_most(MOST_NAMES)]


class Relation(BaseModel):
    """How a new statement relates to the known ones."""

    relation: Literal["new", "duplicate", "update", "contradiction"]
    n: int | None = Field(default=None, description="number of the known statement; none when new")
    reason: Annotated[str, _at_most(_LONGEST_FIELD)] = ""


@cache
def summary_in(wanted: Language) -> type[Summary]:
    """A summary that must be in the language ``wanted``, and short."""

    class Told(Summary):
        """A conversation in short."""

        @field_validator("summary")
        @classmethod
        def _fits(cls, summary: str) -> str:
            if not summary.strip():
                raise ValueError("the summary is empty")
            size = len("".join(summary.split())) if wanted == "zh" else len(summary.split())
            if size > LONGEST_SUMMARY:
                unit = "characters" if wanted == "zh" else "words"
                raise ValueError(f"the summary has {size} {unit}; write 100 to 200")
            if wanted != "other" and language(summary) != wanted:
                raise ValueError("the summary is not in the language of the conversation")
            return summary

    return Told


@cache
def relation_among(known: int) -> type[Relation]:
    """A relation to one of ``known`` statements, or to none."""

    class Among(Relation):
        """How a new statement relates to the known ones."""

        @model_validator(mode="after")
        def _names_one(self) -> Self:
            if self.relation == "new":
                self.n = None
            elif self.n is None or not 1 <= self.n <= known:
                raise ValueError(f"n must be the number of a known statement, from 1 to {known}")
            return self

    return Among
