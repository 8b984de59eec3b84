"""Settings, read in layers; later layers win.

    defaults  <  home config.toml  <  .memory/config.toml  <  .memory/config.local.toml
              <  SCRUBJAY_<SECTION>_<NAME>  <  what the caller asks for

The files in ``.memory/`` may have come with a clone, so they are hostile until the user says otherwise (SEC, F112):
they set what is harmless, and whatever could choose models, addresses, files or where memories go is ignored with a
warning, unless the home file lists the project under ``[trust] projects``. A bad home file is an error, because the
user wrote it and can mend it; a bad project file is a warning, because it must not break the user's commands.

``sections`` is the list of settings, ``table`` says what a setting is, ``files`` reads a file, ``layers`` lays them
over one another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Self

from scrubjay.config.layers import Draft
from scrubjay.config.sections import (
    DecaySettings,
    DistillSettings,
    DreamSettings,
    ExtractSettings,
    GitSettings,
    HarvestSettings,
    HooksSettings,
    IndexSettings,
    LlmSettings,
    ModelSettings,
    NotebookSettings,
    RecallSettings,
    ShareSettings,
    TrustSettings,
    VaultSettings,
    WriteSettings,
)
from scrubjay.errors import BadSetting

__all__ = [
    "DecaySettings",
    "IndexSettings",
    "LlmSettings",
    "ModelSettings",
    "RecallSettings",
    "Settings",
    "TrustSettings",
    "VaultSettings",
    "WriteSettings",
    "home",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, resolved. ``origins`` tells for each key that is not a default where it was set; ``warnings``
    say, a sentence each, what was ignored and why."""

    models: ModelSettings = field(default_factory=ModelSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    decay: DecaySettings = field(default_factory=DecaySettings)
    vault: VaultSettings = field(default_factory=VaultSettings)
    write: WriteSettings = field(default_factory=WriteSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    harvest: HarvestSettings = field(default_factory=HarvestSettings)
    distill: DistillSettings = field(default_factory=DistillSettings)
    git: GitSettings = field(default_factory=GitSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    notebook: NotebookSettings = field(default_factory=NotebookSettings)
    dream: DreamSettings = field(default_factory=DreamSettings)
    share: ShareSettings = field(default_factory=ShareSettings)
    hooks: HooksSettings = field(default_factory=HooksSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        home: Path,
        project_root: Path | None = None,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Self:
        """Reads all layers.

        ``home`` is the user's own folder (see ``home``), ``project_root`` the folder that holds ``.memory/``,
        ``environ`` defaults to the process's environment, and ``overrides`` maps keys such as ``recall.limit`` to
        values. Raises ``BadSetting`` for what is wrong in the home file, the environment or the overrides; what is
        wrong in a project's file ends up in ``warnings``.
        """
        environ = os.environ if environ is None else environ
        draft = Draft()
        draft.add_home_file(home / "config.toml")
        if project_root is not None:
            trusted = lists(draft.values.get("trust.projects", ()), project_root, environ)
            for name in ("config.toml", "config.local.toml"):
                draft.add_project_file(project_root / ".memory" / name, trusted=trusted, home=home)
        draft.add_variables(environ)
        draft.add_overrides(overrides or {})
        return cls(**draft.sections(), origins=MappingProxyType(draft.origins), warnings=tuple(draft.warnings))


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The user's own folder: ``SCRUBJAY_HOME``, or ``.scrubjay`` in the home directory. Nothing is created.
    Raises ``BadSetting`` when there is no home directory."""
    environ = os.environ if environ is None else environ
    return _expanded(environ.get("SCRUBJAY_HOME") or "~/.scrubjay", environ).absolute()


def lists(projects: Iterable[str], root: Path, environ: Mapping[str, str]) -> bool:
    """Whether ``root`` itself is among ``projects``, both with links resolved; a folder below one is not."""
    return any(_expanded(project, environ).resolve() == root.resolve() for project in projects if project)


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    if path != "~" and not path.startswith(("~/", f"~{os.sep}")):
        return Path(path)
    user = environ.get("HOME") or os.path.expanduser("~")
    if user.startswith("~"):
        raise BadSetting("There is no home directory to keep memories in.", hint="Set SCRUBJAY_HOME to a folder.")
    return Path(user, path[2:])
