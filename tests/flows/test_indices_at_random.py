"""Whatever is done to a vault, by whomever: after a sync the overviews say what the files say (SM-31, SM-35)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations import indices
from tests.flows.segments import store_of

OURS = ("20-Indices/index.md", "10-Memories/README.md", "memory-index.json")
TITLES = ["Retry", "a](x) <b>", "Кэш", "缓存", "# x", "`y", "", "%%", "z" * 400]


def _memories(vault: Path) -> list[Path]:
    return sorted(path for path in (vault / "10-Memories").rglob("*.md") if path != vault / OURS[1])


def _write(vault: Path, chance: random.Random) -> None:
    path = vault / "10-Memories" / chance.choice(["", "deep"]) / f"MEM-{chance.randint(0, 9)}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    title, topic = chance.choice(TITLES), chance.choice(["a/b", "c", ""])
    status = chance.choice(["", "status: tombstoned\n"])
    path.write_text(f'---\ntitle: "{title}"\ntopic: {topic}\n{status}---\n\nText {chance.random()}.\n', "utf-8")


def _remove(vault: Path, chance: random.Random) -> None:
    if found := _memories(vault):
        chance.choice(found).unlink()


def _move(vault: Path, chance: random.Random) -> None:
    if found := _memories(vault):
        chance.choice(found).rename(vault / f"10-Memories/MEM-moved-{chance.randint(0, 9)}.md")


def _damage(vault: Path, chance: random.Random) -> None:
    path = vault / chance.choice(OURS)
    if not path.is_file():
        return
    lines = path.read_text("utf-8").split("\n")
    way = chance.choice(["lose", "double", "shuffle", "mark", "empty", "cut"])
    if way == "lose":
        path.unlink()
    elif way == "double":
        path.write_text("\n".join(line for line in lines for _ in range(chance.randint(1, 2))), "utf-8")
    elif way == "shuffle" and path.name.endswith("json"):
        chance.shuffle(lines)
        path.write_text("\n".join(lines), "utf-8")
    elif way == "mark":
        place = chance.randrange(len(lines))
        path.write_text("\n".join(["<<<<<<< a", *lines[:place], "=======", *lines[place:], ">>>>>>> b"]), "utf-8")
    elif way == "cut" and path.name.endswith("json"):
        path.write_text("\n".join(lines)[: chance.randrange(len("\n".join(lines)) + 1)], "utf-8")
    elif way == "empty":
        path.write_text("", "utf-8")


def _say(vault: Path, chance: random.Random) -> None:
    path = vault / chance.choice(OURS[:2])
    if path.is_file():
        path.write_text(path.read_text("utf-8") + f"\n## Mine {chance.randint(0, 3)}\n\nWords.\n", "utf-8")


@pytest.mark.parametrize("seed", range(8))
def test_sm31_the_overviews_say_what_the_files_say(
    open_memory: Callable[..., Memory], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    vault = tmp_path / "vault"
    memory = open_memory()
    memory.note("First", "Text.")
    for _ in range(25):
        for _ in range(chance.randint(1, 3)):
            chance.choice([_write, _write, _remove, _move, _damage, _say])(vault, chance)
        if chance.random() < 0.3:
            indices.bump(store_of(memory), {f"MEM-{number}" for number in range(9)}, date(2026, 12, 1))
        if chance.random() < 0.2:
            memory.note(f"Note {chance.randint(0, 9)}", "Text.")
        memory.sync()
        if not (vault / "20-Indices").exists():
            continue
        paths = [str(path.relative_to(vault)) for path in _memories(vault)]
        rows = json.loads((vault / OURS[2]).read_text("utf-8"))["entries"]
        assert sorted(row["path"] for row in rows) == paths
        active = [row for row in rows if row["status"] == "active"]
        index, listing = ((vault / name).read_text("utf-8") for name in OURS[:2])
        assert f"\n- Total memories: {len(active)}\n" in index
        assert len(re.findall(r"^### \[.*\]\((?:deep/)?MEM-", listing, re.MULTILINE)) == len(active)
        assert index.count("# Memory Vault Index") == listing.count("# Memories\n") == 1
        before = [(vault / name).stat().st_mtime_ns for name in OURS]
        assert memory.indices() == {"user": []}
        memory.sync()
        assert [(vault / name).stat().st_mtime_ns for name in OURS] == before
