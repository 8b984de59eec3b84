"""Do the secret rules find every kind of secret wherever it stands, and nothing else? Beside other scanners.

Each kind of secret that is named in CC-T2 is made up at run time in its real shape, in many contexts; innocent texts of
many kinds stand beside. Then all notes and transcripts of ``--data`` are scanned: what is reported there are false
alarms, for these texts were published with their secrets taken out. Nothing that a scanner finds is printed or kept:
only counts by rule and, with ``--where``, paths and rules.

Other scanners are measured where they can be imported; each needs an environment of its own, for some share a name:
``--scanner detect-secrets``, ``bc-detect-secrets``, ``betterleaks``, ``credsweeper``, ``classifinder``.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics, secret_cases
from benchmarks.secret_cases import Case
from scrubjay.text.secrets import scan

DATA = Path("../shared/data")
FOLDERS = ("vaults", "transcripts")
LINES = 10_000

Found = Mapping[int, frozenset[str]]
Scanner = Callable[[Path], Found]
"""Reads a file and names the rules that found something, by line."""


def _by_line(found: Iterable[tuple[int, str]]) -> Found:
    lines: dict[int, set[str]] = defaultdict(set)
    for line, rule in found:
        lines[line].add(rule)
    return {line: frozenset(rules) for line, rules in lines.items()}


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def ours(path: Path) -> Found:
    """The rules of ``scrubjay.text.secrets``, guesses by the word before a value included."""
    text = _text(path)
    return _by_line((text.count("\n", 0, one.start) + 1, one.rule) for one in scan(text))


def ours_sure(path: Path) -> Found:
    """Only what has a form of its own: what keeps a file from being shared."""
    text = _text(path)
    return _by_line((text.count("\n", 0, one.start) + 1, one.rule) for one in scan(text) if one.sure)


def detect_secrets() -> Scanner:
    """Yelp's detect-secrets, and forks with its interface, with their default plugins and filters."""
    collection = import_module("detect_secrets.core.secrets_collection").SecretsCollection
    default_settings = import_module("detect_secrets.settings").default_settings

    def read(path: Path) -> Found:
        with default_settings():
            found = collection()
            found.scan_file(str(path))
        return _by_line((one.line_number, one.type) for _, one in found)

    return read


def betterleaks() -> Scanner:
    """The successor of gitleaks, with its default rules."""
    scan_string = import_module("betterleaks").scan_string
    return lambda path: _by_line((one.location.start_line, one.rule_id) for one in scan_string(_text(path)))


def classifinder() -> Scanner:
    """classifinder-engine with its default patterns."""
    engine = import_module("classifinder_engine")

    def read(path: Path) -> Found:
        text = _text(path)
        return _by_line((text.count("\n", 0, one.span_start) + 1, one.type) for one in engine.scan(text))

    return read


def credsweeper() -> Scanner:
    """Samsung's CredSweeper with its learned filter."""
    sweeper = import_module("credsweeper.app").CredSweeper(use_filters=True, ml_batch_size=256, log_level="ERROR")
    provider = import_module("credsweeper.file_handler.text_content_provider").TextContentProvider
    manager = import_module("credsweeper.credentials.credential_manager").CredentialManager

    def read(path: Path) -> Found:
        sweeper.credential_manager = manager()
        sweeper.scan([provider(str(path))], None)
        sweeper.post_processing(None)
        found = sweeper.credential_manager.get_credentials()
        return _by_line((line.line_num, one.rule_name) for one in found for line in one.line_data_list)

    return read


SCANNERS: Mapping[str, Callable[[], Scanner]] = {
    "ours": lambda: ours,
    "ours, sure rules": lambda: ours_sure,
    "detect-secrets": detect_secrets,
    "bc-detect-secrets": detect_secrets,
    "betterleaks": betterleaks,
    "classifinder": classifinder,
    "credsweeper": credsweeper,
}


