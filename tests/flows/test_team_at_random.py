"""Three members who do anything in any order end with one memory, and no word of anybody is lost (CC-P6, F8, F106)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.flows.team import Member, bare, join, topic

SECTIONS = ("One", "Two", "Three")


class Team:
    """Members, and every word that anybody wrote."""

    def __init__(self, place: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.place = place
        remote = bare(place / "remote.git")
        self.members = [join(place / name, remote) for name in ("ada", "bob", "eve")]
        self.words: list[str] = []

    def word(self) -> str:
        self.words.append(f"word{len(self.words):04}")
        return self.words[-1]

    def act(self) -> str:
        """Does something, and says what."""
        member = self.random.choice(self.members)
        files = [path for path in member.files if path != "MEMORY.md"]
        act = self.random.choice(["sync", "sync", "create", "add", "add", "change", "describe", "delete", "row"])
        if act == "sync":
            member.sync()
        elif act == "create" or not files:
            path = f"n{self.random.randrange(6)}.md"
            if path not in member.files:
                body = "\n\n".join(f"## {name}\n\n{name} begins." for name in SECTIONS)
                member.put(path, topic(path[:-3], f"{self.word()}\n\n{body}"))
        else:
            self._edit(member, self.random.choice(files), act)
        return act

    def _edit(self, member: Member, path: str, act: str) -> None:
        text = member.text(path)
        name = self.random.choice(SECTIONS)
        if act == "add":
            member.put(path, text.replace(f"## {name}\n\n", f"## {name}\n\n- {self.word()}\n", 1))
        elif act == "change":
            member.put(path, text.replace(f"{name} begins.", f"{name} begins. {self.word()}", 1))
        elif act == "describe":
            member.put(path, text.replace("description: ", f"description: {self.word()} ", 1))
        elif act == "delete":
            member.remove(path)
        elif "MEMORY.md" in member.files:
            member.put("MEMORY.md", f"{self.word()}\n{member.text('MEMORY.md')}")

    def everything(self) -> str:
        """All that lies anywhere, the trash and the inboxes too."""
        places = [path for one in self.members for path in one.folder.rglob("*.md*") if path.is_file()]
        return "\n".join(path.read_text(encoding="utf-8") for path in places)


@pytest.mark.parametrize("seed", range(5))
def test_three_members_end_with_one_memory_and_lose_no_word(seed: int, tmp_path: Path) -> None:
    team = Team(tmp_path, seed)
    # What somebody deletes or overwrites with an editor is theirs to lose: it is looked for before.
    removed = ""
    for _ in range(45):
        before = team.everything()
        act = team.act()
        after = team.everything()
        gone = "".join(f"{word}\n" for word in team.words if word in before and word not in after)
        assert act != "sync" or not gone
        removed += gone
    for _ in range(4):
        for member in team.members:
            member.sync()
    first = team.members[0]
    for member in team.members:
        assert member.files == first.files
        for path in member.files:
            assert member.text(path) == first.text(path), path
        index = member.text("MEMORY.md") if "MEMORY.md" in member.files else ""
        for path in member.files:
            assert index.count(f"({path})") == (path != "MEMORY.md")
        assert not member.sync().anything
        member.store.index.close()
    found = team.everything()
    lost = [word for word in team.words if word not in found and word not in removed]
    assert lost == []
