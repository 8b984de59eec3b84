"""The person behind a client: asked through it, where it can ask (elicitation).

Up to protocol 2025-11-25 the server asks in the middle of a call. From 2026-07-28 on a call returns with the question
and comes again with the answer; what was carried along comes back with it. Callers see one ``ask`` for both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from scrubjay.errors import ScrubjayError

_KEY = "decision"


class Paused(ScrubjayError):
    """The call goes on when the client brings the answer to ``question``."""

    def __init__(self, question: mcp_types.InputRequiredResult) -> None:
        super().__init__()
        self.question = question


class Person:
    """Asks whoever uses the client of one call."""

    def __init__(self, context: ServerRequestContext[Any, Any], params: mcp_types.CallToolRequestParams) -> None:
        self._context = context
        self._modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._replies = params.input_responses or {}
        self._state = _read(params.request_state)

    @property
    def reachable(self) -> bool:
        """Whether the client can put a form before its user."""
        capabilities = self._context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        if elicitation is None or (elicitation.form is None and elicitation.url is not None):
            return False
        return self._modern or self._context.session.can_send_request

    @property
    def carried(self) -> Mapping[str, Any]:
        """What an earlier round of this call carried along; empty in the first."""
        carried = self._state.get("carried")
        return carried if isinstance(carried, dict) else {}

    async def choose(self, message: str, options: Mapping[str, str], **carried: Any) -> str:
        """The option that the person picks, its key; empty for somebody who declines, or closes the question.

        ``options`` maps keys to what they mean. ``carried`` is what the next round of the call will need.
        """
        described = "; ".join(f"{key}: {meaning}" for key, meaning in options.items())
        schema = {
            "type": "object",
            "properties": {
                _KEY: {"type": "string", "title": "Decision", "description": described, "enum": list(options)}
            },
            "required": [_KEY],
        }
        reply = await self._ask(message, schema, carried)
        if reply is None or reply.action != "accept":
            return ""
        chosen = str((reply.content or {}).get(_KEY, ""))
        return chosen if chosen in options else ""

    async def _ask(
        self, message: str, schema: dict[str, Any], carried: Mapping[str, Any]
    ) -> mcp_types.ElicitResult | None:
        if not self._modern:
            try:
                return await self._context.session.elicit_form(message, schema, self._context.request_id)
            except MCPError:  # said that it can, and cannot
                return None
        # An answer counts only for the very question that was asked: what it is about may have changed meanwhile.
        asked = hashlib.sha256(f"{message}\0{json.dumps(dict(carried))}".encode()).hexdigest()
        reply = self._replies.get(_KEY)
        if isinstance(reply, mcp_types.ElicitResult) and self._state.get("asked") == asked:
            return reply
        params = mcp_types.ElicitRequestFormParams(message=message, requested_schema=schema)
        raise Paused(
            mcp_types.InputRequiredResult(
                input_requests={_KEY: mcp_types.ElicitRequest(params=params)},
                request_state=json.dumps({"asked": asked, "carried": dict(carried)}),
            )
        )


def _read(state: str | None) -> Mapping[str, Any]:
    if not state:
        return {}
    try:
        found = json.loads(state)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
