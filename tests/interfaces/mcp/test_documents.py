"""Documents as resources: listed in pages, read by address, nothing else (F112)."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import MCPError

from scrubjay.interfaces.mcp import documents
from scrubjay.interfaces.mcp.keeper import Keeper
from tests.interfaces.mcp.clients import ERAS, Connect, run


@pytest.mark.parametrize("mode", ERAS)
def test_every_document_is_listed_once_in_pages(
    connect: Connect, keeper: Keeper, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(documents, "PAGE", 4)

    async def scenario() -> None:
        memory = keeper.memory()
        for number in range(11):
            memory.note(f"Note {number:02}", f"Text {number}.")
        async with connect(mode) as client:
            found, cursor, pages = [], None, 0
            while True:
                page = await client.list_resources(cursor=cursor)
                assert len(page.resources) <= 4
                found += page.resources
                pages += 1
                if pages == 1:  # what appears before the page that was seen shifts nothing
                    memory.note("AAA first of all", "New.")
                cursor = page.next_cursor
                if cursor is None:
                    break
            uris = [one.uri for one in found]
            assert len(set(uris)) == len(uris)
            assert {f"MEM-note-{number:02}.md" for number in range(11)} <= {one.name for one in found}
            assert all(one.size and one.mime_type == "text/markdown" for one in found)

    run(scenario)


def test_documents_with_any_name_are_read_by_their_address(connect: Connect, keeper: Keeper, tmp_path: Path) -> None:
    """F109: blanks, other scripts, percent signs."""
    names = ["Tea & cake.md", "чай.md", "茶/绿 茶.md", "100%25.md", "a#b?c.md"]

    async def scenario() -> None:
        keeper.memory()
        for name in names:
            path = tmp_path / "vault" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"What {name} says.\n", encoding="utf-8")
        async with connect() as client:
            listed = (await client.list_resources()).resources
            assert {one.description for one in listed} == {f"user: {name}" for name in names}
            for one in listed:
                [contents] = (await client.read_resource(one.uri)).contents
                assert contents.text == f"What {(one.description or '').removeprefix('user: ')} says.\n"
                assert contents.mime_type == one.mime_type

    run(scenario)


@pytest.mark.parametrize(
    "uri",
    [
        "scrubjay://user/../secret.md",
        "scrubjay://user/%2e%2e/secret.md",
        "scrubjay://user/..%2fsecret.md",
        "scrubjay://user//etc/passwd",
        "scrubjay://user/%2Fetc%2Fpasswd",
        "scrubjay://user/link.md",
        "scrubjay://user/folder/inside.md",
        "scrubjay://user/90-Trash/x/receipt.md",
        "scrubjay://user/.obsidian/app.md",
        "scrubjay://user/a%00b.md",
        "scrubjay://user/%ff.md",
        "scrubjay://user/missing.md",
        "scrubjay://project/note.md",
        "scrubjay://user",
        "scrubjay:///note.md",
        "file:///etc/passwd",
        "nonsense",
    ],
)
def test_nothing_else_is_read(connect: Connect, keeper: Keeper, tmp_path: Path, uri: str) -> None:
    """F112: no address leads out of the vaults, links are not followed out of them, and an error is an error."""
    (tmp_path / "secret.md").write_text("the hidden words", encoding="utf-8")
    (tmp_path / "inside.md").write_text("the hidden words", encoding="utf-8")

    async def scenario() -> None:
        keeper.memory().note("Note", "Text.")
        (tmp_path / "vault" / "link.md").symlink_to(tmp_path / "secret.md")
        (tmp_path / "vault" / "folder").symlink_to(tmp_path)
        async with connect() as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert "hidden" not in str(caught.value)

    run(scenario)


def test_a_cursor_of_another_list_is_refused(connect: Connect, keeper: Keeper) -> None:
    async def scenario() -> None:
        keeper.memory().note("Note", "Text.")
        async with connect() as client:
            for cursor in ("nonsense", "é", "cHJvamVjdC9hLm1k"):
                with pytest.raises(MCPError, match="cursor"):
                    await client.list_resources(cursor=cursor)

    run(scenario)


def test_the_template_says_how_addresses_are_made(connect: Connect, keeper: Keeper) -> None:
    async def scenario() -> None:
        keeper.memory().note("Note", "Text.")
        async with connect() as client:
            [template] = (await client.list_resource_templates()).resource_templates
            uri = template.uri_template.replace("{scope}", "user").replace("{+path}", "10-Memories/MEM-note.md")
            assert "Text." in (await client.read_resource(uri)).contents[0].text

    run(scenario)
