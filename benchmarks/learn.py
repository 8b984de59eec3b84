"""What learning from a folder costs, beside parsing the same files with markdown-it-py, and whether it is repeatable.

The folder holds real documents, joined to about 50 KB each until there are as many as asked for. They are mapped and
matched against a vault of notes made of other parts of the same documents. Processor time, one thread.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from benchmarks import command
from scrubjay import Memory
from scrubjay.operations.learn import mapping, planning, request
from scrubjay.operations.store import Store
from scrubjay.proposals import ContentMap, Plan

Result = TypeVar("Result")

FILES = 200
NOTES = 1000
SIZE = 50_000  # bytes of a file; folders leave larger ones than 100 KB out
VAULTS = Path("../shared/data/vaults")


def documents(folder: Path) -> list[str]:
    """The Markdown documents below ``folder``, in the order of their paths; not the smallest, not the largest."""
    found = []
    for path in sorted(folder.rglob("*.md")):
        data = path.read_bytes()
        if 500 < len(data) <= SIZE:
            found.append(data.decode("utf-8", "replace"))
    return found


def joined(texts: Sequence[str], count: int) -> Iterator[str]:
    """``count`` texts of about 50 KB; the documents are used over and over, each time in other company."""
    endless = cycle(texts)
    for number in range(count):
        parts: list[str] = [f"# Document {number}\n"]
        size = 0
        while size < SIZE:
            part = next(endless)
            if size + len(part.encode()) > 2 * SIZE:
                break
            parts.append(part)
            size += len(part.encode())
        yield "\n\n".join(parts)


def fill(folder: Path, texts: Sequence[str], count: int) -> int:
    """Writes the files, in twenty folders; returns their bytes."""
    total = 0
    for number, text in enumerate(joined(texts, count)):
        place = folder / f"part-{number % 20}" / f"{number:03d}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        total += place.stat().st_size
    return total


def fill_vault(memory: Memory, texts: Sequence[str], count: int) -> None:
    """Notes of about 2 KB from the middle of the documents."""
    tell = command.progress("notes")
    for number, text in enumerate(islice(cycle(texts), count)):
        start = (number // len(texts) + 1) * 700 % max(1, len(text) - 2000)
        memory.note(f"Note {number}", text[start : start + 2000])
        tell(number + 1, count)


def seconds(work: Callable[[], Result]) -> tuple[float, Result]:
    """Processor time of ``work``, and what it returns."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def parse(paths: Sequence[Path]) -> None:
    """The measure of all things: markdown-it-py alone."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt()
    for path in paths:
        parser.parse(path.read_text(encoding="utf-8"))


def peak() -> int:
    """The most memory this process has held, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 1_000_000


def measure(folder: Path, store: Store) -> dict[str, Any]:
    """Maps and matches ``folder`` twice and parses it in between."""

    def mapped() -> ContentMap:
        return mapping.content_map(request.parse(folder, cwd=folder.parent))

    before = peak()
    command.say("map")
    map_seconds, content = seconds(mapped)
    after_map = peak()
    command.say("match")
    match_seconds, plan = seconds(lambda: planning.plan(store, content))
    after_match = peak()
    command.say("parse")
    parse_seconds, _ = seconds(lambda: parse(sorted(folder.rglob("*.md"))))
    command.say("map again")
    again_seconds, again = seconds(mapped)
    return {
        "segments": len(content.segments),
        "tokens": content.total_tokens,
        "proposals": _actions(plan),
        "cpu_seconds": {"markdown_it": parse_seconds, "map": map_seconds, "match": match_seconds},
        "ratio": {
            "map": round(min(map_seconds, again_seconds) / parse_seconds, 2),
            "map_and_match": round((map_seconds + match_seconds) / parse_seconds, 2),
        },
        "peak_mb": {"before": before, "after_map": after_map, "after_match": after_match},
        "deterministic": content == again,
        "digest": hashlib.sha256(repr(content).encode()).hexdigest(),
    }


def _actions(plan: Plan) -> dict[str, int]:
    actions = [proposal.action for proposal in plan.proposals]
    return {action: actions.count(action) for action in sorted(set(actions))}


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.set_defaults(data=VAULTS)
    parser.add_argument("--files", type=int, default=FILES, help=f"files in the folder (default: {FILES})")
    parser.add_argument("--notes", type=int, default=NOTES, help=f"notes in the vault (default: {NOTES})")
    given = parser.parse_args(args)
    texts = documents(given.data) if given.data.is_dir() else []
    if not texts:
        command.skip("learn", f"There are no documents in {given.data}.")
        return
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        place = Path(temporary)
        size = fill(place / "docs", texts, given.files)
        with Memory.open(place / "vault", home=place / "home", background=False) as memory:
            fill_vault(memory, texts, given.notes)
            # Memory.learn maps and matches in one call; here each is measured.
            result = measure(place / "docs", memory._for_learning(None))  # noqa: SLF001
    command.answer("learn", {"files": given.files, "bytes": size, "notes": given.notes, **result})


if __name__ == "__main__":
    main()
