"""A daemon that is killed in the middle of an answer: what had arrived is kept, and the stream is taken up again."""

import json
import signal
from pathlib import Path
from typing import Any

import httpx2

from chatting import with_provider
from e2e.palyrad import palyrad
from providers.models.scripted_provider import drip, says, scripted_provider
from shell import Shell


def _lines(answer: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.text.splitlines()]


def test_kill_in_mid_stream_and_go_on(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    with scripted_provider() as provider:
        environment = with_provider(provider.url)
        provider.then(drip("a word and " * 100, pause_seconds=0.02))
        with palyrad(shell, environment=environment) as daemon:
            seen = []
            with daemon.client() as client:
                path = "/v1/chat/sessions/story/messages/stream"
                body = {"text": "Tell me a story.", "create": True}
                with client.stream("POST", path, json=body) as answer:
                    for line in answer.iter_lines():
                        seen.append(json.loads(line))
                        if seen[-1].get("event") in ("kept", "assistant_text"):
                            daemon.stop(signal.SIGKILL)
                            break
        run_id, kept = seen[0]["run_id"], max(line.get("seq") or 0 for line in seen)
        with palyrad(shell, environment=environment) as daemon, daemon.client() as client:
            rest = _lines(client.get(f"/v1/chat/runs/{run_id}/stream", params={"after_seq": kept}))
            assert [line["type"] for line in rest] == ["meta", "event", "event", "error", "complete"]
            assert rest[-1]["state"] == "failed"
            assert rest[-2]["error"]["code"] == "interrupted"
            whole = _lines(client.get(f"/v1/chat/runs/{run_id}/stream"))
            pieces = [line["data"] for line in whole if line.get("event") in ("assistant_text", "assistant_message")]
            text = "".join(piece["text"] for piece in pieces)
            assert text.startswith("a word and a word and")
            assert [line["seq"] for line in [*seen, *rest] if line.get("seq")] == [
                line["seq"] for line in whole if line.get("seq")
            ]
            provider.then(says("The end."))
            again = _lines(client.post("/v1/chat/sessions/story/messages/stream", json={"text": "Go on, please."}))
            assert again[-1]["state"] == "done"
            assert "a word and" in str(provider.bodies[-1]["messages"])
            assert client.post("/v1/journal/verify", json={}).json()["ok"]
