"""Finding what a model says it quotes: to the character, or but for blanks and invisible letters; else not at all."""

from __future__ import annotations

from scrubjay.models.llm.conversation import is_invisible


def located(quote: str, text: str) -> str | None:
    """The words of ``text`` that ``quote`` repeats, as they stand there; ``None`` when they do not (MX-12)."""
    quote = quote.strip()
    if not quote:
        return None
    if quote in text:
        return quote
    wanted, _ = _visible(quote)
    given, places = _visible(text)
    start = given.find(wanted) if wanted else -1
    return text[places[start] : places[start + len(wanted) - 1] + 1] if start >= 0 else None


def _visible(text: str) -> tuple[str, list[int]]:
    """``text`` with single blanks and without invisible letters, and where each letter stands in it."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if letter.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(place)
        elif not is_invisible(letter):
            letters.append(letter)
            places.append(place)
    if letters and letters[-1] == " ":
        letters.pop()
        places.pop()
    return "".join(letters), places
