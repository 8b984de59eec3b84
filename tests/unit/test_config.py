"""Settings: layers, checks, messages, and what a clone may not set."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubjay.config import Settings, home
from scrubjay.config.files import FILE_LIMIT, printable
from scrubjay.config.layers import WARNING_LIMIT
from scrubjay.config.sections import table
from scrubjay.config.table import Setting, as_toml
from scrubjay.errors import BadSetting


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".memory").mkdir(parents=True)
    return folder


def write(folder: Path, text: str, name: str = "config.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def value_of(settings: Settings, key: str) -> object:
    section, name = key.split(".")
    return getattr(getattr(settings, section), name)


def load(user: Path, project: Path | None = None, /, **variables: str) -> Settings:
    return Settings.load(user, project, variables)


# --- layers ----------------------------------------------------------------------------------------------------


def test_without_any_file_everything_is_as_documented(user: Path, project: Path) -> None:
    loaded = load(user, project)
    assert all(value_of(loaded, item.key) == item.default for item in table().values())
    assert loaded.warnings == ()
    assert loaded.origins == {}
    assert list(user.iterdir()) == []


def test_later_layers_win(user: Path, project: Path) -> None:
    write(user, "[recall]\nlimit = 2\nbudget = 2\ncandidates = 2\nabstain = false\n")
    write(project / ".memory", "[recall]\nlimit = 3\nbudget = 3\ncandidates = 3\n")
    write(project / ".memory", "[recall]\nlimit = 4\nbudget = 4\n", "config.local.toml")
    loaded = Settings.load(user, project, {"SCRUBJAY_RECALL_LIMIT": "5"}, {"recall.limit": 6, "recall.budget": None})
    recall = loaded.recall
    assert (recall.limit, recall.budget, recall.candidates, recall.abstain) == (6, 4, 3, False)
    assert loaded.origins["recall.limit"] == "the caller"
    assert loaded.origins["recall.candidates"].endswith("config.toml, line 4")


def test_half_lives_add_to_those_of_the_layer_below(user: Path, project: Path) -> None:
    write(user, "[decay.half_lives]\nTODO = 7\nBirthday = 0\n")
    write(project / ".memory", "[decay]\nhalf_lives = { TODO = 8 }\n")
    decay = load(user, project, SCRUBJAY_DECAY_HALF_LIVES="Rumour=1.5").decay
    assert decay.days("TODO") == 8
    assert decay.days("Rumour") == 1.5
    assert decay.days("Birthday") is None
    assert decay.days("Identity") is None
    assert decay.days("Process") == 90


def test_home_is_named_by_the_environment() -> None:
    assert home({"HOME": "/h"}) == Path("/h/.scrubjay")
    assert home({"HOME": "/h", "SCRUBJAY_HOME": ""}) == Path("/h/.scrubjay")
    assert home({"HOME": "/h", "SCRUBJAY_HOME": "~/x"}) == Path("/h/x")
    assert home({"SCRUBJAY_HOME": "rel"}) == Path.cwd() / "rel"


# --- every setting ---------------------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)


def values(item: Setting) -> st.SearchStrategy[object]:
    """Values that ``item`` accepts."""
    low, high = item.rule.low, min(item.rule.high, 1e6)
    numbers = st.floats(low, high, allow_nan=False)
    word: st.SearchStrategy[str] = texts
    if item.rule.choices:
        word = st.sampled_from(item.rule.choices)
    elif item.rule.pattern:
        word = st.from_regex(item.rule.pattern, fullmatch=True).filter(lambda text: "\x00" not in text)
    match item.default:
        case bool():
            return st.booleans()
        case int():
            return st.integers(int(low), int(high))
        case float():
            return numbers
        case tuple():
            return st.lists(word.filter(bool), max_size=4).map(tuple)
        case str():
            return word
        case _:
            return st.dictionaries(texts, numbers, max_size=4)


@pytest.mark.parametrize("key", table())
@given(data=st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_setting_survives_a_file(user: Path, key: str, data: st.DataObject) -> None:
    item = table()[key]
    value = data.draw(values(item))
    write(user, f"[{item.section}]\n{item.name} = {as_toml(value)}\n")
    found = value_of(load(user), key)
    assert found == ({**item.default, **value} if isinstance(value, dict) else value)


@given(st.dictionaries(texts, st.one_of(texts, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.lists(texts))))
@settings(max_examples=50)
def test_toml_is_written_as_it_is_read(value: dict[str, object]) -> None:
    assert tomllib.loads(f"value = {as_toml(value)}")["value"] == value


@pytest.mark.parametrize("key", table())
def test_every_setting_refuses_a_wrong_type_and_gives_an_example_that_works(user: Path, key: str) -> None:
    item = table()[key]
    path = write(user, f"\n[{item.section}]\n{item.name} = 1979-05-27\n")
    with pytest.raises(BadSetting) as caught:
        load(user)
    assert caught.value.message == f"{path}, line 3: {key} must be {item.wanted}."
    assert f"{item.name} = {item.example}" in caught.value.hint
    write(user, f"[{item.section}]\n{item.name} = {item.example}\n")
    load(user)


@pytest.mark.parametrize("key", [key for key, item in table().items() if item.rule.reach != "home"])
def test_every_setting_has_a_variable(user: Path, key: str) -> None:
    item = table()[key]
    value = tomllib.loads(f"value = {item.example}")["value"]
    match value:
        case list():
            text = ", ".join(value)
        case dict():
            text = ",".join(f"{name}={number}" for name, number in value.items())
        case _:
            text = str(value)
    loaded = Settings.load(user, None, {item.variable: text})
    assert value_of(loaded, key) == (tuple(value) if isinstance(value, list) else value)


def test_settings_are_frozen(user: Path) -> None:
    loaded = load(user)
    with pytest.raises(dataclasses.FrozenInstanceError):
        loaded.recall.limit = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        loaded.decay.half_lives["TODO"] = 1  # type: ignore[index]


# --- mistakes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[recal]\nlimit = 3", "recall.limit"),
        ("[recall]\nlimt = 3", "recall.limit"),
        ("limit = 3", "recall.limit"),
        ("[recals]", "recall"),
        ("[models]\nEmbedder = 'none'", "models.embedder"),
    ],
)
def test_a_misspelt_setting_is_named_with_the_nearest(user: Path, text: str, nearest: str) -> None:
    path = write(user, text)
    with pytest.raises(BadSetting, match=r"there is no setting") as caught:
        load(user)
    assert str(path) in caught.value.message
    assert caught.value.hint == f"The nearest is {nearest}."


@pytest.mark.parametrize(
    "text",
    [
        "[recall]\nlimit = 0",
        "[recall]\nlimit = true",
        "[recall]\nlimit = 1001",
        "[recall]\nlimit = 99999999999999999999999999999999",
        "[decay]\nfloor = nan",
        "[decay]\nfloor = inf",
        "[decay.half_lives]\nTODO = -1",
        "[decay.half_lives]\nTODO = 'soon'",
        "[vault]\nsuffixes = '.md'",
        "[vault]\nsuffixes = ['']",
        "[vault]\nsuffixes = ['.md/../x']",
        "[models]\nendpoint = 'file:///etc/passwd'",
        "[models]\nendpoint = 'http://max:secret@host'",
        "[index]\npath = 'a\\u0000b'".replace("'", '"'),
        "[trust]\nprojects = ['.']",
        "recall = 3",
        "[[recall]]\nlimit = 3",
    ],
)
def test_values_out_of_bounds_are_refused(user: Path, text: str) -> None:
    write(user, text)
    with pytest.raises(BadSetting):
        load(user)


def test_a_key_pasted_into_the_settings_is_refused_and_not_repeated(user: Path) -> None:
    """F110: a credential must not be stored in a settings file, nor come back in a message or a log."""
    key = "sk-" + "a1" * 20
    write(user, f"[models]\napi_key_env = '{key}'\n")
    with pytest.raises(BadSetting, match="never the key itself") as caught:
        load(user)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[recall\nlimit = 3", "not valid TOML"),
        (b"[recall]\nlimit = \n", "line 2"),
        (b"\xff\xfe[\x00", "not UTF-8"),
        (b"x = " + b"[\n" * 20_000, "too deeply|not valid"),
        (b"x = 0x" + b"9" * 10_000, "more than"),
        (b"#" * (FILE_LIMIT + 1), "64 KB"),
        (b"\n" + b"a." * 20_000 + b"a = 1", "line 2 has more than 1,000"),
    ],
)
def test_a_broken_home_file_is_an_error_and_a_broken_project_file_a_warning(
    user: Path, project: Path, data: bytes, message: str
) -> None:
    """F31: a torn settings file never stops more than it must, and says which file it is."""
    (project / ".memory" / "config.toml").write_bytes(data)
    loaded = load(user, project)
    assert len(loaded.warnings) == 1
    assert str(project) in loaded.warnings[0]
    assert loaded.recall == load(user).recall
    (user / "config.toml").write_bytes(data)
    with pytest.raises(BadSetting, match=message) as caught:
        load(user)
    assert str(user) in caught.value.message
    assert caught.value.hint


def test_a_byte_order_mark_and_windows_lines_are_fine(user: Path) -> None:
    """F109."""
    (user / "config.toml").write_bytes(b"\xef\xbb\xbf[recall]\r\nlimit = 3\r\n")
    assert load(user).recall.limit == 3


def test_a_wrong_variable_is_an_error_and_an_unknown_one_a_warning(user: Path) -> None:
    with pytest.raises(BadSetting, match=r"SCRUBJAY_RECALL_LIMIT: recall\.limit must be a whole number"):
        load(user, SCRUBJAY_RECALL_LIMIT="many")
    with pytest.raises(BadSetting, match="true or false"):
        load(user, SCRUBJAY_RECALL_ABSTAIN="maybe")
    loaded = load(user, SCRUBJAY_RECALL_LIMT="3", SCRUBJAY_HOME="x", SCRUBJAY_RECALL_BUDGET="", OTHER="y")
    assert len(loaded.warnings) == 1
    assert "SCRUBJAY_RECALL_LIMIT" in loaded.warnings[0]


def test_a_wrong_override_is_an_error(user: Path) -> None:
    with pytest.raises(BadSetting, match=r"recall\.limit must be"):
        Settings.load(user, None, {}, {"recall.limit": "3"})
    with pytest.raises(BadSetting, match="no setting"):
        Settings.load(user, None, {}, {"recall.limits": 3})


# --- what comes with a clone -----------------------------------------------------------------------------------

HOSTILE = """
[models]
embedder = "exfiltrate"
endpoint = "https://evil.example"
api_key_env = "AWS_SECRET_ACCESS_KEY"
[index]
path = "/etc"
[write]
default_scope = "project"
[vault]
suffixes = [".pem"]
[trust]
projects = ["/"]
[recall]
limit = 3
"""


@pytest.mark.parametrize("name", ["config.toml", "config.local.toml"])
def test_a_clone_sets_only_what_is_harmless(user: Path, project: Path, name: str) -> None:
    """F112: settings that come with a repository choose no models, addresses, paths, scopes or trust."""
    write(project / ".memory", HOSTILE, name)
    loaded = load(user, project)
    assert loaded.recall.limit == 3
    assert set(loaded.origins) == {"recall.limit"}
    assert len(loaded.warnings) == 7
    assert all("[trust] projects" in warning for warning in loaded.warnings if "trust.projects" not in warning)


def test_a_trusted_project_sets_everything_but_trust(user: Path, project: Path) -> None:
    """F112."""
    write(project / ".memory", HOSTILE.replace('projects = ["/"]', 'projects = ["/x"]'))
    write(user, f"[trust]\nprojects = [{as_toml(str(project))}]\n")
    loaded = load(user, project)
    assert loaded.models.endpoint == "https://evil.example"
    assert loaded.trust.projects == (str(project),)
    assert len(loaded.warnings) == 1


def test_trust_is_for_that_folder_only(user: Path, project: Path) -> None:
    """F112: a clone below a trusted folder, or beside it under a longer name, is not trusted."""
    write(user, f"[trust]\nprojects = [{as_toml(str(project))}]\n")
    for other in (project / "clone", project.with_name("project-evil")):
        (other / ".memory").mkdir(parents=True)
        write(other / ".memory", HOSTILE)
        assert load(user, other).models.endpoint == ""


def test_neither_variable_nor_caller_can_grant_trust(user: Path) -> None:
    """F112: a project's tools often set the environment."""
    with pytest.raises(BadSetting, match=r"trust\.projects"):
        load(user, SCRUBJAY_TRUST_PROJECTS="/x")
    with pytest.raises(BadSetting, match=r"trust\.projects"):
        Settings.load(user, None, {}, {"trust.projects": ["/x"]})


