"""Field cases at the gate: nothing is lost, nothing is dropped as a duplicate that is none, nothing happens twice.

Each runs through ``Memory`` as a user would: learn, decide, apply, undo.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Decision, Memory
from scrubjay.operations.gate import applying
from scrubjay.operations.learn import planning
from scrubjay.proposals import Applied, Plan
from scrubjay.vaults.documents import receipt
from tests.flows.segments import snapshot, store_of

RETRY = "Retry failed requests with exponential backoff and jitter, never forever."
NEWER = "Retry failed requests with exponential backoff and jitter, at most 5 times."


def learn(memory: Memory, text: str, answer: Decision | str = "recommended") -> Applied:
    return memory.apply(memory.learn(text).decide({"seg-001": answer}))


def memories(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "vault" / "10-Memories"
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("MEM-*.md"))}


def only(tmp_path: Path) -> str:
    found = memories(tmp_path)
    assert len(found) == 1, sorted(found)
    return next(iter(found.values()))


def test_f1_a_batch_over_forty_memories_waits_for_consent_and_comes_back_whole(memory: Memory, tmp_path: Path) -> None:
    """F1: nothing happens without a decision; what happens is in the journal, with a receipt, and one undo away."""
    source = tmp_path / "source"
    source.mkdir()
    for number in range(40):
        (source / f"n{number}.md").write_text(
            f"# Topic{number}\n\nAlpha{number} bravo{number} charlie{number}.\n", encoding="utf-8"
        )
    memory.apply(memory.learn(source).decide("CREATE"))
    for number in range(40):
        (source / f"n{number}.md").write_text(
            f"# Topic{number}\n\nAlpha{number} bravo{number} charlie{number} new.\n", encoding="utf-8"
        )
    before = memories(tmp_path)
    assert len(before) == 40
    plan = memory.learn(source)
    assert {proposal.action for proposal in plan.proposals} == {"UPDATE"}
    nothing = memory.apply(plan)
    assert (nothing.memories_affected, nothing.operations, len(nothing.waiting)) == (0, (), 40)
    assert memories(tmp_path) == before
    applied = memory.apply(plan.decide("recommended", by="--yes"))
    assert (applied.memories_affected, len(applied.operations), applied.by) == (40, 1, "--yes")
    assert (tmp_path / "vault" / receipt.path_for(applied.operations[0])).is_file()
    memory.undo()
    assert memories(tmp_path) == before


def test_f2_a_proposal_leaves_the_inbox_only_when_its_memory_is_there(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F2: the writer fails; nothing is retired, and the status says so."""
    memory.keep(memory.learn(RETRY))
    before = snapshot(tmp_path / "vault")

    def refuse(*_: object) -> object:
        from scrubjay.errors import Unavailable

        raise Unavailable("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(applying.steps, "create", refuse)
        applied = memory.decide("1", "recommended")
    assert (applied.status, applied.memories_affected, applied.done) == ("partial", 0, ())
    assert snapshot(tmp_path / "vault") == before
    assert memory.decide("1", "recommended").memories_affected == 1
    assert memory.inbox() == []


def test_f4_a_shorter_text_never_makes_facts_vanish(memory: Memory, tmp_path: Path) -> None:
    facts = [f"- Retry requests with backoff and jitter, rule {number} of ten." for number in range(10)]
    learn(memory, "\n".join(facts), "CREATE")
    shorter = "\n".join(facts[:2]) + "\n- Retry requests with backoff and jitter, rule eleven."
    plan = memory.learn(shorter)
    assert any("the history" in caution for caution in plan.proposals[0].cautions)
    refused = memory.apply(plan.decide("UPDATE", by="--yes")).refused
    assert "3 lines would take the place of 10" in refused[0][1]
    memory.apply(plan.decide("UPDATE"))
    assert all(fact in only(tmp_path) for fact in facts)


def test_f5_a_text_with_a_placeholder_is_refused_and_nothing_is_lost(memory: Memory, tmp_path: Path) -> None:
    learn(memory, RETRY, "CREATE")
    before = only(tmp_path)
    for gap in ("[rest unchanged…]", "... rest of the text ...", "（其余不变）", "[остальное без изменений]"):
        applied = learn(memory, f"{NEWER}\n\n{gap}", "UPDATE")
        assert applied.memories_affected == 0
        assert gap in applied.refused[0][1]
    assert only(tmp_path) == before


def test_f6_whatever_a_plan_says_nothing_outside_the_vault_is_touched(memory: Memory, tmp_path: Path) -> None:
    from scrubjay.operations.learn import exchange

    (tmp_path / "work.txt").write_text("uncommitted work", encoding="utf-8")
    before = snapshot(tmp_path)
    text = exchange.to_json(memory.learn(RETRY).decide("CREATE"))
    for wrong in ('"memory_id": "../../work"', '"memory_id": "/etc/x"'):
        plan = exchange.from_json(text.replace('"memory_id": ""', wrong))
        assert memory.apply(plan).refused
    plan = exchange.from_json(text.replace('"path": "",\n      "id"', '"path": "../work.txt",\n      "id"'))
    assert memory.apply(plan).refused
    assert snapshot(tmp_path) == before


def test_f7_following_the_hint_after_a_conflict_works_and_destroys_nothing(memory: Memory, tmp_path: Path) -> None:
    """F7, F30, F108: the file is named, left alone, mended by hand, and the same proposal is accepted."""
    path = tmp_path / "vault" / learn(memory, RETRY, "CREATE").done[0].path
    whole = path.read_text(encoding="utf-8")
    memory.keep(memory.learn(NEWER))
    torn = whole.replace(f"\n{RETRY}\n", f"\n<<<<<<< HEAD\n{RETRY}\n=======\nMine.\n>>>>>>> theirs\n")
    path.write_text(torn, encoding="utf-8")
    refused = memory.decide("1", "recommended").refused
    assert "unresolved merge-conflict marker" in refused[0][1]
    assert "Mend the file in an editor, then decide again." in refused[0][1]
    assert path.read_text(encoding="utf-8") == torn
    path.write_text(whole.replace(f"\n{RETRY}\n", f"\n{RETRY}\nMine.\n"), encoding="utf-8")
    assert len(memory.decide("1", "recommended").stale) == 1  # it changed: look again first
    assert memory.decide("1", "UPDATE").memories_affected == 1
    assert "Mine." in path.read_text(encoding="utf-8")
    assert memory.inbox() == []


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("port 8080 for svc A", "port 8081 for svc A"),
        ("Build 4711 broke the login page.", "Build 4712 broke the login page."),
        ("порт 8080 у сервиса А", "порт 8081 у сервиса А"),
        ("服务A使用端口8080", "服务A使用端口8081"),
    ],
)
def test_f15_other_digits_are_never_skipped_and_the_reply_names_what_was_done(
    memory: Memory, tmp_path: Path, known: str, new: str
) -> None:
    learn(memory, known, "CREATE")
    plan = memory.learn(new)
    assert plan.proposals[0].action != "SKIP"
    applied = memory.apply(plan.decide("recommended"))
    assert applied.memories_affected == 1
    assert applied.done[0].action in ("UPDATE", "CREATE", "EXTEND")
    assert new in "\n".join(memories(tmp_path).values())
    assert known in "\n".join(memories(tmp_path).values())


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Production deployment is allowed", "Production deployment is not allowed"),
        ("Деплой в продакшен разрешён", "Деплой в продакшен не разрешён"),
        ("允许部署到生产环境", "不允许部署到生产环境"),
    ],
)
def test_f16_a_negated_correction_is_proposed_as_an_update_with_its_contradiction(
    memory: Memory, tmp_path: Path, known: str, new: str
) -> None:
    learn(memory, known, "CREATE")
    proposal = memory.learn(new).proposals[0]
    assert proposal.action == "UPDATE"
    assert "says the opposite" in " ".join(proposal.cautions)
    learn(memory, new)
    assert f"\n{new}\n" in only(tmp_path).partition("## History")[0]


