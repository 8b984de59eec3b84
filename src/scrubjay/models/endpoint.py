"""A model server over HTTP: JSON in, JSON out, and nothing that comes back is believed before it was looked at.

The one home of ``httpx2`` among the models. What goes wrong is ``Unavailable`` with one sentence that names the server
and never the key, the text or what the server said.
"""

from __future__ import annotations

import ipaddress
import json
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from scrubjay.errors import BadSetting, Unavailable
from scrubjay.models.circuit import Circuit

T = TypeVar("T")

LARGEST_ANSWER = 64 * 1024 * 1024  # bytes
LONGEST_BACK_OFF = 5.0  # seconds; a server that wants more is asked again later, by the caller
_BACK_OFF = 0.5
_OFFLINE = "Search goes on by words; vectors follow when the server answers."


class _Answer(NamedTuple):
    status: int
    body: bytes
    retry_after: str


class Endpoint:
    """One server. Safe between threads; a forked child makes its own connections.

    ``url`` is the address that paths are appended to, ``key`` goes into the Authorization header, ``timeout`` bounds
    one request in seconds. A 429 or 5xx is tried once more; three failures in a row open the circuit for a minute.
    ``clock`` counts seconds and ``sleep`` waits them.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        timeout: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = checked_url(url).rstrip("/")
        self._key = key
        self._timeout = timeout
        self._clock = clock
        self._sleep = sleep
        self._circuit = Circuit(clock)
        self._lock = threading.Lock()
        self._client: tuple[int, Any] | None = None
        self.server = urlsplit(self._url).netloc

    @property
    def resting(self) -> float:
        """Seconds for which the server is left alone after failures; 0 while it is in use."""
        return self._circuit.wait

    def ask(self, path: str, payload: object, read: Callable[[Any], T]) -> T:
        """What ``read`` makes of the answer to ``payload``. Raises ``Unavailable``, also for a ``ValueError`` of
        ``read``, whose text ends the sentence "The server … gave ___." """
        return cast("T", self.try_ask(path, payload, read, unless=frozenset()))

    def try_ask(self, path: str, payload: object, read: Callable[[Any], T], *, unless: frozenset[int]) -> T | None:
        """The same, but ``None`` where the server answers with a status of ``unless``: it speaks otherwise."""
        if not self._circuit.admit():
            seconds = max(1, round(self._circuit.wait))
            raise Unavailable(f"The server {self.server} failed repeatedly and rests for {seconds} s.", hint=_OFFLINE)
        try:
            answer = self._send(path, json.dumps(payload).encode("ascii"))
            if answer.status in unless:
                self._circuit.succeeded()
                return None
            self._check_status(answer.status)
            result = read(_parsed(answer.body))
        except ValueError as error:
            self._circuit.failed()
            raise Unavailable(f"The server {self.server} gave {error}.", hint=_OFFLINE) from None
        except BaseException:
            self._circuit.failed()
            raise
        self._circuit.succeeded()
        return result

    def _send(self, path: str, body: bytes) -> _Answer:
        answer = self._post(path, body)
        if answer.status == 429 or answer.status >= 500:
            wait = _seconds(answer.retry_after)
            if wait <= LONGEST_BACK_OFF:
                self._sleep(wait)
                return self._post(path, body)
        return answer

    def _post(self, path: str, body: bytes) -> _Answer:
        import httpx2

        headers = {"content-type": "application/json", "accept": "application/json", "accept-encoding": "identity"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        deadline = self._clock() + self._timeout
        try:
            with self._connection().stream("POST", self._url + path, content=body, headers=headers) as response:
                data = self._bounded(response.iter_bytes(), deadline)
                return _Answer(response.status_code, data, response.headers.get("retry-after", ""))
        except httpx2.TimeoutException:
            raise self._too_slow() from None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            kind = type(error).__name__
            raise Unavailable(f"The server {self.server} cannot be reached ({kind}).", hint=_OFFLINE) from None

    def _bounded(self, chunks: Iterable[bytes], deadline: float) -> bytes:
        data = bytearray()
        for chunk in chunks:
            data += chunk
            if len(data) > LARGEST_ANSWER:
                raise ValueError(f"an answer of more than {LARGEST_ANSWER >> 20} MB")
            if self._clock() > deadline:
                raise self._too_slow()
        return bytes(data)

    def _too_slow(self) -> Unavailable:
        return Unavailable(f"The server {self.server} did not answer within {self._timeout:g} s.", hint=_OFFLINE)

    def _check_status(self, status: int) -> None:
        if status in (401, 403):
            hint = "Check the key in the environment variable that models.api_key_env names."
            raise Unavailable(f"The server {self.server} refused access ({status}).", hint=hint)
        if status == 404:
            hint = "Check the address and the name of the model."
            raise Unavailable(f"The server {self.server} has no such address or model (404).", hint=hint)
        if status == 429:
            raise Unavailable(f"The server {self.server} asks for fewer requests (429).", hint=_OFFLINE)
        if not 200 <= status < 300:
            raise Unavailable(f"The server {self.server} answered with status {status}.", hint=_OFFLINE)

    def _connection(self) -> Any:
        import ssl

        import httpx2

        process = os.getpid()
        with self._lock:
            if self._client is None or self._client[0] != process:
                # Without TLS nothing is worth the 40 ms of reading certificates; a context without any trusts nobody.
                secure = self._url.startswith("https:")
                # A proxy has no business between this machine and itself: the text would leave it (SEC-5).
                client = httpx2.Client(
                    verify=True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                    timeout=httpx2.Timeout(self._timeout, connect=min(5.0, self._timeout)),
                    trust_env=not is_loopback(self._url),
                    follow_redirects=False,
                )
                weakref.finalize(self, client.close)
                self._client = (process, client)
            return self._client[1]


def checked_url(url: str) -> str:
    """``url`` if it is an http(s) address with a host and no password. Raises ``BadSetting``."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        hint = "Write it like http://localhost:11434 or https://api.openai.com/v1."
        raise BadSetting("The address of a model server is not an http:// or https:// address.", hint=hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = "Put the key into an environment variable and its name into models.api_key_env."
        raise BadSetting("The address of a model server holds a password or parameters.", hint=hint)
    return url


def is_loopback(url: str) -> bool:
    """Whether ``url`` names this machine: localhost, or an address that is a loopback address."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def batches(texts: list[str], *, count: int, characters: int) -> Iterator[list[str]]:
    """``texts`` in order, in groups of at most ``count`` texts and about ``characters`` characters."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == count or size + len(text) > characters):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def field(answer: Any, name: str) -> Any:
    """What ``answer`` holds under ``name``. Raises ``ValueError`` that ends a sentence about the server."""
    if not isinstance(answer, dict) or name not in answer:
        raise ValueError(f'an answer without "{name}"')
    return answer[name]


def by_index(items: Any, count: int) -> list[dict[str, Any]]:
    """``count`` objects in the order of their ``index`` (as they stand where it is missing). Raises ``ValueError``."""
    if not isinstance(items, list) or len(items) != count:
        raise ValueError(f"another number of results than the {count} asked for")
    found: dict[int, dict[str, Any]] = {}
    for position, item in enumerate(items):
        index = item.get("index", position) if isinstance(item, dict) else None
        if type(index) is not int or not 0 <= index < count or index in found:
            raise ValueError("results that are not numbered as they should be")
        found[index] = item
    return [found[index] for index in range(count)]


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("an answer that is not JSON") from None


def _seconds(retry_after: str) -> float:
    """What a Retry-After header asks for; a date, or anything else, is taken as too long to wait for."""
    if not retry_after.strip():
        return _BACK_OFF
    try:
        seconds = float(retry_after)
    except ValueError:
        return math.inf
    return seconds if seconds >= 0 else math.inf
