"""Each benchmark is a command that prints one JSON object, and says so when there is nothing to measure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import abstention, corpus, ingest, languages, learn, notebook, retrieval, sets, speed
from scrubjay import Memory
from scrubjay.testing import HashEmbedder

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("benchmark", "args"),
    [
        (retrieval, ["--set", "tiny"]),
        (abstention, ["--set", "tiny"]),
        (languages, []),
        (speed, []),
        (learn, []),
    ],
)
def test_without_data_nothing_is_measured(
    benchmark: Any, args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark.main([*args, "--data", str(tmp_path)])
    printed = capsys.readouterr()
    assert str(tmp_path) in json.loads(printed.out)["skipped"]
    assert str(tmp_path) in printed.err


def test_retrieval_by_words(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    retrieval.main(["--data", str(data), "--set", "tiny", "--mode", "lexical", "--floor"])
    result = json.loads(capsys.readouterr().out)
    assert (result["benchmark"], result["set"], result["model"]) == ("retrieval", "tiny", None)
    assert (result["corpora"], result["memories"], result["questions"], result["without_evidence"]) == (2, 9, 7, 1)
    assert result["overall"]["n"] == 6
    assert result["overall"]["recall@10"] == result["overall"]["all@10"] == 1
    assert set(result["by_type"]) == {"single", "temporal", "multi"}
    assert result["excluded"]["n"] == 1
    assert result["calibration"]["n"] >= 6
    assert len(result["calibration"]["table"]) == 10
    assert result["floor"]["overall"] == result["overall"], "without a model the floor is the ranking"


def test_retrieval_with_sentence_vectors(data: Path, tmp_path: Path) -> None:
    result = retrieval.run(sets.read(data, "tiny"), "facts", HashEmbedder(), tmp_path / "cache", floor=True)
    assert result["overall"]["n"] == result["floor"]["overall"]["n"] == 6
    assert result["overall"]["recall@20"] == 1
    assert list((tmp_path / "cache").glob("south-facts-*/names.json"))


def test_abstention(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    abstention.main(["--data", str(data), "--set", "tiny", "--mode", "lexical"])
    result = json.loads(capsys.readouterr().out)
    assert result["own_corpus"]["n"] == result["other_corpus"]["n"] == 5
    assert result["own_corpus"]["hit@10_without_abstention"] == 1
    assert result["own_corpus"]["hit@10_with_abstention"] <= 1
    assert result["marked_unanswerable"]["n"] == 1
    assert result["small_store"]["unrelated"]["n"] == 20


def test_one_corpus_is_too_few_for_abstention(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    abstention.main(["--data", str(data), "--set", "tiny", "--limit-corpora", "1"])
    assert "one corpus" in json.loads(capsys.readouterr().out)["skipped"]


def test_languages(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    languages.main(["--data", str(data), "--sets", "tiny", "absent", "--mode", "lexical"])
    result = json.loads(capsys.readouterr().out)
    assert list(result["sets"]) == ["tiny"]
    assert result["sets"]["tiny"]["ranking"]["all"].keys() == {"n", "recall@1", "recall@5", "recall@10", "mrr"}


def test_concurrency_in_processes_of_their_own() -> None:
    result = _command("concurrency", "--writers", "2", "--writes", "3", "--readers", "1")
    together = result["together"]
    assert together["acknowledged"] == 6
    assert together["missing_in_the_index"] == together["missing_after_a_rebuild"] == 0
    assert together["write_errors"] == together["read_errors"] == []
    assert together["searches"] >= 1
    assert set(result["together_to_alone"]) == {"p50", "p95", "writes_per_second"}


def test_speed_copies_vectors_beyond_what_is_embedded(data: Path, tmp_path: Path) -> None:
    model = speed.PartlyReal(HashEmbedder(), 7)
    with Memory.open(
        tmp_path / "vault",
        home=tmp_path / "home",
        embedder=model,
        background=False,
        settings={"extract.enabled": False},
    ) as memory:
        for session in corpus.conversations(corpus.sources(data), 200):
            memory.ingest(session)
        report = memory.drain()
    assert (report.stored, report.waiting, report.error) == (200, 0, "")
    assert model.embedded == 29  # every seventh, from the first on
    assert model.copied == 171


def test_learn_maps_and_matches_the_same_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        text = "".join(
            f"## Section {part}\n\nPools keep connections open. {'Queries wait. ' * 40}\n\n" for part in range(9)
        )
        (tmp_path / f"{number}.md").write_text(f"# Pools {number}\n\n{text}", encoding="utf-8")
    learn.main(["--data", str(tmp_path), "--files", "2", "--notes", "3"])
    result = json.loads(capsys.readouterr().out)
    assert (result["files"], result["notes"], result["deterministic"]) == (2, 3, True)
    assert result["segments"] == sum(result["proposals"].values()) > 20
    assert result["ratio"].keys() == {"map", "map_and_match"}
    assert result["peak_mb"]["after_match"] > 0


def _command(name: str, *args: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    line = [sys.executable, "-m", f"benchmarks.{name}", *args]
    done = subprocess.run(line, env=environment, cwd=ROOT, capture_output=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_ingest_reads_and_stores_every_message(capsys: pytest.CaptureFixture[str]) -> None:
    ingest.main(["--megabytes", "0.2"])
    result = json.loads(capsys.readouterr().out)
    assert result["counts_equal"] is True
    assert result["store"]["again_added"] == 0
    assert result["read"]["peak_memory_mb"] > 0


def test_notebook_measures_whole_processes(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.main(["--files", "3", "--runs", "1"])
    result = json.loads(capsys.readouterr().out)
    assert (result["benchmark"], result["files"]) == ("notebook", 3)
    assert set(result["to_bare"]) == {"import_warm", "manifest_warm", "manifest_cold", "load_warm", "load_cold"}
    assert result["bare_ms"]["cpu"] > 0
