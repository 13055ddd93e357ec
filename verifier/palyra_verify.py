#!/usr/bin/env python3
"""Verify a Palyra journal bundle with nothing but this file and Python 3.11+.

Written from docs/journal-format.md alone, so that trust in a journal needs no trust in the code that wrote it.
Events are read once and in order; what stays in memory is the Merkle frontier, the seqs without a payload, and the
roots at the sizes some checkpoint speaks of.  Exit code: 0 sound, 8 not sound, 2 wrong usage or not a bundle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

MANIFEST, EVENTS, CHECKPOINTS = "manifest.json", "events.jsonl", "checkpoints.log"
EXIT_OK, EXIT_UNUSABLE, EXIT_UNSOUND = 0, 2, 8
MAX_LINE_BYTES = 64 << 20  # a file without newlines must not fill the memory
MAX_PROBLEMS = 100  # per file; one dropped line can upset every line after it
U64_END = 1 << 64


@dataclass(frozen=True, slots=True)
class Problem:
    file: str
    line: int | None
    seq: int | None
    message: str

    def __str__(self) -> str:
        line = "" if self.line is None else f" line {self.line}"
        seq = "" if self.seq is None else f" (seq {self.seq})"
        return f"{self.file}{line}{seq}: {self.message}"


@dataclass(slots=True)
class Verdict:
    size: int | None = None
    root: str | None = None
    checkpoints: int = 0
    erased: int = 0
    verifier_key: str | None = None
    problems: list[Problem] = field(default_factory=list)
    is_bundle: bool = True

    @property
    def exit_code(self) -> int:
        if not self.is_bundle:
            return EXIT_UNUSABLE
        return EXIT_UNSOUND if self.problems else EXIT_OK


class Fault(Exception):
    """What is wrong with the thing at hand; the caller knows where it stands. `line` counts from the note's first."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NotABundle(Fault):
    """Nothing here that this program could verify."""


def verify_bundle(directory: Path, demanded_key: VerifierKey | None, kept_files: Sequence[Path]) -> Verdict:
    verdict = Verdict()
    try:
        verdict.problems += check_listing(directory)
        if any(problem.message == "is missing" for problem in verdict.problems):
            return verdict
        manifest = read_manifest(directory / MANIFEST)
    except Fault as fault:
        verdict.is_bundle = not isinstance(fault, NotABundle)
        file, line = (str(directory), None) if not (directory / MANIFEST).is_file() else (MANIFEST, 1)
        verdict.problems.append(Problem(file, line, None, str(fault)))
        return verdict
    key = manifest.key
    verdict.verifier_key = key.text
    if demanded_key is not None and demanded_key.text != key.text:
        message = f"verifier_key is {key.text}, but {demanded_key.text} is demanded"
        verdict.problems.append(Problem(MANIFEST, 1, None, message))

    # Notes come before events, because the roots to remember on the way are those at the notes' sizes.
    own = read_notes(directory / CHECKPOINTS, CHECKPOINTS, key)
    kept = [read_notes(path, str(path), key, is_kept=True) for path in kept_files]
    events = read_events(directory / EVENTS, {note.size for log in (own, *kept) for note in log.notes}, manifest.size)
    verdict.problems += events.problems
    verdict.problems += check_file_hash(EVENTS, events.file_hash, manifest)
    verdict.size, verdict.erased, verdict.checkpoints = events.size, len(events.erased), len(own.notes)
    if events.root is not None:
        verdict.root = to_base64(events.root)
        if verdict.root != manifest.root:
            message = f"root is {manifest.root}, but that of the events is {verdict.root}"
            verdict.problems.append(Problem(MANIFEST, 1, None, message))
    verdict.problems += check_notes(own, events, manifest.size)
    if own.is_complete and all(note.size != manifest.size for note in own.notes):
        message = f"no checkpoint of exactly {manifest.size} events, the size of the bundle"
        verdict.problems.append(Problem(CHECKPOINTS, None, None, message))
    verdict.problems += check_file_hash(CHECKPOINTS, own.file_hash, manifest)
    for log in kept:
        verdict.problems += check_notes(log, events, manifest.size)
    return verdict


def check_listing(directory: Path) -> list[Problem]:
    if not directory.is_dir():
        raise NotABundle("is not a directory")
    expected = (MANIFEST, EVENTS, CHECKPOINTS)
    present = {entry.name for entry in directory.iterdir()}
    if present.isdisjoint(expected):
        raise NotABundle(f"is not a bundle: it holds none of {', '.join(expected)}")
    # is_file, because opening a pipe that somebody left under one of the names would wait for ever.
    problems = [Problem(name, None, None, "is missing") for name in expected if not (directory / name).is_file()]
    for name in sorted(present.difference(expected)):
        problems.append(Problem(ascii(name)[1:-1], None, None, "does not belong in a bundle"))
    return problems


