"""What was read becomes what may be kept: nothing hidden, no half characters, secrets masked.

Done in the child as well: on a long text the rules of the redactor would hold up whoever shares the interpreter.
"""

import re
from dataclasses import replace

from palyra.core.redact import redact_text
from palyra.core.text import hidden_characters, normalise
from palyra.domain.chat.attachments import FORMATS, TEXT_KINDS, Extracted, FileKind

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(kind: FileKind, found: Extracted) -> Extracted:
    """If a secret was masked, the masked text is kept in place of the file."""
    warnings = [*found.warnings]
    given = _SURROGATE.sub("\ufffd", found.text)
    tricks = hidden_characters(given)
    if tricks:
        warnings.append(f"characters that a reader does not see were removed: {', '.join(tricks)}")
    redacted = redact_text(normalise(given))
    if not redacted.spans:
        return replace(found, text=redacted.text, warnings=tuple(warnings))
    warnings.append(f"secrets were masked ({len(redacted.spans)}); the masked text is kept in place of the file")
    media_type = found.media_type if kind in TEXT_KINDS else FORMATS[FileKind.TEXT].media_type
    return Extracted(media_type, redacted.text.encode(), redacted.text, warnings=tuple(warnings))
