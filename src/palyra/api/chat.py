"""Operations on sessions, runs and messages: the rows. What they do: `handlers/sessions.py`, `handlers/chat.py`."""

from palyra.api.operation import Operation, StreamOperation
from palyra.domain.access import Access, Capability
from palyra.wire import chat as wire
from palyra.wire.journal import Erasures

_READ, _WRITE = Capability.READ, Capability.WRITE

create = Operation(
    "session.create", "POST", "/v1/chat/sessions", wire.CreateSession, wire.SessionInfo, _WRITE, Access.OWN,
    "Begin a conversation.", makes_store=True,
)  # fmt: skip
list_ = Operation(
    "session.list", "GET", "/v1/chat/sessions", wire.ListSessions, wire.SessionPage, _READ, Access.READ,
    "Conversations in sight, last active first, page by page.",
)  # fmt: skip
get = Operation(
    "session.get", "GET", "/v1/chat/sessions/{session}", wire.NameSession, wire.Lineage, _READ, Access.READ,
    "One conversation, where it was branched from and what was branched from it.",
)  # fmt: skip
rename = Operation(
    "session.rename", "PATCH", "/v1/chat/sessions/{session}", wire.RenameSession, wire.SessionInfo, _WRITE, Access.OWN,
    "Give it another title.",
)  # fmt: skip
reset = Operation(
    "session.reset", "POST", "/v1/chat/sessions/{session}/reset", wire.NameSession, wire.SessionInfo, _WRITE,
    Access.OWN, "Start anew under the same name; what was said stays on the tape.",
)  # fmt: skip
archive = Operation(
    "session.archive", "POST", "/v1/chat/sessions/{session}/archive", wire.ArchiveSession, wire.SessionInfo, _WRITE,
    Access.OWN, "Put it away, or take it out again.",
)  # fmt: skip
branch = Operation(
    "session.branch", "POST", "/v1/chat/sessions/{session}/branch", wire.BranchSession, wire.SessionInfo, _WRITE,
    Access.OWN, "A new conversation that shares the first part of this one.",
)  # fmt: skip
undo = Operation(
    "session.undo", "POST", "/v1/chat/sessions/{session}/undo", wire.NameSession, wire.Undone, _WRITE, Access.OWN,
    "Take the last turn out of the conversation; it stays on the tape.",
)  # fmt: skip
add_turns = Operation(
    "session.add", "POST", "/v1/chat/sessions/{session}/turns", wire.AddTurns, wire.TurnsAdded, _WRITE, Access.OWN,
    "Hand over finished turns: they are read, and what they state is remembered.", makes_store=True,
)  # fmt: skip
transcript = Operation(
    "session.transcript", "GET", "/v1/chat/sessions/{session}/transcript", wire.GetTranscript, wire.Transcript, _READ,
    Access.READ, "What was said and done, entry by entry.",
)  # fmt: skip
export = Operation(
    "session.export", "GET", "/v1/chat/sessions/{session}/export", wire.ExportSession, wire.SessionExport, _READ,
    Access.READ, "All of a conversation as JSON or Markdown.",
)  # fmt: skip
search = Operation(
    "session.search", "POST", "/v1/chat/search", wire.SearchSessions, wire.TranscriptHits, _READ, Access.READ,
    "Find words in all conversations in sight.",
)  # fmt: skip
pin = Operation(
    "session.pin", "POST", "/v1/chat/sessions/{session}/pins", wire.PinEntry, wire.TapeEntry, _WRITE, Access.OWN,
    "Keep an entry in every prompt, or no longer.",
)  # fmt: skip
erase = Operation(
    "session.erase", "POST", "/v1/chat/sessions/{session}/erase", wire.EraseSession, Erasures, Capability.ERASE,
    Access.OWN, "Destroy every trace of what was said, and of memories made from it. The answer is the certificate.",
)  # fmt: skip
run = Operation(
    "run.get", "GET", "/v1/chat/runs/{run_id}", wire.NameRun, wire.RunInfo, _READ, Access.READ,
    "One turn: its state and what it used.",
)  # fmt: skip
explain = Operation(
    "run.explain", "GET", "/v1/chat/runs/{run_id}/explain", wire.NameRun, wire.Explanation, _READ, Access.READ,
    "What a turn's prompt was made of, and what was left out and why.",
)  # fmt: skip
abort = Operation(
    "run.abort", "POST", "/v1/chat/runs/{run_id}/abort", wire.NameRun, wire.RunInfo, _WRITE, Access.OWN,
    "Stop a turn; what has arrived is kept.",
)  # fmt: skip
decide = Operation(
    "run.decide", "POST", "/v1/chat/runs/{run_id}/approvals/{call_id}", wire.DecideTool, wire.ToolDecided,
    Capability.REVIEW, Access.OWN, "Let a tool do what it asks for, or not.",
)  # fmt: skip
send = StreamOperation(
    "chat.send", "POST", "/v1/chat/sessions/{session}/messages/stream", wire.SendMessage, wire.StreamLine, _WRITE,
    Access.OWN, "Say something and hear the answer as it comes. The turn goes on when nobody listens.",
    makes_store=True,
)  # fmt: skip
retry = StreamOperation(
    "chat.retry", "POST", "/v1/chat/sessions/{session}/retry/stream", wire.RetryRun, wire.StreamLine, _WRITE,
    Access.OWN, "Have a turn answered anew; the old answer is taken out.",
)  # fmt: skip
follow = StreamOperation(
    "chat.follow", "GET", "/v1/chat/runs/{run_id}/stream", wire.FollowRun, wire.StreamLine, _READ, Access.READ,
    "Go on listening to a turn, or hear it again.",
)  # fmt: skip
preview = Operation(
    "chat.preview", "POST", "/v1/chat/references/preview", wire.PreviewReferences, wire.ReferencesPreview, _READ,
    Access.READ, "What the references in a message would bring.",
)  # fmt: skip
attach = Operation(
    "attachment.add", "POST", "/v1/chat/attachments", wire.AddAttachment, wire.AttachmentInfo, _WRITE, Access.OWN,
    "Hand in a file for a message.", makes_store=True,
)  # fmt: skip
attachment = Operation(
    "attachment.get", "GET", "/v1/chat/attachments/{attachment_id}", wire.GetAttachment, wire.AttachmentData, _READ,
    Access.READ, "A file that was handed in, and what could be read in it.",
)  # fmt: skip
model = Operation(
    "chat.model", "GET", "/v1/chat/model", wire.GetModel, wire.ModelStatus, _READ, Access.READ,
    "Which model answers, and how it does.",
)  # fmt: skip

OPERATIONS = (
    create,
    list_,
    get,
    rename,
    reset,
    archive,
    branch,
    undo,
    add_turns,
    transcript,
    export,
    search,
    pin,
    erase,
    run,
    explain,
    abort,
    decide,
    send,
    retry,
    follow,
    preview,
    attach,
    attachment,
    model,
)
