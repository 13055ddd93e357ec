"""What can be read by address: each memory and each workspace document in sight, and the head of the journal."""

from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
import msgspec

from palyra.api import journal, workspace
from palyra.api import memory as api
from palyra.core.errors import FailedPrecondition, NotFound
from palyra.core.ids import parse_ulid
from palyra.transports.mcp.answers import one_line
from palyra.transports.mcp.desk import McpClient
from palyra.wire import memory as wire
from palyra.wire.base import Response
from palyra.wire.journal import GetStatus
from palyra.wire.workspace import GetDocument, ListDocuments

MEMORY = "palyra://memory/"
DOCUMENT = "palyra://workspace/"
HEAD = "palyra://journal/head"
_PAGE = 50
_JSON = "application/json"
_MARKDOWN = "text/markdown"
_NAME_CHARS = 80

TEMPLATES = [
    types.ResourceTemplate(
        uri_template=MEMORY + "{memory_id}",
        name="memory",
        title="A memory",
        description="One memory in sight, with what contradicts it.",
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        uri_template=DOCUMENT + "{path}",
        name="document",
        title="A document",
        description="A workspace document in Markdown, such as MEMORY.md.",
        mime_type=_MARKDOWN,
    ),
]


class JournalHead(Response):
    size: int
    root: str
    """of the tree over all events"""
    signed_size: int
    """how many of them the newest checkpoint covers"""


async def listed(desk: McpClient, cursor: str | None) -> types.ListResourcesResult:
    """The head of the journal for whoever may see it, then documents, then memories, the newest first."""
    if cursor:
        parse_ulid(cursor, "cursor")
    page = await desk.call(
        api.list_, wire.ListItems(after=cursor or "", limit=_PAGE, newest_first=True, **desk.standing)
    )
    resources = [
        types.Resource(
            uri=MEMORY + item.memory_id,
            name=item.memory_id,
            title=one_line(item.text)[:_NAME_CHARS],
            description=f"{item.category}, trust {item.trust}",
            mime_type=_JSON,
        )
        for item in page.items
    ]
    if not cursor and desk.may(workspace.list_):
        resources[:0] = await _documents(desk)
    if not cursor and desk.may(journal.status):
        head = types.Resource(uri=HEAD, name="journal head", description="Size and root now.", mime_type=_JSON)
        resources.insert(0, head)
    return types.ListResourcesResult(resources=resources, next_cursor=page.next_after)


def operation_of(uri: str) -> str:
    if uri == HEAD:
        return journal.status.name
    return workspace.get.name if uri.startswith(DOCUMENT) else api.get.name


async def read(desk: McpClient, uri: str) -> types.ReadResourceResult:
    kind = _JSON
    if uri == HEAD:
        text = _json(await _head(desk))
    elif uri.startswith(DOCUMENT):
        text, kind = await _document(desk, unquote(uri.removeprefix(DOCUMENT))), _MARKDOWN
    elif uri.startswith(MEMORY):
        request = wire.GetItem(memory_id=uri.removeprefix(MEMORY), **desk.standing)
        found: wire.ItemDetail = await desk.call(api.get, request)
        text = _json(found)
    else:
        raise NotFound(f"no resource {uri[:128]!r}", hint=f"{MEMORY}ID, {DOCUMENT}PATH or {HEAD}")
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])


async def _documents(desk: McpClient) -> list[types.Resource]:
    found = await desk.call(workspace.list_, ListDocuments(**_place(desk)))
    return [
        types.Resource(
            uri=DOCUMENT + quote(one.path),
            name=one.path,
            description=f"{one.kind}, revision {one.revision}, trust {one.trust}",
            mime_type=_MARKDOWN,
        )
        for one in found.documents
        if one.risk != "quarantined" or one.released
    ]


async def _document(desk: McpClient, path: str) -> str:
    """What is quarantined is for a person to read first."""
    found = await desk.call(workspace.get, GetDocument(path=path, **_place(desk)))
    if found.risk == "quarantined" and not found.released:
        raise FailedPrecondition(f"{path} is quarantined", hint="a person has to read and release it")
    return found.text


def _place(desk: McpClient) -> dict[str, Any]:
    return {name: desk.standing.get(name) for name in ("principal", "channel")}


def _json(answer: Response) -> str:
    return msgspec.json.encode(answer).decode()


async def _head(desk: McpClient) -> JournalHead:
    status = await desk.call(journal.status, GetStatus())
    return JournalHead(size=status.size, root=status.root, signed_size=status.size - status.unsigned_events)
