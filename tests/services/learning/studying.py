"""What tests of learning share: something is said, a model proposes what it states, and a person decides.

Our own reader is off: what it writes by itself is tested in `test_turns.py`.
"""

from collections.abc import Sequence

from chatting import Chat
from palyra.core.ids import RunId
from palyra.domain.chat.session import TapeType
from palyra.domain.journal import Actor, Decision
from palyra.domain.learning.candidate import LearningCandidate, LearningState
from palyra.domain.learning.proposal import EvidenceSpan, LearnedKind, Proposal
from palyra.domain.scope import Visibility
from palyra.services.learning import looking, review
from palyra.services.learning.listening import heard_before
from palyra.services.learning.proposing import Account, Considered, consider, decide_one
from palyra.services.prompt.standing import standing_preferences
from palyra.services.sessions import lifecycle
from palyra.services.sessions.context import find_session
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import own_run, tape_of
from proposing import Said, a_preference

ANA = Visibility("user:ana")
EVERY_STATE = tuple(LearningState)
UNREAD = {"PALYRA_LEARNING_ENABLED": "0"}
"""what was said is proposed when the test says so, and by nobody else"""
SURE_BPS = 9_500
"""written without asking"""


async def told(chat: Chat, session: str, *said: Said | str, bps: int = SURE_BPS, caller: Visibility = ANA) -> None:
    """Says it, and has it proposed. Preferences and procedures always wait."""
    for one in said:
        given = Said(one) if isinstance(one, str) else one
        more = {} if caller.channel is None else {"channel": caller.channel}
        heard = await chat.say(session, given.text, **more)
        await _propose(chat, RunId(heard.run_id), given, bps, caller)


async def _propose(chat: Chat, run_id: RunId, said: Said, bps: int, caller: Visibility) -> None:
    learning = chat.app.learning

    def read(tx: ReadTx):  # type: ignore[no-untyped-def] # a tuple of what is there
        run = own_run(tx, run_id)
        assert run is not None
        session = find_session(tx, run.session_id, caller)
        return session, run, heard_before(tx, session, run), tape_of(tx, [run_id])

    session, run, heard, records = await learning.store.db.read(read)
    record = next(one for one in records if one.type is TapeType.USER_MESSAGE)
    text = said.learned or said.text
    span = EvidenceSpan(record.seq, record.event_id, 0, len(said.text))
    proposal = Proposal(said.kind, text, bps, ("model",), (span,), key=said.key, title=said.title, steps=said.steps)
    one = await consider(learning, session, run, proposal, "scripted", heard)
    assert isinstance(one, Considered), one
    account = Account()

    def decide(tx: ReadTx) -> Decision[None]:
        decide_one(tx, learning, run, one, account)
        return Decision(tuple(account.drafts), None)

    await learning.journal.commit(decide)
    learning.memory.follower.wake()


async def learned(chat: Chat, states: Sequence[LearningState] = EVERY_STATE) -> list[LearningCandidate]:
    return await looking.list_(chat.app.learning, ANA, states, snoozed=True)


async def only(chat: Chat) -> LearningCandidate:
    [one] = await learned(chat)
    return one


async def approve(chat: Chat, candidate: LearningCandidate, text: str | None = None) -> LearningCandidate:
    verdict = review.Verdict(LearningState.APPROVED, text)
    return await review.decide(chat.app.learning, candidate.candidate_id, verdict, ANA, Actor.USER)


async def reject(chat: Chat, candidate: LearningCandidate) -> LearningCandidate:
    verdict = review.Verdict(LearningState.REJECTED)
    return await review.decide(chat.app.learning, candidate.candidate_id, verdict, ANA, Actor.USER)


async def preference_of(chat: Chat, session: str, text: str, key: str = "") -> LearningCandidate:
    """One that was said, proposed and approved."""
    before = {one.candidate_id for one in await learned(chat)}
    await told(chat, session, a_preference(text, key))
    [fresh] = [one for one in await learned(chat) if one.candidate_id not in before]
    assert fresh.kind is LearnedKind.PREFERENCE, fresh
    return await approve(chat, fresh)


async def preferences_told(chat: Chat) -> str:
    """What the prompts of a new session say about preferences."""
    session = await lifecycle.get(chat.app.sessions, await chat.new(), ANA)
    found = await standing_preferences(chat.app.memory, ANA, session.created_at_ms)
    return "\n".join(one.text for one in found)
