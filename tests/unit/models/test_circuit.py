"""The circuit breaker: a service that keeps failing is left alone (F72)."""

from __future__ import annotations

from typing import Any

from scrubjay.models.circuit import Circuit


def fail(circuit: Circuit, times: int) -> None:
    for _ in range(times):
        assert circuit.admit()
        circuit.failed()


def test_it_opens_after_three_failures_in_a_row_and_says_for_how_long(clock: Any) -> None:
    circuit = Circuit(clock)
    fail(circuit, 3)
    assert not circuit.admit()
    assert circuit.wait == 60.0
    clock.now += 45
    assert circuit.wait == 15.0


def test_a_success_between_failures_keeps_it_closed(clock: Any) -> None:
    circuit = Circuit(clock)
    for _ in range(5):
        fail(circuit, 2)
        assert circuit.admit()
        circuit.succeeded()
    assert circuit.admit()
    assert circuit.wait == 0.0


def test_after_the_pause_one_trial_at_a_time_is_let_through(clock: Any) -> None:
    circuit = Circuit(clock)
    fail(circuit, 3)
    clock.now += 60
    assert circuit.admit()
    assert not circuit.admit(), "a second thread waits for how the trial ends"


def test_a_failed_trial_opens_it_again_at_once(clock: Any) -> None:
    circuit = Circuit(clock)
    fail(circuit, 3)
    clock.now += 61
    fail(circuit, 1)
    assert not circuit.admit()
    assert circuit.wait == 60.0


def test_a_good_trial_closes_it(clock: Any) -> None:
    circuit = Circuit(clock)
    fail(circuit, 3)
    clock.now += 61
    assert circuit.admit()
    circuit.succeeded()
    fail(circuit, 2)
    assert circuit.admit()
