"""A message's references are looked up beside each other; none can fail another, and all keep to one budget."""

import asyncio
import random
import threading
from dataclasses import dataclass, field

import pytest

from palyra.core.errors import NotFound, PermissionDenied
from palyra.core.limits import REFERENCES_CHARS
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.references import DiffText, FileText, FolderText, NamedText, PageText, PreviewOfReferences
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.services import references as service
from palyra.services.references import REPORTED, ReferenceSources, preview_context_references
from support import run

ANA = Visibility("user:ana", "cli")


@dataclass
class Source:
    """All sources in one, with texts by target; remembers what it was asked."""

    texts: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def read(self, target: str, max_chars: int) -> FileText:
        self.asked.append(target)
        self.threads.add(threading.get_ident())
        if target == "broken":
            raise RuntimeError("the disk of /home/ana is on fire")
        if target not in self.texts:
            raise NotFound(f"nothing is at {target!r}", hint="look elsewhere")
        text = self.texts[target]
        return FileText(target, text[:max_chars], len(text), len(text) <= max_chars)

    def list(self, target: str, max_files: int, max_chars: int) -> FolderText:
        assert (max_files, max_chars) == (6, 12_000)
        return FolderText(target, "folder text", ("a",), (), ("a warning",))

    async def diff(self, max_chars: int) -> DiffText:
        return DiffText("changed"[:max_chars], True)

    async def staged(self, max_chars: int) -> DiffText:
        return DiffText("s" * max_chars, False)

    async def fetch(self, url: str, max_chars: int) -> PageText:
        if "private" in url:
            raise PermissionDenied("it is not on the public web")
        return PageText(url + "/end", "Title", "page text"[:max_chars], True)

    async def named(self, name: str, caller: Visibility) -> NamedText | None:
        assert caller == ANA
        return NamedText(name, "a plan", "document:1", Trust.OWNER) if name == "plan" else None

    async def memory(self, words: str, caller: Visibility) -> NamedText | None:
        assert caller == ANA
        return NamedText("memory 01A", "prefers tea", "memory:01A", Trust.AGENT) if words == "tea" else None

    def sources(self) -> ReferenceSources:
        return ReferenceSources(self, self, self, self.named, self.memory)


def preview(text: str, source: Source | None = None) -> PreviewOfReferences:
    return run(preview_context_references(text, (source or Source()).sources(), ANA))


def test_each_kind_is_looked_up_where_it_belongs() -> None:
    source = Source({"a.md": "file text"})
    shown = preview("@file:a.md @folder:src @diff @url:https://a.example [[plan]] @memory:tea", source)
    assert [(one.text, one.provenance, one.trust, one.error) for one in shown.references] == [
        ("file text", "file:a.md", Trust.IMPORT, ""),
        ("folder text", "folder:src", Trust.IMPORT, ""),
        ("changed", "git:diff", Trust.IMPORT, ""),
        ("Title\n\npage text", "url:https://a.example/end", Trust.WEB, ""),
        ("a plan", "document:1", Trust.OWNER, ""),
        ("prefers tea", "memory:01A", Trust.AGENT, ""),
    ]
    assert shown.clean_text == "a.md src the diff a.example plan tea"
    assert shown.references[1].warnings == ("a warning",)
    assert shown.references[3].label == "a.example"
    assert shown.tokens == sum(estimate_tokens(one.text) for one in shown.references)


def test_one_bad_reference_is_an_error_on_it_alone() -> None:
    text = "@file:none.md @file: [[none]] @memory:none @url:http://private @file:broken @file:a.md"
    shown = preview(text, Source({"a.md": "fine"}))
    assert [(one.error_code, one.text) for one in shown.references] == [
        ("not_found", ""),
        ("invalid_argument", ""),
        ("not_found", ""),
        ("not_found", ""),
        ("permission_denied", ""),
        ("internal", ""),
        ("", "fine"),
    ]
    assert shown.references[0].error == "nothing is at 'none.md' (look elsewhere)"
    assert "fire" not in shown.references[5].error


def test_a_source_that_is_not_there_is_a_clear_error() -> None:
    text = "@file:a @folder:a @diff @staged @url:https://a.example [[plan]] @memory:tea"
    shown = run(preview_context_references(text, ReferenceSources(), ANA))
    assert {one.error_code for one in shown.references} == {"failed_precondition"}
    assert "web pages are not available" in shown.references[4].error


