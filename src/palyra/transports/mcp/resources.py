"""What can be read by address: each memory in sight, and the head of the journal."""

import mcp_types as types
import msgspec

from palyra.api import journal
from palyra.api import memory as api
from palyra.core.errors import NotFound
from palyra.core.ids import parse_ulid
from palyra.transports.mcp.answers import one_line
from palyra.transports.mcp.desk import Desk
from palyra.wire import memory as wire
from palyra.wire.base import Response
from palyra.wire.journal import GetStatus

MEMORY = "palyra://memory/"
HEAD = "palyra://journal/head"
_PAGE = 50
_JSON = "application/json"
_NAME_CHARS = 80

TEMPLATES = [
    types.ResourceTemplate(
        uri_template=MEMORY + "{memory_id}",
        name="memory",
        title="A memory",
        description="One memory in sight, with what contradicts it.",
        mime_type=_JSON,
    )
]


class JournalHead(Response):
    size: int
    root: str
    """of the tree over all events"""
    signed_size: int
    """how many of them the newest checkpoint covers"""


async def listed(desk: Desk, cursor: str | None) -> types.ListResourcesResult:
    """The head of the journal for whoever may see it, then memories, the newest first."""
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
    if not cursor and desk.may(journal.status):
        head = types.Resource(uri=HEAD, name="journal head", description="Size and root now.", mime_type=_JSON)
        resources.insert(0, head)
    return types.ListResourcesResult(resources=resources, next_cursor=page.next_after)


def operation_of(uri: str) -> str:
    return journal.status.name if uri == HEAD else api.get.name


async def read(desk: Desk, uri: str) -> types.ReadResourceResult:
    if uri == HEAD:
        text = _json(await _head(desk))
    elif uri.startswith(MEMORY):
        request = wire.GetItem(memory_id=uri.removeprefix(MEMORY), **desk.standing)
        found: wire.ItemDetail = await desk.call(api.get, request)
        text = _json(found)
    else:
        raise NotFound(f"no resource {uri[:128]!r}", hint=f"{MEMORY}ID or {HEAD}")
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)])


def _json(answer: Response) -> str:
    return msgspec.json.encode(answer).decode()


async def _head(desk: Desk) -> JournalHead:
    status = await desk.call(journal.status, GetStatus())
    return JournalHead(size=status.size, root=status.root, signed_size=status.size - status.unsigned_events)
