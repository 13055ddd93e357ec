"""What a person types: lines with editing and history, text of several lines, pasted text, yes or no."""

import os
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import click

from palyra.core.redact import redact_text

PROMPT, MORE = "> ", "… "
_BLOCK = '"""'
_HISTORY = "chat_history"
_KEPT_LINES = 1_000
_KEPT_CHARS = 2_000


def forget_history(data_dir: Path) -> None:
    """What was typed is a trace of what was said."""
    (data_dir / _HISTORY).unlink(missing_ok=True)


class Keyboard:
    """Needs a terminal. The history lies in the data directory, for its owner alone, without lines that hold a
    secret."""

    def __init__(self, data_dir: Path, commands: Sequence[str]) -> None:
        self._commands = commands
        self._path = data_dir / _HISTORY
        self._readline = _readline()
        if self._readline is not None:
            self._prepare(self._readline)

    def read(self) -> str:
        '''A message: one line, lines that end in a backslash with the next, or a block between """ and """. EOFError:
        the person leaves; KeyboardInterrupt: the line is dropped.'''
        text = input(PROMPT)
        if text.lstrip().startswith(_BLOCK):
            text = self._block(text.lstrip().removeprefix(_BLOCK))
        else:
            while text.endswith("\\"):
                text = text[:-1] + "\n" + _more("")
        self._remember(text)
        return text

    def confirm(self, question: str) -> bool:
        """Only a person who has seen the question says yes: what was typed before is dropped."""
        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        try:
            return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            click.echo()
            return False

    def _block(self, text: str) -> str:
        while not text.rstrip().endswith(_BLOCK):
            text += "\n" + _more(_BLOCK)
        return text.rstrip().removesuffix(_BLOCK).strip("\n")

    def _prepare(self, readline: ModuleType) -> None:
        readline.set_auto_history(False)
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._complete)
        readline.parse_and_bind("tab: complete")
        readline.parse_and_bind("set enable-bracketed-paste on")
        with suppress(OSError):  # a history is a convenience
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
            self._path.chmod(0o600)
            readline.read_history_file(self._path)
            if readline.get_current_history_length() > 2 * _KEPT_LINES:
                readline.set_history_length(_KEPT_LINES)
                readline.write_history_file(self._path)
                self._path.chmod(0o600)

    def _complete(self, text: str, number: int) -> str | None:
        found = [name for name in self._commands if text and name.startswith(text)]
        return found[number] if number < len(found) else None

    def _remember(self, text: str) -> None:
        if self._readline is None or not text.strip() or "\n" in text or len(text) > _KEPT_CHARS:
            return
        if redact_text(text).text != text:
            return
        self._readline.add_history(text)
        with suppress(OSError):
            self._readline.append_history_file(1, self._path)


def _more(end: str) -> str:
    """The next line; whoever ends the input there has said all, and stays."""
    try:
        return input(MORE)
    except EOFError:
        click.echo()
        return end


def _readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:  # some builds of Python have none
        return None
    return readline
