"""Walking a big journal in several processes: `python -m palyra.store.upkeep.walker DATABASE FIRST LAST …`.

Plain child processes rather than multiprocessing, which would import the caller's main module once more. A
child prints one JSON line per range, in the order it was given them.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

import apsw

from palyra.core.errors import Integrity, PalyraError, Unavailable
from palyra.domain.journal import Fault, Finding
from palyra.store.connection import ReadTx, open_reader, to_error
from palyra.store.upkeep.verify import RangeReport, walk_range


def walk_in_parallel(path: Path, ranges: Sequence[tuple[int, int]], workers: int) -> Iterator[RangeReport]:
    """The reports in the order of `ranges`."""
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    processes = [
        subprocess.Popen(  # noqa: S603 - our own interpreter and module; the path is not interpreted
            [*command, *(str(bound) for pair in ranges[lane::workers] for bound in pair)], stdout=subprocess.PIPE
        )
        for lane in range(workers)
    ]
    try:
        for index in range(len(ranges)):
            stdout = processes[index % workers].stdout
            line = stdout.readline() if stdout else b""
            if not line:
                raise Unavailable("a process that verifies the journal has died", hint="repeat the command")
            yield _decode(line)
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def main(arguments: Sequence[str]) -> None:
    connection = open_reader(Path(arguments[0]))
    bounds = [int(argument) for argument in arguments[1:]]
    for first, last in zip(bounds[::2], bounds[1::2], strict=True):
        try:
            connection.execute("BEGIN")
            line = _encode(walk_range(cast("ReadTx", connection), first, last))
            connection.execute("ROLLBACK")
        except (apsw.Error, PalyraError) as error:
            line = json.dumps({"damage": to_error(error, arguments[0]).message})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _encode(report: RangeReport) -> str:
    return json.dumps({**asdict(report), "head": report.head.hex()})


def _decode(line: bytes) -> RangeReport:
    values = json.loads(line)
    if "damage" in values:
        raise Integrity(values["damage"], hint="palyra backup restore")
    values["head"] = bytes.fromhex(values["head"])
    values["findings"] = [Finding(Fault(item["fault"]), item["seq"], item["message"]) for item in values["findings"]]
    values["erased"] = {int(seq): by for seq, by in values["erased"].items()}
    return RangeReport(**values)


if __name__ == "__main__":
    main(sys.argv[1:])
