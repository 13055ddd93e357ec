"""Forks servers from a process that has imported everything and opened nothing, so that a start costs milliseconds.

It also owns the listening socket: clients that connect while no server lives wait in the queue for the next one.
Lines on standard input: `start {plan}` is answered by `started PID`, `reap PID` by `reaped PID` once it is dead.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback

from faults.server import Plan, serve


def main(socket_path: str) -> None:
    importlib.import_module("cryptography.hazmat.primitives.asymmetric.ed25519")  # loaded late by the product itself
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_path)
    listener.listen(64)
    gc.freeze()
    alive: set[int] = set()
    try:
        for line in sys.stdin:
            verb, _, rest = line.strip().partition(" ")
            if verb == "start":
                alive.add(_fork(listener, Plan(**json.loads(rest))))
            else:
                pid = int(rest)
                os.waitpid(pid, 0)
                alive.discard(pid)
                os.write(1, b"reaped %d\n" % pid)
    finally:
        for pid in alive:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _fork(listener: socket.socket, plan: Plan) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            serve(listener, plan)
        except BaseException:  # noqa: BLE001 - the test must hear of it, and the zygote's own code must not go on here
            os.write(1, f"trouble {traceback.format_exc()!r}\n".encode())
        finally:
            os._exit(1)
    os.write(1, b"started %d\n" % pid)
    return pid


if __name__ == "__main__":
    main(sys.argv[1])
