"""A daemon with a scheduled prompt is killed and started again: no slot runs twice, and none is unaccounted for."""

import signal
import time
from pathlib import Path
from typing import Any

import httpx2

from e2e.palyrad import palyrad
from shell import Shell
from support import verify_directory

EVERY_MS = 1_000


def _history(client: httpx2.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/v1/cron/runs", params={"job": "news", "limit": 500}).json()["runs"]
    return found


def _wait_for(client: httpx2.Client, done: int) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 60
    runs = _history(client)
    while sum(run["state"] == "done" for run in runs) < done:
        assert time.monotonic() < deadline, f"not {done} runs in a minute: {runs}"
        time.sleep(0.2)
        runs = _history(client)
    return runs


def _at_rest(client: httpx2.Client) -> list[dict[str, Any]]:
    """What was claimed when the job was switched off comes to its end."""
    deadline = time.monotonic() + 60
    runs = _history(client)
    while any(run["state"] in {"queued", "running"} for run in runs):
        assert time.monotonic() < deadline, f"it still runs after a minute: {runs}"
        time.sleep(0.2)
        runs = _history(client)
    return runs


def test_kill_and_restart_run_no_slot_twice_and_lose_none(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    with palyrad(shell) as daemon, daemon.client() as client:
        wish = ("--every", "1s", "--name", "news", "--prompt", "What is new?", "--misfire", "catch_up")
        made = shell.json("cron", "create", *wish)
        before = _wait_for(client, 2)
        daemon.stop(signal.SIGKILL)
    time.sleep(1)
    with palyrad(shell) as daemon, daemon.client() as client:
        _wait_for(client, len(before) + 2)
        client.post("/v1/cron/jobs/news/disable", json={})
        runs = _at_rest(client)
        session_id = next(run["session_id"] for run in runs if run["state"] == "done")
        session = client.get(f"/v1/chat/sessions/{session_id}/transcript").json()
        home = daemon.announced.parent
        assert daemon.stop() == 0

    slots = sorted(run["slot_ms"] for run in runs)
    assert len(slots) == len(set(slots))
    accounted = sum(run["count"] for run in runs)
    assert accounted == (max(run["until_ms"] for run in runs) - made["next_at_ms"]) // EVERY_MS + 1
    asked = [entry for entry in session["entries"] if entry["type"] == "user_message"]
    begun = [run for run in runs if run["session_run_id"] is not None]
    assert len(asked) == sum(run["attempt"] for run in begun)
    assert {run["state"] for run in runs} <= {"done", "failed", "skipped", "missed", "cancelled"}
    assert verify_directory(home).ok
