"""The contract of every door through which somebody else's paths come (CC-T1, SEC-1; F6, F112).

Whatever the path: nothing outside the memory is made or changed, nothing inside but sound documents, and an honest
document beside it still arrives, or the whole is refused with an error of ours.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from scrubjay.errors import BadInput, Corrupt, Refused
from scrubjay.operations.share.importing import import_
from scrubjay.operations.share.screening import is_shared, place_of
from scrubjay.vaults.paths import check_writable, resolve
from tests.contracts.attacks import ATTACKS, EVERY
from tests.flows.team import Member, bare, committed, join, topic

GOOD, EVIL = topic("good"), topic("evil")


@pytest.fixture
def member(tmp_path: Path) -> Iterator[Member]:
    made = join(tmp_path / "ada", bare(tmp_path / "remote.git"))
    yield made
    made.store.index.close()


def bundle(path: str, tmp_path: Path) -> Path:
    """A bundle that holds a good document and one at ``path``."""
    target = tmp_path / "evil.zip"
    if "\ud800" in path:
        pytest.skip("no archive can hold that")
    files = {"good.md": GOOD, path: EVIL}
    with zipfile.ZipFile(target, "w") as archive:
        listing = []
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"documents/team/{name}"), text)
            listing.append({"scope": "team", "path": name, "sha256": sha256(text.encode()).hexdigest()})
        archive.writestr("manifest.json", json.dumps({"format": "scrubjay-bundle", "version": 1, "documents": listing}))
    return target


def through_a_bundle(path: str, member: Member, tmp_path: Path) -> None:
    import_(member.store, bundle(path, tmp_path))


def through_a_manifest(path: str, member: Member, tmp_path: Path) -> None:
    """The archive looks harmless; only the manifest says where the bytes would go."""
    target = tmp_path / "evil.zip"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("documents/x/good.md", GOOD)
        listing = [{"scope": "x", "path": "good.md", "sha256": sha256(GOOD.encode()).hexdigest()}]
        listing.append({"scope": "../../documents/x", "path": path, "sha256": sha256(GOOD.encode()).hexdigest()})
        archive.writestr("manifest.json", json.dumps({"format": "scrubjay-bundle", "version": 1, "documents": listing}))
    import_(member.store, target)


def through_a_folder(path: str, member: Member, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "good.md").write_text(GOOD, encoding="utf-8")
    place = folder / path
    if path.startswith("/") or ".." in path.split("/") or "\0" in path or "\ud800" in path or len(path) > 1000:
        pytest.skip("no folder can hold that")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(EVIL, encoding="utf-8")
    except (OSError, ValueError):
        pytest.skip("no folder can hold that")
    import_(member.store, folder)


def through_a_remote(path: str, member: Member, tmp_path: Path) -> None:
    if any(part in ("", ".", "..") for part in path.split("/")) or "\0" in path or "\ud800" in path:
        pytest.skip("no tree can hold that; trees that do are tried elsewhere")
    committed(Path(member.remote), {path: EVIL, "good.md": GOOD})
    member.sync()


DOORS = {
    "bundle": through_a_bundle,
    "manifest": through_a_manifest,
    "folder": through_a_folder,
    "remote": through_a_remote,
}


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below ``root`` outside what is ours to write, with its bytes."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("remote.git", "index", "home", "90-Trash", "given")]
        for name in files:
            place = Path(folder, name)
            if place.name != "evil.zip":
                found[str(place.relative_to(root))] = place.read_bytes()
    return found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("path", EVERY, ids=lambda path: ascii(path)[:40])
def test_cct1_no_path_leads_anywhere(door: str, path: str, member: Member, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("outside", encoding="utf-8")
    (tmp_path / "ada" / "x.md").write_text("outside too", encoding="utf-8")
    before = snapshot(tmp_path)
    with suppress(BadInput, Refused, Corrupt):
        DOORS[door](path, member, tmp_path)
    after = snapshot(tmp_path)
    assert {name: after.get(name) for name in before} == before
    new = set(after) - set(before)
    assert new <= {"ada/team/good.md", "ada/team/MEMORY.md"}
    if new:
        assert after["ada/team/good.md"] == GOOD.encode()


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: ascii(path)[:40])
def test_cct1_every_attack_is_refused_by_its_text_alone(path: str) -> None:
    with pytest.raises(Refused):
        place_of(path)
    with pytest.raises(Refused):
        check_writable(path) if path.count("/") < 9 else place_of(path)


@pytest.mark.parametrize("path", sorted(set(EVERY) - set(ATTACKS)))
def test_what_is_no_document_of_a_team_is_not_shared(path: str) -> None:
    assert not is_shared(path)


Linker = Callable[[Path, Path], str]


def a_link(vault: Path, outside: Path) -> str:
    (vault / "x.md").symlink_to(outside / "x.md")
    return "x.md"


def a_dangling_link(vault: Path, outside: Path) -> str:
    (vault / "x.md").symlink_to(outside / "not-yet.md")
    return "x.md"


def a_folder_link(vault: Path, outside: Path) -> str:
    (vault / "a").symlink_to(outside)
    return "a/x.md"


def a_link_above_what_is_missing(vault: Path, outside: Path) -> str:
    (vault / "a").symlink_to(outside)
    return "a/new/deep/x.md"


def a_link_to_a_link(vault: Path, outside: Path) -> str:
    (vault / "b").symlink_to(outside)
    (vault / "a").symlink_to("b")
    return "a/x.md"


def a_loop(vault: Path, outside: Path) -> str:
    (vault / "a").symlink_to("a")
    return "a/x.md"


@pytest.mark.parametrize("door", ["bundle", "manifest", "remote"])
@pytest.mark.parametrize(
    "linked", [a_link, a_dangling_link, a_folder_link, a_link_above_what_is_missing, a_link_to_a_link, a_loop]
)
def test_cct1_nothing_is_written_through_a_link(door: str, linked: Linker, member: Member, tmp_path: Path) -> None:
    """The deepest existing ancestor must lie in the memory, and a link that leads nowhere is refused."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("outside", encoding="utf-8")
    path = linked(member.folder, outside)
    with pytest.raises((Refused, OSError)):
        resolve(member.folder, path)
    DOORS[door](path, member, tmp_path)
    assert [place.name for place in outside.rglob("*")] == ["x.md"]
    assert (outside / "x.md").read_text(encoding="utf-8") == "outside"
    assert member.text("good.md") == GOOD


def test_cct1_links_in_an_imported_folder_are_not_followed(member: Member, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("---\nname: s\n---\n\nmine\n", encoding="utf-8")
    (folder / "x.md").symlink_to(tmp_path / "secret.md")
    (folder / "a").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.md")
    (folder / "good.md").write_text(GOOD, encoding="utf-8")
    assert import_(member.store, folder).written == ["good.md"]


def test_cct1_links_in_a_bundle_are_refused(member: Member, tmp_path: Path) -> None:
    target = tmp_path / "evil.zip"
    with zipfile.ZipFile(target, "w") as archive:
        link = zipfile.ZipInfo("documents/team/x.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("manifest.json", json.dumps({"format": "scrubjay-bundle", "version": 1, "documents": []}))
    with pytest.raises(Refused, match="link"):
        import_(member.store, target)
