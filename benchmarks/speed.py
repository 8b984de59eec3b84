"""What Scrubjay costs: taking in, embedding, asking, starting, memory and disk, at several sizes.

Each size runs in a process of its own, so that its peak memory is its own. Messages are real text. About ``--embed``
of them are really embedded; each of the others gets the vectors of one of like length with a little noise, which costs
a search the same and is said in the output.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from bisect import bisect, insort
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, corpus, metrics
from benchmarks.sets import Corpus
from scrubjay import Memory
from scrubjay.ports import Embedder, Encoded, EncodedQuery

SIZES = (1_000, 10_000, 100_000)
EMBEDDED = 10_000
QUESTIONS = 200
_WARM_UP = 20
_STARTS = 7
_NOISE = 0.02
_ALIKE = 20  # so many real passages above and below in length are copied from


class PartlyReal:
    """The real embedder for every so-manieth passage; the others get what a passage of like length got, moved a little.

    ``every`` 1 embeds all of them.
    """

    def __init__(self, inner: Embedder, every: int) -> None:
        self._inner = inner
        self._every = every
        self._known: list[tuple[int, int, Any, bytes]] = []
        self.embedded = 0
        self.copied = 0
        self.seconds = 0.0

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def query(self, text: str) -> EncodedQuery:
        return self._inner.query(text)

    def passages(self, texts: Sequence[str]) -> Encoded:
        import numpy as np

        chosen = [place for place in range(len(texts)) if (self.embedded + self.copied + place) % self._every == 0]
        real = self._real([texts[place] for place in chosen])
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        vectors[chosen] = real.vectors
        tokens = dict(zip(chosen, real.tokens or (), strict=False))
        for place in sorted(set(range(len(texts))) - set(chosen)):
            vectors[place], tokens[place] = self._copy(len(texts[place]))
        return Encoded(vectors, [tokens[place] for place in range(len(texts))] if real.tokens is not None else None)

    def _real(self, texts: Sequence[str]) -> Encoded:
        started = time.perf_counter()
        encoded = self._inner.passages(texts)
        self.seconds += time.perf_counter() - started
        self.embedded += len(texts)
        packed = encoded.tokens if encoded.tokens is not None else [b""] * len(texts)
        for text, vector, tokens in zip(texts, encoded.vectors, packed, strict=True):
            insort(self._known, (len(text), len(self._known), vector, tokens))
        return encoded

    def _copy(self, length: int) -> tuple[Any, bytes]:
        import numpy as np

        self.copied += 1
        around = bisect(self._known, (length,)) + self.copied * 7919 % (2 * _ALIKE + 1) - _ALIKE
        _, _, vector, tokens = self._known[min(max(around, 0), len(self._known) - 1)]
        moved = vector + np.random.default_rng(self.copied).normal(0.0, _NOISE, len(vector))
        return moved / np.linalg.norm(moved), tokens


def measure(data: Path, size: int, embed: int) -> dict[str, Any]:
    """Everything for one size, in this process."""
    from scrubjay.models.packaged import PackagedEmbedder

    at_start = _peak()
    sources = corpus.sources(data)
    asked = corpus.questions(sources, QUESTIONS + _WARM_UP)
    real = PackagedEmbedder()
    model = PartlyReal(real, -(-size // embed))
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        folder = Path(temporary)
        with _open(folder, model) as memory:
            taken = _take_in(memory, sources, size)
            del sources
            at_material = _peak()
            command.say(f"{size}: embedding")
            started = time.perf_counter()
            report = memory.drain(progress=command.progress("vectors"))
            draining = time.perf_counter() - started
            command.say(f"{size}: asking")
            searches = _searches(memory, real.query, asked)
            peak = _peak()
        # A name that no command line knows would be embedded anew: from here on only words are asked.
        with _open(folder, None) as memory:
            by_words = _timed(asked, memory.search)
        again = _sync_again(folder, model)
        cold = _starts(folder)
        index = sum(file.stat().st_size for file in (folder / "home" / "state" / "index").rglob("*") if file.is_file())
    seconds = model.seconds or 1e-9
    return {
        "memories": size,
        "ingest": taken,
        "embedding": {
            "really_embedded": model.embedded,
            "copied_with_noise": model.copied,
            "texts_per_second": metrics.rounded(model.embedded / seconds),
            "seconds_with_storing": metrics.rounded(draining),
            "error": report.error,
        },
        "search": {
            **searches,
            "by_words_ms": by_words,
        },
        "start_cpu": cold,
        "index_bytes": {
            "whole": index,
            "text": taken["text_bytes"],
            "a_memory_beyond_the_text": metrics.rounded((index - taken["text_bytes"]) / size),
        },
        "peak_mib": {"at_start": at_start, "with_material": at_material, "indexed_and_searched": peak},
        "second_sync": again,
    }


def _take_in(memory: Memory, sources: Sequence[Corpus], size: int) -> dict[str, Any]:
    """Ingests conversation by conversation; the time is that of the calls, after which each message is found."""
    spent = 0.0
    messages = size_of_text = 0
    last = ""
    for session in corpus.conversations(sources, size):
        started = time.perf_counter()
        memory.ingest(session)
        spent += time.perf_counter() - started
        messages += len(session.messages)
        size_of_text += sum(len(message.text.encode()) for message in session.messages)
        last = session.messages[-1].text
    found = memory.search(last[:300], limit=5, abstain=False)
    return {
        "messages": messages,
        "text_bytes": size_of_text,
        "seconds": metrics.rounded(spent),
        "messages_per_second": metrics.rounded(messages / max(spent, 1e-9)),
        "last_found_at_once": any(hit.text[:200] == last[:200] for hit in found.hits),
    }


def _searches(memory: Memory, encode: Callable[[str], object], asked: Sequence[str]) -> dict[str, Any]:
    """Warm searches as anybody would make them, where their time goes, and how it compares with encoding the query.

    Both are timed question by question in turn, so that whatever else the machine does slows them alike.
    """
    steps: dict[str, list[float]] = {}
    whole: list[float] = []
    alone: list[float] = []
    for number, text in enumerate(asked):
        started = time.perf_counter()
        encode(text)
        between = time.perf_counter()
        took = memory.search(text).took
        ended = time.perf_counter()
        if _counts(number, asked):
            alone.append((between - started) * 1000)
            whole.append((ended - between) * 1000)
            for name, spent in took.items():
                steps.setdefault(name, []).append(spent)
    return {
        "ms": metrics.times(whole),
        "steps_ms_p50": {name: metrics.times(spent)["p50"] for name, spent in steps.items()},
        "encode_query_ms": metrics.times(alone),
        "p50_to_encoding": metrics.rounded(metrics.percentile(whole, 0.5) / metrics.percentile(alone, 0.5)),
    }


def _counts(number: int, asked: Sequence[str]) -> bool:
    """Whether the question of this number is timed: the first ones warm up."""
    return number >= min(_WARM_UP, len(asked) - 1)


def _timed(asked: Sequence[str], call: Callable[[str], object]) -> dict[str, float]:
    """Median and 95th percentile of ``call`` over the questions, after a few to warm up."""
    spent = []
    for number, text in enumerate(asked):
        started = time.perf_counter()
        call(text)
        if _counts(number, asked):
            spent.append((time.perf_counter() - started) * 1000)
    return metrics.times(spent)


def _sync_again(folder: Path, model: Embedder) -> dict[str, Any]:
    """A sync of a vault in which nothing has changed."""
    with _open(folder, model) as memory:
        started = time.perf_counter()
        reports = memory.sync().values()
        spent = time.perf_counter() - started
        vectors = memory.drain().stored
    return {
        "files": sum(report.looked_at for report in reports),
        "files_read": sum(report.read for report in reports),
        "vectors_computed": vectors,
        "seconds": metrics.rounded(spent),
    }


def _starts(folder: Path) -> dict[str, Any]:
    """Processor seconds of cold processes, as multiples of a Python that does nothing."""
    program = Path(sys.executable).with_name("scrubjay")
    scrubjay = [str(program)] if program.exists() else [sys.executable, "-m", "scrubjay"]
    places = ["--vault", str(folder / "vault"), "--home", str(folder / "home")]
    bare = _cpu([sys.executable, "-c", "pass"])
    commands = {
        "help": [*scrubjay, "--help"],
        "search": [*scrubjay, "search", "Where did they go last summer?", *places],
    }
    seconds = {name: _cpu(line) for name, line in commands.items()}
    return {
        "bare_python_seconds": metrics.rounded(bare),
        **{f"{name}_seconds": metrics.rounded(spent) for name, spent in seconds.items()},
        **{f"{name}_to_bare_python": metrics.rounded(spent / bare) for name, spent in seconds.items()},
    }


def _cpu(line: Sequence[str]) -> float:
    """Median processor seconds of a command, with its bytecode compiled before."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    spent = []
    for _ in range(_STARTS + 1):
        process = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(line)} ended with code {process.returncode}")
        spent.append(usage.ru_utime + usage.ru_stime)
    return metrics.percentile(spent[1:], 0.5)


