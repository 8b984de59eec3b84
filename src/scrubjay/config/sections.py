"""The list of settings: a dataclass a section, a field a setting, its meaning and limits beside it.

``table`` reads this list, ``markdown`` writes it for the documentation, and nothing else may be set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, get_args

from scrubjay.config.table import Setting, as_toml, setting, settings_of

DefaultScope = Literal["auto", "user", "project", "local"]
Durability = Literal["full", "normal"]
DreamAccept = Literal["safe", "all", "none"]
NotebookWrite = Literal["when-off", "always", "never"]
NotebookSelector = Literal["recall", "model"]
AnswerForm = Literal["auto", "tools", "schema", "prompt"]
Injected = Literal["off", "heads", "heads+recall"]

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_ADDRESS = r"https?://[^\s@]+"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What guesses: embeddings and reranking."""

    embedder: str = setting(
        "packaged",
        "`packaged` (the model in the package, offline), `none` (search by words only), or the name of a model that"
        " `endpoint` serves.",
        reach="trusted",
    )
    endpoint: str = setting(
        "",
        "Address of an Ollama or OpenAI-compatible server for embeddings.",
        reach="trusted",
        pattern=_ADDRESS,
        form="an http:// or https:// address without a password in it",
        example='"http://localhost:11434"',
    )
    reranker: str = setting(
        "late",
        "`late` (token by token with the packaged model), `none`, or the name of a cross-encoder that"
        " `reranker_endpoint` serves.",
        reach="trusted",
    )
    reranker_endpoint: str = setting(
        "",
        "Address of the reranking server.",
        reach="trusted",
        pattern=_ADDRESS,
        form="an http:// or https:// address without a password in it",
        example='"http://localhost:8080"',
    )
    api_key_env: str = setting(
        "",
        "Name of the environment variable that holds the key for these servers. The key itself never belongs in a"
        " file.",
        reach="trusted",
        pattern=_VARIABLE,
        form="the name of an environment variable, never the key itself",
        example='"OPENAI_API_KEY"',
    )
    threads: int = setting(1, "Processor threads that a packaged model may use.", reach="trusted", low=1, high=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Which language model reads conversations, if any, and how much it may be used. None of this is taken from a
    project that is not trusted: a clone must not choose who reads what was said, or spend money (F112)."""

    model: str = setting(
        "",
        "Language model that extracts, summarises and compares, as `<provider>:<name>`: `openai:` (or any server that"
        " speaks its chat API, with `endpoint`), `anthropic:`, `google:` or `ollama:`. Without one, rules do that work,"
        " offline.",
        reach="trusted",
        pattern=r"(openai|anthropic|google|ollama):[!-~]{1,200}",
        form="a provider (openai, anthropic, google, ollama), a colon, and the name of a model",
        example='"ollama:qwen3:8b"',
    )
    enabled: bool = setting(True, "Off: the language model is not used, whatever else is set here.", reach="trusted")
    endpoint: str = setting(
        "",
        "Address of the server, where it is not the provider's own; Ollama is looked for on this machine.",
        reach="trusted",
        pattern=_ADDRESS,
        form="an http:// or https:// address without a password in it",
        example='"http://localhost:8000/v1"',
    )
    api_key_env: str = setting(
        "",
        "Name of the environment variable that holds the key. Empty: the provider's usual one, such as"
        " `OPENAI_API_KEY`, and none for an `endpoint` of your own.",
        reach="trusted",
        pattern=_VARIABLE,
        form="the name of an environment variable, never the key itself",
        example='"OPENAI_API_KEY"',
    )
    answers: AnswerForm = setting(
        "auto",
        "How the model is made to answer in a form that can be checked: `tools` (a tool call), `schema` (JSON after a"
        " schema), `prompt` (JSON because it was asked), or what suits the provider.",
        reach="trusted",
        choices=get_args(AnswerForm),
    )
    timeout: float = setting(120.0, "Seconds that one call may take.", reach="trusted", low=1, high=3_600)
    retries: int = setting(
        2, "How often a call is made again when the server is busy or cannot be reached.", reach="trusted", high=10
    )
    window: int = setting(3_000, "Most tokens of a conversation in one call.", reach="trusted", low=200, high=1_000_000)
    calls_per_day: int = setting(1_000, "Most calls in a day (UTC); 0 sets no cap.", reach="trusted", high=10**9)
    tokens_per_day: int = setting(
        2_000_000, "Most tokens in a day, in and out together; 0 sets no cap.", reach="trusted", high=10**12
    )
    money_per_day: float = setting(
        2.0, "Most dollars in a day, where prices are known; 0 sets no cap.", reach="trusted", high=1_000_000
    )
    prices: Mapping[str, float] = setting(
        {},
        "Dollars for a million tokens, as `input` and `output`, where they are not known or differ.",
        reach="trusted",
        high=100_000,
        example="{ input = 0.25, output = 2.0 }",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How much a search returns."""

    limit: int = setting(8, "Most hits in an answer.", low=1, high=1_000)
    budget: int = setting(1_300, "Most tokens in an answer.", low=1, high=100_000)
    abstain: bool = setting(True, "Answer nothing, and say so, when no hit is likely to bear on the question.")
    candidates: int = setting(
        50, "Candidates that each signal hands on to the ranking; more is slower and finds more.", low=1, high=10_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecaySettings:
    """How age lowers a fact's rank. It re-orders and never hides (MX §3.2, F75)."""

    floor: float = setting(0.5, "Share of the score that age never takes away; 1 turns decay off.", high=1)
    half_life: float = setting(90.0, "Days in which the rest of the score halves; 0 is never.", high=100_000)
    half_lives: Mapping[str, float] = setting(
        {"Identity": 0.0, "Preference": 0.0, "Decision": 0.0, "Infrastructure": 180.0, "TODO": 30.0},
        "The same for single categories, added to those listed here.",
        high=100_000,
    )

    def days(self, category: str) -> float | None:
        """The half-life of ``category`` in days; ``None`` when it does not age."""
        return self.half_lives.get(category, self.half_life) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSettings:
    """Which files are memories."""

    suffixes: tuple[str, ...] = setting(
        (".md", ".markdown"),
        "Endings of the files in a vault that are read.",
        reach="trusted",
        pattern=r"\.[A-Za-z0-9]{1,16}",
        form="a list of file endings, each with its dot",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSettings:
    """Where new memories go, and how safely."""

    default_scope: DefaultScope = setting(
        "auto",
        "Who will read a memory that is added without a scope: `auto` is `local` inside a project, and `user` elsewhere"
        " and for preferences and identity. Nothing is `project` unless you say so.",
        reach="trusted",
        choices=get_args(DefaultScope),
    )
    durability: Durability = setting(
        "full",
        "`full` waits until the disk has a write; `normal` is faster and may lose the last seconds in a power cut.",
        reach="trusted",
        choices=get_args(Durability),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """Where the index lives."""

    path: str = setting(
        "",
        "Folder for the index instead of `state/` in the home folder. Keep it out of synced folders.",
        reach="trusted",
        example='"/var/cache/scrubjay"',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestSettings:
    """Whether what agents left in a task's files becomes proposals."""

    enabled: bool = setting(False, "Let `harvest` read the candidates that agents leave in `specs/`.", reach="trusted")


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillSettings:
    """How much one run of distilling may propose."""

    cap: int = setting(10, "Most proposals of one run of `distill`.", low=1, high=1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSettings:
    """What is done with git after learning."""

    commit: bool = setting(
        False,
        "Commit the vault's own changes after decisions were carried out, and nothing else; never while other work is"
        " staged.",
        reach="trusted",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSettings:
    """How a memory is shared with a team. Where it is shared is no setting: `share sync --remote` says it once."""

    branch: str = setting(
        "main",
        "Branch of the remote that the team shares.",
        reach="home",
        pattern=r"[A-Za-z0-9_](?:[A-Za-z0-9_/-]|\.(?![./]|lock$|$)){0,99}(?<!/)",
        form="the name of a branch",
    )
    timeout: float = setting(60.0, "Seconds that one command of git may take.", reach="trusted", low=1, high=3_600)
    most_bytes: int = setting(
        1_000_000,
        "Bytes of the largest document that is sent or taken in.",
        reach="trusted",
        low=1_000,
        high=16_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractSettings:
    """What becomes of conversations besides their words: facts and summaries."""

    enabled: bool = setting(True, "Learn facts from conversations, in the background.", reach="trusted")
    summaries: bool = setting(True, "Summarise conversations when they end.", reach="trusted")
    per_session: int = setting(50, "Most facts that one conversation may give.", low=1, high=10_000)
    per_run: int = setting(500, "Most facts of one run; the other conversations wait for the next one.", low=1)
    todo_days: int = setting(30, "Days after which a task that names no day has expired.", low=1, high=3_650)
    confidence: float = setting(0.4, "Least confidence of a statement that is stored.", high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookSettings:
    """The file memory that a coding agent keeps itself: MEMORY.md and its topic files."""

    enabled: bool = setting(True, "Read the agent's own memory of a project, and its team's.", reach="trusted")
    write: NotebookWrite = setting(
        "when-off",
        "Whether Scrubjay writes there by itself: `when-off` (only while the agent's own memory is switched off),"
        " `always`, or `never`. What you ask for is written in any case.",
        reach="trusted",
        choices=get_args(NotebookWrite),
    )
    selector: NotebookSelector = setting(
        "recall",
        "Who chooses the few memories for a question: `recall` (the search, offline) or `model` (the language model of"
        " `[llm]`, which reads their list).",
        reach="trusted",
        choices=get_args(NotebookSelector),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamSettings:
    """Putting an agent's notebook in order while nobody uses it."""

    enabled: bool = setting(True, "Dream in the background when it is time.", reach="trusted")
    accept: DreamAccept = setting(
        "safe",
        "What is done without asking: `safe` (repairs of the index, exact doubles, dates of fresh notes), `all`, or"
        " `none`. The rest waits in the inbox.",
        reach="trusted",
        choices=get_args(DreamAccept),
    )
    cap: int = setting(10, "Most proposals of one dream.", low=1, high=1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksSettings:
    """What the hooks of an agent's host do. A hook that finds a wrong value here goes by the default."""

    inject: Injected = setting(
        "heads",
        "What an agent is told unasked: `heads` (at the start of a session, in short, what is known of the user and the"
        " project), `heads+recall` (with each prompt also what bears on it), or `off`.",
        reach="trusted",
        choices=get_args(Injected),
    )
    capture: bool = setting(True, "Take conversations in when a session pauses, is compacted or ends.", reach="trusted")
    heads: int = setting(
        800, "Most tokens that an agent is told when a session starts, about.", reach="trusted", high=2_000
    )
    recall: int = setting(500, "Most tokens that it is told with a prompt, about.", reach="trusted", high=2_000)
    every: int = setting(
        10,
        "Minutes that lie at least between two runs of background work, but for those at the end of a session.",
        reach="trusted",
        high=1_440,
    )
    vectors: int = setting(
        2_000,
        "Most vectors that one run of background work computes; the rest waits for the next one.",
        reach="trusted",
        high=1_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSettings:
    """Which projects may set more than what is harmless."""

    projects: tuple[str, ...] = setting(
        (),
        "Folders of projects whose own settings are all obeyed.",
        reach="home",
        pattern=r"(/|~[/\\]|[A-Za-z]:[/\\]).+",
        form="a list of absolute folders, or of folders that begin with ~/",
        example='["~/code/mine"]',
    )


SECTIONS: Mapping[str, type] = MappingProxyType(
    {
        "models": ModelSettings,
        "llm": LlmSettings,
        "recall": RecallSettings,
        "decay": DecaySettings,
        "vault": VaultSettings,
        "write": WriteSettings,
        "index": IndexSettings,
        "harvest": HarvestSettings,
        "distill": DistillSettings,
        "git": GitSettings,
        "extract": ExtractSettings,
        "notebook": NotebookSettings,
        "dream": DreamSettings,
        "share": ShareSettings,
        "hooks": HooksSettings,
        "trust": TrustSettings,
    }
)


@cache
def table() -> Mapping[str, Setting]:
    """Every setting by its key, in order."""
    return MappingProxyType(
        {item.key: item for section, kind in SECTIONS.items() for item in settings_of(section, kind)}
    )


def markdown() -> str:
    """The list as a Markdown table, a row a setting."""
    reach = {"project": "anywhere", "trusted": "trusted project", "home": "home file only"}
    rows = ["| setting | value | default | may come from | meaning |", "|---|---|---|---|---|"]
    for item in table().values():
        shown = as_toml(item.default)
        rows.append(f"| `{item.key}` | {item.wanted} | `{shown}` | {reach[item.rule.reach]} | {item.rule.meaning} |")
    return "\n".join(rows) + "\n"
