"""Anthropic's memory tool over a folder: what a model writes there is in a vault, searchable, and can be taken back.

Views read the disk and nothing else. Whatever changes a file goes through ``Memory.files``: under the lock of the
vault, read back, indexed, with the bytes from before in the trash (MT-1 … MT-8).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scrubjay.errors import BadInput, Conflict, NotFound, ScrubjayError
from scrubjay.interfaces.memory_tool import commands, edits, places, viewing
from scrubjay.interfaces.memory_tool.result import ToolResult
from scrubjay.interfaces.memory_tool.wording import Dialect, Refusal, Wording
from scrubjay.operations.files import Files, Written, tree
from scrubjay.vaults.encoding import to_bytes
from scrubjay.vaults.failures import explain

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.vaults.tree import Item

TYPE = "memory_20250818"
NAME = "memory"
INSIDE = "memories"
MOST_BYTES = 1_000_000
"""Of one file that the tool writes, by default."""

PASSED_THROUGH = frozenset({"allowed_callers", "cache_control", "defer_loading", "input_examples", "strict"})
# Models write these too; a vault by itself takes them for other programs' files.
SEARCHED = (".md", ".markdown", ".txt", ".xml", ".json", ".yaml", ".yml", ".toml", ".csv", ".html", ".org", ".rst")


class MemoryTool:
    """The memory tool of the Messages API (``memory_20250818``) over the folder ``folder``.

        tool = MemoryTool("agent")
        tool.call({"command": "view", "path": "/memories"})

    The model's ``/memories`` is ``folder/memories``, which is made at once; ``inside`` names another folder in it, or
    with ``""`` the folder itself: an agent's notebook, a vault. ``dialect`` chooses the strings, those of the
    documentation (``docs``) or those of the SDK (``sdk``). ``overwrite`` lets ``create`` replace a file; ``images``
    shows pictures instead of refusing them; ``most_bytes`` is the largest file that may come about. A vault that others
    read is only written to with ``shared``. ``home`` is as in ``Memory.open``. ``definition`` are further keys of the
    tool's definition, such as ``cache_control``, passed through as they are (MT-1).

    One instance may be used from several threads, and several processes may serve one folder.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        dialect: Dialect = "docs",
        inside: str = INSIDE,
        overwrite: bool = False,
        images: bool = False,
        most_bytes: int = MOST_BYTES,
        shared: bool = False,
        home: str | os.PathLike[str] | None = None,
        **definition: Any,
    ) -> None:
        if unknown := sorted(set(definition) - PASSED_THROUGH):
            raise BadInput(
                f"MemoryTool does not know {', '.join(unknown)}.", hint=f"Known: {', '.join(sorted(PASSED_THROUGH))}."
            )
        self._wording = Wording(dialect)
        self._folder = Path(os.path.realpath(Path(folder).expanduser()))
        self._left_out = ("node_modules",) if dialect == "docs" else ()
        self._overwrite, self._images, self._most, self._shared = overwrite, images, most_bytes, shared
        self._home, self._definition, self._inside = home, definition, inside
        self._tree = tree(self._folder, inside)
        self._require_own_vault()
        self._tree.make()
        self._memory: Memory | None = None
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index behind the files, if it was opened. The next change opens it again."""
        with self._opening:
            if self._memory is not None:
                self._memory.close()
                self._memory = None

    @property
    def memory(self) -> Memory:
        """The files as a memory, to search and to ``undo``. It is the tool's: closed with it."""
        from scrubjay.memory import Memory

        with self._opening:
            if self._memory is None:
                self._require_own_vault()
                self._memory = Memory.open(
                    self._folder, home=self._home, background=False, settings={"vault.suffixes": list(SEARCHED)}
                )
            return self._memory

    def to_dict(self) -> dict[str, Any]:
        """The tool's definition for the ``tools`` of a request."""
        return {"type": TYPE, "name": NAME, **self._definition}

    def call(self, input: Mapping[str, Any]) -> str:
        """The answer to the tool call ``input``, an error as well: ``result`` tells the two apart."""
        return self.result(input).text

    def result(self, input: Mapping[str, Any]) -> ToolResult:
        """The answer to the tool call ``input``. Never raises for what a model asks."""
        try:
            self._tree.make()
            return self._answer(commands.read(input, self._wording))
        except Refusal as refusal:
            text = refusal.message
        except OSError as error:
            text = self._wording.refusal("failed", reason=str(explain(error, "the memory"))).message
        except (ScrubjayError, UnicodeError, RecursionError) as error:
            text = self._wording.refusal("failed", reason=str(error)).message
        return ToolResult(text=_sendable(text), is_error=True)

    def clear_all_memory(self) -> str:
        """Moves every file to the trash; for programs, no command that a model knows."""
        self._files().remove("")
        return self._wording.say("cleared")

    def for_runner(self) -> Any:
        """The tool for the ``tool_runner`` of Anthropic's Python SDK. Raises ``Unavailable`` without the SDK."""
        from scrubjay.interfaces.memory_tool import runner

        return runner.runnable(self)

    def for_async_runner(self) -> Any:
        """The same for the runner of an asynchronous client."""
        from scrubjay.interfaces.memory_tool import runner

        return runner.async_runnable(self)

    def _answer(self, command: commands.Command) -> ToolResult:
        match command:
            case commands.View():
                return self._view(command)
            case commands.Create():
                text = self._create(command)
            case commands.Replace():
                text = self._replace(command)
            case commands.Insert():
                text = self._insert(command)
            case commands.Delete():
                text = self._delete(command)
            case commands.Rename():
                text = self._rename(command)
        return ToolResult(text=_sendable(text))

    def _view(self, command: commands.View) -> ToolResult:
        inner = places.relative(command.path, self._wording)
        item = places.find(self._tree, inner, self._wording)
        path = places.virtual(inner)
        if item is None:
            raise self._wording.refusal("view missing", path=path)
        if item.kind == "folder":
            return ToolResult(text=viewing.folder(self._tree, item, self._wording, left_out=self._left_out))
        if item.kind == "other":
            raise self._wording.refusal("unsupported", path=path)
        if media_type := viewing.image_type(inner):
            if not self._images:
                raise self._wording.refusal("image file", path=path)
            image = viewing.image(self._tree, item, self._wording)
            return ToolResult(text=self._wording.say("image", path=path, media_type=media_type), image=image)
        return ToolResult(text=_sendable(viewing.text(self._tree, item, self._wording, command.range)))

    def _create(self, command: commands.Create) -> str:
        inner = places.relative(command.path, self._wording)
        path = places.virtual(inner)
        item = places.find(self._tree, inner, self._wording)
        if item is not None and not (self._overwrite and item.kind == "file"):
            raise self._wording.refusal("create exists", path=path)
        self._require_folders(inner)
        self._require_room(path, command.text)
        try:
            written = self._files().create(inner, command.text, overwrite=self._overwrite)
        except Conflict:
            raise self._wording.refusal("create exists", path=path) from None
        return self._with_notes(self._wording.say("created", path=path), written)

    def _replace(self, command: commands.Replace) -> str:
        inner = places.relative(command.path, self._wording)
        self._require_file(inner, "replace")
        edit = edits.Replacement(places.virtual(inner), command.old, command.new, self._wording)
        written = self._change(inner, edit)
        return self._with_notes(f"{self._wording.say('replaced')}\n{edit.snippet(written.text)}", written)

    def _insert(self, command: commands.Insert) -> str:
        inner = places.relative(command.path, self._wording)
        self._require_file(inner, "insert")
        written = self._change(inner, edits.Insertion(command.line, command.text, self._wording))
        return self._with_notes(self._wording.say("inserted", path=places.virtual(inner)), written)

    def _delete(self, command: commands.Delete) -> str:
        inner = places.relative(command.path, self._wording)
        path = places.virtual(inner)
        if not inner:
            raise self._wording.refusal("delete root")
        self._require_something(inner, "delete missing")
        try:
            self._files().remove(inner)
        except NotFound:
            raise self._wording.refusal("delete missing", path=path) from None
        return self._wording.say("deleted", path=path)

    def _rename(self, command: commands.Rename) -> str:
        source = places.relative(command.source, self._wording)
        target = places.relative(command.target, self._wording)
        old_path, new_path = places.virtual(source), places.virtual(target)
        if not source:
            raise self._wording.refusal("rename root")
        if places.find(self._tree, target, self._wording) is not None:
            raise self._wording.refusal("rename exists", path=new_path)
        self._require_something(source, "rename missing")
        if target.startswith(f"{source}/"):
            raise self._wording.refusal("inside itself", path=old_path)
        self._require_folders(target)
        try:
            self._files().move(source, target)
        except NotFound:
            raise self._wording.refusal("rename missing", path=old_path) from None
        return self._wording.say("renamed", old_path=old_path, new_path=new_path)

    def _change(self, inner: str, edit: edits.Replacement | edits.Insertion) -> Written:
        path = places.virtual(inner)

        def within_bounds(text: str) -> str:
            changed = edit(text)
            self._require_room(path, changed)
            return changed

        files = self._files()
        try:
            return files.change(inner, within_bounds)
        except Refusal:
            raise
        except NotFound:
            raise self._wording.refusal("vanished", path=path) from None
        except BadInput:
            raise self._wording.refusal("not utf-8", path=path) from None

    def _files(self) -> Files:
        memory = self.memory
        return memory.files(self._inside, scope=next(iter(memory.scopes)) if self._shared else None)

    def _require_own_vault(self) -> None:
        """Raises ``BadInput`` when opening the folder would mean the vault in it."""
        if (self._folder / ".memory").is_dir():
            raise BadInput(
                f"{self._folder} has a vault of its own in .memory.",
                hint="Give that folder with inside='', or another one.",
            )

    def _require_something(self, inner: str, key: str) -> Item:
        item = places.find(self._tree, inner, self._wording)
        if item is None:
            raise self._wording.refusal(key, path=places.virtual(inner))
        return item

    def _require_file(self, inner: str, verb: str) -> None:
        item = self._require_something(inner, f"{verb} missing")
        if item.kind == "folder":
            raise self._wording.refusal(f"{verb} folder", path=places.virtual(inner))
        if item.kind == "other":
            raise self._wording.refusal("unsupported", path=places.virtual(inner))

    def _require_folders(self, inner: str) -> None:
        """Raises ``Refusal`` when what should be a folder above ``inner`` is a file."""
        parts = inner.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            item = places.find(self._tree, above, self._wording)
            if item is None:
                return
            if item.kind == "file":
                raise self._wording.refusal(
                    "bad path", path=places.virtual(inner), reason=f"{places.virtual(above)} is a file."
                )

    def _require_room(self, path: str, text: str) -> None:
        if (count := len(text.encode("utf-8"))) > self._most:
            raise self._wording.refusal("too large", path=path, size=viewing.size(count), most=viewing.size(self._most))

    def _with_notes(self, answer: str, written: Written) -> str:
        if not written.redacted:
            return answer
        found = ", ".join(f"{one.rule} in line {one.line}" for one in written.redacted)
        return f"{answer}\n{self._wording.say('redacted', found=found)}"


def _sendable(text: str) -> str:
    """``text`` without halves of characters, which no request can carry."""
    return to_bytes(text, fresh=False).decode("utf-8")
