"""Cron expressions as people write them: checked field by field, so that a refusal names the field and the value.

Five fields (minute, hour, day of month, month, day of week), each a list of values, ranges and steps; names of months
and days; `L` the last day of a month, `LW` its last working day, `5L` its last Friday, `MON#2` its second Monday.
"""

from dataclasses import dataclass

from palyra.core.errors import InvalidArgument

EXPRESSION_CHARS = 256

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0


_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS, 1),
    _Field("day of week", 0, 7, _DAYS),
)


def checked_expression(text: str) -> str:
    """The five fields in capitals with single spaces, macros written out. Refused: anything cron would not know."""
    if len(text) > EXPRESSION_CHARS:
        raise InvalidArgument(
            f"cron expression of {len(text)} characters is too long", hint=f"at most {EXPRESSION_CHARS} characters"
        )
    if text.strip().startswith("@"):
        return _macro(text.strip())
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise InvalidArgument(
            f"cron expression {text!r} has {len(parts)} fields instead of 5",
            hint="write minute, hour, day of month, month, day of week: '0 9 * * mon-fri'",
        )
    fields = zip(parts, _FIELDS, strict=True)
    return " ".join(",".join(_checked_term(term, field, text) for term in part.split(",")) for part, field in fields)


def _macro(text: str) -> str:
    expression = MACROS.get(text.lower())
    if expression is None:
        raise InvalidArgument(f"cron macro {text!r} does not exist", hint=f"use one of {', '.join(MACROS)}")
    return expression


def _checked_term(term: str, field: _Field, text: str) -> str:
    refuse = _Refusal(field, term, text)
    if not term:
        raise refuse.because("an empty value", "remove the comma")
    if not term.isascii():
        raise refuse.because(f"{term!r}, which is not plain ASCII")
    word = term.upper()
    if _is_last(word, field) or _is_nth(word, field, refuse):
        return word
    span, slash, step = word.partition("/")
    if slash:
        _check_step(step, field, refuse)
    if span == "*":
        return word
    first, dash, last = span.partition("-")
    start = _value(first, field, refuse)
    end = _value(last, field, refuse) if dash else None
    if end is not None and end < start:
        raise refuse.because(f"the range {span!r}, which runs backwards", _backwards_hint(field, first, last))
    return first if end == start else word  # steps of a range of one: cronsim would go on to the end of the field


def _backwards_hint(field: _Field, first: str, last: str) -> str:
    if field.name == "day of week" and last in {"SUN", "0"}:
        return f"Sunday is also 7: write {first.lower()}-7"
    return f"write two ranges: {first.lower()}-{field.high},{field.low}-{last.lower()}"


def _is_last(word: str, field: _Field) -> bool:
    if field.name == "day of month":
        return word in {"L", "LW"}
    return field.name == "day of week" and len(word) == 2 and word[0] in "01234567" and word[1] == "L"


def _is_nth(word: str, field: _Field, refuse: "_Refusal") -> bool:
    if field.name != "day of week" or "#" not in word:
        return False
    day, _, nth = word.partition("#")
    _value(day, field, refuse)
    if nth not in {"1", "2", "3", "4", "5"}:
        raise refuse.because(f"the week {nth!r}", "a month has the weeks 1 to 5, as in mon#2")
    return True


def _check_step(step: str, field: _Field, refuse: "_Refusal") -> None:
    most = field.high - field.low
    if not step.isdigit() or not 1 <= int(step) <= most:
        hint = f"a step is a number from 1 to {most}"
        if field.name in {"minute", "hour"}:
            hint += "; for other rhythms use an 'every' schedule such as 90m"
        raise refuse.because(f"the step {step!r}", hint)


def _value(word: str, field: _Field, refuse: "_Refusal") -> int:
    if word in field.names:
        return field.names.index(word) + field.first_name
    if not word.isdigit() or not field.low <= int(word) <= field.high:
        allowed = f"allowed are {field.low} to {field.high}"
        if field.names:
            allowed += f" and the names {field.names[0].lower()} to {field.names[-1].lower()}"
        if field.name == "day of month":
            allowed += ", L (the last day) and LW (the last working day)"
        raise refuse.because(f"{word!r}" if word else "a value missing", allowed)
    return int(word)


@dataclass(frozen=True, slots=True)
class _Refusal:
    field: _Field
    term: str
    text: str

    def because(self, what: str, hint: str = "") -> InvalidArgument:
        hint = hint or f"allowed are {self.field.low} to {self.field.high}"
        return InvalidArgument(
            f"cron expression {self.text!r}: the {self.field.name} field has {what}",
            hint=hint,
            field=self.field.name,
            value=self.term,
        )
