"""Asking a language model over a real connection: every way that an answer may come, or not (F58, F110)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scrubjay.errors import Unavailable
from scrubjay.models.llm.prompts import Prompt
from scrubjay.models.llm.usage import Caps

pydantic = pytest.importorskip("pydantic", reason="the extra llm is not installed")
PROMPT = Prompt(name="add", version=3, purpose="to try it", text="Add them up.\n")
TEXT = "what was said in confidence"


class Sum(pydantic.BaseModel):
    """An answer."""

    total: int


def outcomes(model: Any) -> dict[str, int]:
    return dict(model.server.ledger.today().outcomes)


def failing(model: Any) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        model.ask(PROMPT, TEXT, Sum)
    return caught.value


@pytest.mark.parametrize(
    ("name", "form", "path"),
    [
        ("openai:scripted", "answers", "/v1/chat/completions"),
        ("ollama:qwen3:8b", "says", "/v1/chat/completions"),
        ("anthropic:claude-scripted", "anthropic", "/v1/messages"),
        ("google:gemini-scripted", "google", "/v1beta/models/gemini-scripted:generateContent"),
    ],
)
def test_each_wire_format_is_spoken_and_counted(model, server, wire, name, form, path) -> None:
    server.says(getattr(wire, form)('{"total": 5}' if form == "says" else {"total": 5}))
    asked = model(name)
    assert asked.ask(PROMPT, TEXT, Sum).total == 5
    assert [one.path for one in server.received] == [path]
    day = asked.server.ledger.today()
    assert (day.calls, day.input_tokens, day.output_tokens) == (1, 120, 30)
    assert (dict(day.outcomes), dict(day.purposes)) == ({"answered": 1}, {"add": 1})


def test_the_key_goes_to_the_server_and_the_text_into_the_users_message_only(model, server, wire) -> None:
    server.says(wire.answers({"total": 5}))
    model().ask(PROMPT, TEXT, Sum)
    (got,) = server.received
    assert got.headers["authorization"] == f"Bearer {wire.key}"
    assert wire.system(got.payload).strip() == "Add them up."
    assert wire.user(got.payload) == TEXT


@pytest.mark.parametrize(
    ("name", "form", "header"),
    [
        ("openai:s", "answers", "authorization"),
        ("ollama:s", "answers", "authorization"),
        ("anthropic:claude-s", "anthropic", "x-api-key"),
        ("google:gemini-s", "google", "x-goog-api-key"),
    ],
)
def test_a_server_learns_the_key_that_was_configured_and_nothing_else(
    model, server, wire, monkeypatch, name, form, header
) -> None:
    """SEC-5: what the environment holds for other programs stays here, and so does what machine this is."""
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(variable, "elsewhere-1")
    for variable in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(variable, "elsewhere-2")
    for variable in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(variable, "x-gateway: elsewhere-3\nauthorization: Bearer elsewhere-4")
    for variable in (
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "GOOGLE_GEMINI_BASE_URL",
        "OLLAMA_BASE_URL",
        "HTTP_PROXY",
    ):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    server.says(getattr(wire, form)({"total": 5}))
    assert model(name, **({"answers": "tools"} if name.startswith("ollama") else {})).ask(PROMPT, TEXT, Sum).total == 5
    sent = server.received[0].headers
    assert sent.get(header, "").removeprefix("Bearer ") in (wire.key, "")
    assert "elsewhere" not in str(sent)
    assert not [one for one in sent if one.startswith(("x-stainless", "x-goog-api-client"))]


@pytest.mark.parametrize(("form", "field"), [("tools", "tools"), ("schema", "response_format")])
def test_answers_are_asked_for_by_tool_or_schema(model, server, wire, form, field) -> None:
    server.says(wire.answers({"total": 5}) if form == "tools" else wire.says('{"total": 5}'))
    assert model(answers=form).ask(PROMPT, TEXT, Sum).total == 5
    assert "total" in str(server.received[0].payload[field])


def test_an_answer_may_be_asked_for_in_words(model, server, wire) -> None:
    server.says(wire.says('```json\n{"total": 5}\n```'))
    assert model(answers="prompt").ask(PROMPT, TEXT, Sum).total == 5


@pytest.mark.parametrize("bad", ["{not json", '{"total": "many"}', "{}", '{"sum": 5}', "[]", ""])
def test_a_bad_answer_is_repaired_once(model, server, wire, bad) -> None:
    server.says(wire.answers(bad), wire.answers({"total": 5}))
    asked = model()
    assert asked.ask(PROMPT, TEXT, Sum).total == 5
    assert len(server.received) == 2
    assert outcomes(asked) == {"invalid": 1, "answered": 1}


def test_two_bad_answers_are_enough(model, server, wire) -> None:
    server.says(wire.answers("{"), wire.answers({"total": "many"}), wire.answers({"total": 5}))
    asked = model()
    assert "form" in failing(asked).message
    assert len(server.received) == 2
    assert outcomes(asked) == {"invalid": 2}
    assert asked.server.holds.current() is None  # the next text may suit it better


def test_a_busy_server_is_asked_again_when_it_says(model, server, wire, waited) -> None:
    server.says(wire.fails(429, retry_after="7"), wire.answers({"total": 5}))
    asked = model()
    assert asked.ask(PROMPT, TEXT, Sum).total == 5
    assert waited == [7.0]
    assert outcomes(asked) == {"limited": 1, "answered": 1}


def test_a_server_that_wants_long_is_left_alone_by_every_process(model, server, wire, waited) -> None:
    server.says(wire.fails(429, retry_after="600"))
    assert "429" in failing(model()).message
    assert waited == []
    assert "429" in failing(model()).message  # another process asks nobody
    assert len(server.received) == 1


@pytest.mark.parametrize("wanted", ["1e300", "inf", "nan", "-5", "soon", "Thu, 01 Jan 2099 00:00:00 GMT", ""])
def test_what_a_server_wants_is_bounded(model, server, wire, wanted) -> None:
    """A server cannot put itself, or us, to sleep for ever."""
    server.says(wire.fails(429, retry_after=wanted))
    asked = model()
    failing(asked)
    hold = asked.server.holds.current()
    assert hold is not None
    assert hold.until is not None
    assert hold.until - datetime.now(UTC) <= timedelta(days=1)


def test_a_failing_server_is_asked_a_few_times_and_rests(model, server, wire, waited) -> None:
    server.says(wire.fails(503))
    asked = model(retries=2)
    failing(asked)
    assert (len(server.received), waited) == (3, [1.0, 2.0])
    failing(asked)
    assert len(server.received) == 3
    assert outcomes(asked) == {"failed": 3}
    asked.server.holds.clear()
    server.says(*[wire.fails(503)] * 3, wire.answers({"total": 5}))
    assert asked.ask(PROMPT, TEXT, Sum).total == 5


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_of_the_key_stops_it_until_it_is_configured_anew(model, server, wire, status) -> None:
    """F58: a 403 is never retried hot, in this process or the next."""
    server.says(wire.fails(status), wire.answers({"total": 5}))
    failing(model())
    error = failing(model())
    assert str(status) in error.message
    assert "key" in error.hint
    assert len(server.received) == 1
    assert model("openai:another").ask(PROMPT, TEXT, Sum).total == 5


@pytest.mark.parametrize(
    ("status", "outcome"), [(402, "quota"), (404, "missing"), (400, "rejected"), (422, "rejected")]
)
def test_what_asking_again_would_not_mend_is_asked_once(model, server, wire, status, outcome) -> None:
    server.says(wire.fails(status))
    asked = model()
    failing(asked)
    assert len(server.received) == 1
    assert outcomes(asked) == {outcome: 1}


def test_a_connection_that_breaks_is_tried_again(model, server, reply, wire) -> None:
    server.says(reply(b'{"choices": [', promised=1000), wire.answers({"total": 5}))
    assert model().ask(PROMPT, TEXT, Sum).total == 5


@pytest.mark.parametrize(
    "body", [b"", b"<html>busy</html>", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": 5}']
)
def test_a_server_that_speaks_otherwise_is_unavailable(model, server, reply, body) -> None:
    server.says(reply(body))
    failing(model())


def test_an_endless_answer_is_not_read(model, server, reply) -> None:
    server.says(reply(b" " * 9_000_000))
    assert "too large" in failing(model()).message
    assert len(server.received) == 1


def test_a_packed_answer_is_not_unpacked(model, server, reply) -> None:
    server.says(reply(b"\x1f\x8b", headers={"content-encoding": "gzip"}))
    failing(model())


@pytest.mark.parametrize(
    ("finish", "message", "outcome"),
    [
        ("content_filter", {"content": None}, "refused"),
        ("stop", {"content": None, "refusal": "I will not."}, "refused"),
        ("length", {"content": '{"total": '}, "cut"),
    ],
)
def test_refusals_and_half_answers_are_known_as_such(model, server, wire, finish, message, outcome) -> None:
    server.says(wire.says(message.pop("content"), finish=finish, **message))
    asked = model(answers="schema")
    failing(asked)
    assert outcomes(asked).get(outcome) == 1


def test_an_empty_answer_is_asked_for_once_more(model, server, wire) -> None:
    server.says(wire.says(""), wire.answers({"total": 5}))
    assert model().ask(PROMPT, TEXT, Sum).total == 5


def test_a_silent_server_is_given_up(model, server, reply) -> None:
    server.says(reply(b"", promised=10, then_hang=True))
    asked = model(timeout=1.0, retries=0)
    assert "1 s" in failing(asked).message
    assert outcomes(asked) == {"timeout": 1}


def test_a_redirect_is_not_followed(model, server, reply) -> None:
    server.says(reply(b"", status=307, headers={"location": f"{server.url}/elsewhere"}))
    failing(model(retries=0))
    assert [one.path for one in server.received] == ["/v1/chat/completions"]


def test_closing_ends_a_call_that_runs(model, server, reply) -> None:
    """F62: nobody waits for a model when a memory is closed."""
    begun = threading.Event()

    def hang(_: object) -> Any:
        begun.set()
        return reply(b"", promised=10, then_hang=True)

    server.says(hang)
    asked = model(timeout=600.0)
    caught: list[Unavailable] = []
    thread = threading.Thread(target=lambda: caught.append(failing(asked)))
    thread.start()
    assert begun.wait(30)
    asked.close()
    thread.join(30)
    assert "closed" in caught[0].message
    assert "closed" in failing(asked).message
    assert (outcomes(asked), asked.server.ledger.today().running) == ({"stopped": 1}, 0)


def test_it_can_be_asked_inside_an_event_loop(model, server, wire) -> None:
    server.says(wire.answers({"total": 5}))

    async def inside() -> int:
        return model().ask(PROMPT, TEXT, Sum).total

    assert asyncio.run(inside()) == 5


def test_many_threads_may_ask_at_once(model, server, wire) -> None:
    server.says(wire.answers({"total": 5}))
    asked = model()
    threads = [threading.Thread(target=asked.ask, args=(PROMPT, TEXT, Sum)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes(asked) == {"answered": 6}


def test_a_cap_is_checked_before_each_call(model, server, wire) -> None:
    server.says(wire.answers("{"), wire.answers({"total": 5}))
    asked = model(caps=Caps(calls=1))
    assert "1 calls" in failing(asked).message  # the repair would have been the second
    assert "1 calls" in failing(asked).message
    assert len(server.received) == 1
    server.received.clear()
    assert "tokens" in failing(model(caps=Caps(tokens=100))).message
    assert server.received == []


def test_money_is_counted_where_prices_are_known_and_capped(model, server, wire) -> None:
    server.says(wire.answers({"total": 5}))
    asked = model(prices={"input": 1000.0, "output": 10_000.0}, caps=Caps(money=0.4))
    asked.ask(PROMPT, TEXT, Sum)
    day = asked.server.ledger.today()
    assert (day.money, day.unpriced) == (pytest.approx(0.42), 0)
    assert "0.40 dollars" in failing(asked).message


def test_an_unknown_price_is_said_to_be_unknown(model, server, wire) -> None:
    server.says(wire.answers({"total": 5}))
    asked = model()
    asked.ask(PROMPT, TEXT, Sum)
    assert asked.server.ledger.today().unpriced == 1


@pytest.mark.parametrize(
    ("name", "form"), [("openai:s", "answers"), ("anthropic:claude-s", "anthropic"), ("google:gemini-s", "google")]
)
def test_neither_prompts_nor_keys_are_logged_or_kept(model, server, wire, caplog, tmp_path, name, form) -> None:
    server.says(wire.fails(500), getattr(wire, form)({"total": 5}))
    with caplog.at_level(logging.DEBUG):
        asked = model(name)
        asked.ask(PROMPT, TEXT, Sum)
        server.says(wire.fails(403))
        error = failing(asked)
    kept = [path.read_text(encoding="utf-8") for path in (tmp_path / "state").rglob("*") if path.is_file()]
    for said in [caplog.text, str(error), repr(asked.server), *kept]:
        assert wire.key not in said
        assert TEXT not in said
        assert "Add them up" not in said
    assert len(kept) == 2


def test_a_key_that_is_missing_is_said_before_anybody_is_asked(model, server) -> None:
    error = failing(model(api_key_env="NOT_THERE"))
    assert "NOT_THERE" in error.message
    assert server.received == []


def test_without_the_extra_the_hint_says_how_to_install_it(model, server, monkeypatch) -> None:
    import importlib.util

    asked = model()
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    assert 'pip install "scrubjay[llm]"' in failing(asked).hint
    assert server.received == []


def test_nothing_is_printed_beside_our_own_words(server, wire, tmp_path) -> None:
    """A library that greets its users does not do so in our commands and hooks."""
    code = """
