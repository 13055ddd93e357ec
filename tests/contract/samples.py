"""One well-formed request for every operation that is served: what a caller who may would send."""

from typing import Any

NOTHING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
"""a well-formed id of nothing"""

SAMPLES: dict[str, dict[str, Any]] = {
    "memory.retain": {"text": "I live in Lisbon"},
    "memory.retain_many": {"items": [{"text": "I work with trains"}]},
    "memory.search": {"query": "Lisbon"},
    "memory.recall": {"query": "Lisbon"},
    "memory.get": {"memory_id": NOTHING},
    "memory.list": {"limit": 5},
    "memory.update": {"memory_id": NOTHING, "pinned": True},
    "memory.supersede": {"old_id": NOTHING, "new_id": NOTHING},
    "memory.history": {"memory_id": NOTHING},
    "memory.delete": {"memory_ids": [NOTHING]},
    "memory.purge": {"session_id": "standup"},
    "memory.erase": {"ids": [NOTHING]},
    "memory.status": {},
    "memory.candidates": {},
    "memory.decide": {"candidate_id": NOTHING, "approve": True},
    "memory.index": {},
    "memory.maintain": {},
    "memory.import": {"path": "/dev/null/lines"},
    "memory.export": {},
    "journal.append": {"kind": "test.happened", "payload": {"n": 1}},
    "journal.list": {"limit": 5},
    "journal.get": {"reference": "1"},
    "journal.tail": {"kind": "test.never"},
    "journal.status": {},
    "journal.verify": {},
    "journal.prove": {"reference": "1"},
    "journal.checkpoint": {},
    "journal.export": {"path": "/dev/null/bundle"},
    "journal.bundle": {},
    "journal.rebuild": {},
    "journal.erase": {"event_ids": [NOTHING]},
    "backup.create": {},
    "system.doctor": {},
    "system.status": {},
    "system.jobs": {},
    "token.create": {},
    "token.list": {},
    "token.revoke": {"token_id": NOTHING},
    "console.link": {},
    "console.password": {"password": None},
    "session.create": {},
    "session.list": {"limit": 5},
    "session.get": {"session": NOTHING},
    "session.rename": {"session": NOTHING, "title": "Trains"},
    "session.reset": {"session": NOTHING},
    "session.archive": {"session": NOTHING},
    "session.branch": {"session": NOTHING},
    "session.undo": {"session": NOTHING},
    "session.transcript": {"session": NOTHING},
    "session.export": {"session": NOTHING},
    "session.search": {"query": "Lisbon"},
    "session.pin": {"session": NOTHING, "event_id": NOTHING},
    "session.erase": {"session": NOTHING},
    "run.get": {"run_id": NOTHING},
    "run.explain": {"run_id": NOTHING},
    "run.abort": {"run_id": NOTHING},
    "run.decide": {"run_id": NOTHING, "call_id": "c1", "approve": False},
    "chat.send": {"session": "standup", "text": "I live in Lisbon", "create": True},
    "chat.retry": {"session": NOTHING},
    "chat.follow": {"run_id": NOTHING},
    "chat.preview": {"text": "see [[standup]]"},
    "attachment.add": {"name": "a.txt", "data": "SSBsaXZlIGluIExpc2Jvbg=="},
    "attachment.get": {"attachment_id": "0" * 64},
    "chat.model": {},
}


def request_of(name: str, method: str, path: str) -> dict[str, Any]:
    """What httpx2 needs to send the sample of operation `name` to a route."""
    fields = dict(SAMPLES[name])
    for field in [field for field in fields if f"{{{field}}}" in path]:
        path = path.replace(f"{{{field}}}", fields.pop(field))
    where = {"params": fields} if method == "GET" else {"json": fields}
    return {"method": method, "url": path, **where}