def measured(scanner: Scanner, times: int, seed: int, where: list[str]) -> dict[str, Any]:
    """Recall by rule and by context, and alarms on innocent texts. ``where`` collects what went wrong, without it."""
    random = Random(seed)
    cases = [*secret_cases.secrets(random, times), *secret_cases.innocents(random, times)]
    hits: dict[str, list[bool]] = defaultdict(list)
    contexts: dict[str, list[bool]] = defaultdict(list)
    named, alarms, lines = 0, Counter[str](), 0
    for case, rules in _found(scanner, cases):
        if case.rule:
            hits[case.rule].append(bool(rules))
            contexts[case.context].append(bool(rules))
            named += case.rule in rules
            if not rules:
                where.append(f"missed: {case.rule} in {case.context}")
        else:
            lines += 1
            alarms[case.context] += bool(rules)
            where.extend(f"alarm: {rule} in {case.context}" for rule in rules)
    everything = [hit for found in hits.values() for hit in found]
    return {
        "secrets": len(everything),
        "recall": _share(everything),
        "least_recall_of_a_rule": min(_share(found) for found in hits.values()),
        "named_by_their_rule": metrics.rounded(named / len(everything)),
        "by_rule": {rule: _share(found) for rule, found in hits.items()},
        "by_context_below_1": {name: _share(found) for name, found in contexts.items() if not all(found)},
        "innocents": {
            "lines": lines,
            "alarms_per_10000": metrics.rounded(LINES * alarms.total() / lines),
            "by_kind": {kind: count for kind, count in alarms.items() if count},
        },
    }


def _found(scanner: Scanner, cases: list[Case]) -> Iterator[tuple[Case, frozenset[str]]]:
    """Each case with the rules that found something in it; the cases of a kind of file stand in one file."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        kinds[case.suffix].append(case)
    with TemporaryDirectory() as folder:
        for suffix, group in kinds.items():
            path = Path(folder) / f"cases.{suffix}"
            path.write_bytes("".join(f"{case.text}\n\n" for case in group).encode("utf-8"))
            found, line = scanner(path), 1
            for case in group:
                end = line + case.text.count("\n")
                yield case, frozenset().union(*(found.get(number, ()) for number in range(line, end + 1)))
                line = end + 2


def alarms(scanner: Scanner, data: Path, where: list[str]) -> dict[str, Any]:
    """Lines of real notes and transcripts in which something was reported."""
    lines, loud, rules, bytes_read = 0, 0, Counter[str](), 0
    started = time.perf_counter()
    for path in _files(data):
        content = path.read_bytes()
        bytes_read += len(content)
        lines += content.count(b"\n") + 1
        found = scanner(path)
        loud += len(found)
        for line, names in found.items():
            rules.update(names)
            where.extend(f"alarm: {name} at {path.relative_to(data)}:{line}" for name in names)
    return {
        "files": sum(1 for _ in _files(data)),
        "lines": lines,
        "megabytes": round(bytes_read / 1e6, 1),
        "lines_with_an_alarm": loud,
        "alarms_per_10000": metrics.rounded(LINES * loud / lines) if lines else None,
        "by_rule": dict(rules.most_common()),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _files(data: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted(path for path in (data / folder).rglob("*") if path.is_file())


def _share(hits: list[bool]) -> float:
    return metrics.rounded(sum(hits) / len(hits))


def main(argv: list[str] | None = None) -> None:
    """Prints what each scanner finds."""
    parser = command.parser(__doc__)
    parser.set_defaults(data=DATA)
    parser.add_argument("--scanner", action="append", choices=list(SCANNERS), help="which to measure; ours by default")
    parser.add_argument("--times", type=int, default=4, help="bodies for each rule and context (default: 4)")
    parser.add_argument("--seed", type=int, default=1, help="what the made-up secrets begin from (default: 1)")
    parser.add_argument("--where", action="store_true", help="tell on stderr what was missed and where alarms are")
    given = parser.parse_args(argv)
    result: dict[str, Any] = {}
    for name in given.scanner or ["ours", "ours, sure rules"]:
        where: list[str] = []
        command.say(f"{name} …")
        scanner = SCANNERS[name]()
        result[name] = measured(scanner, given.times, given.seed, where)
        if any((given.data / folder).is_dir() for folder in FOLDERS):
            result[name]["real_texts"] = alarms(scanner, given.data, where)
        if given.where:
            for line, count in sorted(Counter(where).items()):
                command.say(f"  {line}" + (f" ({count} times)" if count > 1 else ""))
    command.answer("secrets", {"seed": given.seed, "times": given.times, "scanners": result})


if __name__ == "__main__":
    main()
