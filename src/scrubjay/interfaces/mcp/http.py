"""A server over streamable HTTP: several clients at once, on this machine unless somebody says otherwise.

A browser on this machine can reach it as well, led by any page (F112). So the names by which it is called (Host) and
the page that calls (Origin) are checked, and a token can be demanded.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Refused, Unavailable

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from mcp.server.transport_security import TransportSecuritySettings

logger = logging.getLogger(__name__)

PATH = "/mcp"
GRACE_SECONDS = 3

Scope = dict[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]


def serve(server: Server[None], *, host: str, port: int, token: str, names: Sequence[str] = ()) -> None:
    """Serves until the process is told to stop. ``names`` are further names by which clients may call this machine.

    Raises ``Refused`` for a host that others can reach without a token, ``Unavailable`` when the port is taken.
    """
    import uvicorn

    if not is_loopback(host) and not token:
        raise Refused(
            f"Other machines can reach {host}, and whoever reaches this server reads your memory.",
            hint="Set a token in SCRUBJAY_MCP_TOKEN, or leave out --host.",
        )
    app: App = server.streamable_http_app(
        streamable_http_path=PATH, host=host, transport_security=security(host, names)
    )
    settings = uvicorn.Config(
        guarded(app, token) if token else app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )
    try:
        listening = settings.bind_socket()
    except SystemExit:
        raise Unavailable(
            f"Port {port} of {host} cannot be used.", hint="Another server may have it; choose one with --port."
        ) from None
    listening.listen()  # whoever reads the line below may call at once
    bound = listening.getsockname()[1]
    logger.info("Listening on http://%s:%d%s", f"[{host}]" if ":" in host else host, bound, PATH)
    uvicorn.Server(settings).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def security(host: str, names: Sequence[str]) -> TransportSecuritySettings:
    """Which names a request may call this server by, and from which pages it may come: its own only."""
    from mcp.server.transport_security import TransportSecuritySettings

    own = [f"[{host}]" if ":" in host else host, *names, "127.0.0.1", "localhost", "[::1]"]
    hosts = list(dict.fromkeys(own))
    return TransportSecuritySettings(
        allowed_hosts=[form for name in hosts for form in (name, f"{name}:*")],
        allowed_origins=[form for name in hosts for form in (f"http://{name}", f"http://{name}:*")],
    )


def guarded(app: App, token: str) -> App:
    """``app`` for those who know ``token`` (``Authorization: Bearer …``)."""
    expected = token.encode()

    async def guard(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            scheme, _, given = header.partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(given, expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"A bearer token is needed."})
                return
        await app(scope, receive, send)

    return guard