@dataclass(frozen=True, slots=True)
class Manifest:
    key: VerifierKey
    size: int
    root: str
    files: dict[str, str]


def read_manifest(path: Path) -> Manifest:
    with path.open("rb") as file:
        raw = file.read(1 << 16)
    record, text = parse_line(raw)
    if record.get("format") != "palyra-bundle-v1":
        raise NotABundle(f"format is {record.get('format')!a:.80}, but only 'palyra-bundle-v1' is known")
    check_keys(record, ("files", "format", "root", "size", "verifier_key"), "the manifest")
    size, root, files, key = record["size"], record["root"], record["files"], record["verifier_key"]
    if type(size) is not int or not 0 <= size < U64_END:
        raise Fault("size is not a whole number from 0 to 2^64-1")
    if type(root) is not str or len(from_base64(root, "root")) != 32:
        raise Fault("root is not the base64 of 32 bytes")
    if type(files) is not dict:
        raise Fault("files is not an object")
    check_keys(files, (CHECKPOINTS, EVENTS), "files")
    for name, digest in files.items():
        if type(digest) is not str or not re.fullmatch("[0-9a-f]{64}", digest):
            raise Fault(f"the SHA-256 of {name} is not 64 lower-case hex digits")
    if type(key) is not str:
        raise Fault("verifier_key is not a string")
    # Only now, when every value is known to be flat, is re-encoding safe from deep nesting.
    if json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False) != text:
        raise Fault("is not canonical JSON")
    return Manifest(VerifierKey(key), size, root, files)


