"""Settings: `palyra.toml`, then `PALYRA_*`, then flags. The only reader of the environment and of TOML.

Every key has a type, a default and a hard limit; an unknown key, a wrong type or a value over its limit is an
error that names the key, the value and where it came from. `load` reports all of them at once.
"""

import os
import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

from palyra.core import limits
from palyra.core.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Range:
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Choice:
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    data_dir: str = ""
    """empty: the platform's own place"""
    host: str = "127.0.0.1"
    http_port: Annotated[int, Range(0, 65_535)] = 7_142
    """0: any free one"""
    grpc_port: Annotated[int, Range(-1, 65_535)] = 7_443
    """0: any free one; -1: no gRPC"""
    tls_certificate: str = ""
    """files in PEM format; needed to listen beyond loopback"""
    tls_key: str = ""
    allowed_hosts: str = ""
    """names besides loopback by which clients and browsers may call us, parted by commas"""
    max_body_bytes: Annotated[int, Range(1_024, limits.BODY_BYTES)] = 8_388_608
    max_connections: Annotated[int, Range(1, 65_535)] = 1_024
    requests_per_second: Annotated[int, Range(0, 1_000_000)] = 5_000
    """of one caller; 0: no limit"""
    drain_seconds: Annotated[int, Range(1, 600)] = 10
    log_level: Annotated[str, Choice(("debug", "info", "warning", "error"))] = "info"
    log_format: Annotated[str, Choice(("auto", "json", "text"))] = "auto"


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    session_hours: Annotated[int, Range(1, 720)] = 12
    """signed out after so long without a request"""


@dataclass(frozen=True, slots=True)
class JournalSettings:
    max_payload_bytes: Annotated[int, Range(1_024, limits.PAYLOAD_BYTES)] = 262_144
    write_budget_ms: Annotated[int, Range(1, 60_000)] = 25
    checkpoint_every_events: Annotated[int, Range(1, 1_000_000)] = 1_000
    checkpoint_every_minutes: Annotated[int, Range(1, 10_080)] = 60
    checkpoint_file: str = ""
    """empty: checkpoints.log in the data directory"""


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    ttl_days: Annotated[int, Range(0, 36_500)] = 0
    """0: no limit, here and below"""
    max_entries: Annotated[int, Range(0, 1_000_000_000)] = 0
    max_bytes: Annotated[int, Range(0, 1 << 50)] = 0
    vacuum_schedule: str = "0 0 * * 0"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    provider: Annotated[str, Choice(("local", "hash", "openai"))] = "local"
    model: str = ""
    """empty: the provider's own"""
    base_url: str = ""
    """of an OpenAI-compatible server"""
    api_key: str = ""
    dims: Annotated[int, Range(0, 8_192)] = 0
    """0: as the model answers"""
    backfill_batch: Annotated[int, Range(1, limits.BACKFILL_BATCH)] = 64
    backfill_interval_minutes: Annotated[int, Range(1, 10_080)] = 10


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    provider: Annotated[str, Choice(("off", "pgvector"))] = "off"
    """an engine elsewhere that vectors are mirrored to; off: search by meaning is done in this process"""
    dsn: str = ""
    """its address, such as postgresql://palyra@db/palyra"""
    search_timeout_ms: Annotated[int, Range(10, 2_000)] = 200
    """a search waits no longer; then the local index answers"""
    reconcile_minutes: Annotated[int, Range(1, 10_080)] = 60


