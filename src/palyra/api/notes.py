"""Reading signed checkpoints that a person kept elsewhere."""

from pathlib import Path

from palyra.core.errors import InvalidArgument
from palyra.domain.signed_note import split_notes


def read_notes(path: Path) -> list[str]:
    """One note, or a file of them. A single note need not end with an empty line."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"cannot read checkpoints from {path}: {error}", hint="check the path") from None
    notes, rest = split_notes(text.rstrip("\n") + "\n\n")
    if not notes or rest.strip():
        raise InvalidArgument(
            f"{path} holds something that is no signed checkpoint", hint="give what palyra journal checkpoint printed"
        )
    return notes
