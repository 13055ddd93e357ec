"""Where the key comes from, what is refused, and that no message, repr or traceback shows it."""

import os
import traceback
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import pytest

from palyra.core.clock import SystemClock
from palyra.core.errors import FailedPrecondition, InvalidArgument, PalyraError
from palyra.providers.models.key import read_key
from palyra.providers.models.table import build_model
from palyra.settings import ModelSettings
from providers.models.model_support import NETWORK, a_model, answer_of
from providers.models.scripted_provider import scripted_provider, status
from support import run

KEY = "sk-" + token_hex(20)


def key_file(root: Path, content: bytes, mode: int = 0o600) -> str:
    file = root / "key"
    file.write_bytes(content)
    file.chmod(mode)
    return str(file)


def test_no_key_is_the_empty_key() -> None:
    assert read_key(ModelSettings()) == ""


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", " \n\n"])
def test_a_key_file_may_end_in_a_line_break(tmp_path: Path, ending: str) -> None:
    assert read_key(ModelSettings(api_key_file=key_file(tmp_path, (KEY + ending).encode()))) == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o666, 0o601])
def test_a_key_file_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(FailedPrecondition, match="open to others") as caught:
        read_key(ModelSettings(api_key_file=key_file(tmp_path, KEY.encode(), mode)))
    assert "chmod 600" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n"])
def test_an_empty_key_file_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FailedPrecondition, match="empty"):
        read_key(ModelSettings(api_key_file=key_file(tmp_path, content)))


@pytest.mark.parametrize("odd", ["\nx: y", "\r\nx: y", "\x00", " two", "é", "\x7f", "\ud800"])
def test_what_could_not_stand_in_a_header_is_refused_and_not_shown(tmp_path: Path, odd: str) -> None:
    with pytest.raises(FailedPrecondition, match="no key has") as caught:
        read_key(ModelSettings(api_key=KEY + odd))
    assert KEY not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(FailedPrecondition):
        read_key(ModelSettings(api_key_file=key_file(tmp_path, (KEY + odd).encode("utf-8", "replace") + b"\xff")))


def test_a_missing_file_a_folder_a_pipe_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(mode=0o700)
    huge = key_file(tmp_path, b"k" * 100_000)
    for name in (
        str(tmp_path / "none"),
        str(tmp_path / "folder"),
        str(tmp_path / "pipe"),
        huge,
        "\0",
        "~no-such-user/key",
    ):
        with pytest.raises(FailedPrecondition):
            read_key(ModelSettings(api_key_file=name))


def test_two_keys_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="both"):
        read_key(ModelSettings(api_key=KEY, api_key_file=key_file(tmp_path, KEY.encode())))


@pytest.mark.parametrize("name", sorted(NETWORK))
def test_a_key_goes_to_the_server_and_nowhere_else(name: str, tmp_path: Path) -> None:
    async def work() -> None:
        answers = [status(code, message=f"who is {KEY}? {KEY[:12]}") for code in (400, 401, 404, 429, 500)]
        with scripted_provider(*answers) as provider:
            file = key_file(tmp_path, KEY.encode())
            async with a_model(name, provider.url, api_key_file=file, max_retries=0) as model:
                for _ in range(3):
                    with pytest.raises(PalyraError) as caught:
                        await answer_of(model)
                    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value.body())
                    assert KEY not in shown
                    assert KEY not in repr(model) + repr(model.info) + repr(model.health)
                sent = provider.asked[0].headers
                assert KEY in (sent.get("x-api-key"), sent.get("authorization", "").removeprefix("Bearer "))

    run(work())


@pytest.mark.parametrize("name", sorted(NETWORK))
def test_the_providers_own_server_wants_a_key(name: str) -> None:
    for base_url in ("", "https://api.openai.com/v1", "https://api.anthropic.com"):
        if base_url and ("anthropic" in base_url) != (name == "anthropic"):
            continue
        with pytest.raises(FailedPrecondition, match="wants a key") as caught:
            build_model(replace(NETWORK[name], base_url=base_url), SystemClock())
        assert "models.api_key_file" in caught.value.hint


@pytest.mark.parametrize("name", sorted(NETWORK))
def test_a_model_has_to_be_named(name: str) -> None:
    with pytest.raises(FailedPrecondition, match="needs a model") as caught:
        build_model(replace(NETWORK[name], model=""), SystemClock())
    assert "models.model" in caught.value.hint


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080",
        "ftp://host/v1",
        "http://",
        "http:///v1",
        "http://[::1/v1",
        "http://host:99999/v1",
        "http://host/v1?key=1",
        "http://host/v1#a",
        "http://ho st/v1",
        "http://host/\nv1",
        "file:///etc/passwd",
        "http://a..b/v1",
        f"http://{'a' * 64}/v1",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match=r"models\.base_url"):
        build_model(ModelSettings(provider="openai", model="m", base_url=url), SystemClock())


@pytest.mark.parametrize(
    "user", ["ana", "ana:", f"ana:{KEY}", f":{KEY}"], ids=["name", "no password", "both", "password"]
)
def test_a_password_in_the_address_is_refused_and_not_shown(user: str) -> None:
    for address in (f"http://{user}@host/v1", f"{user}@host/v1", f"http://host/v1/{user}@"):
        with pytest.raises(InvalidArgument, match=r"models\.base_url") as caught:
            build_model(ModelSettings(provider="openai", model="m", base_url=address), SystemClock())
        assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_set_as_the_address_is_not_shown() -> None:
    with pytest.raises(InvalidArgument) as caught:
        build_model(ModelSettings(provider="openai", model="m", base_url=KEY), SystemClock())
    assert KEY not in caught.value.message


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="no model provider"):
        build_model(ModelSettings(provider="nobody"), SystemClock())


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/"])
def test_anthropic_servers_may_be_named_with_or_without_the_version(tail: str) -> None:
    async def work() -> None:
        with scripted_provider() as provider:
            async with a_model("anthropic", provider.url.removesuffix("/v1") + tail) as model:
                await answer_of(model)
            assert provider.asked[0].path == "/v1/messages"

    run(work())
