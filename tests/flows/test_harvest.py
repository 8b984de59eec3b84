"""What agents left for memory in the files of tasks (SM-38 … SM-40, XC-6, XC-20)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubjay import Memory
from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.operations.harvest import Candidate
from scrubjay.operations.harvest.proposing import memory_id, overlap, tier, title_of
from scrubjay.operations.indices import IndexEntry


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / "10-Memories").mkdir(parents=True)
    return tmp_path / "vault"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "code"
    (root / "specs" / "012_pools").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def harvesting(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(settings={"harvest.enabled": True})


def candidate(**values: object) -> dict[str, object]:
    return {
        "content": "Pools need a cap. More text follows here.",
        "category": "PATTERN",
        "source_artifact": "specs/012_pools/reports/01_pools.md",
        "confidence": 0.9,
        "suggested_keywords": ["pool", "cap"],
        **values,
    }


def leave(project: Path, *candidates: object, folder: str = "specs/012_pools", **more: object) -> Path:
    path = project / folder / ".return-meta.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"status": "implemented", "memory_candidates": candidates, **more}), "utf-8")
    return path


def put(vault: Path, id: str, keywords: str, body: str = "T.", status: str = "active") -> None:
    (vault / "10-Memories" / f"{id}.md").write_text(
        f'---\ntitle: "{id} title"\ncreated: 2026-11-01\ntags: [PATTERN]\ntopic: "web"\nkeywords: [{keywords}]\n'
        f"status: {status}\n---\n\n# {id}\n\n{body}\n",
        "utf-8",
    )


def one(**values: object) -> Candidate:
    base: dict[str, object] = {
        "content": "C.", "category": "PATTERN", "confidence": 0.9, "keywords": ("a",), "artifact": "r.md", "task": "1",
        "found": "specs/1_x/.return-meta.json",
    }  # fmt: skip
    return Candidate(**{**base, **values})  # type: ignore[arg-type]


def test_sm38_a_task_that_only_the_state_knows_is_read_and_an_unknown_one_is_an_error(
    harvesting: Memory, project: Path
) -> None:
    state = {"active_projects": [{"project_number": 40, "memory_candidates": [candidate()]}, {"project_number": 41}]}
    (project / "specs/state.json").write_text(json.dumps(state), "utf-8")
    assert len(harvesting.harvest(40).proposals) == 1
    assert harvesting.harvest(41).proposals == ()
    with pytest.raises(NotFound, match="specs/042_"):
        harvesting.harvest(42)


@pytest.mark.parametrize(
    "content",
    ["```\nAn open fence.", "<!-- an open comment", "~~~\n\n## History", "# H\n\n---\ntitle: x\n---", "\ud800 a"],
)
@pytest.mark.parametrize("archive", [False, True])
def test_f22_harvesting_again_proposes_nothing_whatever_the_text(
    harvesting: Memory, project: Path, content: str, archive: bool
) -> None:
    leave(project, candidate(content=content))
    plan = harvesting.harvest(12, archive=archive)
    assert harvesting.apply(plan.decide("recommended")).memories_affected == 1
    again = harvesting.harvest(12, archive=archive)
    assert again.proposals == () and "says this already" in again.content.skipped[0].reason


# --- whether, and from where ------------------------------------------------------------------------------------


def test_xc20_harvesting_is_off_unless_switched_on(memory: Memory, project: Path) -> None:
    leave(project, candidate())
    with pytest.raises(Refused, match="switched off"):
        memory.harvest(12)


def test_sm38_candidates_come_from_task_folders_and_the_state_each_once(harvesting: Memory, project: Path) -> None:
    state = {
        "active_projects": [
            {"project_number": 12, "memory_candidates": [candidate(), candidate(content="Only in the state.")]},
            {"project_number": 13, "memory_candidates": [candidate(content="Of another task.")]},
            {"project_number": 0, "memory_candidates": [candidate(content="Of task zero.")]},
            7,
        ]
    }
    (project / "specs/state.json").write_text(json.dumps(state), "utf-8")
    leave(project, candidate())
    leave(project, candidate(content="From deeper down."), folder="specs/012_pools/plans/a")
    assert [each.body for each in harvesting.harvest(12).proposals] == [
        "Pools need a cap. More text follows here.",
        "From deeper down.",
        "Only in the state.",
    ]
    assert len(harvesting.harvest().proposals) == 5
    assert [each.body for each in harvesting.harvest(13).proposals] == ["Of another task."]
    assert [each.body for each in harvesting.harvest(0).proposals] == ["Of task zero."]


def test_sm14_archived_and_renumbered_folders_are_found(harvesting: Memory, project: Path) -> None:
    leave(project, candidate(content="Archived."), folder="specs/archive/007_old")
    leave(project, candidate(content="Other."), folder="specs/OC_9_other")
    assert harvesting.harvest(7, archive=True).proposals[0].body == "Archived."
    assert harvesting.harvest(9).proposals[0].topic == "task-9"


def test_without_tasks_there_is_a_clear_error(
    harvesting: Memory, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound, match="Task directory not found: specs/099_\\*"):
        harvesting.harvest(99)
    with pytest.raises(BadInput):
        harvesting.harvest("../..")  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match="no specs/ folder"):
        harvesting.harvest()


def test_harvesting_writes_nothing_anywhere(harvesting: Memory, project: Path, vault: Path) -> None:
    leave(project, candidate(), candidate(content="Second."))
    before = {path: path.read_bytes() for root in (project, vault) for path in root.rglob("*") if path.is_file()}
    plan = harvesting.harvest(12)
    harvesting.harvest(12, archive=True)
    assert {
        path: path.read_bytes() for root in (project, vault) for path in root.rglob("*") if path.is_file()
    } == before
    harvesting.apply(plan.decide("recommended", by="--yes"))
    assert all(path.read_bytes() == content for path, content in before.items() if project in path.parents)


# --- a task at work (SM-39) -------------------------------------------------------------------------------------


def test_sm39_what_an_agent_is_sure_of_is_proposed(harvesting: Memory, project: Path, vault: Path) -> None:
    leave(project, candidate(), candidate(confidence=0.69, content="Unsure."))
    plan = harvesting.harvest(12)
    [proposal] = plan.proposals
    assert (plan.mode, proposal.origin, proposal.action) == ("harvest", "harvest", "CREATE")
    assert (proposal.title, proposal.topic, proposal.category) == ("Pools need a cap.", "task-12", "PATTERN")
    assert proposal.source == "specs/012_pools/reports/01_pools.md"
    assert "90%" in proposal.rule
    assert [each.reason for each in plan.content.skipped] == ["“Unsure.”: confidence 0.69 is below 0.7."]
    done = harvesting.apply(plan.decide("recommended", by="--yes"))
    assert [each.memory_id for each in done.done] == ["MEM-pattern-pool-cap"] and done.by == "--yes"
    text = (vault / "10-Memories/MEM-pattern-pool-cap.md").read_text("utf-8")
    assert 'source: "specs/012_pools/reports/01_pools.md"' in text and "keywords: [pool, cap]" in text
    assert harvesting.harvest(12).proposals == ()
    harvesting.undo()
    assert not (vault / "10-Memories/MEM-pattern-pool-cap.md").exists()


def test_sm39_exactly_the_threshold_counts(harvesting: Memory, project: Path) -> None:
    leave(project, candidate(confidence=0.7), candidate(confidence=1, content="One."))
    assert len(harvesting.harvest(12).proposals) == 2


@pytest.mark.parametrize(
    ("category", "keywords", "id"),
    [
        ("PATTERN", (), "MEM-pattern-unknown-general"),
        ("CONFIG", ("one",), "MEM-config-one-general"),
        ("", ("a", "b", "c"), "MEM-insight-a-b"),
        ("WORKFLOW", ("Connection Pool", "C++"), "MEM-workflow-connection-pool-c"),
        ("INSIGHT", ("Кеш", "版本"), "MEM-insight-кеш-版本"),
        ("INSIGHT", ("../../etc", "///"), "MEM-insight-etc-unknown"),
    ],
)
def test_sm39_the_id_is_made_of_category_and_keywords(category: str, keywords: tuple[str, ...], id: str) -> None:
    assert memory_id(one(category=category, keywords=keywords)) == id


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=3))
def test_sm39_an_id_is_always_a_name_that_the_gate_takes(category: str, keywords: list[str]) -> None:
    from scrubjay.operations.gate.steps import _ID
    from scrubjay.vaults.paths import check_writable

    id = memory_id(one(category=category, keywords=tuple(keywords)))
    assert _ID.fullmatch(id)
    check_writable(f"10-Memories/{id}.md")


def test_sm39_a_known_id_is_left_out(harvesting: Memory, project: Path, vault: Path) -> None:
    put(vault, "MEM-pattern-pool-cap", "x", body="About something else entirely.")
    put(vault, "MEM-config-flag-port", "x", status="tombstoned")
    harvesting.sync()
    leave(project, candidate(), candidate(content="F.", category="CONFIG", suggested_keywords=["flag", "port"]))
    plan = harvesting.harvest(12)
    assert plan.proposals == ()
    assert [each.reason for each in plan.content.skipped] == [
        "“Pools need a cap.”: MEM-pattern-pool-cap is there already.",
        "“F.”: MEM-config-flag-port is there already, retired.",
    ]


def test_f15_a_known_id_that_says_another_number_is_not_passed_over(
    harvesting: Memory, project: Path, vault: Path
) -> None:
    put(vault, "MEM-pattern-pool-cap", "x", body="The pool of the server is capped at 20 connections.")
    harvesting.sync()
    leave(project, candidate(content="The pool of the server is capped at 50 connections."))
    [proposal] = harvesting.harvest(12).proposals
    assert (proposal.action, proposal.targets[0].id) == ("EXTEND", "MEM-pattern-pool-cap")
    assert any("20" in caution and "50" in caution for caution in proposal.cautions)


def test_f22_what_a_memory_says_word_for_word_is_left_out_whatever_its_id(
    harvesting: Memory, project: Path, vault: Path
) -> None:
    put(vault, "MEM-other", "x", body="Intro.\n\nPools need a cap. More text follows here.")
    harvesting.sync()
    leave(project, candidate())
    for archive in (False, True):
        plan = harvesting.harvest(12, archive=archive)
        assert plan.proposals == () and "MEM-other says this already" in plan.content.skipped[0].reason


def test_two_candidates_of_one_id_are_two_memories_that_know_of_each_other(
    harvesting: Memory, project: Path, vault: Path
) -> None:
    leave(project, candidate(), candidate(content="Another thing about pools."))
    plan = harvesting.harvest(12)
    assert plan.proposals[0].cautions == () and "seg-001 would be called" in plan.proposals[1].cautions[0]
    done = harvesting.apply(plan.decide("recommended"))
    assert [each.memory_id for each in done.done] == ["MEM-pattern-pool-cap", "MEM-pattern-pool-cap-2"]
    assert harvesting.harvest(12).proposals == ()


@pytest.mark.parametrize(
    ("content", "length", "title"),
    [
        ("Pools need a cap. More.", 80, "Pools need a cap."),
        ("# Heading\n\nBody.", 80, "Heading"),
        ("连接池需要上限。其余文字。", 80, "连接池需要上限。"),
        ("Нужен лимит! Иначе упадёт.", 80, "Нужен лимит!"),
        ("x" * 100, 80, "x" * 80),
        ("ab" + "👨‍👩‍👧‍👦" * 3, 8, "ab"),
        ("```sh\nmake all\n```", 60, "make all"),
    ],
)
def test_sm39_the_title_is_the_first_sentence_cut_between_characters(content: str, length: int, title: str) -> None:
    assert title_of(content, length) == title


# --- a finished task (SM-40) ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "confidence", "number"),
    [
        ("PATTERN", 0.8, 1), ("CONFIG", 0.95, 1), ("PATTERN", 0.79, 2), ("WORKFLOW", 0.5, 2), ("TECHNIQUE", 0.99, 2),
        ("TECHNIQUE", 0.49, 3), ("INSIGHT", 1.0, 3), ("", 1.0, 3), ("STANDARD", 0.9, 3), ("PATTERN", 0.4, 3),
    ],
)  # fmt: skip
def test_sm40_tiers(category: str, confidence: float, number: int) -> None:
    assert tier(one(category=category, confidence=confidence)) == number


def test_sm40_overlap_is_the_share_of_suggested_keywords() -> None:
    entry = IndexEntry(id="MEM-a", path="p", keywords=("Alpha", "beta", "gamma"))
    assert overlap(one(keywords=("alpha", "BETA", "x", "y")), entry) == 0.5
    assert overlap(one(keywords=()), entry) == 0.0


def test_sm40_a_finished_task_is_compared_with_the_vault(harvesting: Memory, project: Path, vault: Path) -> None:
    put(vault, "MEM-a", "k1, k2, k3, k4, k5, k6, k7, k8, k9, k10")
    put(vault, "MEM-gone", "z1, z2", status="tombstoned")
    harvesting.sync()
    words = [f"k{number}" for number in range(1, 9)]
    leave(
        project,
        candidate(content="Known.", suggested_keywords=words),
        candidate(content="Partly known.", suggested_keywords=[*words[:5], "x", "y"]),
        candidate(content="Sixty.", suggested_keywords=["k1", "k2", "k3", "x", "y"]),
        candidate(content="New.", suggested_keywords=["z1", "z2"]),
        candidate(content="Offered.", category="WORKFLOW", confidence=0.6, suggested_keywords=["x"]),
        candidate(content="Hidden.", category="INSIGHT", suggested_keywords=["x"]),
    )
    plan = harvesting.harvest(12, archive=True)
    assert [(each.body, each.action) for each in plan.proposals] == [
        ("Known.", "SKIP"),
        ("Partly known.", "UPDATE"),
        ("Sixty.", "CREATE"),
        ("New.", "CREATE"),
        ("Offered.", "SKIP"),
    ]
    update = plan.proposals[1]
    assert update.targets[0].id == "MEM-a" and "71%" in update.rule and "goes into the history" in update.cautions[-1]
    assert (update.topic, update.source) == ("pattern", "Task 12: specs/012_pools/reports/01_pools.md")
    offered = plan.proposals[4]
    assert "Offered, not recommended" in offered.rule and "CREATE" in offered.choices
    assert plan.content.notices == ("1 less certain candidate is not shown.",)
    everything = harvesting.harvest(12, archive=True, everything=True)
    assert [each.body for each in everything.proposals][-1] == "Hidden." and everything.content.notices == ()


def test_f15_a_known_topic_with_another_number_is_an_update(harvesting: Memory, project: Path, vault: Path) -> None:
    put(vault, "MEM-a", "port, server", body="The server listens on port 8080.")
    harvesting.sync()
    leave(project, candidate(content="The server listens on port 8081.", suggested_keywords=["port", "server"]))
    [proposal] = harvesting.harvest(12, archive=True).proposals
    assert proposal.action == "UPDATE" and any("8080" in caution for caution in proposal.cautions)


def test_sm40_the_title_has_sixty_characters(harvesting: Memory, project: Path) -> None:
    leave(project, candidate(content="w" * 90))
    assert len(harvesting.harvest(12, archive=True).proposals[0].title) == 60


# --- hostile files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"{", b"[1]", b"null", b"", b'{"memory_candidates": {"a": 1}}', b"[" * 100_000, b'{"a":' * 100_000, b"\x00",
        b"\xff\xfe{}", b'{"memory_candidates": "text"}', b'{"memory_candidates": [[], null, "x", 1]}',
        b'{"memory_candidates": [{"content": "C.", "confidence": ' + b"9" * 400 + b"}]}",
        b'{"memory_candidates": [{"content": "C.", "confidence": NaN}]}',
        b'{"memory_candidates": [{"content": "C.", "confidence": true}]}',
        b'{"memory_candidates": [{"content": "C.", "confidence": "high"}]}',
        b'{"memory_candidates": [{"content": ["C."], "confidence": 0.9}]}',
        b'{"memory_candidates": [{"confidence": 0.9}]}',
        b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
    ],
)  # fmt: skip
def test_foreign_json_is_read_with_care(harvesting: Memory, project: Path, data: bytes) -> None:
    leave(project).write_bytes(data)
    (project / "specs/state.json").write_bytes(data)
    assert harvesting.harvest(12).proposals == ()
    assert harvesting.harvest(archive=True).proposals == ()


def test_a_byte_order_mark_is_no_error(harvesting: Memory, project: Path) -> None:
    path = leave(project, candidate())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(harvesting.harvest(12).proposals) == 1


def test_what_is_no_file_of_the_project_is_left_out(harvesting: Memory, project: Path, tmp_path: Path) -> None:
    """Links, pipes and folders under the names are named with the reason, and a pipe never blocks."""
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"memory_candidates": [candidate(content="Outside.")]}), "utf-8")
    (project / "specs/012_pools/.return-meta.json").symlink_to(outside)
    (project / "specs/013_linked").symlink_to(tmp_path)
    (project / "specs/014_pipe").mkdir()
    os.mkfifo(project / "specs/014_pipe/.return-meta.json")
    (project / "specs/015_folder/.return-meta.json").mkdir(parents=True)
    (project / "specs/state.json").symlink_to(outside)
    plan = harvesting.harvest()
    assert plan.proposals == ()
    assert [each.path for each in plan.content.skipped] == [
        "specs/012_pools/.return-meta.json",
        "specs/014_pipe/.return-meta.json",
        "specs/015_folder/.return-meta.json",
        "specs/state.json",
    ]


def test_large_files_many_candidates_and_deep_folders_have_an_end(harvesting: Memory, project: Path) -> None:
    leave(project, candidate(), padding="x" * (9 * 1024 * 1024))
    assert "larger than 8 MB" in harvesting.harvest(12).content.skipped[0].reason
    leave(project, *(candidate(content=f"Thing {number}.") for number in range(500)))
    leave(project, *(candidate(content=f"More {number}.") for number in range(150)), folder="specs/012_pools/a")
    plan = harvesting.harvest(12)
    assert len(plan.proposals) == 200 and "more candidates were not looked at" in plan.content.notices[0]
    deep = "/".join(["d"] * 200)
    leave(project, candidate(content="Too deep."), folder=f"specs/013_deep/{deep}")
    assert harvesting.harvest(13).proposals == ()


def test_strange_fields_become_harmless(harvesting: Memory, project: Path, vault: Path) -> None:
    leave(
        project,
        candidate(
            content="Say\u202e hi\x1b[2J.\r\nLine two \ud800 end.",
            category="[pattern]\nstatus: tombstoned",
            source_artifact="a\nkind: fact\n---\n" + "b" * 1_000,
            suggested_keywords=["a\nb", 7, None, "A B", "x" * 500, ""],
        ),
        candidate(content="Words as text.", suggested_keywords="alpha, beta"),
    )
    plan = harvesting.harvest(12)
    first, second = plan.proposals
    assert first.body == "Say hi[2J.\nLine two \ufffd end."
    assert (first.category, first.key_terms[0]) == ("PATTERN", "a b") and "\n" not in first.source
    assert len(first.source) <= 300 and second.key_terms == ("alpha", "beta")
    done = harvesting.apply(plan.decide("recommended"))
    assert len(done.done) == 2 and not done.refused
    assert harvesting.harvest(12).proposals == ()


def test_sec2_a_secret_is_taken_out_and_pointed_out(harvesting: Memory, project: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    leave(project, candidate(content=f"Push with the token {token} to the registry.", suggested_keywords=[token, "ci"]))
    [proposal] = harvesting.harvest(12).proposals
    assert token not in repr(proposal) and "‹redacted:" in proposal.body
    assert "looks like a secret" in proposal.cautions[-1]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["content", "category", "confidence", "suggested_keywords", "source_artifact", "x"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(JSON, max_size=5))
def test_any_json_gives_a_plan_that_the_gate_can_carry_out(harvesting: Memory, project: Path, values: list) -> None:
    leave(project, *values)
    for archive in (False, True):
        plan = harvesting.harvest(12, archive=archive, everything=True)
        assert not harvesting.apply(plan.decide("recommended")).refused
