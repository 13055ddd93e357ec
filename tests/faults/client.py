"""Appends without end over the server's socket, eight requests in flight, and keeps a file of what was acknowledged.

When the server dies it connects again and repeats what was not answered, under the same event ids. SIGTERM ends it
once nothing is left to be answered.
"""

import json
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from faults.ledger import Ack, kind_of, to_line
from palyra.core.clock import SystemClock
from palyra.core.ids import UlidFactory

IN_FLIGHT = 8


class Client:
    def __init__(self, who: int, acks: IO[str]) -> None:
        self._who = who
        self._acks = acks
        self._ids = UlidFactory(SystemClock())
        self._n = 0
        self._open: dict[str, int] = {}
        """event id -> n, of what is not answered yet"""
        self._stopping = False

    def stop(self, _signal: int, _frame: object) -> None:
        self._stopping = True

    def run(self, path: str) -> None:
        while not (self._stopping and not self._open):
            with suppress(ConnectionError), socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        self._send(connection, list(self._open))
        answers = connection.makefile("rb")
        while True:
            if not self._stopping:
                fresh = [self._ids.next() for _ in range(IN_FLIGHT - len(self._open))]
                for event_id in fresh:
                    self._n += 1
                    self._open[event_id] = self._n
                self._send(connection, fresh)
            if not self._open:
                return
            line = answers.readline()
            if not line.endswith(b"\n"):
                return  # killed in the middle of an answer: that is no acknowledgement
            self._take(json.loads(line))

    def _send(self, connection: socket.socket, event_ids: list[str]) -> None:
        lines = []
        for event_id in event_ids:
            n = self._open[event_id]
            lines.append(json.dumps({"id": event_id, "kind": kind_of(n), "who": self._who, "n": n}) + "\n")
        connection.sendall("".join(lines).encode())

    def _take(self, answer: dict[str, object]) -> None:
        if "error" in answer:
            sys.exit(f"client {self._who}: {answer['error']}")
        event_id = str(answer["id"])
        n = self._open.pop(event_id)
        self._acks.write(to_line(Ack(event_id, kind_of(n), self._who, n, int(str(answer["seq"])), str(answer["hash"]))))
        self._acks.flush()


def main(socket_path: str, ack_file: str, who: str) -> None:
    with Path(ack_file).open("w") as acks:
        client = Client(int(who), acks)
        signal.signal(signal.SIGTERM, client.stop)
        client.run(socket_path)


if __name__ == "__main__":
    main(*sys.argv[1:])
