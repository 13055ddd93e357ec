"""What a message points at, looked up: read, masked, shortened and counted, with an error where nothing could be had.

`preview_context_references` is used before a message is sent, to show what it would bring along, and by the chat
itself. It changes nothing. References are looked up at once and beside each other; none can fail another.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, TypeVar

from palyra.core.errors import Deadline, FailedPrecondition, Internal, InvalidArgument, NotFound, PalyraError
from palyra.core.limits import REFERENCES, REFERENCES_CHARS
from palyra.core.redact import redact_text
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.references import (
    FOLDER_FILES,
    MAX_CHARS,
    DiffText,
    FileText,
    FolderText,
    MessageReference,
    NamedText,
    PageText,
    PreviewOfReferences,
    ReferenceKind,
    Resolved,
    distinct,
    one_line,
    parse_references,
    shorten,
)
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility

log = logging.getLogger("palyra.references")

SECONDS = 20
"""for one reference; a page and git have limits of their own below it"""
MARGIN_CHARS = 2_000
"""read beyond a limit, so that the redactor sees a secret whole that the limit would cut in two"""
LEAST_CHARS = 200
"""less than that left for a reference is not worth its place"""
REPORTED = 32
"""references in a preview; what comes after is only counted"""

Lookup: TypeAlias = Callable[[str, Visibility], Awaitable[NamedText | None]]


class Files(Protocol):
    """Blocking: called in a thread."""

    def read(self, target: str, max_chars: int) -> FileText: ...

    def list(self, target: str, max_files: int, max_chars: int) -> FolderText: ...


class Diffs(Protocol):
    async def diff(self, max_chars: int) -> DiffText: ...

    async def staged(self, max_chars: int) -> DiffText: ...


class Pages(Protocol):
    async def fetch(self, url: str, max_chars: int) -> PageText: ...


@dataclass(frozen=True, slots=True)
class ReferenceSources:
    """Where each kind of reference is looked up. None: nowhere, and the reference says so."""

    files: Files | None = None
    git: Diffs | None = None
    web: Pages | None = None
    named: Lookup | None = None
    """[[name]]: a document, memory tag, session or checkpoint that the caller may see"""
    memory: Lookup | None = None
    """@memory: by id, or the best hit for the words"""


async def preview_context_references(text: str, sources: ReferenceSources, caller: Visibility) -> PreviewOfReferences:
    """The message without its references, and what each of them brings. Never raises for one of them.

    At most REFERENCES are looked up and REFERENCES_CHARS shown, given out in the order of appearance."""
    parsed = parse_references(text)
    references = distinct(parsed.references)
    warnings: list[str] = []
    if len(references) > REPORTED:
        warnings.append(f"{len(references):,} references: those after the first {REPORTED} are not listed")
    looked_up = await asyncio.gather(*(_resolve(reference, sources, caller) for reference in references[:REFERENCES]))
    resolved = (*_within_budget(looked_up), *map(_one_too_many, references[REFERENCES:REPORTED]))
    return PreviewOfReferences(parsed.clean_text, resolved, sum(one.tokens for one in resolved), tuple(warnings))


@dataclass(frozen=True, slots=True)
class _Found:
    """What one source gave, all of it in one shape. `size`: how much there is, if that is not all."""

    label: str
    text: str
    provenance: str
    trust: Trust
    warnings: tuple[str, ...] = ()
    size: str = ""


async def _resolve(reference: MessageReference, sources: ReferenceSources, caller: Visibility) -> Resolved:
    try:
        if reference.problem:
            raise InvalidArgument(reference.problem, hint="for the words themselves begin with @@")  # noqa: TRY301 - ends as the others do
        async with asyncio.timeout(SECONDS):
            found = await _FINDERS[reference.kind](reference, sources, caller)
            return await asyncio.to_thread(_prepared, reference, found)
    except PalyraError as error:
        return _failed(reference, error)
    except TimeoutError:
        return _failed(reference, Deadline(f"{reference.label} could not be read within {SECONDS} s"))
    except Exception:
        log.exception("a reference to a %s could not be looked up", reference.kind)
        return _failed(reference, Internal(f"{reference.label} could not be looked up"))


def _prepared(reference: MessageReference, found: _Found) -> Resolved:
    """Masked first and shortened after it; the tokens are counted when the budget is known."""
    max_chars = MAX_CHARS[reference.kind]
    text = redact_text(found.text).text
    warnings = found.warnings
    if len(text) > max_chars or found.size:
        size = found.size or f" of {len(text):,}"
        text = shorten(text, max_chars)
        warnings = (*warnings, f"shortened to the first {len(text):,} characters{size}")
    return Resolved(
        reference,
        _masked(one_line(found.label) or reference.label),
        text,
        0,
        _masked(one_line(found.provenance, 500)),
        found.trust,
        tuple(_masked(warning) for warning in warnings),
    )


def _within_budget(looked_up: Sequence[Resolved]) -> list[Resolved]:
    """Each in turn takes what the ones before it left."""
    left = REFERENCES_CHARS
    fitted: list[Resolved] = []
    for one in looked_up:
        text, warnings = one.text, one.warnings
        if len(text) > left:
            text = shorten(text, left) if left >= LEAST_CHARS else ""
            cut = f"cut from {len(one.text):,} to {len(text):,} characters"
            warnings = (*warnings, f"{cut}: all references together have {REFERENCES_CHARS:,}")
        left -= len(text)
        fitted.append(replace(one, text=text, tokens=estimate_tokens(text), warnings=warnings))
    return fitted


def _one_too_many(reference: MessageReference) -> Resolved:
    return _failed(
        reference,
        InvalidArgument(
            f"a message has at most {REFERENCES} references, this is one more", hint="send another message"
        ),
    )


def _failed(reference: MessageReference, error: PalyraError) -> Resolved:
    message = f"{error.message} ({error.hint})" if error.hint else error.message
    return Resolved(
        reference, _masked(reference.label), "", 0, "", Trust.IMPORT, error=_masked(message), error_code=error.code
    )


def _masked(text: str) -> str:
    return redact_text(text).text


async def _file(reference: MessageReference, sources: ReferenceSources, _: Visibility) -> _Found:
    files = _given(sources.files, "files")
    file = await asyncio.to_thread(files.read, reference.target, MAX_CHARS[reference.kind] + MARGIN_CHARS)
    size = "" if file.whole else f" of a file of {file.size_bytes:,} bytes"
    return _Found(file.path, file.text, f"file:{file.path}", Trust.IMPORT, file.warnings, size)


async def _folder(reference: MessageReference, sources: ReferenceSources, _: Visibility) -> _Found:
    files = _given(sources.files, "files")
    max_chars = MAX_CHARS[reference.kind]
    folder = await asyncio.to_thread(files.list, reference.target, FOLDER_FILES, max_chars)
    return _Found(folder.path, folder.text, f"folder:{folder.path}", Trust.IMPORT, folder.warnings)


async def _diff(reference: MessageReference, sources: ReferenceSources, _: Visibility) -> _Found:
    git = _given(sources.git, "git")
    ask = git.diff if reference.kind is ReferenceKind.DIFF else git.staged
    diff = await ask(MAX_CHARS[reference.kind] + MARGIN_CHARS)
    size = "" if diff.whole else " of a longer difference"
    return _Found(reference.label, diff.text, f"git:{reference.kind}", Trust.IMPORT, diff.warnings, size)


async def _url(reference: MessageReference, sources: ReferenceSources, _: Visibility) -> _Found:
    web = _given(sources.web, "web pages")
    page = await web.fetch(reference.target, MAX_CHARS[reference.kind] + MARGIN_CHARS)
    size = "" if page.whole else " of a longer page"
    # The title is the page's own words: it stands with them, not in the label.
    text = f"{page.title}\n\n{page.text}" if page.title else page.text
    return _Found(reference.label, text, f"url:{page.url}", Trust.WEB, page.warnings, size)


async def _named(reference: MessageReference, sources: ReferenceSources, caller: Visibility) -> _Found:
    found = await _given(sources.named, "names in [[ ]]")(reference.target, caller)
    return _of_named(reference, found, "no document, session, checkpoint or memory tag")


async def _memory(reference: MessageReference, sources: ReferenceSources, caller: Visibility) -> _Found:
    found = await _given(sources.memory, "memories")(reference.target, caller)
    return _of_named(reference, found, "no memory")


def _of_named(reference: MessageReference, found: NamedText | None, what: str) -> _Found:
    if found is None:
        raise NotFound(f"{what} that you may see is called {reference.label!r}", hint="check how it is spelt")
    return _Found(found.label, found.text, found.provenance, found.trust, found.warnings)


_Source = TypeVar("_Source")


def _given(source: _Source | None, what: str) -> _Source:
    if source is None:
        raise FailedPrecondition(f"references to {what} are not available here")
    return source


_FINDERS: dict[ReferenceKind, Callable[[MessageReference, ReferenceSources, Visibility], Awaitable[_Found]]] = {
    ReferenceKind.NAMED: _named,
    ReferenceKind.FILE: _file,
    ReferenceKind.FOLDER: _folder,
    ReferenceKind.DIFF: _diff,
    ReferenceKind.STAGED: _diff,
    ReferenceKind.URL: _url,
    ReferenceKind.MEMORY: _memory,
}
