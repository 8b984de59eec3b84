"""What taking in months of transcripts costs: megabytes a second and peak memory, of reading alone and of storing.

The transcripts are made here, in the form of Claude Code: prompts, replies, calls and results in about the shares that
real ones have, a few of them very long, in English, Russian and Chinese. Nothing is embedded. Reading and storing run
in a process of their own each, so that their peak memory is their own; what those processes need before they read
anything is given too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command

MEGABYTES = 100
SESSION_MEGABYTES = 2.5
_STEPS = ("read", "store")
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_WORDS = (
    "the order service retries every request with backoff because the queue worker drops idle connections after a "
    "minute so we decided to keep the pool small and to log each timeout with its trace id before the deploy"
).split()
_OTHERS = (
    "решили оставить очередь на postgres потому что нагрузка небольшая и её проще сопровождать",
    "我们决定把缓存放在同一个进程里，因为部署更简单，而且延迟更低。",
)


def main(args: Sequence[str] | None = None) -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--megabytes", type=float, default=MEGABYTES, help="of transcripts (default: 100)")
    parser.add_argument("--step", choices=_STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(args)
    if given.step:
        print(json.dumps(_measured(given.step, given.folder)))
        return
    with TemporaryDirectory(prefix="scrubjay-ingest-") as place:
        folder = Path(place, "transcripts")
        command.say(f"making {given.megabytes:g} MB of transcripts")
        made = generate(folder, given.megabytes)
        result: dict[str, Any] = {"megabytes": round(made["bytes"] / 1e6, 1), "messages": made["messages"]}
        for step in _STEPS:
            command.say(f"{step} …")
            result[step] = _in_a_process(step, folder)
    result["counts_equal"] = result["read"]["messages"] == made["messages"] == result["store"]["messages"]
    command.answer("ingest", result)


def generate(folder: Path, megabytes: float) -> dict[str, int]:
    """Writes sessions until there are about so many megabytes; how many bytes and messages that were."""
    chance = random.Random(20260105)
    project = folder / "-home-max-shop"
    project.mkdir(parents=True)
    total = messages = number = 0
    while total < megabytes * 1e6:
        id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        wanted = min(SESSION_MEGABYTES * 1e6, megabytes * 1e6 - total)
        size = count = 0
        with (project / f"{id}.jsonl").open("w", encoding="utf-8") as file:
            for record in _records(chance, id, number):
                line = json.dumps(record, ensure_ascii=False) + "\n"
                file.write(line)
                size += len(line.encode())
                count += 1
                if size >= wanted and count % 4 == 0:
                    break
        total += size
        messages += count
        number += 1
    return {"bytes": total, "messages": messages}


def _records(chance: random.Random, session: str, number: int) -> Iterator[dict[str, Any]]:
    """Turns of four records without end: a prompt, a call, its result, the reply."""
    parent: str | None = None
    at = _START + timedelta(hours=number)
    turn = 0
    while True:
        turn += 1
        call = f"toolu_{chance.getrandbits(64):016x}"
        long = 60_000 if chance.random() < 0.02 else 0
        contents: list[tuple[str, Any]] = [
            ("user", _text(chance, 40)),
            ("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": _text(chance, 12)}}]),
            ("user", [{"type": "tool_result", "tool_use_id": call, "content": _text(chance, 220 + long // 6)}]),
            ("assistant", [{"type": "text", "text": _text(chance, 120)}]),
        ]
        for step, (role, content) in enumerate(contents):
            own = str(uuid.UUID(int=chance.getrandbits(128), version=4))
            at += timedelta(seconds=7)
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                message |= {
                    "id": f"msg_{turn}_{step}_{session[:8]}",
                    "model": "claude",
                    "usage": {"output_tokens": 100},
                }
            yield {
                "type": role,
                "uuid": own,
                "parentUuid": parent,
                "sessionId": session,
                "timestamp": at.isoformat().replace("+00:00", "Z"),
                "cwd": "/home/max/shop",
                "gitBranch": "main",
                "version": "2.0.14",
                "isSidechain": False,
                "userType": "external",
                "message": message,
            }
            parent = own


def _text(chance: random.Random, words: int) -> str:
    said = [
        f"{chance.choice(_WORDS)}{chance.randrange(10_000) if chance.random() < 0.05 else ''}" for _ in range(words)
    ]
    if chance.random() < 0.1:
        said.insert(words // 2, chance.choice(_OTHERS))
    return " ".join(said)


def _in_a_process(step: str, folder: Path) -> dict[str, Any]:
    line = [sys.executable, "-m", "benchmarks.ingest", "--step", step, "--folder", str(folder)]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE, encoding="utf-8", cwd=root)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _measured(step: str, folder: Path) -> dict[str, Any]:
    size = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
    run = _read if step == "read" else _store
    with TemporaryDirectory(prefix="scrubjay-ingest-") as place:
        before = _peak()
        started, worked = time.perf_counter(), time.process_time()
        more = run(folder, Path(place))
        seconds, worked = time.perf_counter() - started, time.process_time() - worked
    return {
        **more,
        "seconds": round(seconds, 2),
        "processor_seconds": round(worked, 2),
        "megabytes_per_second": round(size / 1e6 / seconds, 2),
        "megabytes_per_processor_second": round(size / 1e6 / worked, 2),
        "peak_memory_mb": round(_peak(), 1),
        "memory_before_mb": round(before, 1),
    }


def _read(folder: Path, _: Path) -> dict[str, Any]:
    from scrubjay.transcripts import recognise

    reading = recognise.read(folder, zone=UTC)
    return {"messages": sum(len(session.messages) for session in reading), "problems": len(reading.report.problems)}


def _store(folder: Path, place: Path) -> dict[str, Any]:
    from scrubjay import Memory

    settings = {"models.embedder": "none", "models.reranker": "none"}
    with Memory.open(place / "vault", home=place / "home", settings=settings, background=False) as memory:
        report = memory.ingest(folder)
        started = time.perf_counter()
        again = memory.ingest(folder)
        return {
            "messages": report.added,
            "again_added": again.added,
            "again_seconds": round(time.perf_counter() - started, 2),
        }


def _peak() -> float:
    """Most memory of this process so far, in MB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1e6 if sys.platform == "darwin" else used / 1e3


if __name__ == "__main__":
    main()