def _peak() -> float:
    """The most memory this process ever held, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return metrics.rounded(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))


def _open(folder: Path, model: Embedder | None) -> Memory:
    without = {"models.embedder": "none"} if model is None else {}
    # What is measured are so many messages, and nothing that was learned from them.
    settings = {"extract.enabled": False, **without}
    return Memory.open(
        folder / "vault", home=folder / "home", settings=settings, embedder=model, background=False, zone=UTC
    )


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of memories")
    parser.add_argument("--embed", type=int, default=EMBEDDED, help=f"really embed so many (default: {EMBEDDED})")
    parser.add_argument("--here", action="store_true", help="measure the first size in this process")
    given = parser.parse_args(args)
    if not corpus.sources(given.data):
        command.skip("speed", f"None of {', '.join(corpus.SOURCES)} is in {given.data}.")
        return
    if given.here:
        sys.stdout.write(json.dumps(measure(given.data, given.sizes[0], given.embed)))
        return
    # One thread for arithmetic: what a search costs on a machine that has other things to do.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    measured = []
    for size in given.sizes:
        command.say(f"{size} memories")
        line = [sys.executable, "-m", "benchmarks.speed", "--here", "--data", str(given.data)]
        line += ["--sizes", str(size), "--embed", str(given.embed)]
        done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, check=True)
        measured.append(json.loads(done.stdout))
    command.answer("speed", {"threads": 1, "processors": os.cpu_count(), "sizes": measured})


if __name__ == "__main__":
    main()
