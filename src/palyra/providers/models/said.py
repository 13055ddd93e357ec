"""What every protocol demands of a conversation, and a cut or aborted one does not keep.

Each call is answered right after the message that makes it, and nothing else is answered; a tool's name has only
letters, digits, `_` and `-`.
"""

import re
from base64 import b64encode
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from palyra.core.errors import InvalidArgument
from palyra.domain.chat.conversation import Image, Message, Part, Text, ToolAnswer, ToolCall, ToolSpec

UNANSWERED = "no result: the call was not carried out"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
NAME_CHARS = 64


def paired(messages: Sequence[Message]) -> Iterator[Message]:
    """The same conversation with each call answered once, in order, right after it. Stray answers are left out."""
    unused: defaultdict[str, deque[ToolAnswer]] = defaultdict(deque)
    for answer in (part for message in messages for part in message.parts if isinstance(part, ToolAnswer)):
        unused[answer.call_id].append(answer)
    for message in messages:
        parts = tuple(part for part in message.parts if not isinstance(part, ToolAnswer) and part != Text(""))
        if parts:
            yield Message("user" if message.role == "tool" else message.role, parts)
        calls = [part for part in parts if isinstance(part, ToolCall)]
        if calls:
            yield Message("tool", tuple(_answer(call, unused[call.call_id]) for call in calls))


def _answer(call: ToolCall, answers: deque[ToolAnswer]) -> ToolAnswer:
    return answers.popleft() if answers else ToolAnswer(call.call_id, UNANSWERED, is_error=True)


def name_to_model(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)[:NAME_CHARS]


def names_from_model(tools: Iterable[ToolSpec]) -> Mapping[str, str]:
    """As the model says them to as we do. InvalidArgument when two could not be told apart."""
    names: dict[str, str] = {}
    for tool in tools:
        other = names.setdefault(name_to_model(tool.name), tool.name)
        if other != tool.name:
            raise InvalidArgument(f"the tools {other!r} and {tool.name!r} have one name to a model", hint="rename one")
    return names


def text_of(parts: Iterable[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


def base64_of(image: Image) -> str:
    return b64encode(image.data).decode("ascii")


def data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{base64_of(image)}"
