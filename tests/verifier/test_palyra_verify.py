"""The stand-alone verifier against bundles built here from docs/journal-format.md, byte by byte, without palyra."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import random
import secrets
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

VERIFIER = Path(__file__).parents[2] / "verifier" / "palyra_verify.py"
NAMES = ("manifest.json", "events.jsonl", "checkpoints.log")


def load_verifier() -> ModuleType:
    spec = importlib.util.spec_from_file_location("palyra_verify_under_test", VERIFIER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


verifier = load_verifier()


# ---- a writer of bundles, from the specification


def canonical(record: dict[str, Any]) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def framed(value: bytes | None) -> bytes:
    return b"\xff\xff\xff\xff" if value is None else len(value).to_bytes(4, "big") + value


def event_hash(event: dict[str, Any]) -> str:
    texts = ("kind", "actor", "principal", "channel", "session_id", "run_id", "request_id")
    digest = event["request_digest"]
    parts = [
        b"palyra:event:v1\n",
        event["seq"].to_bytes(8, "big"),
        event["v"].to_bytes(4, "big"),
        event["occurred_at_ms"].to_bytes(8, "big", signed=True),
        event["recorded_at_ms"].to_bytes(8, "big", signed=True),
        event["event_id"].encode(),
        *(framed(None if event[key] is None else event[key].encode()) for key in texts),
        framed(None if digest is None else bytes.fromhex(digest)),
        bytes.fromhex(event["commitment"]),
        bytes.fromhex(event["prev_hash"]),
    ]
    return sha256(b"".join(parts)).hexdigest()


def tree_root(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, as it is written: recursive, so nothing like the verifier's frontier."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return sha256(b"\x01" + tree_root(leaves[:split]) + tree_root(leaves[split:])).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@dataclass
class Signer:
    name: str = "palyra.local/01JD8Q4Z0000000000000000AA"
    private: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    @property
    def key_id(self) -> bytes:
        return sha256(self.name.encode() + b"\n\x01" + self.public).digest()[:4]

    @property
    def verifier_key(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64(b'\x01' + self.public)}"

    def note(self, size: int, root: bytes, *, more_signatures: str = "") -> str:
        text = f"{self.name}\n{size}\n{b64(root)}\n"
        signature = b64(self.key_id + self.private.sign(text.encode()))
        return f"{text}\n— {self.name} {signature}\n{more_signatures}"


@dataclass
class Journal:
    """Events as their lines hold them; `export` writes a bundle whose manifest and checkpoints agree with them."""

    signer: Signer = field(default_factory=Signer)
    events: list[dict[str, Any]] = field(default_factory=list)

    def append(self, payload: str, **fields: Any) -> dict[str, Any]:
        salt, seq = secrets.token_bytes(16), len(self.events) + 1
        event = {
            "seq": seq,
            "event_id": f"01JD8Q4Z{seq:018d}",
            "kind": "note",
            "v": 1,
            "actor": "user",
            "principal": "ana",
            "channel": None,
            "session_id": None,
            "run_id": None,
            "request_id": None,
            "request_digest": None,
            "occurred_at_ms": 1_700_000_000_000 + seq,
            "recorded_at_ms": 1_700_000_000_001 + seq,
            "commitment": sha256(b"palyra:payload:v1\n" + salt + payload.encode()).hexdigest(),
            "prev_hash": self.events[-1]["hash"] if self.events else "0" * 64,
            "salt": salt.hex(),
            "payload": payload,
        } | fields
        event["hash"] = event_hash(event)
        self.events.append(event)
        return event

    def append_erasure(self, target: dict[str, Any], **changes: Any) -> dict[str, Any]:
        named = {"event_id": target["event_id"], "seq": target["seq"], "kind": target["kind"], "reason": "asked"}
        return self.append(json.dumps(named | changes), kind="journal.erased", actor="operator")

    def erase(self, seq: int) -> None:
        target = self.events[seq - 1]
        self.append_erasure(target)
        target.update(salt=None, payload=None)

    def rehash(self) -> None:
        """A chain that holds again after somebody changed events: what a forger with the key would write."""
        prev_hash = "0" * 64
        for event in self.events:
            event["prev_hash"] = prev_hash
            event["hash"] = prev_hash = event_hash(event)

    def root(self, size: int) -> bytes:
        return tree_root([bytes.fromhex(event["hash"]) for event in self.events[:size]])

    def notes(self, *sizes: int) -> bytes:
        return "".join(self.signer.note(size, self.root(size)) + "\n" for size in sizes).encode()

    def export(self, directory: Path, *, log: bytes | None = None, lines: list[bytes] | None = None) -> Path:
        size = len(self.events)
        data = b"".join(map(canonical, self.events) if lines is None else lines)
        log = self.notes(*sorted({0, 1, size // 2, size})) if log is None else log
        files = {"events.jsonl": sha256(data).hexdigest(), "checkpoints.log": sha256(log).hexdigest()}
        manifest = {
            "format": "palyra-bundle-v1",
            "verifier_key": self.signer.verifier_key,
            "size": size,
            "root": b64(self.root(size)),
            "files": files,
        }
        directory.mkdir(exist_ok=True)
        (directory / "events.jsonl").write_bytes(data)
        (directory / "checkpoints.log").write_bytes(log)
        (directory / "manifest.json").write_bytes(canonical(manifest))
        return directory


def a_journal() -> Journal:
    journal = Journal()
    journal.append('{"text":"first"}')
    journal.append('{ "text" : "kept as \\u0077ritten, spaces and all" }', channel="", session_id="", run_id="")
    journal.append('{"text":"to be erased"}', channel="discord:1", request_id="r-1", request_digest="ab" * 32)
    journal.append('{"text":"čaj \U0001f375 \u2028"}', principal="Žofie", session_id="s\n\t\x00\x1f\x7f\"\\/", request_id="")
    journal.append("{}", occurred_at_ms=-1, recorded_at_ms=-(2**63), v=65535, actor="plugin", kind="a.b.c")
    journal.append("{}", occurred_at_ms=2**63 - 1, recorded_at_ms=0, actor="system")
    journal.append('{"text":"also to be erased"}', actor="agent", run_id="run")
    journal.erase(3)
    journal.erase(7)
    journal.append('{"at":"2024-01-01"}', kind="journal.restored", actor="operator")
    journal.append('{"text":"last"}')
    return journal


@pytest.fixture
def journal() -> Journal:
    return a_journal()


@pytest.fixture
def bundle(journal: Journal, tmp_path: Path) -> Path:
    return journal.export(tmp_path / "bundle")


@dataclass(frozen=True)
class Outcome:
    code: int
    lines: list[str]


Verify = Callable[..., Outcome]


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Verify:
    """main() in this process, because thousands of interpreters would take minutes."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["palyra_verify.py", *map(str, arguments)])
        try:
            code = verifier.main()
        except SystemExit as stop:
            code = stop.code
        return Outcome(code, capsys.readouterr().out.splitlines())

    return run