def test_f19_similar_memories_are_candidates_and_never_overwritten_by_a_score(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """F19: four rewrites among many notes: shown with their scores; only the rule on key terms recommends."""
    memory = open_memory()
    store = store_of(memory)
    for number in range(30):
        learn(memory, f"Note{number} speaks of harbour{number} and lighthouse{number} in words of its own.", "CREATE")
    before = memories(tmp_path)
    rewrites = [f"Quay{number} wharf{number} mooring{number} jetty{number}." for number in range(4)]
    for number, text in enumerate(rewrites):
        path = f"10-Memories/{sorted(before)[number]}"
        plan = planning.plan(store, memory.learn(text).content, recall=lambda _, path=path: [(path, 0.97)])
        assert plan.proposals[0].action == "CREATE"
        assert (path, 0.97) in [(one.path, one.score) for one in plan.proposals[0].related]
        memory.apply(plan.decide("recommended"))
    assert {name: text for name, text in memories(tmp_path).items() if name in before} == before


def test_f20_love_then_hate_leaves_the_new_word_and_the_old_one_as_history(memory: Memory, tmp_path: Path) -> None:
    learn(memory, "I love Chinese food.", "CREATE")
    learn(memory, "I hate Chinese food.")
    now, history, before = only(tmp_path).partition("## History")
    assert "I hate Chinese food." in now and "I love" not in now.partition("# ")[2].partition("\n")[2]
    assert history and "I love Chinese food." in before


def test_f21_f22_the_same_text_three_times_is_one_memory(memory: Memory, tmp_path: Path) -> None:
    first = learn(memory, RETRY, "CREATE")
    for answer in ("recommended", "CREATE", "UPDATE"):
        plan = memory.learn(RETRY)
        assert plan.proposals[0].action == "SKIP"
        assert "Already known" in plan.proposals[0].rule
        again = memory.apply(plan.decide({"seg-001": answer}))
        assert (again.memories_affected, again.operations) == (0, ())
        assert again.done[0].memory_id == first.done[0].memory_id
    assert RETRY in only(tmp_path)


def test_f23_one_matcher_decides_and_the_result_is_always_one_of_four(memory: Memory) -> None:
    learn(memory, RETRY, "CREATE")
    texts = [RETRY, NEWER, "Retry.", "Bananas ripen.", RETRY + " " + NEWER, "8080", "не", "。", RETRY.upper()]
    for text in texts:
        proposal = memory.learn(text).proposals[0]
        assert proposal.action in ("CREATE", "UPDATE", "EXTEND", "SKIP")
        applied = memory.apply(memory.learn(text).decide("recommended"))
        assert len(applied.done) == 1
        assert (applied.refused, applied.stale) == ((), ())
        assert applied.done[0].action in ("CREATE", "UPDATE", "EXTEND", "SKIP")


@pytest.mark.parametrize(
    "front", ['title: "a #b"', "title: a #b", "title: a # b\nlist:\n  - one # two", "title: 'it''s'\nx: {a: 1}"]
)
def test_f30_an_update_keeps_every_other_byte_of_the_frontmatter(memory: Memory, tmp_path: Path, front: str) -> None:
    place = tmp_path / "vault" / "10-Memories" / "MEM-odd.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"---\n{front}\nmodified: 2026-01-01\n---\n\n# A\n\n{RETRY}\n", encoding="utf-8", newline="")
    memory.sync()
    learn(memory, NEWER, Decision(action="UPDATE", target="MEM-odd"))
    text = place.read_text(encoding="utf-8")
    assert text.startswith(f"---\n{front}\nmodified: 2")
    assert NEWER in text.partition("## History")[0]


@pytest.mark.parametrize(
    "front", ['title: "open', "a: 1\n---\n---\nb: 2", "a: 1\na: 2", "a: *alias", "<<<<<<< HEAD\na: 1"]
)
def test_f30_f108_what_cannot_be_read_is_reported_and_left(memory: Memory, tmp_path: Path, front: str) -> None:
    place = tmp_path / "vault" / "10-Memories" / "MEM-odd.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    text = f"---\n{front}\n---\n\n# A\n\n{RETRY}\n"
    place.write_text(text, encoding="utf-8", newline="")
    memory.sync()
    for action in ("UPDATE", "EXTEND"):
        applied = learn(memory, NEWER, Decision(action=action, target="MEM-odd"))
        assert "10-Memories/MEM-odd.md, line " in applied.refused[0][1]
    assert place.read_text(encoding="utf-8") == text


def test_f54_what_was_written_while_somebody_thought_is_kept(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "vault" / learn(memory, RETRY, "CREATE").done[0].path
    plan = memory.learn(NEWER)
    text = path.read_text(encoding="utf-8").replace(f"\n{RETRY}\n", f"\n{RETRY}\n\nWritten meanwhile.\n")
    path.write_text(text, encoding="utf-8")
    applied = memory.apply(plan.decide("recommended"))
    assert (applied.done, len(applied.stale), applied.status) == ((), 1, "partial")
    assert "Written meanwhile." in path.read_text(encoding="utf-8").partition("## History")[0]


def test_f108_a_stale_export_does_not_overwrite_what_was_pulled(memory: Memory, tmp_path: Path) -> None:
    """F108: the text of last week is learned again after somebody made it better."""
    learn(memory, RETRY, "CREATE")
    learn(memory, NEWER, "UPDATE")
    before = only(tmp_path)
    plan = memory.learn(RETRY)
    assert plan.proposals[0].action == "SKIP"
    assert "changed since" in plan.proposals[0].rule
    memory.apply(plan.decide("recommended"))
    assert only(tmp_path) == before


DECIDER = """
import sys
from pathlib import Path
from scrubjay import Memory

with Memory.open(Path(sys.argv[1]), settings={"models.embedder": "none"}, background=False) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    for proposal in memory.inbox():
        try:
            applied = memory.decide(proposal.id, "recommended")
        except Exception as error:  # somebody was quicker between the two calls
            print("gone", type(error).__name__, flush=True)
            continue
        print(*(f"{done.action}" for done in applied.done), *("refused" for _ in applied.refused), flush=True)
"""


def test_two_processes_decide_the_same_inbox_and_each_proposal_happens_once(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """SM-53: the exclusive transaction of the vault holds plan, decision and overviews together."""
    memory = open_memory()
    for number in range(8):
        memory.keep(memory.learn(f"Harbour{number} has lighthouse{number} and pier{number}."))
    memory.close()
    command = [sys.executable, "-c", DECIDER, str(tmp_path / "vault")]
    people = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        for _ in range(2)
    ]
    for person in people:
        assert person.stdout and person.stdout.readline() == "ready\n"
    said = []
    for person in people:
        assert person.stdin
        person.stdin.write("\n")
        person.stdin.flush()
    for person in people:
        said += person.communicate(timeout=120)[0].split()
    assert said.count("CREATE") == 8
    assert "Traceback" not in said
    assert len(memories(tmp_path)) == 8
    assert open_memory().inbox() == []


def test_a_plan_survives_as_a_file_and_is_applied_elsewhere(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """SM-11: planned here, decided in an editor, applied there."""
    from scrubjay.operations.learn import exchange

    memory = open_memory()
    plan: Plan = memory.learn(RETRY)
    (tmp_path / "plan.json").write_text(
        exchange.to_json(plan).replace('"decision": null', '"decision": "CREATE"'), encoding="utf-8"
    )
    memory.close()
    again = exchange.from_json((tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert open_memory().apply(again).memories_affected == 1
    assert open_memory().apply(again).memories_affected == 0


MERGING = "# Retry\n\n<<<<<<< HEAD\nFive times.\n=======\nSix times.\n>>>>>>> theirs\n"


@pytest.mark.parametrize("action", ["CREATE", "UPDATE", "EXTEND"])
def test_f108_an_unresolved_merge_never_becomes_knowledge(memory: Memory, tmp_path: Path, action: str) -> None:
    """F108: a text with conflict markers is pointed out and refused; as an example in a code block it is knowledge."""
    learn(memory, "# Retry\n\nFive times, six times.\n")
    before = only(tmp_path)
    plan = memory.learn(MERGING)
    assert any("unresolved merge conflict: '<<<<<<< HEAD'" in caution for caution in plan.proposals[0].cautions)
    applied = memory.apply(plan.decide({"seg-001": action}))
    assert "Resolve it" in applied.refused[0][1] or "merge conflict" in applied.refused[0][1]
    assert only(tmp_path) == before
    example = learn(memory, f"# Git conflicts\n\nThey look so:\n\n```\n{MERGING}```\n", "CREATE")
    assert example.memories_affected == 1


def test_sm8_a_category_in_the_words_of_a_task_holds_for_its_parts(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "specs" / "007_pools").mkdir(parents=True)
    (tmp_path / "specs" / "007_pools" / "summary.md").write_text("Pools wait for queries.\n", encoding="utf-8")
    plan = memory.learn("--task 7 --category [pattern]", cwd=tmp_path)
    assert [proposal.category for proposal in plan.proposals] == ["PATTERN"]
    assert memory.learn("Pools wait.", category="[pattern]").proposals[0].category == "PATTERN"


def test_sm11_what_could_not_be_done_waits_with_the_words_and_goes_with_the_same_undo(
    memory: Memory, tmp_path: Path
) -> None:
    learn(memory, RETRY)
    before = snapshot(tmp_path / "vault" / "10-Memories")
    (tmp_path / "source").mkdir()
    for name, text in (
        ("a", NEWER),
        ("b", "# Fruit\n\nBananas ripen with apples."),
        ("c", "# Tea\n\nSencha is green."),
    ):
        (tmp_path / "source" / f"{name}.md").write_text(text, encoding="utf-8")
    plan = memory.learn(tmp_path / "source")
    target = plan["seg-001"].targets[0]
    note = tmp_path / "vault" / target.path
    changed = note.read_text(encoding="utf-8").replace("jitter", "full jitter")
    note.write_text(changed, encoding="utf-8")
    answers: dict[str, Decision | str] = {
        "seg-001": Decision(action="UPDATE", body="Retry at most 7 times."),
        "seg-002": Decision(action="CREATE", body="Bananas ripen.\n\n[rest unchanged…]", title="Bananas"),
        "seg-003": "CREATE",
    }
    applied = memory.apply(plan.decide(answers), keep=True)
    assert [done.key for done in applied.done] == ["seg-003"]
    assert applied.stale[0].path and applied.refused[0][0].path
    waiting = {proposal.key: proposal for proposal in memory.inbox()}
    assert set(waiting) == {"seg-001", "seg-002"}
    assert waiting["seg-001"].body == "Retry at most 7 times."
    assert (waiting["seg-002"].title, waiting["seg-002"].body.splitlines()[0]) == ("Bananas", "Bananas ripen.")
    memory.undo()
    assert memory.inbox() == []
    after = snapshot(tmp_path / "vault" / "10-Memories")
    assert sorted(after) == sorted(before) and note.read_text(encoding="utf-8") == changed


def test_f104_no_memory_falls_out_of_the_overviews(memory: Memory, tmp_path: Path) -> None:
    """F104, XC-15: the 201st line, which is the newest and corrects an older one, stands in every overview; only what
    is injected is capped."""
    folder = tmp_path / "vault" / "10-Memories"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(200):
        text = f"---\ntitle: Note {number}\ncreated: 2026-01-01\n---\n\n# Note {number}\n\nHarbour{number}.\n"
        (folder / f"MEM-note-{number}.md").write_text(text, encoding="utf-8")
    memory.sync()
    newest = learn(memory, "# Correction\n\nHarbour7 is closed.", "CREATE").done[0].memory_id
    for name in ("20-Indices/index.md", "10-Memories/README.md", "memory-index.json"):
        text = (tmp_path / "vault" / name).read_text(encoding="utf-8")
        assert newest in text and all(f"MEM-note-{number}" in text for number in range(200))
    index = (tmp_path / "vault" / "20-Indices" / "index.md").read_text(encoding="utf-8")
    assert "- Total memories: 201" in index
    assert newest in index.partition("## Recent Memories")[2].partition("## By Category")[0]
