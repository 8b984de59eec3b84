"""The demo: remember a folder of notes and a long conversation, then ask. Offline, in a folder that is thrown away.

scripts/demo                               the examples in this repository
scripts/demo NOTES                         your own folder of Markdown
scripts/demo NOTES CONVERSATION.jsonl      and a conversation, one message a line
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from scrubjay import Memory, Recall

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
QUESTIONS = (
    "Why did we move away from SQLite?",
    "When does the season open?",
    "How long does a sign-in link live?",
    "Which animal did Ingrid's brother adopt in Bergen?",
    "Кто может менять цены?",
    "风大的时候可以出租皮划艇吗?",
)


def main(arguments: list[str]) -> None:
    """Runs the demo over the examples or over what is given; the first argument is the folder it was asked from."""
    asked_from, *arguments = arguments
    notes = Path(asked_from, arguments[0]) if arguments else EXAMPLES / "notes"
    talk = Path(asked_from, arguments[1]) if len(arguments) > 1 else EXAMPLES / "conversation.jsonl"
    questions = QUESTIONS if not arguments else ()
    with tempfile.TemporaryDirectory(prefix="scrubjay-demo-") as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(notes, vault)
        with Memory.open(vault, home=Path(folder) / "home", background=False) as memory:
            remember(memory, notes, talk)
            for question in questions:
                show(memory.search(question, limit=2))
            correct(memory)
            for question in iter(lambda: ask() if arguments else "", ""):
                show(memory.search(question, limit=3))


def remember(memory: Memory, notes: Path, talk: Path) -> None:
    """Takes in notes and conversation and tells how long it took."""
    started = time.perf_counter()
    report = memory.ingest(talk)
    status = memory.status()[0]
    searchable = time.perf_counter() - started
    memory.drain()
    print(f"Remembered {status.coverage.documents} documents from {notes.name}/ and {talk.name}:")
    print(
        f"  {report.added} messages in {len(report.sessions)} conversations, {status.coverage.records} records in all"
    )
    print(f"  searchable by words after {searchable:.1f} s, by meaning after {time.perf_counter() - started:.1f} s\n")


def show(recall: Recall) -> None:
    """Prints a question with its evidence."""
    print(f"? {recall.query.text}")
    if recall.abstained:
        print(f"  – {recall.reason}")
    for hit in recall.hits:
        said = " ".join(line for line in hit.text.split("\n") if not line.startswith("#"))
        text = textwrap.shorten(said, 160, placeholder=" …")
        print(textwrap.fill(f"{hit.score:4.0%}  {text}", 100, initial_indent="  ", subsequent_indent="        "))
        print(f"        [{hit.citation}]")
    print(f"  {sum(recall.took.values()):.0f} ms\n")


def correct(memory: Memory) -> None:
    """Supersedes a fact and shows that its history is kept."""
    old = memory.remember("Harbor releases on Fridays.", category="Process", valid_from="2026-02-01")
    new = memory.supersede(old.id, "Harbor releases on Tuesdays.", valid_from="2026-04-24")
    print(f"A fact, corrected: {old.text}  →  {new.text}")
    for fact in memory.history(new.id):
        start = f"{fact.valid.start:%Y-%m-%d}" if fact.valid.start else "always"
        end = f"{fact.superseded_from:%Y-%m-%d}" if fact.superseded_from else "now"
        print(f"  {start} – {end:10}  {fact.text}")
    asked = memory.search("On which day does Harbor release?", as_of="2026-03-01", layers={"facts"}, limit=1)
    print(f"  asked as of 2026-03-01: {asked.hits[0].text if asked.hits else 'nothing'}\n")


def ask() -> str:
    """The next question from the terminal; empty ends."""
    return input("? ").strip() if sys.stdin.isatty() else ""


if __name__ == "__main__":
    main(sys.argv[1:])
