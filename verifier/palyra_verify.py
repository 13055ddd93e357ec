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
import os
import re
import struct
import sys
from base64 import b64decode, b64encode
from functools import lru_cache
from hashlib import sha256, sha512
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST, EVENTS, CHECKPOINTS = NAMES = ("manifest.json", "events.jsonl", "checkpoints.log")
MAX_LINE_BYTES = 64 << 20  # a file without newlines must not fill the memory
MAX_PROBLEMS = 100  # one fault can upset every line after it
NULL = b"\xff\xff\xff\xff"
Roots = dict[int, str]  # by the size of the tree, in base64


class Problem(NamedTuple):
    file: str
    message: str
    line: int | None = None
    seq: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f" line {self.line}"
        seq = "" if self.seq is None else f" (seq {self.seq})"
        return f"{self.file}{line}{seq}: {self.message}"


class Fault(ValueError):
    """What is wrong with the thing at hand; the caller knows which that is. A ValueError to please argparse."""


def verify(bundle: Path, demanded: VerifierKey | None, kept: list[Path], found: list[Problem]) -> dict[str, Any]:
    """What the bundle says of itself; `found` gets what is wrong. Raises Fault for a manifest that is of no use."""
    found += check_listing(bundle)
    if any(problem.message == "is missing" for problem in found):
        return {}
    manifest, text = parse_line((bundle / MANIFEST).read_bytes())
    if manifest.get("format") != "palyra-bundle-v1":
        message = f"format is {ascii(manifest.get('format'))[:80]}, but only 'palyra-bundle-v1' is known"
        raise FileNotFoundError(0, message, MANIFEST)  # as where there is no bundle at all: not for us to judge
    check_form(manifest, text, MANIFEST_FORM)
    size, key, file_hashes = manifest["size"], VerifierKey(manifest["verifier_key"]), manifest["files"]
    if demanded is not None and demanded.text != key.text:
        found.append(Problem(MANIFEST, f"verifier_key is {key.text}, but {demanded.text} is demanded", 1))
    own, *others = [path.read_bytes() for path in (bundle / CHECKPOINTS, *kept)]
    # The roots to remember on the way are those at the sizes of checkpoints; a line too many does no harm here.
    events = EventLog({int(line) for log in (own, *others) for line in re.findall(rb"(?m)^[0-9]{1,19}$", log)})
    events.read(bundle / EVENTS, size)
    faults, sizes = check_notes(CHECKPOINTS, own, key, events.roots, size)
    if not faults and (sizes != sorted(sizes) or sizes[-1] != size):
        faults.append(Problem(CHECKPOINTS, f"checkpoints do not go from the oldest to one of all {size} events"))
    for name, hashed, more in ((EVENTS, events.sha256, events.problems), (CHECKPOINTS, sha256(own), faults)):
        found += more
        if hashed.hexdigest() != file_hashes[name]:
            message = f"SHA-256 is {hashed.hexdigest()}, but the manifest names {file_hashes[name]}"
            found.append(Problem(name, message))
    root = None if events.tree is None else events.tree.root()
    if root not in (None, manifest["root"]):
        found.append(Problem(MANIFEST, f"root is {manifest['root']}, but that of the events is {root}", 1))
    for path, log in zip(kept, others, strict=True):
        # Who keeps one checkpoint may keep the bare note, without the empty line that separates notes.
        found += check_notes(str(path), log.rstrip(b"\n") + b"\n\n", key, events.roots, size)[0]
    counts = {"checkpoints": len(sizes), "erased": len(events.erased)}
    return {"size": events.size, "root": root, **counts, "verifier_key": key.text}


def check_listing(directory: Path) -> list[Problem]:
    present = {entry.name for entry in directory.iterdir()} if directory.is_dir() else set()
    if present.isdisjoint(NAMES):
        raise FileNotFoundError(0, f"is not a bundle, a directory of {', '.join(NAMES)}", str(directory))
    # is_file, because opening a pipe that somebody left under one of the names would wait for ever.
    problems = [Problem(name, "is missing") for name in NAMES if not (directory / name).is_file()]
    return problems + [Problem(ascii(name), "does not belong in a bundle") for name in sorted(present - {*NAMES})]


