"""Hooks: the processor time of one, as a multiple of a bare interpreter: capture, heads, recall over 20,000
documents (HK-16). Bytecode must be on: each is run once before it is timed.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import command
from scrubjay import Memory

DOCUMENTS = 20_000
ROUNDS = 15
PROMPT = "What did we decide about the retry policy of the payment service when the queue is full?"
_WORDS = (
    "payment retry policy queue service order index cache deploy error token user session cluster worker database"
    " schema backup latency budget report branch review merge test release config secret network timeout message"
).split()


def fill(home: Path, documents: int) -> None:
    """A vault of short notes about overlapping things, indexed by words."""
    chance = Random(7)
    vault = home / "vault" / "10-Memories"
    vault.mkdir(parents=True)
    for number in range(documents):
        words = " ".join(chance.choices(_WORDS, k=40))
        title = " ".join(chance.choices(_WORDS, k=4))
        (vault / f"MEM-{number:05}.md").write_text(f"# {title} {number}\n\n{words}.\n", encoding="utf-8")
    with Memory.open(home=home, settings={"models.embedder": "none"}, background=False) as memory:
        memory.sync()


def cpu(line: list[str], *, stdin: bytes, environ: dict[str, str], cwd: Path) -> float:
    """Seconds of processor time of one run and of what it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, input=stdin, env=environ, cwd=cwd, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Prints ratios of medians; the runs of all kinds alternate, so that a busy machine troubles them alike."""
    documents = command.parser(__doc__)
    documents.add_argument("--documents", type=int, default=DOCUMENTS)
    given = documents.parse_args()
    with TemporaryDirectory() as folder:
        home = Path(folder, "home")
        command.say(f"filling {given.documents} documents")
        fill(home, given.documents)
        environ = {**os.environ, "SCRUBJAY_HOME": str(home), "HOME": folder, "SCRUBJAY_HOOKS_INJECT": "heads+recall"}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        hook = [sys.executable, "-m", "scrubjay", "hook"]
        kinds = {
            "bare": ([sys.executable, "-c", "pass"], {}),
            "capture": ([*hook, "Stop"], {"transcript_path": "/nowhere/x.jsonl"}),
            "heads": ([*hook, "SessionStart"], {"source": "resume"}),
            "recall": ([*hook, "UserPromptSubmit"], {"prompt": PROMPT}),
        }
        # A worker that began just now, so that none is started while others are timed.
        (home / "state" / "hooks").mkdir(parents=True, exist_ok=True)
        (home / "state" / "hooks" / "started").touch()
        times: dict[str, list[float]] = {name: [] for name in kinds}
        for number in range(ROUNDS + 1):
            for name, (line, keys) in kinds.items():
                event = {"hook_event_name": line[-1], "cwd": folder, "session_id": f"s{number}", **keys}
                took = cpu(line, stdin=json.dumps(event).encode(), environ=environ, cwd=Path(folder))
                if number:
                    times[name].append(took)
        bare = median(times["bare"])
        ratios = {name: round(median(found) / bare, 1) for name, found in times.items() if name != "bare"}
    shown = {"documents": given.documents, "bare seconds": round(bare, 4), "times a bare python": ratios}
    command.answer("hooks", shown)


if __name__ == "__main__":
    main()
