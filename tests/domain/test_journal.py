import pytest

from palyra.core.errors import InvalidArgument
from palyra.core.ids import EventId
from palyra.domain.journal import EventDraft, Origin, check_draft


@pytest.mark.parametrize("kind", ["", "Note", "a b", "a..b", ".a", "a.", "a" * 65, "a.b.c.d.e.f.g", "na\u0301", "1a"])
def test_a_kind_that_is_no_dotted_name_is_refused(kind: str) -> None:
    with pytest.raises(InvalidArgument, match="dotted name"):
        check_draft(EventDraft(kind, {}, Origin("user:ana")))


@pytest.mark.parametrize("principal", ["", " user:ana", "user:ana ", "a\nb", "a\x00b", "x" * 257, "\u2028", "\ud800"])
def test_a_principal_that_could_not_be_read_back_is_refused(principal: str) -> None:
    with pytest.raises(InvalidArgument, match="principal"):
        check_draft(EventDraft("note", {}, Origin(principal)))


def test_a_secret_is_refused_as_an_identifier_because_identifiers_are_never_erased() -> None:
    token = "ghp" + "_" + "aB3dE5gH7j" * 4
    with pytest.raises(InvalidArgument, match="secret"):
        check_draft(EventDraft("note", {}, Origin("user:ana", channel=token[:40])))


@pytest.mark.parametrize(
    ("draft", "what"),
    [
        (EventDraft("note", {}, Origin("user:ana"), 0), "version"),
        (EventDraft("note", {}, Origin("user:ana"), 70_000), "version"),
        (EventDraft("note", {}, Origin("user:ana"), 1, EventId("nope")), "'nope' is no event id"),
        (EventDraft("note", {}, Origin("user:ana"), 1, None, -1), "occurred_at_ms"),
    ],
)
def test_a_header_out_of_range_is_refused_with_its_value(draft: EventDraft, what: str) -> None:
    with pytest.raises(InvalidArgument, match=what):
        check_draft(draft)