def test_links_in_a_project_are_not_followed(user: Path, project: Path, tmp_path: Path) -> None:
    """F112: a symbolic link in a clone must not make us read another file."""
    secret = write(tmp_path, "[recall]\nlimit = 3\n", "secret.toml")
    (project / ".memory" / "config.toml").symlink_to(secret)
    loaded = load(user, project)
    assert loaded.recall.limit == 8
    assert "symbolic link" in loaded.warnings[0]
    other = tmp_path / "other"
    other.mkdir()
    write(project / ".memory", "[recall]\nlimit = 4\n", "config.local.toml")
    (other / ".memory").symlink_to(project / ".memory", target_is_directory=True)
    assert load(user, other).recall.limit == 8


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_the_place_of_a_settings_file_does_not_block(user: Path, project: Path) -> None:
    os.mkfifo(project / ".memory" / "config.toml")
    assert "not a regular file" in load(user, project).warnings[0]


def test_a_hostile_file_cannot_flood_or_paint_the_terminal(user: Path, project: Path) -> None:
    lines = "".join(f'"\\u001b[31m{number}" = 1\n' for number in range(500))
    write(project / ".memory", lines)
    warnings = load(user, project).warnings
    assert len(warnings) == WARNING_LIMIT + 1
    assert not any("\x1b" in warning for warning in warnings)
    assert "490 more" in warnings[-1]


@given(st.text())
def test_printable_text_is_printable(text: str) -> None:
    assert printable(text, 50).isprintable()
    assert len(printable(text, 50)) <= 50 * 10 + 1


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_in_a_project_break_a_command(user: Path, project: Path, data: bytes) -> None:
    (project / ".memory" / "config.toml").write_bytes(data)
    assert load(user, project).models == load(user).models
