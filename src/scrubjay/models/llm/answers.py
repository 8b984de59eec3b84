"""What models are asked to answer with. Loaded when one is asked, since it needs pydantic (extra ``llm``)."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from scrubjay.text.detect import Language, language

MOST_STATEMENTS = 60
LONGEST_SUMMARY = 220
"""Words, or characters of Chinese; what is asked for is 200."""
_LONGEST_FIELD = 300

Part = Annotated[str | None, Field(default=None, max_length=_LONGEST_FIELD)]


class Statement(BaseModel):
    """A statement worth keeping, with the words that say it."""

    n: int = Field(description="number of the message")
    quote: str = Field(max_length=2_000, description="words of that message, copied exactly")
    text: str = Field(max_length=1_000, description="one sentence that stands alone")
    category: str = Field(default="Fact", max_length=40)
    subject: Part
    predicate: Part
    object: Part
    since: Part
    until: Part
    replaces: Part
    confidence: float = Field(default=0.7, ge=0, le=1)


class Statements(BaseModel):
    """All statements worth keeping; none where there are none."""

    statements: list[Statement] = Field(max_length=MOST_STATEMENTS)


class Summary(BaseModel):
    """A conversation in short."""

    summary: str = Field(max_length=6_000)


class Relation(BaseModel):
    """How a new statement relates to the known ones."""

    relation: Literal["new", "duplicate", "update", "contradiction"]
    n: int | None = Field(default=None, description="number of the known statement; none when new")
    reason: str = Field(default="", max_length=_LONGEST_FIELD)


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