# ---- JSON lines (section 7). The patterns describe the canonical JSON of values, each with one group for its content,
# and are possessive, so that a hostile line cannot make the matcher try for years.

encode_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
decode_json = json.JSONDecoder().raw_decode
PLAIN, ESCAPE = r'[^"\\\0-\x1f\ud800-\udfff]*+', r'\\(?:["\\bfnrt]|u00(?:0[0-7bef]|1[0-9a-f]))'
STRING, HEX_16, HEX_32 = f'"({PLAIN}(?:{ESCAPE}{PLAIN})*+)"', '"([0-9a-f]{32})"', '"([0-9a-f]{64})"'
NATURAL, INTEGER, ULID = "([1-9][0-9]{0,18})", "(0|-?[1-9][0-9]{0,18})", '"([0-9A-Za-z]{26})"'
MANIFEST_FORM = {"format": STRING, "root": '"[A-Za-z0-9+/]{43}="', "size": f"0|{NATURAL}", "verifier_key": STRING}
MANIFEST_FORM |= {"files": rf'{{"checkpoints\.log":{HEX_32},"events\.jsonl":{HEX_32}}}'}
EVENT_FORM = {"seq": NATURAL, "v": NATURAL, "occurred_at_ms": INTEGER, "recorded_at_ms": INTEGER, "event_id": ULID}
EVENT_FORM |= dict.fromkeys(("request_id", "payload"), f"(?:null|{STRING})")
EVENT_FORM |= dict.fromkeys(("commitment", "prev_hash", "hash"), HEX_32)
EVENT_FORM |= {"request_digest": f"(?:null|{HEX_32})", "salt": f"(?:null|{HEX_16})"}
EVENT_FORM |= {"kind": STRING, "actor": '"(user|agent|system|operator|plugin)"', "principal": STRING}
EVENT_FORM |= dict.fromkeys(("channel", "session_id", "run_id"), f"(?:null|{STRING})")
EVENT_JSON = "{" + ",".join(f'"{key}":{EVENT_FORM[key]}' for key in sorted(EVENT_FORM)) + "}\n"
EVENT_LINE = re.compile(EVENT_JSON.replace("[0-9a-f]{", '[^"]{'))  # hex is quicker to check all at once, afterwards
pick_fields = itemgetter(*map(sorted(EVENT_FORM).index, EVENT_FORM))


def parse_line(line: bytes) -> tuple[dict[str, Any], str]:
    """The object on the line, and its text, the form of which is still to be checked."""
    if line[-1:] != b"\n" or len(line) >= MAX_LINE_BYTES:
        raise Fault("does not end with a newline: cut off, or too long")
    try:
        text = line[:-1].decode()
        record, end = decode_json(text)
    except ValueError as error:  # not UTF-8, not JSON, or an integer of thousands of digits
        raise Fault(f"is not acceptable JSON: {error}") from error
    if end != len(text) or type(record) is not dict:
        raise Fault("is not one JSON object")
    return record, text


def check_form(record: dict[str, Any], text: str, form: dict[str, str]) -> None:
    """Exactly these keys, values as the patterns have it, and nothing in the text that could be written otherwise."""
    if odd := record.keys() ^ form.keys():
        raise Fault(f"key {ascii(min(odd))[:80]} is {'missing' if min(odd) in form else 'unknown'}")
    for key, pattern in form.items():
        if not re.fullmatch(pattern, encode_json(record[key])):
            raise Fault(f"{key} has a value of the wrong type or form: {ascii(record[key])[:80]}")
    if encode_json(record) != text:
        raise Fault("is not canonical JSON")


