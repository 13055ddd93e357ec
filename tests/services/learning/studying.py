"""What tests of learning share: say something, let it be read, and look at what was made of it."""

from collections.abc import Sequence

from chatting import Chat
from palyra.domain.journal import Actor
from palyra.domain.learning.candidate import LearningCandidate, LearningState
from palyra.domain.scope import Visibility
from palyra.services.learning import looking, review
from palyra.services.learning.reflecting import Reflected, reflect_due

ANA = Visibility("user:ana")
EVERY_STATE = tuple(LearningState)
NOW = {"PALYRA_LEARNING_COOLDOWN_MINUTES": "0"}
"""no cooldown: what was said is read when the test says so"""


async def told(chat: Chat, session: str, *texts: str) -> Reflected:
    """Says it, and has it read."""
    for text in texts:
        await chat.say(session, text)
    return await reflect_due(chat.app.learning, at_once=True)


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


async def preference_of(chat: Chat, session: str, text: str) -> LearningCandidate:
    """One that was said, read and approved."""
    before = {one.candidate_id for one in await learned(chat)}
    await told(chat, session, text)
    [fresh] = [one for one in await learned(chat) if one.candidate_id not in before]
    assert fresh.kind.value == "preference", fresh
    return await approve(chat, fresh)


async def preferences_told(chat: Chat, session: str) -> str:
    """What the next prompt says about preferences, as the model gets it."""
    heard = await chat.say(session, "What time is it?")
    [report] = heard.events("prompt_report")
    parts = {part["kind"]: part for part in report["parts"]}
    if "preferences" not in parts:
        return ""
    found = await looking.preferences(chat.app.learning, ANA)
    return "\n".join(one.text for one in found)
