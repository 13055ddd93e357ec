"""Embeddings in OpenAI's shape, by Palyra's own model, for whoever has no server behind it that makes them."""

import base64
from typing import Literal

import msgspec
import numpy as np

from palyra.core.errors import InvalidArgument
from palyra.core.tokens import estimate_tokens
from palyra.transports.http.answers import WholeBody, json_answer
from palyra.transports.http.site import Visit

_TEXTS = 2_048
_TEXT_BYTES = 131_072


class EmbeddingsRequest(msgspec.Struct):
    """Which model is asked for does not matter, since there is one; the answer names it."""

    input: str | list[str | int | list[int]]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None


async def answer(visit: Visit) -> WholeBody:
    try:
        request = msgspec.json.decode(visit.body, type=EmbeddingsRequest)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"the body is no request for embeddings: {error}", hint='{"model": "…", "input": ["text", …]}'
        ) from None
    texts = _texts(request.input)
    follower = visit.site.app.memory.follower
    vectors = await follower.embed(texts)
    if request.dimensions not in (None, vectors.shape[1]):
        raise InvalidArgument(
            f"dimensions is {request.dimensions}; {follower.identity} has {vectors.shape[1]}", hint="leave it out"
        )
    tokens = sum(map(estimate_tokens, texts))
    return json_answer(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "index": index, "embedding": _written(vector, request.encoding_format)}
                for index, vector in enumerate(vectors)
            ],
            "model": follower.identity,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )


def _texts(given: str | list[str | int | list[int]]) -> list[str]:
    texts = [given] if isinstance(given, str) else [text for text in given if isinstance(text, str)]
    if isinstance(given, list) and len(texts) < len(given):
        raise InvalidArgument("input holds token numbers, and whose tokens they are is not known", hint="send text")
    if not 1 <= len(texts) <= _TEXTS:
        raise InvalidArgument(f"input has {len(texts)} texts; it must be 1 to {_TEXTS}", hint="ask several times")
    for index, text in enumerate(texts):
        if not text or len(text.encode()) > _TEXT_BYTES:
            raise InvalidArgument(
                f"text {index} has {len(text.encode())} bytes; it must be 1 to {_TEXT_BYTES}", hint="split it"
            )
    return texts


def _written(vector: "np.ndarray[tuple[int], np.dtype[np.float32]]", form: str) -> list[float] | str:
    if form == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return [float(number) for number in vector]
