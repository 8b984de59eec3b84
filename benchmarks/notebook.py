"""What it costs a cold process to read an agent's notebook: the manifest of 200 files, and the head of MEMORY.md.

Every figure is that of a whole process in multiples of ``python -c pass``, in processor time and on the clock.
Before a ``cold`` run the pages of every file are dropped from the disk's cache, where the system lets one.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics
from scrubjay.vaults.dialects.claude_memory import host, index, topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic

FILES = host.SCAN_FILES
_RUNS = 9
_WORDS = "amber basalt cedar delta ember fjord garnet harbor indigo juniper kelp lagoon maple nectar onyx".split()
_DIALECT = "scrubjay.vaults.dialects.claude_memory"
_PROGRAMS = {
    "bare": "pass",
    "import": f"import {_DIALECT}.scan",
    "manifest": f"import sys, pathlib\nfrom {_DIALECT} import scan\n"
    "assert scan.manifest(scan.scan(pathlib.Path(sys.argv[1]))).count('\\n') == int(sys.argv[2]) - 1",
    "load": f"import sys, pathlib\nfrom {_DIALECT} import loading\n"
    "assert loading.loaded(pathlib.Path(sys.argv[1], 'MEMORY.md').read_text('utf-8')).lines",
}


def fill(folder: Path, files: int) -> int:
    """Writes a notebook of ``files`` memories of some 3 KB with its index, and returns their bytes."""
    chance = random.Random(7)
    text, size = "", 0
    for number in range(files):
        words = " ".join(chance.choices(_WORDS, k=400))
        description = " ".join(chance.choices(_WORDS, k=12))
        kind = host.TYPES[number % len(host.TYPES)]
        topic = Topic(name=f"m-{number}", description=description, type=kind, body=words, modified=datetime.now(UTC))
        data = topics.written(topic, flat=number % 3 == 0)
        (folder / f"m-{number}.md").write_text(data, encoding="utf-8")
        text = index.with_entry(text, f"m-{number}.md", f"M {number}", description)
        size += len(data)
    (folder / host.INDEX_NAME).write_text(text, encoding="utf-8")
    return size


def measure(folder: Path, files: int, runs: int) -> dict[str, Any]:
    """Ratios of each program to a bare start, warm and cold; the medians of ``runs``."""
    spent: dict[str, list[tuple[float, float]]] = {}
    dropped = True
    for _ in range(runs):
        for name, program in _PROGRAMS.items():
            for state in ("warm", "cold") if name in ("manifest", "load") else ("warm",):
                if state == "cold":
                    dropped = drop(folder) and dropped
                spent.setdefault(f"{name}_{state}", []).append(_run(program, str(folder), str(files)))
    bare = _median(spent.pop("bare_warm"))
    ratios = {
        name: {"cpu": metrics.rounded(cpu / bare[0]), "clock": metrics.rounded(clock / bare[1])}
        for name, (cpu, clock) in ((name, _median(times)) for name, times in spent.items())
    }
    return {
        "bare_ms": {"cpu": metrics.rounded(bare[0] * 1000), "clock": metrics.rounded(bare[1] * 1000)},
        "cache_dropped": dropped,
        "to_bare": ratios,
    }


def drop(folder: Path) -> bool:
    """Takes the files of ``folder`` out of the disk's cache; whether that could be asked for."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in folder.iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # what is not written yet cannot be dropped
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
    return True


def _run(program: str, *arguments: str) -> tuple[float, float]:
    """Processor and clock seconds of one process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", program, *arguments], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - began


def _median(times: Sequence[tuple[float, float]]) -> tuple[float, float]:
    cpu, clock = (sorted(column) for column in zip(*times, strict=True))
    return cpu[len(cpu) // 2], clock[len(clock) // 2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=int, default=FILES, help=f"memories in the notebook (default: {FILES})")
    parser.add_argument("--runs", type=int, default=_RUNS, help=f"processes of each kind (default: {_RUNS})")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as place:
        folder = Path(place)
        size = fill(folder, options.files)
        command.answer(
            "notebook", {"files": options.files, "bytes": size, **measure(folder, options.files, options.runs)}
        )


if __name__ == "__main__":
    main()
