"""A process that writes facts and prints each one's id once it is told that it is stored. Killed at random by tests."""

from __future__ import annotations

import sys
from pathlib import Path

from scrubjay import Memory


def main(vault: str, name: str, count: str) -> None:
    """Remembers ``count`` facts, some of them superseded, and acknowledges each on a line of its own."""
    with Memory.open(Path(vault), settings={"models.embedder": "none"}, background=False, sync=False) as memory:
        print("ready", flush=True)
        for number in range(int(count)):
            fact = memory.remember(f"{name} wrote statement{number} of {name}.")
            print(fact.id, flush=True)
            if number % 5 == 4:
                print(memory.supersede(fact.id, f"{name} corrected statement{number} of {name}.").id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
