"""Files of a vault for programs that think in files and folders, such as the memory tool of an API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.memory.opened import Opened

if TYPE_CHECKING:
    from scrubjay.operations.files import Files


class Filing(Opened):
    """The methods of ``Memory`` about files as they lie there."""

    def files(self, inside: str = "", *, scope: str | None = None) -> Files:
        """The files of a vault below its folder ``inside``, to create, change, move and put in the trash. Each change
        is an operation of its own, which ``undo`` takes back, and is found by a search at once.

        Raises ``Refused`` for a vault that others read, unless ``scope`` names it.
        """
        from scrubjay.operations.files import Files

        return Files(self._for_writing(scope), inside, written=self._worker.wake)
