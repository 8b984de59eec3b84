"""The demo: remember a folder of notes and a long conversation, then ask. Offline, in a folder that is thrown away.

scripts/demo                               the examples in this repository
scripts/demo NOTES                         your own folder of Markdown, to ask what you like
scripts/demo NOTES CONVERSATION.jsonl      and a conversation, one message a line
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from scrubjay import Memory, Recall
from scrubjay.errors import BadInput, NotFound, ScrubjayError
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.render.plain import one_line

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MARKDOWN = (".md", ".markdown")
QUESTIONS = (
    "Why did we move away from SQLite?",
    "When does the season open?",
    "How long does a sign-in link live?",
    "Which animal did Ingrid's brother adopt in Bergen?",
    "Кто может менять цены?",
    "风大的时候可以出租皮划艇吗?",
)


def main(arguments: list[str]) -> int:
    """Runs the demo and returns the exit code; the first argument is the folder it was asked from."""
    console.prepare()
    asked_from, *given = arguments
    if {"-h", "--help"} & set(given):
        print(__doc__)
        return 0
    try:
        if len(given) > 2 or any(word.startswith("-") for word in given):
            raise BadInput("The demo takes a folder of notes and a file of a conversation.", hint="Try --help.")
        demonstrate(*(Path(asked_from, word) for word in given))
    except ScrubjayError as error:
        console.write_error(f"Error: {error}")
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (KeyboardInterrupt, EOFError):
        print()
    return 0


def demonstrate(notes: Path | None = None, talk: Path | None = None) -> None:
    """Shows everything, over the examples or over what is given, which is copied and never changed."""
    own = notes is not None
    if notes is None:
        notes, talk = EXAMPLES / "notes", EXAMPLES / "conversation.jsonl"
    if talk is not None and not talk.is_file():
        raise NotFound(f"{talk} is not a file.", hint="Name a file that holds one message a line.")
    with tempfile.TemporaryDirectory(prefix="scrubjay-demo-") as folder:
        vault = Path(folder) / "vault"
        copy(notes, vault)
        with Memory.open(vault, home=Path(folder) / "home", background=False) as memory:
            remember(memory, notes, talk)
            for question in () if own else QUESTIONS:
                show(memory.search(question, limit=2))
            for question in iter(lambda: ask() if own else "", ""):
                show(memory.search(question, limit=3))
            correct(memory)


def copy(notes: Path, vault: Path) -> None:
    """Copies the Markdown of a folder; hidden things, links and whatever is no file stay behind."""
    if not notes.is_dir():
        raise NotFound(f"{notes} is not a folder.", hint="Name a folder of Markdown.")
    try:
        shutil.copytree(notes, vault, ignore=left_behind)
    except (OSError, shutil.Error) as error:
        raise BadInput(f"{notes} cannot be copied: {error}.", hint="Check its permissions.") from None


def left_behind(folder: str, names: list[str]) -> set[str]:
    """The names in ``folder`` that are not copied."""
    return {name for name in names if not wanted(Path(folder, name))}


def wanted(path: Path) -> bool:
    """Whether ``path`` is a folder or a file of Markdown."""
    with contextlib.suppress(OSError):
        mode = os.lstat(path).st_mode
        markdown = stat.S_ISREG(mode) and path.suffix.lower() in MARKDOWN
        return not path.name.startswith(".") and (stat.S_ISDIR(mode) or markdown)
    return False


def remember(memory: Memory, notes: Path, talk: Path | None) -> None:
    """Takes in notes and conversation and tells how long it took."""
    started = time.perf_counter()
    report = memory.ingest(talk) if talk is not None else None
    status = memory.status()[0]
    searchable = time.perf_counter() - started
    memory.drain()
    told = f"{report.added} messages in {len(report.sessions)} conversations, " if report is not None else ""
    names = f"{notes.name}/" + (f" and {talk.name}" if talk is not None else "")
    print(f"Remembered {status.coverage.documents} documents from {one_line(names)}:")
    print(f"  {told}{status.coverage.records} records in all")
    print(f"  searchable by words after {searchable:.1f} s, by meaning after {time.perf_counter() - started:.1f} s\n")
    for problem in report.problems[:3] if report is not None else ():
        console.write_error(f"  {problem.message}")


def show(recall: Recall) -> None:
    """Prints a question with its evidence."""
    print(f"? {one_line(recall.query.text)}")
    if recall.abstained:
        print(f"  – {one_line(recall.reason or '')}")
    for hit in recall.hits:
        said = " ".join(line for line in hit.text.split("\n") if not line.startswith("#"))
        text = textwrap.shorten(one_line(said), 160, placeholder=" …")
        print(textwrap.fill(f"{hit.score:4.0%}  {text}", 100, initial_indent="  ", subsequent_indent="        "))
        print(f"        [{one_line(hit.citation)}]")
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
    sys.exit(main(sys.argv[1:]))
