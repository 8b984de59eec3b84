"""Which project a folder belongs to (design §4; XC-9, SK-10, CC-P2; F101).

A project is the main working tree that all worktrees of a repository share, by its real path. Worktree links are read
from git's own files and believed only when both ends agree, since a ``.git`` file that arrived with a copied folder
may name anything. Only the remote is asked of the git program, which is told to run nothing that a repository brings.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import Path

GIT_TIMEOUT_SECONDS = 5.0
_MAX_LINK_BYTES = 4096
_MAX_KEY = 200
_QUIET = ("--no-pager", "-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


def project_root(cwd: Path) -> Path | None:
    """The folder that identifies the project around ``cwd``: its git main working tree, links resolved.

    Without git, the nearest folder that holds ``.memory/``. ``None`` when there is neither, or when it would be the
    home folder, one above it, or the root of the disk: those are not projects.
    """
    here = Path(os.path.realpath(cwd))
    around = (here, *here.parents)
    found = next((_main_tree(folder / ".git") for folder in around if os.path.exists(folder / ".git")), None)
    if found is None:
        found = next((folder for folder in around if os.path.isdir(folder / ".memory")), None)
    return None if found is None or _too_wide(found) else found


def project_id(root: Path) -> str:
    """The stable name of the project at ``root``: its folder name as a slug and a hash of its real path."""
    real = unicodedata.normalize("NFC", os.path.realpath(root))
    digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{_slug(os.path.basename(real))}-{digest[:10]}"


def branch_of(cwd: Path) -> str | None:
    """The branch that is checked out around ``cwd``, in this worktree; ``None`` without git or on no branch."""
    here = Path(os.path.realpath(cwd))
    for folder in (here, *here.parents):
        marker = folder / ".git"
        if os.path.exists(marker):
            gitdir = marker if os.path.isdir(marker) else _pointer(marker, prefix="gitdir:")
            named = _pointer(gitdir / "HEAD", prefix="ref: refs/heads/") if gitdir is not None else None
            return os.path.relpath(named, gitdir) if named is not None and gitdir is not None else None
    return None


def birthmark(root: Path) -> str | None:
    """A mark that a repository keeps when it is moved or renamed on this machine, and no copy or clone shares.

    ``None`` for a folder whose git data is not its own, such as one whose ``.git`` leads to another repository.
    """
    common = _own_common_dir(root)
    try:
        made = os.stat(common / "description") if common else None
    except OSError:
        return None
    return f"{made.st_ino:x}-{made.st_mtime_ns:x}" if made else None


def remote_of(root: Path) -> str | None:
    """The address of the remote ``origin`` in normal form, or ``None``: no remote, no git, no answer in time.

    A folder whose git data is not its own has no remote, as it has no birthmark.
    """
    import subprocess  # here, because a hook knows its project without it

    if _own_common_dir(root) is None:
        return None
    command = ["git", *_QUIET, "-C", str(root), "remote", "get-url", "origin"]
    try:
        answer = subprocess.run(
            command,
            env=_git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    return normal_remote(answer.stdout.decode("utf-8", "replace"))


def normal_remote(url: str) -> str | None:
    """``host/owner/name`` of a remote address, the same for ssh, scp-like and https forms.

    User, password, port and ``.git`` are stripped and host names lower-cased; a path on this disk stays a path.
    ``None`` when nothing is left, and for relative paths, which mean something else elsewhere.
    """
    from urllib.parse import urlsplit

    text = url.strip()
    scp = re.fullmatch(r"(?:[^@/\s]+@)?([^:/\s]{2,}):(?!/{2})(\S+)", text)
    if scp:
        host, path = scp.group(1), scp.group(2)
    elif "://" in text:
        try:
            split = urlsplit(text)
            host, path = split.hostname or "", split.path
        except ValueError:
            return None
    else:
        host, path = "", text
    path = path.rstrip("/").removesuffix(".git").rstrip("/")
    if not path or not (host or path.startswith("/")):
        return None
    return f"{host.lower()}/{path.strip('/')}" if host else path


def speckit_ids(remote: str | None, root: Path) -> tuple[str, ...]:
    """The names that the project memory of Spec Kit knows a project by (SK-10), ours first, the upstream's after.

    ``remote`` is a normal remote. Both are the same unless the remote lies in a nested group.
    """
    if remote and not remote.startswith(("/", ".")):
        parts = [part for part in remote.split("/")[1:] if part]
        names = ["-".join(parts), "-".join(parts[:2])]
    else:
        lowered = re.sub(r"[ _]", "-", os.path.basename(os.path.realpath(root)).lower())
        names = ["".join(letter for letter in lowered if letter.isalnum() or letter == "-")]
    return tuple(dict.fromkeys(_speckit_name(name) for name in names))


def index_name(vault: str) -> str:
    """The name of the folder of the index of the vault at ``vault``: readable, and its own for each real path."""
    real = os.path.realpath(vault)
    parent, own = os.path.split(vault)
    name = "".join(char if char.isalnum() else "-" for char in f"{os.path.basename(parent)}-{own}").strip("-")[-40:]
    return f"{name}-{hashlib.sha256(real.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


def claude_key(path: str) -> str:
    """The folder name under ``projects/`` that Claude Code gives ``path`` (CC-P2), an absolute real path.

    Every UTF-16 unit outside ``[A-Za-z0-9]`` is a dash; beyond 200 units the rest becomes a hash of the whole.
    """
    normal = unicodedata.normalize("NFC", path)
    encoded = normal.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(encoded[at : at + 2], "little") for at in range(0, len(encoded), 2)]
    key = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    return key if len(key) <= _MAX_KEY else f"{key[:_MAX_KEY]}-{_javascript_hash(units)}"


def _javascript_hash(units: list[int]) -> str:
    number = 0
    for unit in units:
        number = (number * 31 + unit) & 0xFFFFFFFF
    number = abs(number - (1 << 32) if number >> 31 else number)
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "project"


def _speckit_name(name: str) -> str:
    kept = re.sub(r"[^A-Za-z0-9._-]", "", name)
    return kept if kept == ".global" else kept.lstrip(".") or "project"


def _too_wide(folder: Path) -> bool:
    home = Path(os.path.realpath(os.path.expanduser("~")))
    return folder == home or folder in home.parents or folder == Path(folder.anchor)


def _main_tree(marker: Path) -> Path:
    """The main working tree that ``marker``, a ``.git`` folder or file, leads to; else the folder it lies in.

    A worktree is one only if the repository lists it: its entry lies in the repository and names ``marker``.
    """
    own = marker.parent
    common = _common_dir(marker)
    if common is None or os.path.islink(marker):
        return own
    gitdir = _pointer(marker, prefix="gitdir:") if os.path.isfile(marker) else None
    if gitdir is None:
        return _main_tree_of(common) or own
    entry = Path(os.path.realpath(gitdir))
    back = _pointer(entry / "gitdir")
    if entry.parent != common / "worktrees" or back is None or os.path.realpath(back) != str(marker):
        return own
    return _main_tree_of(common) or own


def _main_tree_of(common: Path) -> Path | None:
    """The main working tree of a common git folder: beside it, or where ``core.worktree`` says (submodules)."""
    named = _core_worktree(common)
    if named is not None:
        tree = Path(os.path.realpath(common / named))
        return tree if _common_dir(tree / ".git") == common else None
    return common.parent if common.name.startswith(".") else common


def _own_common_dir(root: Path) -> Path | None:
    """The shared git folder of the repository at ``root``, if the two belong together from both sides."""
    real = Path(os.path.realpath(root))
    common = _common_dir(real / ".git")
    return common if common and (common.parent == real or _main_tree_of(common) == real) else None


def _common_dir(marker: Path) -> Path | None:
    """The git folder that all worktrees share, from a ``.git`` folder or file."""
    gitdir = marker if os.path.isdir(marker) else _pointer(marker, prefix="gitdir:")
    if gitdir is None:
        return None
    shared = _pointer(gitdir / "commondir")
    common = Path(os.path.realpath(shared or gitdir))
    return common if os.path.isfile(common / "HEAD") else None


def _pointer(file: Path, *, prefix: str = "") -> Path | None:
    """The path that a small file of git's holds, relative to the folder of that file."""
    try:
        with file.open("rb") as stream:
            text = os.fsdecode(stream.read(_MAX_LINK_BYTES)).strip()
    except OSError:
        return None
    if not text.startswith(prefix) or "\x00" in text:
        return None
    return file.parent / text.removeprefix(prefix).strip()


def _core_worktree(common: Path) -> str | None:
    try:
        with (common / "config").open(encoding="utf-8", errors="surrogateescape") as stream:
            text = stream.read(1 << 20)
    except OSError:
        return None
    found = re.search(r'^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$', text, re.MULTILINE | re.IGNORECASE)
    return found.group(1) if found else None


def _git_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}
