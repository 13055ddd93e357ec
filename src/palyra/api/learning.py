"""Operations on learning: the rows. What they do is in `handlers/learning.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import learning as wire

_REVIEW = Capability.REVIEW
_CANDIDATE = "/v1/learning/candidates/{candidate_id}"

list_ = Operation(
    "learning.list", "GET", "/v1/learning/candidates", wire.ListLearned, wire.LearnedPage, _REVIEW, Access.READ,
    "What was learned: by default what waits for a decision, in the order it was proposed.",
)  # fmt: skip
get = Operation(
    "learning.get", "GET", _CANDIDATE, wire.GetLearned, wire.LearnedDetail, _REVIEW, Access.READ,
    "One candidate with the words it rests on, what is like it or contradicts it, and its history.",
)  # fmt: skip
decide = Operation(
    "learning.decide", "POST", f"{_CANDIDATE}/decision", wire.DecideLearned, wire.LearnedCandidate, _REVIEW,
    Access.OWN, "Approve a candidate, as it is or reworded, reject it, or let it wait again.",
)  # fmt: skip
decide_many = Operation(
    "learning.decide_many", "POST", "/v1/learning/decisions", wire.DecideManyLearned, wire.DecidedMany, _REVIEW,
    Access.OWN, "Decide about many candidates, each by itself.",
)  # fmt: skip
snooze = Operation(
    "learning.snooze", "POST", f"{_CANDIDATE}/snooze", wire.SnoozeLearned, wire.LearnedCandidate, _REVIEW, Access.OWN,
    "Put a candidate off.",
)  # fmt: skip
roll_back = Operation(
    "learning.rollback", "POST", f"{_CANDIDATE}/rollback", wire.RollBackLearned, wire.LearnedCandidate, _REVIEW,
    Access.OWN, "Undo what became of a candidate.",
)  # fmt: skip
radius = Operation(
    "learning.radius", "GET", f"{_CANDIDATE}/radius", wire.NameLearned, wire.LearnedRadius, _REVIEW, Access.READ,
    "What one thing that was learned has touched.",
)  # fmt: skip
quarantine = Operation(
    "learning.quarantine", "POST", f"{_CANDIDATE}/quarantine", wire.QuarantineLearned, wire.LearnedQuarantined,
    _REVIEW, Access.OWN, "Take out everything that holds what was learned, in one step.",
)  # fmt: skip
reflect = Operation(
    "learning.reflect", "POST", "/v1/learning/reflect", wire.ReflectNow, wire.ReflectedNow, _REVIEW, Access.OWN,
    "Read the runs that wait now, whatever the cooldown.",
)  # fmt: skip
preferences = Operation(
    "learning.preferences", "GET", "/v1/learning/preferences", wire.ListPreferences, wire.Preferences, Capability.READ,
    Access.READ, "The preferences that stand in prompts, newest first.",
)  # fmt: skip

OPERATIONS = (list_, get, decide, decide_many, snooze, roll_back, radius, quarantine, reflect, preferences)