def replace_line(path: Path, number: int, line: bytes | None) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1 : number] = [] if line is None else [line]
    path.write_bytes(b"".join(lines))


# ---- sound bundles


def test_a_sound_bundle_is_ok_in_one_line(bundle: Path, journal: Journal, verify: Verify) -> None:
    outcome = verify(bundle)
    root = b64(journal.root(len(journal.events)))
    assert outcome.lines == [f"ok: 11 events, root {root}, 4 checkpoints, 2 erased, key {journal.signer.verifier_key}"]
    assert outcome.code == 0


def test_the_verdict_as_json_holds_the_same(bundle: Path, journal: Journal, verify: Verify) -> None:
    assert json.loads(verify(bundle, "--json").lines[0]) == {
        "ok": True,
        "size": 11,
        "root": b64(journal.root(11)),
        "checkpoints": 4,
        "erased": 2,
        "verifier_key": journal.signer.verifier_key,
        "problems": [],
    }


@pytest.mark.parametrize("size", [*range(18), 31, 32, 33, 100])
def test_every_size_of_tree_is_ok_with_a_checkpoint_at_each_step(size: int, tmp_path: Path, verify: Verify) -> None:
    journal = Journal()
    for _ in range(size):
        journal.append("{}")
    log = journal.notes(*range(size + 1) if size < 40 else (size,))
    assert verify(journal.export(tmp_path / "bundle", log=log)).code == 0