def test_the_ninth_reference_is_an_error_and_not_looked_up() -> None:
    source = Source({f"{number}.md": "x" for number in range(9)})
    shown = preview(" ".join(f"@file:{number}.md" for number in range(9)), source)
    assert [bool(one.error) for one in shown.references] == [False] * 8 + [True]
    assert "at most 8" in shown.references[8].error
    assert "8.md" not in source.asked


def test_thousands_of_references_are_counted_and_not_listed() -> None:
    shown = preview(" ".join(f"@file:{number}" for number in range(5_000)))
    assert len(shown.references) == REPORTED
    assert "5,000 references" in shown.warnings[0]


def test_the_same_reference_is_looked_up_once() -> None:
    source = Source({"a.md": "once"})
    shown = preview("@file:a.md and @file:a.md and @file:a.md", source)
    assert source.asked == ["a.md"]
    assert len(shown.references) == 1
    assert shown.clean_text == "a.md and a.md and a.md"


def test_a_long_text_is_shortened_and_says_by_how_much() -> None:
    (one,) = preview("@file:a.md", Source({"a.md": "x" * 20_345})).references
    assert len(one.text) == 8_000
    assert one.warnings == ("shortened to the first 8,000 characters of a file of 20,345 bytes",)
    (one,) = preview("@file:a.md", Source({"a.md": "x" * 9_000})).references
    assert one.warnings == ("shortened to the first 8,000 characters of 9,000",)
    (staged,) = preview("@staged").references
    assert len(staged.text) == 10_000


def test_all_references_share_one_budget_in_the_order_of_appearance() -> None:
    names = "abcde"
    shown = preview(" ".join(f"@file:{name}" for name in names), Source({name: name * 7_900 for name in names}))
    assert [len(one.text) for one in shown.references] == [7_900, 7_900, 7_900, 300, 0]
    assert sum(len(one.text) for one in shown.references) == REFERENCES_CHARS
    assert "from 7,900 to 300 characters" in shown.references[3].warnings[0]
    assert "from 7,900 to 0 characters" in shown.references[4].warnings[0]
    assert shown.references[4].tokens == 0


def test_secrets_are_masked_even_where_a_text_is_cut() -> None:
    key = "ghp_" + "".join(random.Random(1).choices("ABCDEFGHabcdefgh0123456789", k=36))
    for offset in (100, 7_965, 7_980, 7_995):
        (one,) = preview("@file:a", Source({"a": "x" * (offset - 1) + f" {key} " + "y" * 9_000})).references
        assert key[:12] not in one.text


def test_what_errors_quote_is_masked() -> None:
    key = "ghp_" + "".join(random.Random(2).choices("ABCDEFGHabcdefgh0123456789", k=36))
    (one,) = preview(f"@file:{key}").references
    assert one.error_code == "not_found"
    assert key not in one.error + one.label + one.provenance


def test_blocking_work_is_done_off_the_event_loop_and_beside_each_other() -> None:
    both = threading.Barrier(2, timeout=10)

    class Meeting(Source):
        def read(self, target: str, max_chars: int) -> FileText:
            both.wait()  # passes only if the other one is being read, too
            return super().read(target, max_chars)

    source = Meeting({"a": "x", "b": "y"})
    shown = preview("@file:a @file:b", source)
    assert not any(one.error for one in shown.references)
    assert threading.get_ident() not in source.threads


def test_a_source_that_hangs_is_given_up_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "SECONDS", 0.3)

    class Hanging(Source):
        async def fetch(self, url: str, max_chars: int) -> PageText:
            await asyncio.sleep(60)
            return await super().fetch(url, max_chars)

    shown = preview("@url:https://a.example @file:a", Hanging({"a": "fine"}))
    assert [one.error_code for one in shown.references] == ["deadline", ""]


def test_a_message_without_references_comes_back_as_it_is() -> None:
    assert preview("hello ana@example.org") == PreviewOfReferences("hello ana@example.org", (), 0, ())
    assert preview("") == PreviewOfReferences("", (), 0, ())