def parse_event(line: bytes) -> tuple[Any, ...]:
    """What EventLog wants to know of an event; strings are still escaped. The header is what the hash is taken of."""
    match = EVENT_LINE.fullmatch(line.decode(errors="surrogateescape"))
    fields = pick_fields(match.groups()) if match else ("",) * 18
    seq, v, said, read, event_id, request_id, payload, commitment, prev_hash, this_hash, digest, salt, *names = fields
    hexes = commitment + prev_hash + this_hash + (digest or "") + (salt or "")
    if match is None or hexes.encode(errors="replace").translate(None, b"0123456789abcdef"):
        check_form(*parse_line(line), EVENT_FORM)  # the slow way can say what is wrong
        raise Fault("is not canonical JSON")
    blob = bytes.fromhex(hexes)
    try:
        numbers = struct.pack(">QxxHqq", int(seq), int(v), int(said), int(read))  # v in four bytes, but from two
    except struct.error as error:
        raise Fault("v, occurred_at_ms or recorded_at_ms is out of range") from error
    texts = frame_names(*names) + frame(request_id) + (NULL if digest is None else b"\0\0\0\x20" + blob[96:128])
    header = b"palyra:event:v1\n" + numbers + event_id.encode() + texts + blob[:64]
    return int(seq), event_id, names[0], payload, salt, commitment, prev_hash, this_hash, blob, header


def unescape(text: str) -> bytes:
    return (str(decode_json(f'"{text}"')[0]) if "\\" in text else text).encode()


class EventLog:
    """Walks the chain. After a line that cannot be placed the tree is None, and nothing is said about later roots."""

    def __init__(self, wanted_sizes: set[int]) -> None:
        self.sha256, self.size, self.problems = sha256(), 0, list[Problem]()
        self.tree: Frontier | None = Frontier()
        self.roots: Roots = {0: self.tree.root()}
        self.erased: set[int] = set()
        self._missing: dict[int, tuple[int, str, str]] = {}  # seq without payload: line, event_id, kind
        self._wanted_sizes = wanted_sizes
        self._seq, self._hash = 0, "0" * 64  # of the event before

    def read(self, path: Path, size: int) -> None:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                self.sha256.update(line)
                self.size += 1
                if len(self.problems) < MAX_PROBLEMS:
                    try:
                        self._take(line)
                    except (Fault, RecursionError) as fault:
                        self.problems.append(Problem(EVENTS, str(fault), self.size, self._seq))
        if len(self.problems) == MAX_PROBLEMS:
            self.problems.append(Problem(EVENTS, f"has {MAX_PROBLEMS} problems; what follows was not checked"))
            return
        if self.size != size:
            what, end = "truncated: ends after" if self.size < size else "has", min(self.size, size) + 1
            self.problems.append(Problem(EVENTS, f"{what} {self.size} events, the manifest counts {size}", end, end))
        for seq, (number, _, _) in [*self._missing.items()][:MAX_PROBLEMS]:
            self.problems.append(Problem(EVENTS, "payload is missing and no later event erased it", number, seq))

    def _take(self, line: bytes) -> None:
        expected, before, tree = self._seq + 1, self._hash, self.tree
        self._seq, self._hash, self.tree = expected, "", None  # which holds if the line turns out to be unreadable
        seq, event_id, kind, payload, salt, commitment, prev_hash, stated, blob, header = parse_event(line)
        self._seq, self._hash = seq, stated
        if payload is None:
            self._missing[seq] = self.size, event_id, unescape(kind).decode()
        if seq != expected:
            raise Fault(f"seq {expected} was expected here")
        if tree is not None:
            # The hash as stated, even if wrong: its line gets named, and the root still tells about the others.
            tree.append(blob[64:96], seq - 1)
            self.tree = tree
            if seq in self._wanted_sizes:
                self.roots[seq] = tree.root()
        if before not in ("", prev_hash):
            raise Fault("prev_hash is not the hash of the event before")
        if (payload is None) != (salt is None):
            raise Fault("of salt and payload one is there without the other")
        text = None if payload is None else unescape(payload)
        if text is not None and sha256(b"palyra:payload:v1\n" + blob[-16:] + text).hexdigest() != commitment:
            raise Fault("payload does not match its commitment")
        if sha256(header).hexdigest() != stated:
            raise Fault("hash does not match the event")
        if kind == "journal.erased" and text is not None:
            self._erase(text.decode())

    def _erase(self, payload: str) -> None:
        try:  # objects as tuples of pairs: a key given twice would let two readers disagree about what was erased
            pairs = json.loads(payload, object_pairs_hook=tuple)
        except ValueError as error:
            raise Fault(f"payload is not acceptable JSON: {error}") from error
        named = dict(pairs) if type(pairs) is tuple else {}
        seq = named.get("seq")
        if type(seq) is not int or not 1 <= seq < self._seq or "reason" not in named or len(named) != len(pairs):
            raise Fault("payload does not name one event before it, and a reason")
        if seq in self._missing:
            _, event_id, kind = self._missing.pop(seq)
            self.erased.add(seq)
            if (named.get("event_id"), named.get("kind")) != (event_id, kind):
                raise Fault(f"payload names another event_id or kind than the event seq {seq} has")
            if kind in ("journal.erased", "journal.restored"):
                raise Fault(f"erases seq {seq} of kind {kind}, which is never erased")
        elif seq not in self.erased and self.tree is not None:  # without a tree that event may have been unreadable
            raise Fault(f"erases seq {seq}, but the payload of seq {seq} is still there")


