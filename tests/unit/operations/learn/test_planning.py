"""From segments to proposals: one rule each, with what speaks against it (SM-11 … SM-13, SM-24, F15 … F23)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scrubjay import Memory
from scrubjay.operations.learn import categories, planning
from scrubjay.operations.store import Store
from scrubjay.proposals import CATEGORIES, ContentMap, Decision, Proposal, Segment
from tests.flows.segments import apply, learned, plan_of, segment, store_of

RETRY = "Retry failed requests with exponential backoff and jitter, never forever."


@pytest.fixture
def store(memory: Memory) -> Store:
    return store_of(memory)


def one(store: Store, text: str | Segment, **more: object) -> Proposal:
    return plan_of(store, text, **more).proposals[0]


def test_sm11_planning_writes_nothing(store: Store, memory: Memory) -> None:
    learned(store, RETRY)
    before = [(entry.path, entry.mtime_ns) for entry in store.vault.entries()]
    operations = len(store.index.operations())
    plan_of(store, RETRY, "Another text about bananas and oranges.")
    assert [(entry.path, entry.mtime_ns) for entry in store.vault.entries()] == before
    assert len(store.index.operations()) == operations


def test_f22_exactly_known_is_skipped_with_the_id(store: Store) -> None:
    known = learned(store, segment(RETRY, title="Retry"))
    for text in (RETRY, f"## Retry\n\n{RETRY}", RETRY.replace(" with ", "\nwith ")):
        proposal = one(store, text)
        assert proposal.action == "SKIP"
        assert "“Retry” says exactly this" in proposal.rule
        assert proposal.targets[0].path == known.path


def test_f22_a_paragraph_that_a_memory_holds_is_skipped(store: Store) -> None:
    learned(store, f"{RETRY}\n\nBananas ripen faster in a bag with apples.")
    proposal = one(store, segment(RETRY))
    assert (proposal.action, "word for word" in proposal.rule) == ("SKIP", True)


def test_f108_an_older_version_is_not_put_back(store: Store) -> None:
    learned(store, RETRY)
    learned(store, RETRY.replace("never forever", "at most 5 times"), "UPDATE")
    proposal = one(store, RETRY)
    assert proposal.action == "SKIP"
    assert "said exactly this before and was changed since" in proposal.rule
    assert "UPDATE" in proposal.choices


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("port 8080 for svc A", "port 8081 for svc A"),
        ("Production deployment is allowed", "Production deployment is not allowed"),
        ("I love Chinese food", "I hate Chinese food"),
        ("порт 8080 для svc", "порт 8081 для svc"),
        ("生产环境允许部署", "生产环境不允许部署"),
        ("Release 2.1 ships on 2026-05-01 to everybody.", "Release 2.1 ships on 2026-06-01 to everybody."),
    ],
)
def test_f15_f16_f20_what_differs_in_a_sign_updates_and_says_so(store: Store, known: str, new: str) -> None:
    there = learned(store, known)
    proposal = one(store, new)
    assert proposal.action == "UPDATE"
    assert proposal.targets[0].path == there.path
    assert len(proposal.cautions) == 1
    assert proposal.cautions[0].startswith("“")


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("port 8080 for svc A", "port 8080 for svc B"),
        ("About pier1, said in few words.", "About pier2, said in few words."),
    ],
)
def test_f15_another_name_is_another_thing(store: Store, known: str, new: str) -> None:
    """What is said of one service does not replace what is said of another."""
    learned(store, known)
    assert one(store, new).action in ("CREATE", "EXTEND")


def test_sm24_the_topic_of_the_related_memory_is_the_third_choice(store: Store) -> None:
    learned(store, segment(RETRY, title="Retry", topic="python/http"))
    near = RETRY.replace("never forever", "at most seven times")
    assert one(store, near).topic == "python/http"
    assert one(store, segment(near, topic="go/net")).topic == "go/net"
    assert one(store, "Bananas ripen faster beside apples.").topic == ""


def test_sm6_a_named_category_holds_for_all(store: Store) -> None:
    plan = plan_of(store, "One banana.", "Two oranges.", category="workflow")
    assert [proposal.category for proposal in plan.proposals] == ["WORKFLOW", "WORKFLOW"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Bananas ripen faster beside apples.", "INSIGHT"),
        ("Set the timeout option in the config file; the default port is 8080.", "CONFIG"),
        ("First, run the installer. Then run the release pipeline and deploy.", "WORKFLOW"),
        ("The decorator pattern keeps the interface of a layer.", "PATTERN"),
        ("Debug it with a breakpoint and a mock.", "TECHNIQUE"),
        ("Отладка: воспроизвести ошибку, поставить точку и профилировать.", "TECHNIQUE"),
        ("在配置文件中修改参数，默认值是环境变量。", "CONFIG"),
        ("部署流程：首先安装，然后发布。", "WORKFLOW"),
        ("", "INSIGHT"),
    ],
)
def test_sm7_the_guess_is_careful(text: str, category: str) -> None:
    assert categories.guess(text) == category
    assert category in CATEGORIES


@pytest.mark.parametrize(
    ("file", "category"),
    [("app/options.py", "PATTERN"), ("app/options.toml", "CONFIG"), ("app/options.md", "CONFIG")],
)
def test_sm7_the_words_of_code_say_nothing_about_its_category(file: str, category: str) -> None:
    assert categories.guess("options = Config(settings, flags)  # steps, then run the pipeline", file) == category


def test_sm12_two_segments_for_one_memory_know_of_each_other(store: Store) -> None:
    learned(store, RETRY)
    plan = plan_of(store, RETRY.replace("never forever", "seven times"), RETRY.replace("never forever", "nine times"))
    first, second = plan.proposals
    assert first.targets == second.targets
    assert not any("would change" in caution for caution in first.cautions)
    assert any(caution.startswith(f"“{first.title}” would change “") for caution in second.cautions)


def test_sm12_two_segments_of_one_name_and_one_twin_know_of_each_other(store: Store) -> None:
    plan = plan_of(
        store,
        segment("Bananas ripen beside apples.", 1, title="Fruit"),
        segment("Oranges need much sunshine.", 2, title="Fruit"),
        segment("Bananas ripen beside apples.", 3, title="Bananas"),
    )
    assert plan.proposals[0].rule.endswith("as MEM-fruit.")
    assert plan.proposals[1].rule.endswith("as MEM-fruit-2.")
    assert plan.proposals[1].cautions == ()
    assert (plan.proposals[2].action, plan.proposals[2].rule) == ("SKIP", "seg-001 says exactly the same: SKIP.")


def test_headings_without_text_are_no_twins(store: Store) -> None:
    plan = plan_of(
        store, segment("# One", 1), segment("# Two", 2), segment("MEM-fruit", 3), segment("x y", 4, title="Fruit")
    )
    assert {proposal.action for proposal in plan.proposals} == {"CREATE"}


def test_memories_that_share_only_the_beginning_of_their_names_carry_no_caution(store: Store) -> None:
    learned(store, segment("Cherries are red.", title="The fruit of summer"))
    (proposal,) = plan_of(store, segment("Bananas ripen beside apples.", title="The fruit of winter")).proposals
    assert proposal.rule.endswith("as MEM-the-fruit-of-2.") and proposal.cautions == ()


def test_the_preview_of_the_id_is_the_id(store: Store) -> None:
    learned(store, segment("Cherries are red.", title="Fruit"))
    plan = plan_of(store, segment("Bananas ripen beside apples.", title="Fruit"))
    assert plan.proposals[0].cautions == ("MEM-fruit has this title already. Consider putting both into one.",)
    applied = apply(store, plan.decide("recommended"))
    assert applied.done[0].memory_id == "MEM-fruit-2"
    assert plan.proposals[0].rule.endswith("as MEM-fruit-2.")


def test_source_code_is_put_into_a_fence(store: Store) -> None:
    code = "# Not a heading\ndef main():\n    '''```'''\n"
    proposal = one(store, segment(code, source_file="src/main.py"))
    assert proposal.body == f"````py\n{code.strip()}\n````"
    assert one(store, segment("# A\n\nText.", source_file="a.md")).body == "# A\n\nText."
    document = learned(store, segment(code, source_file="src/main.py"))
    assert one(store, segment(code, source_file="src/main.py")).action == "SKIP"
    assert "def main():\n    '''```'''" in document.text


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("src/main.py", "```py"),
        ("Makefile", "```"),
        ("docker/Dockerfile", "```dockerfile"),
        ("a.dart", "```dart"),
        ("a.x`y", "```"),
        ("v1.2/README", "# A"),
        ("LICENSE", "# A"),
        ("notes.TXT", "# A"),
        ("01_a.md, 02_b.md", "# A"),
    ],
)
def test_only_what_is_no_prose_is_put_into_a_fence(store: Store, file: str, first: str) -> None:
    assert one(store, segment("# A\n\nText.", source_file=file)).body.split("\n")[0].startswith(first)


@pytest.mark.parametrize(
    ("mode", "path", "file", "source"),
    [
        ("text", "", "", "user input"),
        ("file", "notes/http.md", "notes/http.md", "file: notes/http.md"),
        ("directory", "notes", "http.md", "file: http.md"),
        ("task", "specs/007_retries", "reports/01_x.md", "Task 7: reports/01_x.md"),
        ("task", "specs/OC_12_retries", "plans/x.md", "Task 12: plans/x.md"),
    ],
)
def test_sm4_where_it_came_from(store: Store, mode: str, path: str, file: str, source: str) -> None:
    content = ContentMap(mode=mode, path=path, segments=(segment(RETRY, source_file=file),))  # type: ignore[arg-type]
    assert planning.plan(store, content).proposals[0].source == source


def test_f5_a_text_that_leaves_something_out_is_pointed_out(store: Store) -> None:
    assert "leaves something out" in one(store, f"{RETRY}\n\n[rest unchanged…]").cautions[-1]


def test_f4_an_update_that_would_shrink_the_memory_is_pointed_out(store: Store) -> None:
    facts = "\n".join(f"- Retry requests with backoff and jitter, rule {number}." for number in range(12))
    learned(store, facts)
    proposal = one(store, "- Retry requests with backoff and jitter, rule one.")
    assert proposal.action == "UPDATE"
    assert any("1 lines in place of 12" in caution and "EXTEND" in caution for caution in proposal.cautions)


def test_large_plans_ask_no_model_and_say_so(store: Store) -> None:
    def never(_: str) -> list[tuple[str, float]]:
        raise AssertionError

    many = [segment(f"Number {place} is about topic{place}.", place) for place in range(planning.CLOSELY + 1)]
    plan = plan_of(store, *many, recall=never)
    assert "matched by key terms alone" in plan.content.notices[-1]


def test_the_same_input_gives_the_same_proposals(store: Store) -> None:
    learned(store, RETRY)
    texts = [RETRY.replace("never", "ever"), "Bananas ripen.", "Oranges and lemons need sunshine."]

    def shown() -> list[object]:
        return [(one.key, one.action, one.rule, one.related, one.cautions) for one in plan_of(store, *texts).proposals]

    assert shown() == shown()


def test_rematch_keeps_id_key_and_body(store: Store) -> None:
    there = learned(store, RETRY)
    stale = one(store, RETRY.replace("never forever", "at most 3 times"))
    store.vault.write(there.path, there.text.replace("jitter", "full jitter"), expected=there.hash)
    anew = planning.rematch(store, stale)
    assert (anew.id, anew.key, anew.body, anew.title) == (stale.id, stale.key, stale.body, stale.title)
    assert anew.targets[0].hash == store.vault.read(there.path).hash != stale.targets[0].hash
    assert anew.rule.startswith("Matched anew")


@pytest.mark.parametrize("answer", [lambda _: "recommended", lambda one: Decision(action=one.action)])
def test_sm13_the_questions_can_be_answered(store: Store, answer: Callable[[Proposal], Decision | str]) -> None:
    plan = plan_of(store, RETRY, "Bananas ripen.")
    assert [question.key for question in plan.questions] == ["seg-001", "seg-002"]
    assert all("(recommended)" in question.options[0].description for question in plan.questions)
    decided = plan.decide({proposal.key: answer(proposal) for proposal in plan.proposals})
    assert decided.questions == ()