@dataclass(frozen=True, slots=True)
class MemorySettings:
    max_item_bytes: Annotated[int, Range(64, limits.ITEM_BYTES)] = limits.ITEM_BYTES
    max_item_tokens: Annotated[int, Range(16, limits.ITEM_TOKENS)] = limits.ITEM_TOKENS
    auto_inject_enabled: bool = True
    auto_inject_max_items: Annotated[int, Range(1, limits.TOP_K)] = 3
    auto_inject_min_score: Annotated[float, Range(0, 1)] = 0.42
    """the probability that a memory bears on the question, below which it is not given"""
    default_principal: str = "user:local"
    encoder: Annotated[str, Choice(("local", "off"))] = "local"
    """what a sentence is about, for reading what was said and choosing what is given; off: by words alone"""
    hold_sensitive: Annotated[str, Choice(("others", "all"))] = "others"
    """whose words about health, money and the like wait for a person; others: agents', tools', imported ones"""
    send_sensitive: bool = False
    """what is sensitive may go to an embedding server elsewhere"""
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    embeddings: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    external: ExternalSettings = field(default_factory=ExternalSettings)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    provider: Annotated[str, Choice(("offline", "openai", "anthropic"))] = "offline"
    """offline: answers from memory alone, with no key and no network"""
    api: Annotated[str, Choice(("chat", "responses"))] = "chat"
    """of the two an OpenAI server speaks; compatible servers speak the first"""
    base_url: str = ""
    """empty: the provider's own; with its path, such as http://127.0.0.1:11434/v1"""
    model: str = ""
    api_key: str = ""
    api_key_file: str = ""
    """a file only its owner may read (mode 0600)"""
    window_tokens: Annotated[int, Range(1_024, 10_000_000)] = 128_000
    max_output_tokens: Annotated[int, Range(16, 1_000_000)] = 4_096
    takes_images: bool = True
    takes_tools: bool = True
    timeout_seconds: Annotated[int, Range(1, 3_600)] = 120
    """without a single byte"""
    max_retries: Annotated[int, Range(0, 10)] = 2


@dataclass(frozen=True, slots=True)
class ChatSettings:
    instructions: str = ""
    """what the assistant is told first, besides our own"""
    max_tool_rounds: Annotated[int, Range(0, 64)] = 8
    approval_minutes: Annotated[int, Range(1, 1_440)] = 10
    """how long a run waits for a person"""
    turns_percent: Annotated[int, Range(5, 100)] = 60
    """of what the window has besides the answer: at most so much of a prompt is earlier turns"""


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    root: str = ""
    """the folder of the documents; empty: workspace in the data directory"""
    sync_files: bool = True
    """documents are files in that folder, too; else they are in the journal alone"""
    reference_roots: str = ""
    """folders that @file, @folder, @diff and the file tools may read, parted by colons; empty: none"""


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    auto: bool = True
    """sessions are condensed by themselves when their prompts get long"""
    keep_recent: Annotated[int, Range(2, 200)] = 6
    """messages at the end that stay word for word"""
    min_condensed: Annotated[int, Range(1, 1_000)] = 4
    """fewer messages than that are not worth a compaction"""
    trigger_percent: Annotated[int, Range(5, 100)] = 70
    """of the model's window: a prompt that takes more asks for a compaction"""
    cooldown_minutes: Annotated[int, Range(0, 10_080)] = 5
    """between two of one session"""
    thin_model_plan: Annotated[str, Choice(("complete", "refuse"))] = "complete"
    """a model's summary that leaves statements out gets them put in, or is not taken"""


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """From which confidence on a person is asked, in basis points; below, a proposal is only on record."""

    durable_fact: Annotated[int, Range(0, 10_000)] = 7_500
    preference: Annotated[int, Range(0, 10_000)] = 8_000
    procedure: Annotated[int, Range(0, 10_000)] = 8_500


@dataclass(frozen=True, slots=True)
class LearningSettings:
    enabled: bool = True
    """runs are read once they are over, and what they tell is proposed"""
    cooldown_minutes: Annotated[int, Range(0, 10_080)] = 5
    """between two readings of one session"""
    max_candidates_per_run: Annotated[int, Range(1, 256)] = 24
    durable_fact_auto_write_threshold_bps: Annotated[int, Range(0, 10_001)] = 9_000
    """facts that are as sure are written without asking; 10001: none"""
    review_min_confidence_bps: ReviewSettings = field(default_factory=ReviewSettings)


@dataclass(frozen=True, slots=True)
class Settings:
    daemon: DaemonSettings = field(default_factory=DaemonSettings)
    console: ConsoleSettings = field(default_factory=ConsoleSettings)
    journal: JournalSettings = field(default_factory=JournalSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)

    @property
    def data_dir(self) -> Path:
        return Path(self.daemon.data_dir).expanduser().absolute()

    @property
    def cache_dir(self) -> Path:
        """Of the user, for what can be made again; nobody's words go there."""
        import platformdirs  # noqa: PLC0415 - only where something is kept there

        return Path(platformdirs.user_cache_dir("palyra", appauthor=False))


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    origins: Mapping[str, str]
    """key -> default, a file, an environment variable or a flag"""
    warnings: "tuple[SettingProblem, ...]" = ()
    """settings that have gone: passed over until the version after, so that an old file does not stop anybody"""


