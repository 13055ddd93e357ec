"""`palyra connect model`: which model answers, tried with one turn before anything is written."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.connect.asking import agreed, answered, is_at_a_terminal
from palyra.cli.connect.change import FileChange, is_toml, planned, read_toml, replace_file, write
from palyra.cli.connect.options import turn_option
from palyra.core.errors import FailedPrecondition, InvalidArgument

if TYPE_CHECKING:
    from palyra.settings import ModelSettings, Settings

_PROVIDERS = ("openai", "anthropic")
_MASKED = "[redacted:credential]"
_TABLE = re.compile(r"^\[models\][^\n]*(?:\n|\Z)((?:(?!\[)[^\n]*(?:\n|\Z))*?)(?=\[|\Z)", re.MULTILINE)
_OURS = ("provider", "api", "base_url", "model", "api_key", "api_key_file", "takes_tools")


@dataclass(frozen=True, slots=True)
class _Key:
    """From exactly one place, or from none."""

    text: str = ""
    """typed: it goes into a file of ours"""
    file: str = ""
    """the person's own"""
    from_environment: bool = False


@click.command()
@click.option("--provider", type=click.Choice(_PROVIDERS), help="Whose protocol it speaks.")
@click.option("--api", type=click.Choice(["chat", "responses"]), default="chat", help="Which of OpenAI's two.")
@click.option("--base-url", metavar="URL", help="Its address, with its path. Default: the provider's own.")
@click.option("--model", metavar="NAME", help="As its server calls it.")
@click.option("--key-file", metavar="FILE", help="Its key: a file only you may read (mode 0600).")
@click.option("--key-stdin", is_flag=True, help="Its key: one line on standard input, kept in a file of mode 0600.")
@click.option("--no-key", is_flag=True, help="Its server asks for none.")
@click.option("--print", "only_print", is_flag=True, help="Show the change and stop.")
@click.option("--yes", is_flag=True, help="Do not ask whether to write.")
@turn_option
@command_options
def model(call: Invocation, only_print: bool, yes: bool, no_turn: bool, **given: Any) -> None:
    """Let a model answer: a server of OpenAI's or Anthropic's protocol, by its address and key.

    One turn is sent to it in a memory that is thrown away; palyra.toml is changed if it was answered.
    """
    from palyra.cli.connect.trying_model import check_model, try_model
    from palyra.settings import load, settings_file

    def told(text: str) -> None:
        if not call.as_json or is_at_a_terminal():
            click.echo(text, err=call.as_json)

    loaded = load(call.flags())
    wanted, key = _asked(loaded.settings.models, loaded.origins, given)
    _check_environment(loaded.origins)
    tried = None
    wish = replace(loaded.settings, models=wanted)
    file, own_key = settings_file(call.flags()), loaded.settings.data_dir / "keys" / "model.key"
    if key.text:
        wanted = replace(wanted, api_key="", api_key_file=str(own_key))
    change = planned(file, lambda text: _into(text, file, wanted))
    check_model(wish)
    if not (no_turn or only_print):
        tried = try_model(wish)
        told(f"one turn: {tried}")
        if not tried.takes_tools:
            wanted = replace(wanted, takes_tools=False)
            change = planned(file, lambda text: _into(text, file, wanted))
    difference = _shown(change, loaded.settings, wanted)
    told(difference or f"{change.path} says so already")
    if not only_print:
        if change.difference:
            agreed(f"Write {change.path}?", yes)
        _write(change, loaded.settings.data_dir, own_key, key.text)
    answer = {
        "path": str(change.path),
        "difference": difference,
        "written": bool(change.difference) and not only_print,
        "answer": None if tried is None else tried.text,
        "memories_given": None if tried is None else tried.memories,
    }
    call.answer(answer, lambda: None if only_print else click.echo(_what_now(loaded.settings)))


def _asked(now: "ModelSettings", origins: Any, given: dict[str, Any]) -> tuple["ModelSettings", _Key]:
    provider = answered(given["provider"], "--provider", "Whose protocol does it speak, openai or anthropic?")
    if provider not in _PROVIDERS:
        raise InvalidArgument(f"no protocol {provider[:64]!r}", hint=f"use one of {', '.join(_PROVIDERS)}")
    base_url = answered(
        given["base_url"], "--base-url", f"Its address, with its path (nothing: {provider}'s own)", default=""
    )
    key = _key(given, origins, is_own=not base_url)
    name = answered(given["model"], "--model", "The model's name, as its server calls it").strip()
    if not name:
        raise InvalidArgument("the model's name is empty", hint="--model NAME, as its server calls it")
    wanted = replace(now, provider=provider, api=given["api"], base_url=base_url, model=name, api_key_file=key.file)
    return replace(wanted, api_key=now.api_key if key.from_environment else key.text, takes_tools=True), key


