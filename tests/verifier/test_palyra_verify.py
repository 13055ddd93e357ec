"""The stand-alone verifier against bundles built here from docs/journal-format.md, byte by byte, without palyra."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import random
import re
import secrets
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256, sha512
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

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
    numbers = struct.pack(">QIqq", event["seq"], event["v"], event["occurred_at_ms"], event["recorded_at_ms"])
    texts = ("kind", "actor", "principal", "channel", "session_id", "run_id", "request_id")
    values = [None if event[key] is None else event[key].encode() for key in texts]
    values.append(None if event["request_digest"] is None else bytes.fromhex(event["request_digest"]))
    start = b"palyra:event:v1\n" + numbers + event["event_id"].encode() + b"".join(map(framed, values))
    return sha256(start + bytes.fromhex(event["commitment"]) + bytes.fromhex(event["prev_hash"])).hexdigest()


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
        return f"{self.name}+{self.key_id.hex()}+{b64(bytes([1]) + self.public)}"

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
        commitment = sha256(b"palyra:payload:v1\n" + salt + payload.encode()).hexdigest()
        prev_hash = self.events[-1]["hash"] if self.events else "0" * 64
        event: dict[str, Any] = {"seq": seq, "event_id": f"01JD8Q4Z{seq:018d}", "kind": "note", "v": 1, "actor": "user"}
        event |= dict.fromkeys(("channel", "session_id", "run_id", "request_id", "request_digest"))
        event |= {"principal": "ana", "occurred_at_ms": 1_700_000_000_000 + seq, "recorded_at_ms": 1_700_000_000_001}
        event |= {"commitment": commitment, "prev_hash": prev_hash, "salt": salt.hex(), "payload": payload} | fields
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
        manifest: dict[str, Any] = {
            "format": "palyra-bundle-v1",
            "verifier_key": self.signer.verifier_key,
            "size": size,
        }
        manifest |= {"root": b64(self.root(size)), "files": files}
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
    journal.append(
        '{"t":"čaj \U0001f375 \u2028"}', principal="Žofie", session_id='s\n\t\x00\x1f\x7f"\\/', request_id=""
    )
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


class Outcome(NamedTuple):
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


@pytest.fixture
def check(verify: Verify, tmp_path: Path) -> Verify:
    def export_and_verify(journal: Journal, **spoilt: Any) -> Outcome:
        return verify(journal.export(tmp_path / "bundle", **spoilt))

    return export_and_verify


def assert_unsound(outcome: Outcome, first: str) -> None:
    assert outcome.code == 8
    assert outcome.lines[0].startswith(first), outcome.lines


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
    verdict = {"ok": True, "size": 11, "root": b64(journal.root(11)), "checkpoints": 4, "erased": 2, "problems": []}
    outcome = verify(bundle, "--json")
    assert json.loads(outcome.lines[0]) == verdict | {"verifier_key": journal.signer.verifier_key}


@pytest.mark.parametrize("size", [*range(18), 31, 32, 33, 100])
def test_every_size_of_tree_is_ok_with_a_checkpoint_at_each_step(size: int, check: Verify) -> None:
    journal = Journal()
    for _ in range(size):
        journal.append("{}")
    log = journal.notes(*range(size + 1) if size < 40 else (size,))
    assert check(journal, log=log).code == 0


def test_it_runs_as_a_program_without_palyra_even_on_an_ascii_terminal(bundle: Path, tmp_path: Path) -> None:
    (bundle / "ž").touch()
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": ""}
    command = [sys.executable, "-I", "-S", str(VERIFIER), str(bundle)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (8, "")
    assert done.stdout == "'\\u017e': does not belong in a bundle\n"


def test_a_signature_of_another_key_beside_ours_is_let_be(journal: Journal, check: Verify) -> None:
    witness = f"— witness.example {b64(secrets.token_bytes(76))}\n— {journal.signer.name} {b64(bytes(68))}\n"
    log = journal.signer.note(11, journal.root(11), more_signatures=witness) + "\n"
    assert check(journal, log=log.encode()).code == 0


def test_erasing_an_event_twice_is_let_be(journal: Journal, check: Verify) -> None:
    journal.append_erasure(journal.events[2])
    assert check(journal).code == 0


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
        assert outcome.lines
        line = original[:position].count(b"\n") + 1
        if name == "events.jsonl":
            assert outcome.code == 8
            assert outcome.lines[0].startswith(f"events.jsonl line {line} (seq {line}): "), (position, outcome.lines)
            assert any(text.startswith("events.jsonl: SHA-256 is ") for text in outcome.lines[1:])
        if name == "checkpoints.log":
            found = next(text for text in outcome.lines if text.startswith("checkpoints.log line "))
            note = (line - 1) // 6 * 6 + 1
            assert note <= int(found.split()[2].rstrip(":")) <= note + 6, (position, outcome.lines)
            assert outcome.lines[-1].startswith("checkpoints.log: SHA-256 is ")


def test_a_changed_byte_fails_even_if_the_manifest_is_made_to_agree(journal: Journal, check: Verify) -> None:
    lines = [canonical(event) for event in journal.events]
    for number, line in enumerate(lines, 1):
        for position in random.Random(number).sample(range(len(line) - 1), 20):
            changed = bytearray(line)
            changed[position] ^= 1
            outcome = check(journal, lines=[*lines[: number - 1], bytes(changed), *lines[number:]])
            assert_unsound(outcome, f"events.jsonl line {number} (seq {number}): ")
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
    assert_unsound(verify(bundle), "events.jsonl line 5 (seq 6): seq 5 was expected here")


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
    assert_unsound(verify(bundle), first)


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
    message = "format is 'palyra-bundle-v2', but only 'palyra-bundle-v1' is known"
    assert verify(bundle) == Outcome(2, [f"manifest.json: {message}"])


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
    assert outcome.lines[0].startswith(name if outcome.code == 2 else f"{name} line 1")


ODD_VALUES = '1.0 1e0 true null NaN Infinity -Infinity "1" -0 0 -1 [] {} ' + "9" * 4000


@pytest.mark.parametrize("key", ["seq", "v", "occurred_at_ms", "recorded_at_ms"])
@pytest.mark.parametrize("value", [*ODD_VALUES.split(), "18446744073709551616"])
def test_an_odd_number_in_an_event_fails(key: str, value: str, journal: Journal, check: Verify) -> None:
    lines = [canonical(event) for event in journal.events]
    old = f'"{key}":{journal.events[0][key]}'
    lines[0] = lines[0].replace(old.encode(), f'"{key}":{value}'.encode())
    assert_unsound(check(journal, lines=lines), "events.jsonl line 1 (seq 1): ")


@pytest.mark.parametrize("key", ["size", "root", "files", "verifier_key", "format"])
@pytest.mark.parametrize("value", [*ODD_VALUES.split(), "[" * 900 + "]" * 900])
def test_an_odd_value_in_the_manifest_fails(key: str, value: str, bundle: Path, verify: Verify) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    text = canonical(manifest | {key: "HERE"}).decode().replace('"HERE"', value)
    (bundle / "manifest.json").write_text(text)
    assert verify(bundle).code in (2, 8)


ODD_FIELDS: list[object] = [5, 1.5, True, None, [], {}, "", "A" * 64, "zz" * 32, " " + "a" * 63, "a" * 63 + "\n"]


@pytest.mark.parametrize("key", [*a_journal().events[0]])
@pytest.mark.parametrize("value", ODD_FIELDS)
def test_an_odd_value_of_any_field_fails(key: str, value: object, journal: Journal, check: Verify) -> None:
    if canonical({"": journal.events[0][key]}) == canonical({"": value}):
        return
    journal.events[0][key] = value
    lines = [canonical(event) for event in journal.events]
    journal.events[0]["hash"] = "0" * 64  # only so that the writer can go on
    assert check(journal, lines=lines).code == 8


@pytest.mark.parametrize("key", ["salt", "request_digest", "commitment", "prev_hash", "hash"])
def test_hex_in_capitals_fails_though_it_means_the_same(key: str, check: Verify) -> None:
    journal = Journal()
    journal.append("{}")
    journal.append("{}", request_digest="ab" * 32)
    journal.events[1][key] = journal.events[1][key].upper()
    assert_unsound(check(journal), f"events.jsonl line 2 (seq 2): {key} has a value of the wrong type or form")


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
def test_an_event_that_is_not_canonical_fails(spoil: Callable[[bytes], bytes], journal: Journal, check: Verify) -> None:
    lines = [canonical(event) for event in journal.events]
    spoilt = spoil(lines[0])
    assert spoilt != lines[0]
    assert_unsound(check(journal, lines=[spoilt, *lines[1:]]), "events.jsonl line 1 (seq 1): ")


@given(st.text(), st.integers(-(2**63), 2**63 - 1), st.text(st.characters(max_codepoint=0x9F)))
def test_only_what_json_dumps_would_write_is_canonical(text: str, number: int, payload: str) -> None:
    event = Journal().append(payload, principal=text, occurred_at_ms=number)
    seq, event_id, kind, escaped, *_, header = verifier.parse_event(canonical(event))
    assert (seq, event_id, kind, verifier.unescape(escaped)) == (1, event["event_id"], "note", payload.encode())
    assert sha256(header).hexdigest() == event["hash"]
    for options in ({"ensure_ascii": True, "separators": (",", ":")}, {"ensure_ascii": False}):
        line = json.dumps(event, sort_keys=True, **options).encode() + b"\n"
        if line != canonical(event):
            with pytest.raises(verifier.Fault):
                verifier.parse_event(line)


def test_a_thousand_bad_lines_are_not_all_listed(check: Verify) -> None:
    journal = Journal()
    for _ in range(1000):
        journal.append("{}")
    outcome = check(journal, lines=[b"{}\n"] * 1000)
    assert outcome.code == 8
    assert len(outcome.lines) < 110


# ---- erasures


def test_a_missing_payload_without_an_erasure_is_named(journal: Journal, check: Verify) -> None:
    journal.events[3].update(salt=None, payload=None)
    expected = "events.jsonl line 4 (seq 4): payload is missing and no later event erased it"
    assert check(journal) == Outcome(8, [expected])


def test_an_erased_payload_that_is_still_there_is_named(journal: Journal, check: Verify) -> None:
    journal.append_erasure(journal.events[0])
    expected = "events.jsonl line 12 (seq 12): erases seq 1, but the payload of seq 1 is still there"
    assert check(journal) == Outcome(8, [expected])


def test_an_erasure_before_its_event_does_not_count(check: Verify) -> None:
    journal = Journal()
    journal.append("{}")
    journal.append_erasure({"event_id": "01JD8Q4Z000000000000000003", "seq": 3, "kind": "note"})
    journal.append("{}").update(salt=None, payload=None)
    outcome = check(journal)
    assert outcome.code == 8
    assert len(outcome.lines) == 2


@pytest.mark.parametrize("kind", ["journal.erased", "journal.restored"])
def test_events_about_the_journal_are_never_erased(kind: str, check: Verify) -> None:
    journal = Journal()
    journal.append("{}", kind=kind)
    journal.erase(1)
    outcome = check(journal)
    assert outcome == Outcome(8, [f"events.jsonl line 2 (seq 2): erases seq 1 of kind {kind}, which is never erased"])


def test_salt_and_payload_go_together(journal: Journal, check: Verify) -> None:
    for key in ("salt", "payload"):
        event = dict(journal.events[1])
        journal.events[1][key] = None
        outcome = check(journal)
        assert outcome.lines[0] == "events.jsonl line 2 (seq 2): of salt and payload one is there without the other"
        journal.events[1] = event


@pytest.mark.parametrize("changes", [{"event_id": "0" * 26}, {"kind": "other"}, {"event_id": None}, {"kind": 5}])
def test_an_erasure_of_another_event_is_found(changes: dict[str, Any], journal: Journal, check: Verify) -> None:
    journal.append_erasure(journal.events[0], **changes)
    journal.events[0].update(salt=None, payload=None)
    outcome = check(journal)
    assert outcome.code == 8
    assert "names another event_id or kind" in outcome.lines[0]


BAD_ERASURES = """5 null [] "x" {} { NaN {"seq":true,"reason":""} {"seq":1.0,"reason":""} {"seq":12,"reason":""}
{"seq":1,"seq":1,"reason":""} {"seq":0,"reason":""} {"seq":-1,"reason":""} [["seq",1],["reason",""]] {"seq":1}"""
BAD_NUMBER = '{"seq":1,"reason":"","x":' + "9" * 5000 + "}"


@pytest.mark.parametrize("payload", [*BAD_ERASURES.split(), BAD_NUMBER, "[" * 100_000, "", "\ufeff{}"])
def test_an_erasure_that_names_no_event_is_found(payload: str, journal: Journal, check: Verify) -> None:
    journal.append(payload, kind="journal.erased")
    assert_unsound(check(journal), "events.jsonl line 12 (seq 12): ")


# ---- a forger who can make the rest agree


def test_a_rewritten_history_is_caught_by_the_checkpoints(journal: Journal, check: Verify) -> None:
    log = journal.notes(1, 5, 11)
    journal.events[1]["principal"] = "eve"
    journal.rehash()
    outcome = check(journal, log=log)
    assert outcome.code == 8
    assert [line.split(":")[0] for line in outcome.lines] == ["checkpoints.log line 7", "checkpoints.log line 13"]


def test_a_hash_that_does_not_fit_is_found_though_everything_after_it_agrees(journal: Journal, check: Verify) -> None:
    for key, value in (("kind", "nose"), ("channel", ""), ("request_digest", "00" * 32), ("v", 2)):
        event = dict(journal.events[0])
        journal.events[0][key] = value
        outcome = check(journal)
        assert outcome == Outcome(8, ["events.jsonl line 1 (seq 1): hash does not match the event"])
        journal.events[0] = event


def test_a_prev_hash_that_is_not_the_one_before_is_found(journal: Journal, check: Verify) -> None:
    journal.events[5]["prev_hash"] = "1" * 64
    journal.events[5]["hash"] = event_hash(journal.events[5])
    journal.events[6]["prev_hash"] = journal.events[5]["hash"]
    journal.events[6]["hash"] = event_hash(journal.events[6])
    outcome = check(journal)
    assert outcome.lines[0] == "events.jsonl line 6 (seq 6): prev_hash is not the hash of the event before"


def test_a_bundle_signed_by_a_foreign_key_is_not_taken_for_ours(journal: Journal, bundle: Path, verify: Verify) -> None:
    assert verify(bundle, "--key", journal.signer.verifier_key).code == 0
    foreign = Signer().verifier_key
    outcome = verify(bundle, "--key", foreign)
    key = journal.signer.verifier_key
    assert outcome == Outcome(8, [f"manifest.json line 1: verifier_key is {key}, but {foreign} is demanded"])


def test_a_foreign_key_does_not_fit_the_checkpoints(journal: Journal, bundle: Path, verify: Verify) -> None:
    path = bundle / "manifest.json"
    foreign = Signer().verifier_key
    path.write_bytes(path.read_bytes().replace(journal.signer.verifier_key.encode(), foreign.encode()))
    assert_unsound(verify(bundle), f"checkpoints.log line 1: checkpoint is not signed by {foreign}")


@pytest.mark.parametrize("key", ["", "x", "a+b+c", "a+00000000+" + "A" * 44, "a b+00000000+" + "A" * 44, "+" * 60])
def test_a_demanded_key_that_is_none_is_wrong_usage(key: str, bundle: Path, verify: Verify) -> None:
    assert verify(bundle, "--key", key).code == 2


def test_a_key_that_is_no_point_of_the_curve_signs_nothing(journal: Journal, check: Verify) -> None:
    class Lost(Signer):
        @property
        def public(self) -> bytes:
            return (2).to_bytes(32, "little")

    journal.signer = Lost()
    outcome = check(journal)
    assert outcome.lines[0] == f"checkpoints.log line 1: checkpoint is not signed by {journal.signer.verifier_key}"


ORDER = "checkpoints.log: checkpoints do not go from the oldest to one of all 11 events"


@pytest.mark.parametrize("sizes", [(1, 10), (11, 1)])
def test_checkpoints_go_from_the_oldest_to_one_of_the_whole(sizes: list[int], journal: Journal, check: Verify) -> None:
    assert check(journal, log=journal.notes(*sizes)) == Outcome(8, [ORDER])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda note: note.replace("\n11\n", "\n011\n"),
        lambda note: note.replace("\n11\n", "\n+11\n"),
        lambda note: note.replace("\n11\n", "\n11\nextension\n"),
        lambda note: note.replace("\n", "\r\n"),
        lambda note: note.replace("—", "-"),
        lambda note: note.replace("— palyra", "—  palyra"),
        lambda note: "\n" + note,
        lambda note: note + "\n",
        lambda note: note[:-1],
        lambda note: note.split("—")[0] + "\n",
        lambda note: note[:0],
    ],
)
def test_a_checkpoint_of_another_form_is_refused(spoil: Callable[[str], str], journal: Journal, check: Verify) -> None:
    log = spoil(journal.signer.note(11, journal.root(11)) + "\n")
    assert_unsound(check(journal, log=log.encode()), "checkpoints.log line ")


def test_a_checkpoint_whose_base64_has_loose_bits_is_refused(journal: Journal, check: Verify) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    note = journal.signer.note(11, journal.root(11))
    loose = note[:-3] + alphabet[alphabet.index(note[-3]) + 1] + "=\n"
    assert base64.b64decode(loose.split(" ")[-1]) == base64.b64decode(note.split(" ")[-1])
    assert check(journal, log=f"{loose}\n".encode()).code == 8


def test_a_checkpoint_of_another_origin_is_refused(journal: Journal, check: Verify) -> None:
    text = f"palyra.local/other\n11\n{b64(journal.root(11))}\n"
    signature = b64(journal.signer.key_id + journal.signer.private.sign(text.encode()))
    log = f"{text}\n— {journal.signer.name} {signature}\n\n"
    outcome = check(journal, log=log.encode())
    assert outcome == Outcome(8, [f"checkpoints.log line 1: checkpoint is not signed by {journal.signer.verifier_key}"])


# ---- checkpoints kept from earlier


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def test_kept_checkpoints_that_agree_are_ok(journal: Journal, bundle: Path, tmp_path: Path, verify: Verify) -> None:
    (tmp_path / "log").write_bytes(journal.notes(0, 3, 7))
    (tmp_path / "one").write_text(journal.signer.note(5, journal.root(5)))
    (tmp_path / "cut").write_text(journal.signer.note(4, journal.root(4)).rstrip("\n"))
    outcome = verify(bundle, "--checkpoint", tmp_path / "log", tmp_path / "one", "--checkpoint", tmp_path / "cut")
    assert outcome.code == 0
    assert "4 checkpoints" in outcome.lines[0]


def test_a_kept_checkpoint_longer_than_the_bundle_means_truncated(
    journal: Journal, bundle: Path, kept: Path, verify: Verify
) -> None:
    journal.append("{}")
    kept.write_bytes(journal.notes(3, 12))
    outcome = verify(bundle, "--checkpoint", kept)
    message = "truncated: this checkpoint is of 12 events, but the bundle has only 11"
    assert outcome == Outcome(8, [f"{kept} line 7: {message}"])


def test_a_kept_checkpoint_of_another_history_fails(journal: Journal, bundle: Path, kept: Path, verify: Verify) -> None:
    kept.write_text(journal.signer.note(5, bytes(32)))
    outcome = verify(bundle, "--checkpoint", kept)
    assert outcome == Outcome(8, [f"{kept} line 1: root is not that of the first 5 events, {b64(journal.root(5))}"])


def test_a_kept_checkpoint_of_another_key_fails(journal: Journal, bundle: Path, kept: Path, verify: Verify) -> None:
    kept.write_text(Signer().note(5, journal.root(5)))
    outcome = verify(bundle, "--checkpoint", kept)
    expected = f"{kept} line 1: checkpoint is not signed by {journal.signer.verifier_key}"
    assert outcome == Outcome(8, [expected])


def test_a_kept_file_without_a_checkpoint_is_not_taken_for_agreement(bundle: Path, kept: Path, verify: Verify) -> None:
    kept.touch()
    assert verify(bundle, "--checkpoint", kept).code == 8
    assert verify(bundle, "--checkpoint", kept / "nowhere").code == 2


def test_problems_as_json_say_where(bundle: Path, verify: Verify) -> None:
    replace_line(bundle / "events.jsonl", 2, b"{}\n")
    outcome = verify(bundle, "--json")
    verdict = json.loads(outcome.lines[0])
    first = {"file": "events.jsonl", "line": 2, "seq": 2, "message": "key 'actor' is missing"}
    assert (outcome.code, verdict["ok"], verdict["problems"][0]) == (8, False, first)


# ---- Ed25519

RFC_8032 = """
d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a -
e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c 72
92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025 af82
6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf sha512(abc)
dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589
09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704
""".replace("-", "").replace("sha512(abc)", sha512(b"abc").hexdigest())
VECTORS = [
    tuple(map(bytes.fromhex, (key, message, first + second)))  # section 7.1: public key, message, signature
    for key, message, first, second in re.findall(r"(\w{64}) (\w*)\n(\w{64})\n(\w{64})\n", RFC_8032)
]


assert len(VECTORS) == 4


@pytest.mark.parametrize(("key", "text", "good"), VECTORS)
def test_the_vectors_of_rfc_8032_hold_and_their_neighbours_do_not(key: bytes, text: bytes, good: bytes) -> None:
    assert verifier.is_signed(key, text, good)
    assert not verifier.is_signed(key, text + b"x", good)
    assert not verifier.is_signed(key, text, good[:-1])
    assert not verifier.is_signed(key, text, good + b"\x00")
    assert not verifier.is_signed(key[:-1], text, good)
    for position in range(0, 64, 5):
        bad = bytearray(good)
        bad[position] ^= 1
        assert not verifier.is_signed(key, text, bytes(bad))


def test_a_signature_with_s_of_l_or_more_is_refused() -> None:
    key, text, good = VECTORS[0]
    s = int.from_bytes(good[32:], "little") + verifier.L
    assert not verifier.is_signed(key, text, good[:32] + s.to_bytes(32, "little"))


@pytest.mark.parametrize("y", [2, verifier.P, verifier.P + 1, 2**255 - 1, 1 | 1 << 255, 2**256 - 1])
def test_an_encoding_of_no_point_is_refused(y: int) -> None:
    assert verifier.decode_point(y.to_bytes(32, "little")) is None


def test_random_signatures_are_judged_as_cryptography_judges_them() -> None:
    dice = random.Random(8032)
    for _ in range(60):
        private = Ed25519PrivateKey.from_private_bytes(dice.randbytes(32))
        public, message = private.public_key().public_bytes_raw(), dice.randbytes(dice.randrange(200))
        signature = bytearray(private.sign(message))
        if dice.random() < 0.5:
            signature[dice.randrange(64)] ^= 1 << dice.randrange(8)
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(bytes(signature), message)
            is_good = True
        except InvalidSignature:
            is_good = False
        assert verifier.is_signed(public, message, bytes(signature)) == is_good
