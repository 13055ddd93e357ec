"""Without the extra `documents` a file that needs it is refused, and the refusal says what to install."""

import shlex
import sys
from collections.abc import Callable

import pytest

from palyra.domain.chat.attachments import Extracted
from palyra.providers.extract.outcome import Unreadable
from palyra.providers.extract.pdf import read_pdf
from palyra.providers.extract.word import read_docx


@pytest.mark.parametrize(("package", "read", "noun"), [("pypdf", read_pdf, "a PDF"), ("docx", read_docx, "a Word")])
def test_the_first_use_says_which_extra_to_install(
    package: str, read: Callable[[bytes], Extracted], noun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unreadable) as refused:
        read(b"whatever")
    assert noun in refused.value.why
    assert "'documents'" in refused.value.why
    assert shlex.split(refused.value.hint)[-2:] == ["install", "palyra[documents]"]