def frame(text: str | None) -> bytes:
    if text is None:
        return NULL
    value = unescape(text)
    return len(value).to_bytes(4, "big") + value


frame_names = lru_cache(maxsize=256)(lambda *names: b"".join(map(frame, names)))  # the same few come again and again


class Frontier:
    """The perfect subtrees of an RFC 6962 tree that still grows, largest first."""

    def __init__(self) -> None:
        self._peaks: list[bytes] = []

    def append(self, event_hash: bytes, size: int) -> None:
        """`size` is that of the tree so far: its trailing one bits are the subtrees that the new leaf completes."""
        node = sha256(b"\0" + event_hash).digest()
        while size & 1:
            node, size = sha256(b"\1" + self._peaks.pop() + node).digest(), size >> 1
        self._peaks.append(node)

    def root(self) -> str:
        """In base64: roots are compared as text, so that no other spelling of the same bytes passes."""
        node = self._peaks[-1] if self._peaks else sha256(b"").digest()
        for left in self._peaks[-2::-1]:
            node = sha256(b"\1" + left + node).digest()
        return b64encode(node).decode()


# ---- keys and checkpoints (section 5)

NOTE_PARTS = [rb"([^\n]+)\n", rb"(0|[1-9][0-9]{0,18})\n", rb"([A-Za-z0-9+/]{43}=)\n", rb"\n"]
NOTE_PARTS += [rb"((?:\xe2\x80\x94 [^ \n]+ [A-Za-z0-9+/=]+\n)+)", rb"\n"]


class VerifierKey:
    def __init__(self, text: str) -> None:
        match = re.fullmatch(r"([^+ ]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", text)
        if match is None or not match[1].isprintable():  # it gets printed: no line breaks, no terminal escapes
            raise Fault("verifier_key is not of the form name+id+key")
        material = b64decode(match[3])
        self.text, self.name, self._public = text, match[1].encode(), material[1:]
        self._id = sha256(self.name + b"\n" + material).digest()[:4]
        if material[0] != 1 or self._id.hex() != match[2]:
            raise Fault("verifier_key is not of type Ed25519, or its key id is not that of its name and key")

    def has_signed(self, origin: bytes, size: bytes, root: bytes, signatures: bytes) -> bool:
        """Signatures of other keys may stand beside ours (signed-note); they say nothing here."""
        texts = re.findall(rb"(?m)^\xe2\x80\x94 %s ([A-Za-z0-9+/]{91}=)$" % re.escape(self.name), signatures)
        # Encoded again, because the last character has bits to spare in which a changed byte could hide.
        exact = [b64decode(text) for text in texts if b64encode(b64decode(text)) == text]
        ours = [signature[4:] for signature in exact if signature[:4] == self._id]
        signed = b"%s\n%s\n%s\n" % (origin, size, root)
        return origin == self.name and ours != [] and all(is_signed(self._public, signed, one) for one in ours)


