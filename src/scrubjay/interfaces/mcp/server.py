"""The tools and documents of a memory behind the official SDK, whichever way it is carried."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

import scrubjay
from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.interfaces.mcp import arguments, calls, deciding, documents, threads
from scrubjay.interfaces.mcp.answers import Answer
from scrubjay.interfaces.mcp.calls import Insisted
from scrubjay.interfaces.mcp.deciding import Caller
from scrubjay.interfaces.mcp.greeting import INSTRUCTIONS, NAME, TITLE
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.interfaces.mcp.person import Paused, Person
from scrubjay.interfaces.mcp.tools import TOOLS, Tool
from scrubjay.types import Source

logger = logging.getLogger(__name__)

UNKNOWN_RESOURCE = -32002

Context = ServerRequestContext[Any, Any]

READING: Mapping[str, Callable[[Keeper, calls.Arguments], Answer]] = {
    "search_memory": calls.search_memory,
    "search_semantic_memory": calls.search_semantic_memory,
    "get_facts": calls.get_facts,
}
DECIDING: Mapping[str, Callable[[Caller, calls.Arguments], Awaitable[Answer]]] = {
    "supersede_fact": deciding.supersede_fact,
    "create_fact": deciding.create_fact,
    "learn": deciding.learn,
    "review": deciding.review,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a server works: the folder that paths may be learned from, if any, and how a person opens its inbox."""

    folder: Path | None
    inbox: str


def build(keeper: Keeper, place: Place) -> Server[None]:
    """A server over the memory of ``keeper``, which is opened when serving begins and closed when it ends."""
    insisted = Insisted()

    @asynccontextmanager
    async def lifespan(_server: Server[None]) -> AsyncIterator[None]:
        keeper.start()
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(keeper.close)

    async def list_tools(_context: Context, _params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[described(tool) for tool in TOOLS])

    async def call_tool(
        context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult | mcp_types.InputRequiredResult:
        try:
            tool = arguments.tool(params.name)
            given = arguments.checked(tool, params.arguments)
            if tool.name in READING:
                return _result(await threads.read(partial(READING[tool.name], keeper, given)))
            caller = Caller(
                keeper=keeper,
                person=Person(context, params),
                report=context.session.report_progress,
                source=Source(kind="agent", ref=_client(context)),
                insisted=insisted,
                folder=place.folder,
                inbox=place.inbox,
            )
            return _result(await DECIDING[tool.name](caller, given))
        except Paused as paused:
            return paused.question
        except ScrubjayError as error:
            return _result(calls.failed(error))
        except Exception:
            # Whatever it was, the agent gets a sentence; where it happened is for the log.
            logger.exception("%s failed", params.name)
            return _result(Answer(text="The tool failed unexpectedly; the server's log says why.", failed=True))

    async def list_resources(
        _context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        with _protocol_errors():
            listed, following = await threads.read(lambda: documents.page(keeper.memory(), cursor))
        return mcp_types.ListResourcesResult(resources=[_resource(one) for one in listed], next_cursor=following)

    async def list_resource_templates(_context: Context, _params: Any) -> mcp_types.ListResourceTemplatesResult:
        return mcp_types.ListResourceTemplatesResult(resource_templates=[_template()])

    async def read_resource(
        _context: Context, params: mcp_types.ReadResourceRequestParams
    ) -> mcp_types.ReadResourceResult:
        uri = str(params.uri)
        with _protocol_errors(uri):
            document = await threads.read(lambda: documents.read(keeper.memory(), uri))
        contents = mcp_types.TextResourceContents(uri=uri, mime_type=documents.mime(document.path), text=document.text)
        return mcp_types.ReadResourceResult(contents=[contents])

    server: Server[None] = Server(
        NAME,
        version=scrubjay.__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_resource_templates,
        on_read_resource=read_resource,
    )
    # What comes back with a person's answer is what this process sent out (MCP 2026-07-28).
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return server


def described(tool: Tool) -> mcp_types.Tool:
    """A tool as the protocol lists it."""
    return mcp_types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=_hints(tool),
    )


def _hints(tool: Tool) -> mcp_types.ToolAnnotations:
    """Whether a tool only reads; and that nothing which writes destroys: everything is kept and can be undone."""
    if tool.reads:
        return mcp_types.ToolAnnotations(read_only_hint=True)
    return mcp_types.ToolAnnotations(destructive_hint=False)


def _result(answer: Answer) -> mcp_types.CallToolResult:
    """An answer for the wire. What went wrong is no structured answer by the tool's schema, so it goes beside it."""
    content: list[mcp_types.ContentBlock] = [mcp_types.TextContent(text=answer.text)]
    if answer.failed:
        return mcp_types.CallToolResult(content=content, is_error=True, _meta={"scrubjay/error": dict(answer.data)})
    return mcp_types.CallToolResult(content=content, structured_content=dict(answer.data))


@contextmanager
def _protocol_errors(uri: str = "") -> Iterator[None]:
    """Turns our errors into those of the protocol, for what is no tool."""
    try:
        yield
    except NotFound as error:
        raise MCPError(UNKNOWN_RESOURCE, str(error), {"uri": uri}) from None
    except ScrubjayError as error:
        raise MCPError(mcp_types.INVALID_PARAMS, str(error), {"code": error.code}) from None


def _resource(one: documents.Listed) -> mcp_types.Resource:
    return mcp_types.Resource(
        uri=one.uri, name=one.name, description=f"{one.scope}: {one.path}", mime_type=one.mime, size=one.size
    )


def _template() -> mcp_types.ResourceTemplate:
    return mcp_types.ResourceTemplate(
        uri_template=documents.TEMPLATE,
        name="document",
        title="A document of the memory",
        description="scope is user, local or project; path is relative to the vault, as citations give it.",
        mime_type="text/markdown",
    )


def _client(context: Context) -> str:
    """What the client calls itself, for the provenance of what it stores."""
    known = context.session.client_params
    return " ".join(known.client_info.name.split())[:80] if known is not None else ""