def test_it_runs_as_a_program_without_palyra_even_on_an_ascii_terminal(bundle: Path, tmp_path: Path) -> None:
    (bundle / "ž").touch()
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": ""}
    command = [sys.executable, "-I", "-S", str(VERIFIER), str(bundle)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (8, "")
    assert done.stdout == "'\\u017e': does not belong in a bundle\n"


def test_a_signature_of_another_key_beside_ours_is_let_be(journal: Journal, tmp_path: Path, verify: Verify) -> None:
    witness = f"— witness.example {b64(secrets.token_bytes(76))}\n— {journal.signer.name} {b64(bytes(68))}\n"
    log = journal.signer.note(11, journal.root(11), more_signatures=witness) + "\n"
    assert verify(journal.export(tmp_path / "bundle", log=log.encode())).code == 0


def test_erasing_an_event_twice_is_let_be(journal: Journal, tmp_path: Path, verify: Verify) -> None:
    journal.append_erasure(journal.events[2])
    assert verify(journal.export(tmp_path / "bundle")).code == 0


# ---- changed bytes


@pytest.mark.parametrize("name", NAMES)
def test_any_changed_byte_fails_with_a_message(name: str, bundle: Path, verify: Verify) -> None:
    path = bundle / name
    original = path.read_bytes()
    positions = range(len(original)) if name != "events.jsonl" else random.Random(7).sample(range(len(original)), 300)
    for position in positions:
        changed = bytearray(original)
        changed[position] ^= 1
        path.write_bytes(changed)
        outcome = verify(bundle)
        assert outcome.code in (2, 8), position
        line = original[:position].count(b"\n") + 1
        if name == "events.jsonl":
            assert outcome.code == 8
            assert outcome.lines[0].startswith(f"events.jsonl line {line} (seq {line}): "), (position, outcome.lines)
            assert any(text.startswith("events.jsonl: SHA-256 is ") for text in outcome.lines[1:])
        elif name == "checkpoints.log":
            found = next(text for text in outcome.lines if text.startswith("checkpoints.log line "))
            note = (line - 1) // 6 * 6 + 1
            assert note <= int(found.split()[2].rstrip(":")) <= note + 6, (position, outcome.lines)
            assert outcome.lines[-1].startswith("checkpoints.log: SHA-256 is ")
        else:
            assert all(": " in text for text in outcome.lines)
            assert outcome.lines


def test_a_changed_byte_fails_even_if_the_manifest_is_made_to_agree(journal: Journal, tmp_path: Path, verify: Verify) -> None:
    lines = [canonical(event) for event in journal.events]
    for number, line in enumerate(lines, 1):
        for position in random.Random(number).sample(range(len(line) - 1), 40):
            changed = bytearray(line)
            changed[position] ^= 1
            bundle = journal.export(tmp_path / "bundle", lines=[*lines[: number - 1], bytes(changed), *lines[number:]])
            outcome = verify(bundle)
            assert outcome.code == 8
            assert outcome.lines[0].startswith(f"events.jsonl line {number} (seq {number}): ")
            assert not any("SHA-256" in text for text in outcome.lines)


def test_a_changed_payload_is_named_by_line_and_seq(bundle: Path, verify: Verify) -> None:
    path = bundle / "events.jsonl"
    path.write_bytes(path.read_bytes().replace(b"spaces and all", b"spaces and ale"))
    assert verify(bundle).lines[0] == "events.jsonl line 2 (seq 2): payload does not match its commitment"


# ---- lines that are gone, moved or added


def test_two_swapped_lines_are_found(bundle: Path, verify: Verify) -> None:
    path = bundle / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    path.write_bytes(b"".join(lines))
    outcome = verify(bundle)
    assert outcome.code == 8
    assert outcome.lines[0] == "events.jsonl line 5 (seq 6): seq 5 was expected here"


@pytest.mark.parametrize(
    ("number", "first"),
    [
        (11, "events.jsonl line 11 (seq 11): truncated: ends after 10 events, the manifest counts 11"),
        (5, "events.jsonl line 5 (seq 6): seq 5 was expected here"),
        (1, "events.jsonl line 1 (seq 2): seq 1 was expected here"),
    ],
)
def test_a_dropped_line_is_found(number: int, first: str, bundle: Path, verify: Verify) -> None:
    replace_line(bundle / "events.jsonl", number, None)
    outcome = verify(bundle)
    assert outcome.code == 8
    assert outcome.lines[0] == first


def test_an_event_too_many_is_found(journal: Journal, tmp_path: Path, verify: Verify) -> None:
    bundle = journal.export(tmp_path / "bundle")
    journal.append("{}")
    with (bundle / "events.jsonl").open("ab") as file:
        file.write(canonical(journal.events[-1]))
    assert verify(bundle).lines[0] == "events.jsonl line 12 (seq 12): has 12 events, the manifest counts 11"


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_at_any_length_fails(name: str, bundle: Path, verify: Verify) -> None:
    path = bundle / name
    original = path.read_bytes()
    for length in {0, 1, *range(2, len(original), 41), len(original) - 2, len(original) - 1}:
        path.write_bytes(original[:length])
        outcome = verify(bundle)
        assert outcome.code in (2, 8)
        assert outcome.lines[0].startswith(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tail", [b"\n", b" ", b"{}\n", b"\x00"])
def test_bytes_after_the_end_of_a_file_fail(name: str, tail: bytes, bundle: Path, verify: Verify) -> None:
    with (bundle / name).open("ab") as file:
        file.write(tail)
    assert verify(bundle).code == 8


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_is_named(name: str, bundle: Path, verify: Verify) -> None:
    (bundle / name).unlink()
    assert verify(bundle) == Outcome(8, [f"{name}: is missing"])
    (bundle / name).mkdir()
    assert verify(bundle) == Outcome(8, [f"{name}: is missing"])


def test_an_extra_file_is_named_and_its_name_cannot_forge_a_verdict(bundle: Path, verify: Verify) -> None:
    (bundle / "x\nok: all is well").touch()
    assert verify(bundle) == Outcome(8, ["'x\\nok: all is well': does not belong in a bundle"])


def test_what_is_no_bundle_is_refused_as_such(tmp_path: Path, verify: Verify) -> None:
    (tmp_path / "readme.txt").touch()
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "readme.txt"):
        outcome = verify(place)
        assert outcome.code == 2
        assert outcome.lines[0].startswith(f"{place}: is not a bundle")


def test_a_bundle_of_a_later_format_is_refused_as_such(bundle: Path, verify: Verify) -> None:
    path = bundle / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"bundle-v1", b"bundle-v2"))
    outcome = verify(bundle)
    assert outcome.code == 2
    assert outcome.lines == ["manifest.json line 1: format is 'palyra-bundle-v2', but only 'palyra-bundle-v1' is known"]