def check_notes(name: str, log: bytes, key: VerifierKey, roots: Roots, size: int) -> tuple[list[Problem], list[int]]:
    """What is wrong with the checkpoints of a file, and their sizes."""
    problems, sizes, start, line = list[Problem](), list[int](), 0, 1
    while start < len(log) or not start:
        note = re.compile(b"".join(NOTE_PARTS)).match(log, start)
        if note is None:
            # Where one note is broken the borders of the next are guesswork: leave it at the first.
            bad = next(n for n in range(6) if not re.match(b"".join(NOTE_PARTS[: n + 1]), log[start:]))
            message = "is not as in a checkpoint: origin, size, root, empty line, signatures, empty line"
            return [*problems, Problem(name, message, line + bad)][:MAX_PROBLEMS], sizes
        note_size, root = int(note[2]), note[3].decode()
        sizes.append(note_size)
        message = ""
        if not key.has_signed(*note.groups()):
            message = f"checkpoint is not signed by {key.text}"
        elif note_size > size:
            message = f"truncated: this checkpoint is of {note_size} events, but the bundle has only {size}"
        elif root != roots.get(note_size, root):  # where the root is unknown, the reason is on record
            message = f"root is not that of the first {note_size} events, {roots[note_size]}"
        problems += [Problem(name, message, line)] if message else []
        start, line = note.end(), line + note[0].count(b"\n")
    return problems[:MAX_PROBLEMS], sizes


# ---- Ed25519 (RFC 8032, section 5.1)

Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE = (4 * pow(5, -1, P) % P).to_bytes(32, "little")


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    base, key = decode_point(BASE), decode_point(public)
    s = int.from_bytes(signature[32:], "little")
    if base is None or key is None or len(signature) != 64 or s >= L:  # s >= L would give each signature a twin
        return False
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % L
    minus_key = (P - key[0], key[1], 1, P - key[3])
    steps = (neutral := (0, 1, 1, 0)), base, minus_key, add(base, minus_key)
    point = neutral
    for bit in range(252, -1, -1):  # s times the base less k times the key, both at once
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
    parser.add_argument("--key", metavar="VERIFIER_KEY", type=VerifierKey, help="who must have signed the bundle")
    parser.add_argument("--checkpoint", metavar="FILE", type=Path, nargs="+", action="extend", default=[])
    parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a verdict must not die of a terminal that lacks a letter
        sys.stdout.reconfigure(errors="backslashreplace")
    found, exit_code = list[Problem](), 2
    said = {"size": None, "root": None, "checkpoints": 0, "erased": 0, "verifier_key": None}
    try:
        said |= verify(arguments.directory, arguments.key, arguments.checkpoint, found)
        exit_code = 8 if found else 0
    except (Fault, RecursionError) as fault:
        found.append(Problem(MANIFEST, str(fault), 1))
        exit_code = 8
    except (OSError, MemoryError) as error:
        file = getattr(error, "filename", None) or str(arguments.directory)
        found.append(Problem(file, getattr(error, "strerror", "is too large")))
    success = "ok: {size} events, root {root}, {checkpoints} checkpoints, {erased} erased, key {verifier_key}"
    verdict = {"ok": not found, **said, "problems": [problem._asdict() for problem in found]}
    text = "\n".join(map(str, found)) or success.format(**said)
    try:
        print(json.dumps(verdict) if arguments.json else text, flush=True)
    except BrokenPipeError:  # who reads no further, as head does, has seen enough
        os._exit(exit_code)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