def _key(given: dict[str, Any], origins: Any, *, is_own: bool) -> _Key:
    """Never an option's value: those are seen by everybody on the machine, and stay in the shell's history."""
    flags = [name for name in ("key_file", "key_stdin", "no_key") if given[name]]
    if len(flags) > 1:
        raise InvalidArgument("more than one of --key-file, --key-stdin and --no-key", hint="say one of them")
    if given["no_key"]:
        return _Key()
    if given["key_file"]:
        return _Key(file=str(Path(given["key_file"]).expanduser().absolute()))
    if given["key_stdin"]:
        text = sys.stdin.readline().strip()
        if not text:
            raise InvalidArgument("no key came on standard input", hint="--key-file FILE reads it from a file")
        return _Key(text=text)
    if str(origins["models.api_key"]).startswith("environment"):
        return _Key(from_environment=True)
    if is_at_a_terminal():
        return _Key(text=answered(None, "--key-file", "Its key (not shown; nothing: none)", default="", hidden=True))
    if is_own:
        raise InvalidArgument(
            "--key-file is missing: the provider's own server wants a key",
            hint="--key-file FILE, --key-stdin, or PALYRA_MODELS_API_KEY in the environment",
        )
    return _Key()


def _check_environment(origins: Any) -> None:
    """What is set there goes before the file, so writing the file would change nothing."""
    for name in _OURS:
        origin = str(origins[f"models.{name}"])
        if origin.startswith("environment") and name != "api_key":
            variable = origin.removeprefix("environment ")
            raise FailedPrecondition(
                f"{variable} is set and goes before palyra.toml; nothing was changed", hint=f"unset {variable}, repeat"
            )


def _into(text: str, path: Path, wanted: "ModelSettings") -> str:
    """Our lines in the table, all other lines as they are."""
    from json import dumps

    settings = read_toml(text, path)
    values: dict[str, Any] = {"provider": wanted.provider, "model": wanted.model}
    if wanted.api != "chat":
        values["api"] = wanted.api
    if wanted.base_url:
        values["base_url"] = wanted.base_url
    if wanted.api_key_file:
        values["api_key_file"] = wanted.api_key_file
    if not wanted.takes_tools:
        values["takes_tools"] = False
    there = settings.get("models", {})
    kept = {name: value for name, value in there.items() if name not in _OURS} if isinstance(there, dict) else {}
    lines = "".join(f"{name} = {dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    if there == {**kept, **values}:
        return text
    if found := _TABLE.search(text):
        ours = re.compile(rf"^[ \t]*(?:{'|'.join(_OURS)})[ \t]*=[^\n]*(?:\n|\Z)", re.MULTILINE)
        new = text[: found.start(1)] + lines + ours.sub("", found[1]) + text[found.end(1) :]
    else:
        new = f"{text.rstrip()}\n\n[models]\n{lines}".lstrip("\n")
    if not is_toml(new, {**settings, "models": {**kept, **values}}):
        raise FailedPrecondition(
            f"cannot change models the way it is written in {path}",
            hint="write it as a table that begins with [models]",
        )
    return new


def _shown(change: FileChange, settings: "Settings", wanted: "ModelSettings") -> str:
    """Without the key that was there. Where a key lies is no secret, though it looks like one to the redactor."""
    from palyra.core.redact import redact_text

    old = settings.models.api_key
    shown = redact_text(change.difference.replace(old, _MASKED) if old else change.difference).text
    return shown.replace(f'+api_key_file = "{_MASKED}"', f'+api_key_file = "{wanted.api_key_file}"')


def _write(change: FileChange, data_dir: Path, own_key: Path, key: str) -> None:
    """The key first: settings that name a file that is not there would stop the next start."""
    try:
        for folder in (data_dir, own_key.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        before = own_key.read_text("utf-8") if own_key.exists() else None
        if key:
            replace_file(own_key, key + "\n", 0o600)
    except OSError as error:
        raise FailedPrecondition(f"cannot write {own_key}: {error.strerror}", hint="check its directory") from None
    try:
        if change.difference:
            write(change)
    except FailedPrecondition:
        if before is not None:
            replace_file(own_key, before, 0o600)
        elif key:
            own_key.unlink()
        raise


def _what_now(settings: "Settings") -> str:
    from palyra.api.running import find_daemon

    daemon = find_daemon(settings.data_dir)
    if daemon is None:
        return "written; palyra chat talks to it from now on"
    return f"written; the daemon (process {daemon.pid}) answers with it once it is started anew"
