"""Plans that somebody has looked at, so that what is applied is what they have seen.

They are kept in memory, a few of them, and go with the process. A plan has a name made of all it rests on: what it
says, the conversation, and the documents it would write to. Without a model planning again gives the same plan, so
that its name is enough to find out whether it still holds.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from palyra.core.errors import Conflict, FailedPrecondition
from palyra.core.hashing import Json, canonical_json, sha256
from palyra.domain.compaction.plan import Disposition
from palyra.domain.compaction.plan_json import to_json
from palyra.domain.scope import Visibility
from palyra.services.continuity.planning import Compactor, Planned, plan_compaction, tape_digest
from palyra.services.sessions.context import find_session
from palyra.services.workspace.sync import read_files
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import line_of
from palyra.store.workspace.records import newest

_ID_CHARS = 32


@dataclass(frozen=True, slots=True)
class Previewed:
    plan_id: str
    planned: Planned
    documents: Mapping[str, str]
    """path -> hash of what it would write to; empty: nothing of anybody's"""


async def preview(compactor: Compactor, name: str, caller: Visibility) -> Previewed:
    """What compacting would do. `apply` with its id does that very thing, or nothing."""
    made = await _made(compactor, name, caller)
    compactor.plans.keep(made)
    return made


async def previewed(compactor: Compactor, name: str, caller: Visibility, plan_id: str) -> Planned:
    """The plan of that id; Conflict if the conversation or a document is no longer what it was made of."""
    kept = compactor.plans.get(plan_id)
    if kept is None and compactor.model is not None:
        raise FailedPrecondition(
            f"no plan {plan_id[:64]!r} is kept here, and the model would make another one",
            hint=f"palyra session compact {name} --preview again; plans are kept in the memory of the daemon",
        )
    if kept is None:
        kept = await _made(compactor, name, caller)
        if kept.plan_id != plan_id:
            raise _moved(name, "there is no such plan, or it")
    session = await compactor.memory.store.db.read(lambda tx: find_session(tx, name, caller))
    if session.session_id != kept.planned.session.session_id:
        raise FailedPrecondition(
            f"plan {plan_id} is of another session", hint=f"palyra session compact {name} --preview"
        )
    if await tape_digest(compactor, name, caller) != kept.planned.tape_digest:
        raise _moved(name, "the conversation")
    now = await _documents(compactor, kept.planned)
    changed = [path for path, was in kept.documents.items() if now[path] != was]
    if changed:
        raise _moved(name, f"the document {changed[0]}")
    return kept.planned


class PreviewedPlans:
    """The newest few of this process."""

    def __init__(self, most: int = 32) -> None:
        self._kept: OrderedDict[str, Previewed] = OrderedDict()
        self._most = most

    def keep(self, previewed: Previewed) -> None:
        self._kept[previewed.plan_id] = previewed
        self._kept.move_to_end(previewed.plan_id)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def get(self, plan_id: str) -> Previewed | None:
        return self._kept.get(plan_id)

    def forget(self, principal: str) -> None:
        """After erasing: nothing of the text stays in memory."""
        for plan_id, kept in list(self._kept.items()):
            if kept.planned.session.principal == principal:
                del self._kept[plan_id]


def _moved(name: str, what: str) -> Conflict:
    return Conflict(
        f"{what} has changed since the plan was looked at; nothing was written",
        hint=f"palyra session compact {name} --preview again",
    )


async def _made(compactor: Compactor, name: str, caller: Visibility) -> Previewed:
    await read_files(compactor.continuity.workspace, caller)
    planned = await plan_compaction(compactor, name, caller)
    documents = await _documents(compactor, planned)
    rests_on: dict[str, Json] = {
        "plan": to_json(planned.plan),
        "session": planned.session.session_id,
        "tape": planned.tape_digest,
        "documents": {**documents},
    }
    return Previewed(sha256(canonical_json(rests_on)).hex()[:_ID_CHARS], planned, documents)


async def _documents(compactor: Compactor, planned: Planned) -> dict[str, str]:
    session = planned.session
    owner = Visibility(session.principal, session.channel)
    wanted = sorted({one.target for one in planned.plan.candidates if one.disposition is Disposition.AUTO_WRITE})

    def find(tx: ReadTx) -> dict[str, str]:
        line = line_of(tx, session)
        found = {path: newest(tx, path, owner, line) for path in wanted}
        # A template is written before the first compaction if there is none yet: that changes nothing for anybody.
        return {
            path: "" if one is None or one.deleted or one.source == "bootstrap" else one.sha256
            for path, one in found.items()
        }

    return await compactor.memory.store.db.read(find)
