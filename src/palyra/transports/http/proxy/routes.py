"""The proxy's routes. Which of them have somebody behind them depends on models.provider."""

from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import quote

from starlette.requests import Request as HttpRequest

from palyra.core.errors import FailedPrecondition, NotFound, PalyraError
from palyra.domain.access import Capability
from palyra.services.proxy.asked import ProxyProtocol, read_request
from palyra.services.proxy.heard import AnswerListener
from palyra.transports.http.answers import WholeBody
from palyra.transports.http.proxy import embeddings, offline
from palyra.transports.http.proxy.desk import admit, desk_of
from palyra.transports.http.proxy.refusals import (
    anthropic_event,
    openai_event,
    refuse_anthropic,
    refuse_either,
    refuse_openai,
)
from palyra.transports.http.proxy.relay import Refusals, Relay
from palyra.transports.http.proxy.upstream import no_upstream
from palyra.transports.http.site import Door, Reply, Route, Visit

_PATHS = {
    ProxyProtocol.CHAT: "/chat/completions",
    ProxyProtocol.RESPONSES: "/responses",
    ProxyProtocol.MESSAGES: "/messages",
}
_SPOKEN = {
    "openai": {ProxyProtocol.CHAT, ProxyProtocol.RESPONSES},
    "anthropic": {ProxyProtocol.MESSAGES},
    "offline": {ProxyProtocol.CHAT, ProxyProtocol.MESSAGES},
}
Refuse = Callable[[HttpRequest, PalyraError, str, int | None], WholeBody]


def _converse(dialect: ProxyProtocol) -> Callable[[Visit], Awaitable[Reply]]:
    async def answer(visit: Visit) -> Reply:
        admit(visit)
        provider = visit.site.app.settings.models.provider
        if dialect not in _SPOKEN[provider]:
            raise _wrong_protocol(_PATHS[dialect], provider)
        request, desk = read_request(dialect, visit.body), desk_of(visit.site)
        if provider == "offline":
            return await offline.answer(visit, desk, request)
        upstream = desk.upstream  # before anything is recorded: it may be misconfigured
        remembered = await desk.remember(visit, request)
        body = request.with_memory(remembered.standing, remembered.recalled.block)
        http = visit.http
        outgoing = upstream.outgoing("POST", _PATHS[dialect], http.scope["query_string"], http.headers.raw, body)
        heard = AnswerListener(dialect)
        refusals = _refusals(visit, refuse_anthropic if dialect is ProxyProtocol.MESSAGES else refuse_openai)
        return Relay(visit, upstream, outgoing, refusals, heard, remembered.when_ended(heard), (remembered.header,))

    return answer


async def _count_tokens(visit: Visit) -> Reply:
    admit(visit)
    provider = visit.site.app.settings.models.provider
    if provider != "anthropic":
        raise _wrong_protocol("/messages/count_tokens", provider)
    return _pass_on(visit, "POST", "/messages/count_tokens", refuse_anthropic)


async def _embeddings(visit: Visit) -> Reply:
    admit(visit, Capability.READ)
    if visit.site.app.settings.models.provider == "openai":
        return _pass_on(visit, "POST", "/embeddings", refuse_openai)
    return await embeddings.answer(visit)


async def _models(visit: Visit) -> Reply:
    admit(visit)
    if visit.site.app.settings.models.provider == "offline":
        return offline.models()
    return _pass_on(visit, "GET", "/models", refuse_either)


async def _model(visit: Visit) -> Reply:
    admit(visit)
    name = visit.http.path_params["model_id"]
    if name in (".", ".."):
        raise NotFound(f"there is no model {name!r}", hint="GET /v1/models lists them")
    if visit.site.app.settings.models.provider == "offline":
        return offline.model(name)
    return _pass_on(visit, "GET", f"/models/{quote(name, safe='')}", refuse_either)


def _pass_on(visit: Visit, method: str, path: str, refuse: Refuse) -> Relay:
    http, upstream = visit.http, desk_of(visit.site).upstream
    outgoing = upstream.outgoing(method, path, http.scope["query_string"], http.headers.raw, visit.body)
    return Relay(visit, upstream, outgoing, _refusals(visit, refuse), None, _nothing)


async def _nothing(_error: PalyraError | None) -> None:
    """Nobody records what is no conversation."""


def _refusals(visit: Visit, refuse: Refuse) -> Refusals:
    request_id = visit.seen.request_id
    event = anthropic_event if refuse is refuse_anthropic else openai_event
    return Refusals(
        lambda error, status: refuse(visit.http, error, request_id, status), partial(event, request_id=request_id)
    )


def _wrong_protocol(path: str, provider: str) -> FailedPrecondition:
    if provider == "offline":
        return no_upstream(f"/v1{path}")
    others = " and ".join(f"/v1{_PATHS[dialect]}" for dialect in sorted(_SPOKEN[provider]))
    return FailedPrecondition(
        f"/v1{path} is not a protocol of models.provider {provider!r}", hint=f"use {others}, or another provider"
    )


ROUTES = (
    Route(
        "proxy.chat", "POST", "/v1/chat/completions", Door.API_KEY, None, _converse(ProxyProtocol.CHAT), refuse_openai
    ),
    Route(
        "proxy.responses",
        "POST",
        "/v1/responses",
        Door.API_KEY,
        None,
        _converse(ProxyProtocol.RESPONSES),
        refuse_openai,
    ),
    Route(
        "proxy.messages",
        "POST",
        "/v1/messages",
        Door.API_KEY,
        None,
        _converse(ProxyProtocol.MESSAGES),
        refuse_anthropic,
    ),
    Route(
        "proxy.count_tokens", "POST", "/v1/messages/count_tokens", Door.API_KEY, None, _count_tokens, refuse_anthropic
    ),
    Route("proxy.embeddings", "POST", "/v1/embeddings", Door.API_KEY, Capability.READ, _embeddings, refuse_openai),
    Route("proxy.models", "GET", "/v1/models", Door.API_KEY, None, _models, refuse_either),
    Route("proxy.model", "GET", "/v1/models/{model_id}", Door.API_KEY, None, _model, refuse_either),
)