import asyncio, sys
from pathlib import Path
from pydantic import BaseModel
from scrubjay.config import LlmSettings
from scrubjay.models.llm.access import Access
from scrubjay.models.llm.prompts import Prompt

class Sum(BaseModel):
    total: int

settings = LlmSettings(model="openai:s", endpoint=sys.argv[1])
model = Access(settings, {}, Path(sys.argv[2])).model
print(model.ask(Prompt(name="add", version=1, purpose="p", text="Add."), "1 2", Sum).total)
"""
    server.says(wire.answers({"total": 3}))
    quiet = {"CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST", "PYDANTIC_AI_NO_BANNER"}
    environ = {name: value for name, value in os.environ.items() if name not in quiet}
    for extra in ({}, {"CLAUDECODE": "1", "AI_AGENT": "1"}):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, f"{server.url}/v1", str(tmp_path)],
            env={**environ, **extra}, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("3\n", "")


@pytest.mark.parametrize(
    ("name", "url", "known"),
    [("gpt-4o-mini", "https://api.openai.com/v1", True), ("gpt-of-tomorrow", "https://api.openai.com/v1", False)],
)
def test_prices_of_large_providers_are_known_without_asking_anybody(name, url, known) -> None:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.usage import RequestUsage

    from scrubjay.models.llm.attempts import _price
    from scrubjay.models.llm.choice import Choice

    used = RequestUsage(input_tokens=1_000_000, output_tokens=1_000_000)
    response = ModelResponse(parts=[], usage=used, model_name=name, provider_name="openai", provider_url=url)
    choice = Choice(api="openai", model=name, endpoint=url, form="tools", timeout=1, retries=0)
    price = _price(response, choice, 1_000_000, 1_000_000)
    assert (price is not None and 0.1 < price < 10) if known else price is None


def test_schemas_state_no_limits_that_a_grammar_would_spell_out() -> None:
    from scrubjay.models.llm.answers import Statements, relation_among, summary_in

    for kind in (Statements, summary_in("en"), relation_among(3)):
        schema = json.dumps(kind.model_json_schema())
        assert not [name for name in ("maxLength", "minLength", "maxItems", "maximum", "pattern") if name in schema]
