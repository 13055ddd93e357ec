"""Every model by its name: the setting `models.provider`, with `models.api` where a provider speaks two protocols.

Adapters are imported when they are chosen: who chats without a network never waits for its libraries.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument
from palyra.ports import ChatModel
from palyra.settings import ModelSettings

if TYPE_CHECKING:
    from palyra.providers.models.upstream import CallPace

Build: TypeAlias = "Callable[[ModelSettings, Clock, CallPace | None], ChatModel]"


def build_model(settings: ModelSettings, clock: Clock, pace: "CallPace | None" = None) -> ChatModel:
    """FailedPrecondition or InvalidArgument when the settings do not make a model. Opens no connection."""
    name = f"openai-{settings.api}" if settings.provider == "openai" else settings.provider
    build = MODELS.get(name)
    if build is None:
        raise InvalidArgument(f"no model provider {name[:64]!r}", hint=f"choose one of {', '.join(MODELS)}")
    return build(settings, clock, pace)


def _offline(settings: ModelSettings, _clock: Clock, _pace: "CallPace | None") -> ChatModel:
    from palyra.providers.models.offline import OfflineModel  # noqa: PLC0415 - see above

    return OfflineModel(settings.window_tokens, settings.max_output_tokens)


def _openai_chat(settings: ModelSettings, clock: Clock, pace: "CallPace | None") -> ChatModel:
    from palyra.providers.models.network import NetworkModel  # noqa: PLC0415 - see above
    from palyra.providers.models.openai_chat import DIALECT  # noqa: PLC0415 - see above

    return NetworkModel(DIALECT, settings, clock, pace)


def _openai_responses(settings: ModelSettings, clock: Clock, pace: "CallPace | None") -> ChatModel:
    from palyra.providers.models.network import NetworkModel  # noqa: PLC0415 - see above
    from palyra.providers.models.openai_responses import DIALECT  # noqa: PLC0415 - see above

    return NetworkModel(DIALECT, settings, clock, pace)


def _anthropic(settings: ModelSettings, clock: Clock, pace: "CallPace | None") -> ChatModel:
    from palyra.providers.models.anthropic import DIALECT  # noqa: PLC0415 - see above
    from palyra.providers.models.network import NetworkModel  # noqa: PLC0415 - see above

    return NetworkModel(DIALECT, settings, clock, pace)


MODELS: Mapping[str, Build] = MappingProxyType(
    {
        "offline": _offline,
        "openai-chat": _openai_chat,
        "openai-responses": _openai_responses,
        "anthropic": _anthropic,
    }
)