@dataclass(frozen=True, slots=True)
class SettingProblem:
    key: str
    value: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.key} = {self.value}: {self.message}"


_PREFIX, _HOME, _CONFIG = "PALYRA_", "PALYRA_HOME", "PALYRA_CONFIG"

GONE: Mapping[str, str] = {
    "daemon.one_core": "the system places the threads; CPUAffinity in the service's unit keeps them on one core",
}
"""Settings that an earlier version had, each with what to do instead. From 0.3 on they are unknown like any other."""

GONE_VALUES: Mapping[tuple[str, str], str] = {
    (
        "memory.external.provider",
        "milvus",
    ): "the local index answers; pgvector is the engine elsewhere, docs/guides/external.md",
}
"""What a setting that is still there could be set to. The default holds instead."""

_ONE_SERVER = "several servers have gone: the first holds the whole mirror, docs/guides/external.md"


def load(flags: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None) -> Loaded:
    """The settings in force. Raises InvalidArgument that names every problem."""
    loaded, problems = check(flags, environ)
    if problems:
        hint = "correct it, or leave it out" if len(problems) == 1 else "palyra config check lists them one by one"
        raise InvalidArgument("; ".join(map(str, problems)), hint=hint)
    return loaded


def settings_file(flags: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None) -> Path:
    """Where settings are written down, whether or not there is such a file yet."""
    environ = os.environ if environ is None else environ
    home = (flags or {}).get("daemon.data_dir") or environ.get(_HOME) or default_data_dir()
    return Path(environ.get(_CONFIG) or Path(home).expanduser() / "palyra.toml")


def check(
    flags: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    gone: Mapping[str, str] | None = None,
) -> tuple[Loaded, list[SettingProblem]]:
    """The settings as far as they hold, and everything that is wrong with them."""
    environ = os.environ if environ is None else environ
    flags = flags or {}
    gone = GONE if gone is None else gone
    warnings: list[SettingProblem] = []
    home = flags.get("daemon.data_dir") or environ.get(_HOME) or default_data_dir()
    file = settings_file(flags, environ)
    explicit_file = bool(environ.get(_CONFIG))
    problems: list[SettingProblem] = []
    values: dict[str, object] = {"daemon.data_dir": home}
    origins = {"daemon.data_dir": "flag" if "daemon.data_dir" in flags else _HOME if environ.get(_HOME) else "default"}
    from_file = _flatten(_read_toml(file, must_exist=explicit_file, problems=problems))
    if origins["daemon.data_dir"] != "default":
        from_file.pop("daemon.data_dir", None)
    for key, value in from_file.items():
        if what := _gone(key, value, gone):
            warnings.append(SettingProblem(key, repr(value), str(file), what))
        else:
            _take(key, value, str(file), values, origins, problems)
    gone_names = {_env_name(key): key for key in gone}
    for name, text in environ.items():
        if what := _gone(gone_names.get(name) or _ENV_KEYS.get(name, name), text, gone):
            warnings.append(SettingProblem(name, repr(text), "environment", what))
        elif name.startswith(_PREFIX) and name not in (_HOME, _CONFIG):
            known = _ENV_KEYS.get(name)
            if known is None:
                problems.append(
                    SettingProblem(name, repr(text), "environment", _unknown(name, (_HOME, _CONFIG, *_ENV_KEYS)))
                )
            elif known != "daemon.data_dir" or "daemon.data_dir" not in flags:
                _take(known, _from_text(known, text), f"environment {name}", values, origins, problems)
    for key, text in flags.items():
        if key != "daemon.data_dir":
            _take(key, _from_text(key, text), "flag", values, origins, problems)
    named = {key: origins.get(key, "default") for key in _KEYS}
    if len(str(values.get("memory.external.dsn", "")).split()) > 1:
        warnings.append(SettingProblem("memory.external.dsn", "(several)", named["memory.external.dsn"], _ONE_SERVER))
    return Loaded(_build(values), named, tuple(warnings)), problems


def _gone(key: str, value: object, gone: Mapping[str, str]) -> str:
    if key in gone:
        return f"this setting has gone: {gone[key]}"
    what = GONE_VALUES.get((key, str(value)))
    return f"this value has gone: {what}" if what else ""


