#!/usr/bin/env python3
"""Verify a Palyra journal bundle with nothing but this file and Python 3.11+.

Written from docs/journal-format.md alone, so that trust in a journal needs no trust in the code that wrote it.
Events are read once and in order; what stays in memory is the Merkle frontier, the seqs without a payload, and the
roots at the sizes some checkpoint speaks of.  Exit code: 0 sound, 8 not sound, 2 wrong usage or not a bundle.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import struct
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256, sha512
from json.encoder import encode_basestring as quote  # what json.dumps(ensure_ascii=False) writes strings with
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST, EVENTS, CHECKPOINTS = NAMES = ("manifest.json", "events.jsonl", "checkpoints.log")
MAX_LINE_BYTES = 64 << 20  # a file without newlines must not fill the memory
MAX_NOTES_BYTES = 256 << 20  # about a million checkpoints
MAX_PROBLEMS = 100  # one fault can upset every line after it
MAX_SIZE = (1 << 64) - 1


class Problem(NamedTuple):
    file: str
    message: str
    line: int | None = None
    seq: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f" line {self.line}"
        seq = "" if self.seq is None else f" (seq {self.seq})"
        return f"{self.file}{line}{seq}: {self.message}"


@dataclass
class Verdict:
    size: int | None = None
    root: str | None = None
    checkpoints: int = 0
    erased: int = 0
    verifier_key: str | None = None
    problems: list[Problem] = field(default_factory=list)


class Fault(Exception):
    """What is wrong with the thing at hand; the caller knows which that is."""


class NotABundle(Exception):
    """Nothing here that this program could verify."""


def verify_bundle(directory: Path, demanded: VerifierKey | None, kept_files: Sequence[Path]) -> Verdict:
    verdict = Verdict(problems=check_listing(directory))
    found = verdict.problems
    if any(problem.message == "is missing" for problem in found):
        return verdict
    try:
        manifest = read_manifest(directory / MANIFEST)
        key = VerifierKey(manifest["verifier_key"])
    except Fault as fault:
        found.append(Problem(MANIFEST, str(fault), 1))
        return verdict
    if demanded is not None and demanded.text != key.text:
        found.append(Problem(MANIFEST, f"verifier_key is {key.text}, but {demanded.text} is demanded", 1))
    # Notes come before events, because the roots to remember on the way are those at the notes' sizes.
    own = NoteLog(directory / CHECKPOINTS, CHECKPOINTS, key)
    kept = [NoteLog(path, str(path), key, is_kept=True) for path in kept_files]
    events = EventLog({note.size for log in (own, *kept) for note in log.notes})
    events.read(directory / EVENTS, manifest["size"])
    root = None if events.tree is None else events.tree.root()
    if events.tree is not None and root != manifest["root"]:
        events.problems.append(Problem(MANIFEST, f"root is {manifest['root']}, but that of the events is {root}", 1))
    own.check(events.roots, manifest["size"])
    if not own.problems and all(note.size != manifest["size"] for note in own.notes):
        own.problems.append(Problem(CHECKPOINTS, f"no checkpoint is of {manifest['size']} events, as the bundle is"))
    for name, log in ((EVENTS, events), (CHECKPOINTS, own)):
        found += log.problems
        if log.sha256 != manifest["files"][name]:
            found.append(Problem(name, f"SHA-256 is {log.sha256}, but the manifest names {manifest['files'][name]}"))
    for log in kept:
        log.check(events.roots, manifest["size"])
        found += log.problems
    return Verdict(events.size, root, len(own.notes), len(events.erased), key.text, found)


def check_listing(directory: Path) -> list[Problem]:
    present = {entry.name for entry in directory.iterdir()} if directory.is_dir() else set()
    if present.isdisjoint(NAMES):
        raise NotABundle(Problem(str(directory), f"is not a bundle, a directory of {', '.join(NAMES)}"))
    # is_file, because opening a pipe that somebody left under one of the names would wait for ever.
    problems = [Problem(name, "is missing") for name in NAMES if not (directory / name).is_file()]
    return problems + [Problem(ascii(name), "does not belong in a bundle") for name in sorted(present - {*NAMES})]


def read_manifest(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        record, text = parse_line(file.read(1 << 16))
    if record.get("format") != "palyra-bundle-v1":
        message = f"format is {ascii(record.get('format'))[:80]}, but only 'palyra-bundle-v1' is known"
        raise NotABundle(Problem(MANIFEST, message, 1))
    check_form(record, MANIFEST_FORM)
    check_form(record["files"], {CHECKPOINTS: HEX_32, EVENTS: HEX_32})
    if not 0 <= record["size"] <= MAX_SIZE:
        raise Fault("size is not from 0 to 2^64-1")
    if json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False) != text:
        raise Fault("is not canonical JSON")
    return record


def parse_line(line: bytes) -> tuple[dict[str, Any], str]:
    """The object on the line and its text, which the caller compares with the canonical form of the object."""
    if line[-1:] != b"\n":
        raise Fault("does not end with a newline: cut off, or too long")
    try:
        text = line[:-1].decode()
        record, end = DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, integers of thousands of digits, deep nesting
        raise Fault(f"is not acceptable JSON: {error}") from error
    if end != len(text) or type(record) is not dict:
        raise Fault("is not one JSON object")
    return record, text


def check_form(record: dict[str, Any], forms: Mapping[str, type | str]) -> None:
    """Exactly these keys; a value is of the type, or a string that the pattern describes."""
    if missing := forms.keys() - record.keys():
        raise Fault(f"key {min(missing)} is missing")
    if unknown := record.keys() - forms.keys():
        raise Fault(f"key {ascii(min(unknown))[:80]} is unknown")
    for key, form in forms.items():
        value, wanted = record[key], form if isinstance(form, type) else str
        if value is None and key in NULLABLE:
            continue
        if type(value) is not wanted:  # type(), because isinstance takes true for an integer
            raise Fault(f"{key} is of type {type(value).__name__}, not {wanted.__name__}")
        if isinstance(form, str) and not re.fullmatch(form, value):
            raise Fault(f"{key} is not of the form {form}")


# ---- events (sections 1, 2, 4 and 6)

DECODER = json.JSONDecoder()
HEX_16, HEX_32, BASE64_32 = "[0-9a-f]{32}", "[0-9a-f]{64}", "[A-Za-z0-9+/]{43}="
MANIFEST_FORM = {"files": dict, "format": str, "root": BASE64_32, "size": int, "verifier_key": str}
TEXTS = ("kind", "actor", "principal", "channel", "session_id", "run_id", "request_id")
NUMBERS = ("seq", "v", "occurred_at_ms", "recorded_at_ms")
EVENT_FORM: dict[str, type | str] = dict.fromkeys(TEXTS, str) | dict.fromkeys(NUMBERS, int)
EVENT_FORM |= {"commitment": HEX_32, "prev_hash": HEX_32, "hash": HEX_32, "request_digest": HEX_32, "salt": HEX_16}
EVENT_FORM |= {"actor": "user|agent|system|operator|plugin", "event_id": r"[\0-\x7f]{26}", "payload": str}
EVENT_KEYS = tuple(sorted(EVENT_FORM))
NULLABLE = {"channel", "session_id", "run_id", "request_id", "request_digest", "salt", "payload"}
NULL = b"\xff\xff\xff\xff"
pick_texts, pick_numbers = itemgetter(*TEXTS), itemgetter(*NUMBERS)


class Shape:
    """How to check events whose values have certain types. Few combinations occur, and each is prepared once."""

    def __init__(self, record: dict[str, Any]) -> None:
        check_form(record, EVENT_FORM)
        if (record["salt"] is None) != (record["payload"] is None):
            raise Fault("of salt and payload one is there without the other")
        # What json.dumps writes, at a third of its time; %.0s swallows the None.
        self._json = "{" + ",".join(f'"{k}":{"null%.0s" if v is None else "%s"}' for k, v in record.items()) + "}"
        patterns = {k: form for k, form in EVENT_FORM.items() if isinstance(form, str) and record[k] is not None}
        self._pick = itemgetter(*patterns)
        self._pattern = re.compile("\n".join(f"(?:{form})" for form in patterns.values()))

    def check(self, record: dict[str, Any], text: str) -> None:
        if not self._pattern.fullmatch("\n".join(self._pick(record))):
            check_form(record, EVENT_FORM)  # slowly, to say which
        if self._json % tuple([quote(x) if type(x) is str else x for x in record.values()]) != text:
            raise Fault("is not canonical JSON")
        if not (1 <= record["seq"] <= MAX_SIZE and 1 <= record["v"] <= 65535):
            raise Fault("seq is not from 1 to 2^64-1, or v not from 1 to 65535")


class EventLog:
    """Walks the chain. After a line that cannot be placed the tree is None, and nothing is said about later roots."""

    def __init__(self, wanted_sizes: set[int]) -> None:
        self.size, self.sha256, self.problems = 0, "", list[Problem]()
        self.tree: Frontier | None = Frontier()
        self.roots = {0: self.tree.root()}
        self.erased: set[int] = set()
        self._missing: dict[int, tuple[int, str, str]] = {}  # seq without payload: line, event_id, kind
        self._wanted_sizes = wanted_sizes
        self._seq, self._hash = 0, "0" * 64  # of the event before
        self._shapes: dict[tuple[type, ...], Shape] = {}

    def read(self, path: Path, size: int) -> None:
        digest = sha256()
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                digest.update(line)
                self.size += 1
                if len(self.problems) < MAX_PROBLEMS:
                    try:
                        self._take(line)
                    except Fault as fault:
                        self.problems.append(Problem(EVENTS, str(fault), self.size, self._seq))
        self.sha256 = digest.hexdigest()
        if len(self.problems) >= MAX_PROBLEMS:
            self.problems.append(Problem(EVENTS, f"{MAX_PROBLEMS} problems; the lines after them were not checked"))
            return
        if self.size != size:
            what = "truncated: ends after" if self.size < size else "has"
            line = min(self.size, size) + 1
            self.problems.append(Problem(EVENTS, f"{what} {self.size} events, the manifest counts {size}", line, line))
        for seq, (line, _, _) in self._missing.items():
            self.problems.append(Problem(EVENTS, "payload is missing and no later event erased it", line, seq))

    def _take(self, line: bytes) -> None:
        expected, before, tree = self._seq + 1, self._hash, self.tree
        self._seq, self._hash, self.tree = expected, "", None  # which holds if the line turns out to be unreadable
        record, text = parse_line(line)
        if tuple(record) != EVENT_KEYS:
            check_form(record, EVENT_FORM)
            raise Fault("is not canonical JSON: the keys are not sorted")
        types = tuple(map(type, record.values()))
        if types not in self._shapes:
            self._shapes[types] = Shape(record)
        self._shapes[types].check(record, text)
        seq, self._hash, payload = record["seq"], record["hash"], record["payload"]
        self._seq = seq
        if payload is None:
            self._missing[seq] = self.size, record["event_id"], record["kind"]
        if seq != expected:
            raise Fault(f"seq {expected} was expected here")
        if tree is not None:
            # The hash as stated, even if wrong: its line gets named, and the root still tells about the others.
            tree.append(bytes.fromhex(self._hash))
            self.tree = tree
            if seq in self._wanted_sizes:
                self.roots[seq] = tree.root()
        if before not in ("", record["prev_hash"]):
            raise Fault("prev_hash is not the hash of the event before")
        if payload is not None:
            salted = b"palyra:payload:v1\n" + bytes.fromhex(record["salt"]) + payload.encode()
            if sha256(salted).hexdigest() != record["commitment"]:
                raise Fault("payload does not match its commitment")
        if sha256(encode_header(record)).hexdigest() != self._hash:
            raise Fault("hash does not match the event")
        if payload is None and record["kind"] in ("journal.erased", "journal.restored"):
            raise Fault(f"payload is missing, but events of kind {record['kind']} are never erased")
        if record["kind"] == "journal.erased":
            self._erase(payload)

    def _erase(self, payload: str) -> None:
        try:  # objects as tuples of pairs: a key given twice would let two readers disagree about what was erased
            pairs = json.loads(payload, object_pairs_hook=tuple)
        except (ValueError, RecursionError) as error:
            raise Fault(f"payload is not acceptable JSON: {error}") from error
        named = dict(pairs) if type(pairs) is tuple else {}
        seq = named.get("seq")
        if len(named) != len(pairs) or type(seq) is not int or not 1 <= seq < self._seq or "reason" not in named:
            raise Fault("payload does not name one event before it, and a reason")
        if seq in self._missing:
            _, event_id, kind = self._missing.pop(seq)
            self.erased.add(seq)
            if (named.get("event_id"), named.get("kind")) != (event_id, kind):
                raise Fault(f"payload names another event_id or kind than the event seq {seq} has")
        elif seq not in self.erased and self.tree is not None:  # without a tree that event may have been unreadable
            raise Fault(f"erases seq {seq}, but the payload of seq {seq} is still there")


def encode_header(record: dict[str, Any]) -> bytes:
    try:
        numbers = struct.pack(">QIqq", *pick_numbers(record))
    except struct.error as error:
        raise Fault("occurred_at_ms or recorded_at_ms does not fit in 64 bits") from error
    values = [None if text is None else text.encode() for text in pick_texts(record)]
    values.append(None if record["request_digest"] is None else bytes.fromhex(record["request_digest"]))
    framed = [NULL if value is None else len(value).to_bytes(4, "big") + value for value in values]
    hashes = bytes.fromhex(record["commitment"] + record["prev_hash"])
    return b"".join((b"palyra:event:v1\n", numbers, record["event_id"].encode(), *framed, hashes))


# ---- tree, keys and checkpoints (section 5)


class Frontier:
    """The perfect subtrees of an RFC 6962 tree that still grows, largest first."""

    def __init__(self) -> None:
        self._size, self._peaks = 0, list[bytes]()

    def append(self, event_hash: bytes) -> None:
        node, size = sha256(b"\0" + event_hash).digest(), self._size
        while size & 1:
            node, size = sha256(b"\1" + self._peaks.pop() + node).digest(), size >> 1
        self._peaks.append(node)
        self._size += 1

    def root(self) -> str:
        """In base64, which is how roots are written down, and has one form only when it is compared as text."""
        node = self._peaks[-1] if self._peaks else sha256(b"").digest()
        for left in self._peaks[-2::-1]:
            node = sha256(b"\1" + left + node).digest()
        return b64encode(node).decode()


class VerifierKey:
    def __init__(self, text: str) -> None:
        match = re.fullmatch(r"([^+ ]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", text)
        # The name gets printed: isprintable keeps out line breaks and terminal escapes.
        if match is None or not match[1].isprintable():
            raise Fault("verifier_key is not of the form name+id+key")
        material = b64decode(match[3])
        self.text, self.name, self._public = text, match[1].encode(), material[1:]
        self._id = sha256(self.name + b"\n" + material).digest()[:4]
        if material[0] != 1 or self._id.hex() != match[2]:
            raise Fault("verifier_key is not of type Ed25519, or its key id is not that of its name and key")

    def check_signatures(self, text: bytes, signatures: bytes) -> None:
        """At least one is ours and true. Those of other keys may stand beside it (signed-note), and say nothing here."""
        is_signed = False
        for line in signatures.splitlines():
            _, name, signature_base64 = line.split(b" ")
            try:
                signature = b64decode(signature_base64, validate=True)
            except ValueError as error:
                raise Fault("signature of the checkpoint is not base64") from error
            if name == self.name and signature[:4] == self._id:
                # The last character has bits to spare, which a changed byte could hide in.
                is_exact = b64encode(signature) == signature_base64
                if not is_exact or not is_ed25519_signed(self._public, text, signature[4:]):
                    raise Fault("signature does not match the checkpoint")
                is_signed = True
        if not is_signed:
            raise Fault(f"checkpoint is not signed by {self.text}")


class Note(NamedTuple):
    line: int
    size: int
    root: str


NOTE_LINES = (
    *(rb"([^\n]+)\n", rb"(0|[1-9][0-9]{0,19})\n", rb"([A-Za-z0-9+/]{43}=)\n", rb"\n"),
    *(rb"((?:\xe2\x80\x94 [^ \n]+ [A-Za-z0-9+/=]+\n)+)", rb"\n"),
)
NOTE = re.compile(b"".join(NOTE_LINES))


class NoteLog:
    """The checkpoints of a file that are signed by the key, and the problems with the others."""

    def __init__(self, path: Path, name: str, key: VerifierKey, *, is_kept: bool = False) -> None:
        self.name, self.notes, self.problems = name, list[Note](), list[Problem]()
        with path.open("rb") as file:
            data = file.read(MAX_NOTES_BYTES)
        self.sha256 = sha256(data).hexdigest()
        if is_kept and not data.endswith(b"\n\n"):
            data += b"\n"  # who keeps one checkpoint may keep the bare note, without the line that separates notes
        start, line = 0, 1
        while start < len(data) or not start:
            match = NOTE.match(data, start)
            if match is None:
                # Where one note is broken the borders of the next are guesswork: leave it at the first.
                bad = next(n for n in range(6) if not re.match(b"".join(NOTE_LINES[: n + 1]), data[start:]))
                message = "is not a checkpoint: three lines, an empty line, signatures, an empty line"
                self.problems.append(Problem(name, message, line + bad))
                break
            origin, size, root, signatures = match.groups()
            try:
                if origin != key.name:
                    raise Fault(f"origin is not {key.name.decode()}")
                key.check_signatures(b"%s\n%s\n%s\n" % (origin, size, root), signatures)
                self.notes.append(Note(line, int(size), root.decode()))
            except Fault as fault:
                self.problems.append(Problem(name, str(fault), line))
            start, line = match.end(), line + match[0].count(b"\n")

    def check(self, roots: dict[int, str], size: int) -> None:
        last_size = 0
        for line, note_size, root in self.notes:
            if note_size > size:
                message = f"truncated: this checkpoint is of {note_size} events, but the bundle has only {size}"
                self.problems.append(Problem(self.name, message, line + 1))
            elif root != roots.get(note_size, root):  # where the root is unknown, the reason is on record
                message = f"root is not that of the first {note_size} events, {roots[note_size]}"
                self.problems.append(Problem(self.name, message, line + 2))
            elif note_size < last_size:
                self.problems.append(Problem(self.name, f"size {note_size} comes after {last_size}", line + 1))
            last_size = note_size
        self.problems.sort(key=itemgetter(2))


# ---- Ed25519 (RFC 8032, section 5.1)

Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
NEUTRAL: Point = (0, 1, 1, 0)


def is_ed25519_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    key, base = decode_point(public), decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    s = int.from_bytes(signature[32:], "little")
    if key is None or base is None or len(signature) != 64 or s >= L:  # s >= L would give every signature a twin
        return False
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % L
    minus_key = (P - key[0], key[1], 1, P - key[3])
    steps = (NEUTRAL, base, minus_key, add(base, minus_key))
    point = NEUTRAL
    for bit in range(252, -1, -1):  # s * base - k * key, both at once
        point = add(add(point, point), steps[(s >> bit & 1) + 2 * (k >> bit & 1)])
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    # Comparing encodings, not points, refuses an R that is not in its one canonical form.
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def decode_point(encoded: bytes) -> Point | None:
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if len(encoded) != 32 or y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify a Palyra journal bundle.")
    parser.add_argument("directory", metavar="DIR", type=Path, help="what `palyra journal export` wrote")
    parser.add_argument("--key", metavar="VERIFIER_KEY", help="the key that must have signed the bundle")
    parser.add_argument("--checkpoint", metavar="FILE", type=Path, nargs="+", action="extend", default=[])
    parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a verdict must not die of a terminal that lacks a letter
        sys.stdout.reconfigure(errors="backslashreplace")
    exit_code = 2
    try:
        demanded = None if arguments.key is None else VerifierKey(arguments.key)
        verdict = verify_bundle(arguments.directory, demanded, arguments.checkpoint)
        exit_code = 8 if verdict.problems else 0
    except Fault as fault:
        parser.error(f"--key: {fault}")
    except NotABundle as refusal:
        verdict = Verdict(problems=[*refusal.args])
    except OSError as error:
        verdict = Verdict(problems=[Problem(str(error.filename), f"cannot be read: {error.strerror}")])
    if arguments.json:
        problems = [problem._asdict() for problem in verdict.problems]
        print(json.dumps({"ok": not problems, **vars(verdict), "problems": problems}))
    elif verdict.problems:
        print(*verdict.problems, sep="\n")
    else:
        counts = f"{verdict.checkpoints} checkpoints, {verdict.erased} erased"
        print(f"ok: {verdict.size} events, root {verdict.root}, {counts}, key {verdict.verifier_key}")
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