# ---- lines that are not what they should be

ODD_LINES = {
    "not UTF-8": b'{"actor":"\xff"}\n',
    "not JSON": b"hello\n",
    "empty": b"\n",
    "an array": b"[]\n",
    "a number": b"1\n",
    "deep nesting": b'{"actor":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "nesting just short of too deep": b'{"actor":' + b"[" * 900 + b"]" * 900 + b"}\n",
    "an integer of a million digits": b'{"seq":' + b"9" * 1_000_000 + b"}\n",
    "UTF-16": '{"seq":1}'.encode("utf-16") + b"\n",
    "a byte order mark": b"\xef\xbb\xbf{}\n",
    "unknown keys": b'{"a":1}\n',
    "NUL bytes": b"\x00" * 100 + b"\n",
}


@pytest.mark.parametrize("name", ["manifest.json", "events.jsonl"])
@pytest.mark.parametrize("odd", ODD_LINES.values(), ids=ODD_LINES)
def test_an_odd_line_gets_a_message_and_no_traceback(odd: bytes, name: str, bundle: Path, verify: Verify) -> None:
    replace_line(bundle / name, 1, odd)
    outcome = verify(bundle)
    assert outcome.code in (2, 8)
    assert outcome.lines[0].startswith(f"{name} line 1")


ODD_VALUES = ("1.0", "1e0", "true", "null", "NaN", "Infinity", "-Infinity", '"1"', "9" * 4000, "-0", "0", "-1", "[]", "{}")


@pytest.mark.parametrize("key", ["seq", "v", "occurred_at_ms", "recorded_at_ms"])
@pytest.mark.parametrize("value", [*ODD_VALUES, "18446744073709551616"])
def test_an_odd_number_in_an_event_fails(key: str, value: str, journal: Journal, tmp_path: Path, verify: Verify) -> None:
    lines = [canonical(event) for event in journal.events]
    old = f'"{key}":{journal.events[0][key]}'
    lines[0] = lines[0].replace(old.encode(), f'"{key}":{value}'.encode())
    outcome = verify(journal.export(tmp_path / "bundle", lines=lines))
    assert outcome.code == 8
    assert outcome.lines[0].startswith("events.jsonl line 1 (seq 1): ")


@pytest.mark.parametrize("key", ["size", "root", "files", "verifier_key", "format"])
@pytest.mark.parametrize("value", [*ODD_VALUES, "[" * 900 + "]" * 900])
def test_an_odd_value_in_the_manifest_fails(key: str, value: str, bundle: Path, verify: Verify) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    text = canonical(manifest | {key: "HERE"}).decode().replace('"HERE"', value)
    (bundle / "manifest.json").write_text(text)
    assert verify(bundle).code in (2, 8)


@pytest.mark.parametrize("key", [*a_journal().events[0]])
@pytest.mark.parametrize("value", [5, 1.5, True, None, [], {}, "", "A" * 64, "zz" * 32, " " + "a" * 63, "a" * 63 + "\n"])
def test_a_value_of_the_wrong_type_or_form_fails_or_does_not_fit(
    key: str, value: object, journal: Journal, tmp_path: Path, verify: Verify
) -> None:
    if journal.events[0][key] == value and type(journal.events[0][key]) is type(value):
        return
    journal.events[0][key] = value
    lines = [canonical(event) for event in journal.events]
    journal.events[0]["hash"] = "0" * 64  # only so that the writer can go on
    assert verify(journal.export(tmp_path / "bundle", lines=lines)).code == 8


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: b" " + line,
        lambda line: line.replace(b"{", b"{ ", 1),
        lambda line: line[:-1] + b"\r\n",
        lambda line: line[:-1] + b" \n",
        lambda line: line.replace(b'"first', b'"\\u0066irst'),
        lambda line: line.replace(b'{"actor":"user",', b'{"actor":"user","actor":"user",'),
        lambda line: line.replace(b'{"actor":"user",', b"{").replace(b',"v":1}', b',"v":1,"actor":"user"}'),
        lambda line: line.replace(b'"ana"', b'"\\u0061na"'),
        lambda line: line.replace(b'"ana"', b'"\\ud800"'),
        lambda line: line.replace(b'{"actor"', b'{"a":1,"actor"'),
        lambda line: line.replace(b',"v":1', b""),
    ],
)
def test_an_event_that_is_not_canonical_fails(
    spoil: Callable[[bytes], bytes], journal: Journal, tmp_path: Path, verify: Verify
) -> None:
    lines = [canonical(event) for event in journal.events]
    spoilt = spoil(lines[0])
    assert spoilt != lines[0]
    outcome = verify(journal.export(tmp_path / "bundle", lines=[spoilt, *lines[1:]]))
    assert outcome.code == 8
    assert outcome.lines[0].startswith("events.jsonl line 1 (seq 1): ")