def _take(
    key: str,
    value: object,
    where: str,
    values: dict[str, object],
    origins: dict[str, str],
    problems: list[SettingProblem],
) -> None:
    expected = _KEYS.get(key)
    if expected is None:
        problems.append(SettingProblem(key, repr(value), where, _unknown(key, _KEYS)))
        return
    if value == "":
        return  # empty is the same as not given
    kind, bounds = expected
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        problems.append(SettingProblem(key, repr(value), where, f"expected {_WORDS[kind]}"))
    elif isinstance(bounds, Range) and isinstance(value, int | float) and not bounds.low <= value <= bounds.high:
        problems.append(SettingProblem(key, repr(value), where, f"outside {bounds.low}..{bounds.high}"))
    elif isinstance(bounds, Choice) and value not in bounds.names:
        problems.append(SettingProblem(key, repr(value), where, f"use one of {', '.join(bounds.names)}"))
    else:
        values[key], origins[key] = value, where


def _unknown(name: str, known: Iterable[str]) -> str:
    """What all names begin with says nothing about which is meant."""
    near = get_close_matches(name.removeprefix(_PREFIX), [one.removeprefix(_PREFIX) for one in known], 1)
    prefix = _PREFIX if name.startswith(_PREFIX) else ""
    return (
        f"unknown setting; did you mean {prefix}{near[0]}?"
        if near
        else "unknown setting; palyra config show lists them all"
    )


def _build(values: Mapping[str, object]) -> Settings:
    return cast("Settings", _build_section(Settings, "", values))


def _build_section(section: Any, prefix: str, values: Mapping[str, object]) -> object:
    given: dict[str, object] = {}
    for name, hint in get_type_hints(section).items():
        if is_dataclass(hint):
            given[name] = _build_section(hint, f"{prefix}{name}.", values)
        elif prefix + name in values:
            given[name] = values[prefix + name]
    return section(**given)


def _read_toml(file: Path, *, must_exist: bool, problems: list[SettingProblem]) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        if must_exist:
            problems.append(SettingProblem(_CONFIG, repr(str(file)), "environment", "no such file"))
    except (OSError, ValueError) as error:
        problems.append(SettingProblem("palyra.toml", repr(str(file)), str(file), f"cannot be read: {error}"))
    return {}


def _flatten(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _from_text(key: str, text: str) -> object:
    kind, _ = _KEYS[key]
    if kind is int or kind is float:
        try:
            return kind(text)
        except ValueError:
            return text
    if kind is bool:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    return text


def default_data_dir() -> str:
    """Where the memory of this user is if nothing says otherwise."""
    import platformdirs  # noqa: PLC0415 - only when nothing names a directory

    return platformdirs.user_data_dir("palyra", appauthor=False)


def _all_keys(section: Any, prefix: str = "") -> dict[str, tuple[type, Range | Choice | None]]:
    keys: dict[str, tuple[type, Range | Choice | None]] = {}
    for name, hint in get_type_hints(section, include_extras=True).items():
        if is_dataclass(hint):
            keys |= _all_keys(hint, f"{prefix}{name}.")
        elif get_origin(hint) is Annotated:
            kind, bounds = get_args(hint)
            keys[prefix + name] = (kind, bounds)
        else:
            keys[prefix + name] = (hint, None)
    return keys


def _env_name(key: str) -> str:
    return _PREFIX + key.upper().replace(".", "_")


_KEYS = _all_keys(Settings)
_ENV_KEYS = {_env_name(key): key for key in _KEYS}
_WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def wants_colours(environ: Mapping[str, str] | None = None) -> bool:
    """Whether whoever runs this lets a terminal have colours (see no-color.org), and it knows any."""
    environ = os.environ if environ is None else environ
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def quiet_grpc(environ: MutableMapping[str, str] | None = None) -> None:
    """Before grpcio is loaded: what its core would write to standard error is no line of ours. Whoever looks for
    something in it sets GRPC_VERBOSITY."""
    (os.environ if environ is None else environ).setdefault("GRPC_VERBOSITY", "NONE")


def flat_values(settings: Settings) -> dict[str, object]:
    """Every key with its value, in the order of the classes."""
    values: dict[str, object] = {}
    for key in _KEYS:
        value: object = settings
        for name in key.split("."):
            value = getattr(value, name)
        values[key] = value
    return values
