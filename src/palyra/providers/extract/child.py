"""`python -I -m palyra.providers.extract.child KIND`: reads one file from stdin, and may die doing it.

Its limits come before anything that parses. It writes no files, starts no programs, and ends by itself when its
parent is gone. The answer is one line of JSON, and after it the bytes to keep if they are not those it got.
"""

import json
import resource
import signal
import sys
from contextlib import suppress

from palyra.domain.chat.attachments import FORMATS, FileKind
from palyra.providers.extract.clean import clean
from palyra.providers.extract.outcome import Unreadable
from palyra.providers.extract.table import EXTRACTORS

_CPU_SECONDS = 15
_WALL_SECONDS = 20
_MEMORY_BYTES = 1_073_741_824
_OPEN_FILES = 64

_LIMITS = (
    (resource.RLIMIT_CPU, _CPU_SECONDS),
    (resource.RLIMIT_AS, _MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_NOFILE, _OPEN_FILES),
)


def main() -> None:
    signal.alarm(_WALL_SECONDS)
    for which, most in _LIMITS:
        with suppress(OSError, ValueError):  # some systems have no such limit
            resource.setrlimit(which, (most, most))
    kind, data = FileKind(sys.argv[1]), sys.stdin.buffer.read()
    try:
        header, body = _answer(kind, data)
    except MemoryError:
        header, body = {"why": f"the {FORMATS[kind].noun} takes too much memory to read", "hint": ""}, b""
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n" + body)


def _answer(kind: FileKind, data: bytes) -> tuple[dict[str, object], bytes]:
    try:
        extracted = clean(kind, EXTRACTORS[kind](data))
    except Unreadable as error:
        return {"why": error.why, "hint": error.hint}, b""
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever a parser throws at a damaged file; its words may quote the file
        return {"why": f"the {FORMATS[kind].noun} is damaged, or only looks like one", "hint": "save it anew"}, b""
    changed = extracted.data is not data
    header: dict[str, object] = {
        "media_type": extracted.media_type,
        "text": extracted.text,
        "width": extracted.width,
        "height": extracted.height,
        "warnings": extracted.warnings,
        "bytes": len(extracted.data) if changed else None,
    }
    return header, extracted.data if changed else b""


if __name__ == "__main__":
    main()
