"""The events of a message stream are as the schema says, and the schema is as committed."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from chatting import a_chat, with_provider
from palyra.api import chat as api
from palyra.api import memory
from palyra.domain.chat.session import TapeType
from palyra.wire.chat import StreamLine
from palyra.wire.run_events import RUN_EVENTS, render
from providers.models.scripted_provider import calls, drip, says, scripted_provider
from support import run

ROOT = Path(__file__).parents[2]


def test_the_committed_schema_is_up_to_date() -> None:
    assert (ROOT / "schemas" / "run_events.json").read_bytes() == render(), "make schemas"


def test_every_kind_of_record_is_described() -> None:
    assert {kind.value for kind in TapeType} - {"erased"} <= set(RUN_EVENTS)


def test_every_event_of_a_lively_conversation_is_as_described(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("The launch is on Friday.")
    settings = {"PALYRA_WORKSPACE_REFERENCE_ROOTS": str(tmp_path), "PALYRA_MEMORY_DEFAULT_PRINCIPAL": "user:ana"}

    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path / "home", **with_provider(provider.url, **settings)) as chat:
                session = await chat.new()
                seen: set[str] = set()
                await chat.do(memory.retain, text="My sister lives in Ghent.")
                file = await chat.do(api.attach, name="notes.txt", data=b"tea at five", session=session)
                provider.then(
                    calls("memory_retain", {"text": "The launch is on Friday"}),
                    drip("word " * 30, pause_seconds=0.01),
                )
                lines = chat.lines(
                    session, "Read @file:plan.md and @file:none.md, sister", attachments=(file.attachment_id,)
                )
                seen |= await _checked(
                    lines, lambda run_id, call_id: chat.do(api.decide, run_id=run_id, call_id=call_id, approve=True)
                )
                provider.then(says("x " * 9_000, 4_500))
                seen |= await _checked(chat.lines(await chat.new(), "And where does my sister live?"))
                handed_over = {"system_message"}  # no run of ours has one
                assert set(RUN_EVENTS) - seen - handed_over <= {"kept", "assistant_text"}
                assert seen & {"kept", "assistant_text"}

    run(story())


async def _checked(lines: AsyncIterator[StreamLine], decide: object = None) -> set[str]:
    seen: set[str] = set()
    run_id = ""
    async for line in lines:
        run_id = run_id or line.run_id
        if line.type != "event":
            continue
        seen.add(line.event)
        msgspec.convert(line.data, RUN_EVENTS[line.event])
        if line.data.get("code") == "approval_needed" and callable(decide):
            await decide(run_id, line.data["call_id"])
    return seen
