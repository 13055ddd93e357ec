"""The scripted provider speaks as the real ones do: their own clients understand it."""

import anthropic
import openai
import pytest

from providers.models.scripted_provider import calls, says, scripted_provider, status

TOOL_ARGUMENTS = {"query": "tea", "n": 3}


def an_openai(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key="none", max_retries=0)


def an_anthropic(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="none", max_retries=0)


def test_the_openai_client_reads_chat_completions_whole_and_streamed() -> None:
    with scripted_provider(says("Hello there"), says("Hello there"), calls("recall", TOOL_ARGUMENTS)) as provider:
        with an_openai(provider.url) as client:
            whole = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
            assert whole.choices[0].message.content == "Hello there"
            with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "Hi"}]) as stream:
                assert stream.get_final_completion().choices[0].message.content == "Hello there"
            with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "Hi"}]) as stream:
                called = stream.get_final_completion().choices[0].message.tool_calls
        assert called is not None
        assert called[0].function.arguments == '{"query": "tea", "n": 3}'
        assert [asked.body["messages"][0]["content"] for asked in provider.asked] == ["Hi"] * 3


def test_the_openai_client_reads_responses_whole_and_streamed() -> None:
    with scripted_provider(says("Hello there"), says("Hello there"), calls("recall", TOOL_ARGUMENTS)) as provider:
        with an_openai(provider.url) as client:
            assert client.responses.create(model="m", input="Hi").output_text == "Hello there"
            with client.responses.stream(model="m", input="Hi") as stream:
                assert stream.get_final_response().output_text == "Hello there"
            with client.responses.stream(model="m", input="Hi") as stream:
                last = stream.get_final_response().output[0]
        assert last.type == "function_call"
        assert last.arguments == '{"query": "tea", "n": 3}'


def test_the_anthropic_client_reads_messages_whole_and_streamed() -> None:
    with scripted_provider(says("Hello there"), says("Hello there"), calls("recall", TOOL_ARGUMENTS)) as provider:
        with an_anthropic(provider.url) as client:
            asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
            whole = client.messages.create(**asked)  # type: ignore[call-overload]
            assert whole.content[0].text == "Hello there"
            with client.messages.stream(**asked) as stream:  # type: ignore[arg-type]
                assert stream.get_final_text() == "Hello there"
            with client.messages.stream(**asked) as stream:  # type: ignore[arg-type]
                last = stream.get_final_message()
        assert last.content[0].type == "tool_use"
        assert last.content[0].input == TOOL_ARGUMENTS
        assert last.usage.cache_read_input_tokens == 4


def test_errors_embeddings_and_models_have_the_shapes_the_clients_expect() -> None:
    with scripted_provider(status(429, "1")) as provider, an_openai(provider.url) as client:
        with pytest.raises(openai.RateLimitError, match="refused as scripted"):
            client.models.list()
        assert [model.id for model in client.models.list()] == ["scripted", "scripted-2"]
        first, again = client.embeddings.create(model="m", input=["tea", "tea"]).data
        assert first.embedding == again.embedding
