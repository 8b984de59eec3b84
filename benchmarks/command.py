"""What every benchmark's command line shares: where the data is, progress on stderr, one JSON object on stdout."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

DATA = Path("../shared/data/bench")


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser that knows ``--data`` and ``--cache``."""
    made = argparse.ArgumentParser(description=(description or "").strip().split("\n")[0])
    made.add_argument("--data", type=Path, default=DATA, help=f"folder of sets (default: {DATA})")
    made.add_argument("--cache", type=Path, help="keep filled vaults and their indexes here for the next run")
    return made


def say(text: str) -> None:
    """Tells a person what is going on."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def progress(label: str) -> Callable[[int, int], None]:
    """A callback (done, to do) that tells a person at every tenth."""
    told = -1

    def tell(done: int, total: int) -> None:
        nonlocal told
        tenth = 10 * done // max(total, 1)
        if tenth != told:
            told = tenth
            say(f"  {label}: {done} of {total}")

    return tell


def answer(benchmark: str, result: Mapping[str, Any]) -> None:
    """Prints the result, with what was measured."""
    whole = {"benchmark": benchmark, "scrubjay": _version(), **result}
    sys.stdout.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def skip(benchmark: str, reason: str) -> None:
    """Says that there was nothing to measure; that is no failure."""
    say(reason)
    answer(benchmark, {"skipped": reason})


def _version() -> str:
    try:
        return version("scrubjay")
    except PackageNotFoundError:
        return "source"
