"""The tools: one row each. What an agent may not do (erase, purge, administer) has no row; what takes a person's
credential is offered to nobody else."""

from palyra.api import chat as sessions
from palyra.api import memory as api
from palyra.transports.mcp import answers, learning
from palyra.transports.mcp import arguments as given
from palyra.transports.mcp.answers import Answer, one_line
from palyra.transports.mcp.approval import Approval, Consent
from palyra.transports.mcp.desk import McpClient, demand
from palyra.transports.mcp.reflect import Digest, reflect
from palyra.transports.mcp.tool import McpTool
from palyra.wire import memory as wire
from palyra.wire.chat import AddTurns, HandedTurn, TurnsAdded


async def _search(desk: McpClient, asked: given.SearchArguments, _approval: Approval) -> Answer:
    request = wire.Search(
        query=asked.query,
        profile=asked.profile,
        top_k=asked.top_k,
        min_score=asked.min_score,
        tags=asked.tags,
        categories=tuple(asked.categories),
        sources=tuple(asked.sources),
        include_past=asked.include_past,
        as_of_ms=asked.as_of_ms,
        **desk.standing,
    )
    return answers.found(await desk.call(api.search_, request))


async def _recall(desk: McpClient, asked: given.RecallArguments, _approval: Approval) -> Answer:
    request = wire.Recall(
        query=asked.query,
        max_items=asked.max_items,
        budget_tokens=asked.budget_tokens,
        tags=asked.tags,
        as_of_ms=asked.as_of_ms,
        **desk.standing,
    )
    return answers.recollection(await desk.call(api.recall, request))


async def _retain(desk: McpClient, asked: given.RetainArguments, _approval: Approval) -> Answer:
    request = wire.Retain(
        text=asked.text,
        source=asked.source.value,
        category=None if asked.category is None else asked.category.value,
        tags=asked.tags,
        scope=None if asked.scope is None else asked.scope.value,
        speaker=asked.speaker,
        said_at_ms=asked.said_at_ms,
        ttl_ms=asked.ttl_ms,
        request_id=asked.request_id,
        actor=desk.actor,
        **desk.standing,
    )
    return answers.retained(await desk.call(api.retain, request))


async def _add(desk: McpClient, asked: given.AddArguments, _approval: Approval) -> Answer:
    """Handed over by an agent, it is the agent's word, whoever is said to have said it."""
    turns = [
        HandedTurn(
            role=turn.role.value,
            text=turn.text,
            said_at_ms=turn.said_at_ms,
            speaker=turn.speaker,
            turn_id=turn.turn_id,
        )
        for turn in asked.turns
    ]
    place = {name: value for name, value in desk.standing.items() if name != "session_id"}
    request = AddTurns(session=asked.session, turns=turns, wait_ms=asked.wait_ms, actor=desk.actor, **place)
    return answers.added(await desk.call(sessions.add_turns, request))


async def _reflect(desk: McpClient, asked: given.ReflectArguments, _approval: Approval) -> Answer:
    return await reflect(desk, asked)


async def _get(desk: McpClient, asked: given.GetArguments, _approval: Approval) -> Answer:
    return answers.detail(await desk.call(api.get, wire.GetItem(memory_id=asked.memory_id, **desk.standing)))


async def _forget(desk: McpClient, asked: given.ForgetArguments, approval: Approval) -> Answer:
    """The person is shown what would go, in our words and not the agent's."""
    demand(desk, api.delete)
    items = [
        await desk.call(api.get, wire.GetItem(memory_id=memory_id, **desk.standing)) for memory_id in asked.memory_ids
    ]
    listed = "\n".join(f"- {detail.item.memory_id}: {one_line(detail.item.text)}" for detail in items)
    await approval.ask(
        f"An agent asks to forget {len(items)} of your memories:\n{listed}",
        f"a person can run: palyra memory delete {' '.join(asked.memory_ids)}",
        Consent("Forget them", "Delete these memories"),
    )
    request = wire.DeleteItems(memory_ids=list(asked.memory_ids), actor=desk.actor, **desk.standing)
    done = await desk.call(api.delete, request)
    return answers.forgotten(asked.memory_ids, done.deleted)


async def _status(desk: McpClient, _asked: given.StatusArguments, _approval: Approval) -> Answer:
    return answers.status(await desk.call(api.status, wire.GetMemoryStatus(**desk.standing)))


TOOLS = (
    McpTool(
        "palyra.memory.search", "Search memory",
        "Find memories by meaning and words, best first, with ids, scores and trust. To prepare an answer, use recall.",
        given.SearchArguments, answers.Found, api.search_.name, _search, read_only=True, idempotent=True,
    ),
    McpTool(
        "palyra.memory.recall", "Recall",
        "What is remembered about the question or task at hand, as a fenced block with citations such as [m1]. Use it"
        " before answering. What was given is journaled.",
        given.RecallArguments, answers.Recollection, api.recall.name, _recall,
    ),
    McpTool(
        "palyra.memory.retain", "Remember",
        "Remember one statement for later sessions: a fact, preference, decision or correction. Duplicates are merged,"
        " contradictions linked; what looks secret or untrusted waits for a person's review.",
        given.RetainArguments, wire.Retained, api.retain.name, _retain,
    ),
    McpTool(
        "palyra.memory.add", "Hand over what was said",
        "Hand over finished turns of a conversation as they were said. They are read: facts, preferences and decisions"
        " in them are remembered, the rest is left. The same turns again are read once.",
        given.AddArguments, TurnsAdded, sessions.add_turns.name, _add, idempotent=True,
    ),
    McpTool(
        "palyra.memory.reflect", "Reflect",
        "Gather all that is remembered about a question: facts with citations, what contradicts what, what no longer"
        " holds, what is uncertain. Quotes only.",
        given.ReflectArguments, Digest, "memory.reflect", _reflect,
    ),
    McpTool(
        "palyra.memory.get", "Show a memory",
        "One memory by its id, with what contradicts it.",
        given.GetArguments, wire.ItemDetail, api.get.name, _get, read_only=True, idempotent=True,
    ),
    McpTool(
        "palyra.memory.forget", "Forget",
        "Delete memories by id. The person is asked to confirm first.",
        given.ForgetArguments, answers.Forgotten, api.delete.name, _forget, destructive=True,
    ),
    McpTool(
        "palyra.memory.status", "Memory status",
        "How much is remembered, and how the index stands.",
        given.StatusArguments, wire.MemoryStatus, api.status.name, _status, read_only=True, idempotent=True,
    ),
    *learning.TOOLS,
)  # fmt: skip
