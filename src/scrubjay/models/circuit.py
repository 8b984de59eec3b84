"""A circuit breaker: a service that keeps failing is left alone for a while (F72)."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Circuit:
    """Opens after ``limit`` failures in a row and stays open for ``pause`` seconds of ``clock``; then one trial at a
    time is let through, and it closes with the first success. Safe between threads."""

    def __init__(self, clock: Callable[[], float], *, limit: int = 3, pause: float = 60.0) -> None:
        self._clock = clock
        self._limit = limit
        self._pause = pause
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0

    @property
    def wait(self) -> float:
        """Seconds until the next attempt is let through; 0 when one would be now."""
        with self._lock:
            return max(0.0, self._until - self._clock()) if self._failures >= self._limit else 0.0

    def admit(self) -> bool:
        """Whether an attempt may be made now. Whoever is told yes says afterwards how it went."""
        with self._lock:
            if self._failures < self._limit:
                return True
            now = self._clock()
            if now < self._until:
                return False
            self._until = now + self._pause
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._until = self._clock() + self._pause