def parse_line(line: bytes) -> tuple[dict[str, Any], str]:
    """The object on the line and the text it was read from; the caller compares it with its canonical form."""
    if line[-1:] != b"\n":
        raise Fault("does not end with a newline: cut off, or too long")
    try:
        text = line[:-1].decode()
        record, end = DECODER.raw_decode(text)
    except UnicodeDecodeError as error:
        raise Fault(f"is not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise Fault(f"is not JSON: {error.msg} at character {error.pos + 1}") from error
    except ValueError as error:  # an integer of thousands of digits, or NaN
        raise Fault(f"is not acceptable JSON: {error}") from error
    except RecursionError as error:
        raise Fault("is not acceptable JSON: nested too deeply") from error
    if end != len(text):
        raise Fault(f"is not one JSON object: more text after character {end}")
    if type(record) is not dict:
        raise Fault("is not a JSON object")
    return record, text


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def check_keys(record: dict[str, Any], expected: tuple[str, ...], what: str) -> None:
    """The keys are these in this order. A key given twice passes, and is caught where the line is re-encoded."""
    if tuple(record) == expected:
        return
    for key in expected:
        if key not in record:
            raise Fault(f"{what} lacks the key {key!r}")
    for key in record:
        if key not in expected:
            raise Fault(f"{what} has the unknown key {key!a:.80}")
    raise Fault(f"is not canonical JSON: the keys of {what} are not sorted")


def check_file_hash(name: str, found: str, manifest: Manifest) -> list[Problem]:
    if found == manifest.files[name]:
        return []
    return [Problem(name, None, None, f"SHA-256 is {found}, but the manifest names {manifest.files[name]}")]


class HashedLines:
    """The lines of a file as bytes, and the SHA-256 of all that was read."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._digest = sha256()

    def __iter__(self) -> Iterator[bytes]:
        readline, update = self._file.readline, self._digest.update
        while line := readline(MAX_LINE_BYTES):
            update(line)
            yield line

    def finish(self) -> str:
        """The digest of the whole file, also when somebody stopped reading half-way."""
        while chunk := self._file.read(1 << 20):
            self._digest.update(chunk)
        self._file.close()
        return self._digest.hexdigest()


# ---- events (sections 1, 2, 4 and 6)

EVENT_KEYS = (
    *("actor", "channel", "commitment", "event_id", "hash", "kind", "occurred_at_ms", "payload", "prev_hash"),
    *("principal", "recorded_at_ms", "request_digest", "request_id", "run_id", "salt", "seq", "session_id", "v"),
)
NULLABLE = frozenset(("channel", "session_id", "run_id", "request_id", "request_digest", "salt", "payload"))
INTEGERS = frozenset(("seq", "v", "occurred_at_ms", "recorded_at_ms"))
ACTORS = frozenset(("user", "agent", "system", "operator", "plugin"))
NEVER_ERASED = frozenset(("journal.erased", "journal.restored"))
NULL = b"\xff\xff\xff\xff"


class EventReader:
    """Walks the chain. After a line that cannot be placed the tree is unknown, and nothing is said about later roots."""

    def __init__(self, wanted_sizes: set[int]) -> None:
        self.problems: list[Problem] = []
        self.file_hash = ""
        self.size = 0
        self.erased: set[int] = set()
        self.missing: dict[int, tuple[int, str, str]] = {}  # seq: line, event_id, kind
        self.roots = {0: sha256(b"").digest()}
        self.root: bytes | None = None
        self.seq = 0  # of the line at hand, or the one that belongs there
        self._prev_hash: str | None = "0" * 64
        self._wanted_sizes = wanted_sizes
        self._tree: Frontier | None = Frontier()
        self._shapes: set[tuple[type, ...]] = set()

    def read(self, line: bytes, line_number: int) -> None:
        """Checks one event; raises Fault for the first thing wrong with it."""
        expected, prev_hash = self.seq + 1, self._prev_hash
        self.seq, self._prev_hash = expected, None
        record = self._parse(line)
        seq, event_hash = record["seq"], record["hash"]
        self.seq, self._prev_hash = seq, event_hash
        self._grow(seq if seq == expected else None, event_hash)
        if record["payload"] is None:
            self.missing[seq] = line_number, record["event_id"], record["kind"]
        if seq != expected:
            raise Fault(f"seq {expected} was expected here")
        if prev_hash is not None and record["prev_hash"] != prev_hash:
            raise Fault("prev_hash is not the hash of the event before")
        commitment = check_payload(record)
        if sha256(encode_header(record, commitment)).hexdigest() != event_hash:
            raise Fault("hash does not match the event")
        if record["kind"] == "journal.erased":
            self._erase(record)

    def finish(self, size: int) -> None:
        if self.size < size and self._tree is not None:
            message = f"truncated: ends after {self.size} of the {size} events that the manifest counts"
            self.problems.append(Problem(EVENTS, self.size + 1, self.size + 1, message))
        elif self.size > size:
            message = f"holds {self.size} events, more than the {size} that the manifest counts"
            self.problems.append(Problem(EVENTS, size + 1, None, message))
        for seq, (line, _, _) in list(self.missing.items())[:MAX_PROBLEMS]:
            self.problems.append(Problem(EVENTS, line, seq, "payload is missing and no later event erased it"))
        # Some faults only show at the end; the reader wants the first bad line first.
        self.problems.sort(key=lambda problem: (problem.line is None, problem.line))
        if self._tree is not None:
            self.root = self._tree.root()

    def _parse(self, line: bytes) -> dict[str, Any]:
        try:
            record, text = parse_line(line)
            if tuple(record) != EVENT_KEYS:
                check_keys(record, EVENT_KEYS, "the event")
            # Few combinations of types occur, so each is judged once: this is the inner loop.
            shape = tuple(map(type, record.values()))
            if shape not in self._shapes:
                check_types(record)
                self._shapes.add(shape)
            if encode_line(*record.values()) != text:
                raise Fault("is not canonical JSON")
            check_values(record)
        except Fault:
            self._grow(None, "")
            raise
        return record

    def _grow(self, seq: int | None, event_hash: str) -> None:
        self.size += 1
        if seq is None:
            self._tree = None
        if self._tree is not None:
            # The hash as stated: a wrong one is reported with its line, and the root then still tells the rest.
            self._tree.append(bytes.fromhex(event_hash))
            if seq in self._wanted_sizes:
                self.roots[seq] = self._tree.root()

    def _erase(self, erasure: dict[str, Any]) -> None:
        target = parse_erasure(erasure["payload"])
        seq = target["seq"]
        if seq >= erasure["seq"]:
            raise Fault(f"erases seq {seq}, which is not before it")
        if seq in self.missing:
            _, event_id, kind = self.missing.pop(seq)
            self.erased.add(seq)
            if (target["event_id"], target["kind"]) != (event_id, kind):
                raise Fault(f"erases seq {seq}, but names another event_id or kind than that event has")
        elif seq not in self.erased and self._tree is not None:
            raise Fault(f"erases seq {seq}, but the payload of seq {seq} is still there")


def read_events(path: Path, wanted_sizes: set[int], size: int) -> EventReader:
    lines, events = HashedLines(path), EventReader(wanted_sizes)
    for number, line in enumerate(lines, 1):
        try:
            events.read(line, number)
        except Fault as fault:
            events.problems.append(Problem(EVENTS, number, events.seq, str(fault)))
            if len(events.problems) >= MAX_PROBLEMS:
                message = f"{MAX_PROBLEMS} problems up to line {number}; the lines after it were not checked"
                events.problems.append(Problem(EVENTS, None, None, message))
                break
    else:
        events.finish(size)
    events.file_hash = lines.finish()
    return events
