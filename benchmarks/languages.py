"""The same paragraphs and questions in English, Russian and Chinese, and questions in one about text in another.

Prints recall at 1, 5 and 10 and MRR for each set by language, and the same for words alone. A question has one
answer, so that recall@k is also the share of questions answered among the first k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, sets
from benchmarks.filled import FORMS, MODES, Mode, embedder
from benchmarks.retrieval import run

CUTS = (1, 5, 10)
SETS = (
    "xquad_en",
    "xquad_ru",
    "xquad_zh",
    "xquad_sent_en",
    "xquad_sent_ru",
    "xquad_sent_zh",
    "xquad_mixed",
)


def table(measured: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The figures of one way of searching: all questions, then each type."""
    rows = {"all": measured["overall"], **measured["by_type"]}
    wanted = [f"recall@{cut}" for cut in CUTS]
    return {name: {key: row[key] for key in ("n", *wanted, "mrr") if key in row} for name, row in rows.items()}


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS, help="names of the sets (default: all xquad sets)")
    parser.add_argument("--as", dest="form", choices=FORMS, default="chunks", help="store paragraphs as these")
    parser.add_argument("--mode", choices=MODES, default="default", help="default, sentence vectors only, words only")
    parser.add_argument("--embedder", default="packaged", help="as the setting models.embedder (default: packaged)")
    given = parser.parse_args(args)
    there = [name for name in given.sets if sets.exists(given.data, name)]
    if not there:
        command.skip("languages", f"None of {', '.join(given.sets)} is in {given.data}.")
        return
    mode: Mode = given.mode
    model = embedder(mode, given.embedder)
    result: dict[str, Any] = {}
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        for name in there:
            command.say(name)
            corpora = sets.read(given.data, name)
            measured = run(corpora, given.form, model, given.cache or Path(temporary) / name, floor=True, cuts=CUTS)
            result[name] = {
                "memories": measured["memories"],
                "ranking": table(measured),
                "floor": table(measured["floor"]),
                "brier": measured["calibration"].get("brier"),
                "brier_of_base_rate": measured["calibration"].get("brier_of_base_rate"),
                "search_ms": measured["search_ms"],
            }
    command.answer(
        "languages", {"mode": mode, "as": given.form, "model": model.name if model else None, "sets": result}
    )


if __name__ == "__main__":
    main()