@given(st.text(), st.integers(), st.none() | st.text(st.characters(max_codepoint=0x9F)))
def test_the_quick_look_at_a_line_takes_it_only_if_json_dumps_wrote_it(text: str, number: int, other: str | None) -> None:
    event = Journal().append("{}") | {"principal": text, "occurred_at_ms": number, "payload": other}
    line = canonical(event).decode("utf-8")[:-1] if text.isascii() or text.encode(errors="ignore").decode() == text else ""
    matched = verifier.EVENT_LINE.fullmatch(line) is not None
    assert matched == (bool(line) and len(str(abs(number))) < 20)
    spaced = json.dumps(event, sort_keys=True, ensure_ascii=False)
    assert not verifier.EVENT_LINE.fullmatch(spaced)
    escaped = json.dumps(event, sort_keys=True, separators=(",", ":"))
    assert escaped == line or not verifier.EVENT_LINE.fullmatch(escaped)


def test_a_thousand_bad_lines_are_not_all_listed(tmp_path: Path, verify: Verify) -> None:
    journal = Journal()
    for _ in range(1000):
        journal.append("{}")
    outcome = verify(journal.export(tmp_path / "bundle", lines=[b"{}\n"] * 1000))
    assert outcome.code == 8
    assert len(outcome.lines) < 110
