"""Compactions nobody asked for: of conversations that have become long. A job's work, never a turn's."""

import logging
from collections.abc import MutableMapping

from palyra.core.errors import Conflict, FailedPrecondition, PalyraError
from palyra.core.redact import redact_text
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.continuity.compaction import apply
from palyra.services.continuity.condensed import standing_compaction
from palyra.services.continuity.planning import CompactionPolicy, Compactor
from palyra.services.sessions.context import find_session
from palyra.store.connection import ReadTx
from palyra.store.continuity.prompts import LastPrompt, last_prompts
from palyra.store.continuity.records import Compaction

log = logging.getLogger("palyra.compaction")

_SESSIONS = 64
"""looked at each time: those last active"""
_PER_RUN = 4


def is_due(prompt: LastPrompt, last: Compaction | None, now_ms: int, policy: CompactionPolicy) -> bool:
    """The whole conversation is long, nothing was condensed since, and the last time is long enough ago."""
    if prompt.whole_tokens * 100 <= policy.trigger_percent * prompt.window_tokens:
        return False
    return last is None or (last.seq < prompt.seq and now_ms - last.at_ms >= policy.cooldown_ms)


async def compact_due(compactor: Compactor, tried: MutableMapping[str, int]) -> list[Compaction]:
    """`tried`: by session, the prompt for which it was tried in vain. It is not tried again for the same one."""
    memory, done = compactor.memory, list[Compaction]()

    def find(tx: ReadTx) -> list[LastPrompt]:
        now_ms = memory.clock.now_ms()
        found: list[LastPrompt] = []
        for prompt in last_prompts(tx, _SESSIONS):
            session = find_session(tx, prompt.session_id, Visibility(prompt.principal, prompt.channel))
            last = standing_compaction(tx, session)
            if tried.get(prompt.session_id) != prompt.seq and is_due(prompt, last, now_ms, compactor.policy):
                found.append(prompt)
        return found

    for prompt in (await memory.store.db.read(find))[:_PER_RUN]:
        place = Visibility(prompt.principal, prompt.channel)
        try:
            done.append(await apply(compactor, prompt.session_id, place, Actor.SYSTEM))
        except Conflict:
            continue  # somebody is talking there; next time
        except FailedPrecondition:
            tried[prompt.session_id] = prompt.seq
        except PalyraError as error:
            tried[prompt.session_id] = prompt.seq
            log.warning("compaction.failed", extra={"error": error.code, "reason": redact_text(error.message).text})
    return done
