"""Selection: is the right file of a folder of notes among the five that are selected? By language, with the misses.

The questions are ours, without the notes' own words; the notes are read from the shared data. Most pages of the Russian
folder are not translated, so that its questions ask across languages.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command
from scrubjay import Memory
from scrubjay.operations.notebook.recalling import DEPTH, RecallSelector
from scrubjay.operations.notebook.selecting import WordSelector, select
from scrubjay.ports import Selector
from scrubjay.types import Hit
from scrubjay.vaults.dialects.claude_memory.scan import Header

QUESTIONS = Path(__file__).resolve().parent.parent / "tests" / "labelled" / "selection.jsonl"
MOST = 5


def questions() -> list[dict[str, str]]:
    """Each with ``vault``, ``language``, ``question`` and the ``file`` that answers it."""
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def headers(folder: Path) -> Iterator[Header]:
    """Every note, without the cap that a notebook has: a folder of documentation has more files."""
    for path in sorted(folder.rglob("*.md")):
        if path.name != "MEMORY.md":
            name = path.relative_to(folder).as_posix()
            yield Header(filename=name, path=path, mtime_ms=int(path.stat().st_mtime * 1000))


def run(data: Path, *, words: bool) -> dict[str, Any]:
    """Hits among five, by language, with and without the model."""
    hits: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    misses: list[str] = []
    found = questions()
    for vault in dict.fromkeys(each["vault"] for each in found):
        mine = [each for each in found if each["vault"] == vault]
        with TemporaryDirectory() as folder:
            notes = Path(folder, "notes")
            shutil.copytree(data / "vaults" / vault, notes)
            deep = {"recall.candidates": DEPTH}
            with Memory.open(notes, home=Path(folder, "home"), settings=deep, background=False) as memory:
                if not words:
                    memory.drain()
                search = partial(_pieces, memory)
                selector: Selector = WordSelector() if words else RecallSelector(search, {})
                listed = list(headers(notes))
                for each in mine:
                    chosen = [one.filename for one in select(each["question"], listed, selector, limit=MOST)]
                    asked[each["language"]] += 1
                    if each["file"] in chosen:
                        hits[each["language"]] += 1
                    else:
                        misses.append(f"{each['file']}: {each['question']}")
    rates = {language: round(hits[language] / asked[language], 3) for language in asked}
    return {"hit@5": round(sum(hits.values()) / sum(asked.values()), 3), "by language": rates, "misses": misses}


def _pieces(memory: Memory, query: str, most: int) -> Sequence[Hit]:
    return memory.search(query, limit=most, layers=["notes"], budget=1).hits


def main() -> None:
    """Prints both selectors."""
    data = command.parser(__doc__).parse_args().data.parent
    if not (data / "vaults").is_dir():
        command.skip("selection", f"There are no notes at {data / 'vaults'}.")
        return
    command.answer("selection", {"recall": run(data, words=False), "words only": run(data, words=True)})


if __name__ == "__main__":
    main()
