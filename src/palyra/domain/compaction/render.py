"""A summary as a prompt shows it: plain text, the same bytes for the same artifact.

    [12-48] 2024-05-03
    Ines:
    - My sister Ines lives in Porto
    - (05-04) Ines comes along
    Decided:
    - We take the flat in Alfama

The numbers are a range of the tape: whoever wants the words themselves asks for it. A line begins with its day where
that is another than before. No text can begin a line: it is on one line itself.
"""

from palyra.domain.compaction.plan import CompactionArtifact, Condensed, SummaryLine, SummaryPart, Voice

_HEADINGS = {SummaryPart.DECIDED: "Decided", SummaryPart.OPEN: "Still to do", SummaryPart.DELIVERED: "Delivered"}


def render_compaction_prompt_block(artifact: CompactionArtifact) -> str:
    """Empty when nothing worth a sentence was condensed. Ranges without a line are not shown."""
    return "\n".join(_block(block) for block in artifact.condensed if block.lines)


def _block(block: Condensed) -> str:
    day = block.lines[0].day
    lines = [f"[{block.first_seq}-{block.last_seq}] {day}"]
    heading: str | None = None
    voice: Voice | None = None
    for line in block.lines:
        text = " ".join(line.text.split())
        if line.day != day:
            text = f"({line.day[5:] if line.day[:4] == day[:4] else line.day}) {text}"
            day = line.day
        if line.section is not SummaryPart.QUOTED:
            if _heading(line) != heading and (heading := _heading(line)):
                lines.append(f"{heading}:")
            lines.append(f"- {text}")
        elif line.voice is voice:
            lines[-1] += (". " if lines[-1][-1].isalnum() else " ") + text
        else:
            lines.append(f"{line.voice.value}: {text}")
        voice = line.voice
    return "\n".join(lines)


def _heading(line: SummaryLine) -> str:
    return _HEADINGS.get(line.section, line.subject)
