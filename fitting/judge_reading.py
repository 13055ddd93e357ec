"""Judges the reader of turns as the conversations are judged, without a daemon: what is kept, and what waits.

python fitting/judge_reading.py --cases DIR                   the shipped weights on the -dev files
python fitting/judge_reading.py --cases DIR --folds 5         fitted on four fifths, judged on the rest
python fitting/judge_reading.py --cases DIR --leave language  fitted without a language, judged on it (or: kind)
"""

import argparse
import datetime
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import Encoder, folds, read_cases
from palyra.language.fitted import Scale, weights
from palyra.language.reading import Models, Reader
from palyra.language.statements import WRITTEN_BPS, Encode, Statement
from reading_cases import Turn, holds, turns_of

SAME = {"preference": {"preference", "constraint"}, "constraint": {"preference", "constraint"}}


class Judge:
    def __init__(self, show: int = 0) -> None:
        self.n: Counter[str] = Counter()
        self.wrong: dict[str, list[str]] = {}
        self.show = show

    def note(self, kind: str, text: str) -> None:
        self.wrong.setdefault(kind, []).append(" ".join(text.split()))

    def turn(self, turn: Turn, statements: Sequence[Statement]) -> None:
        written = [s for s in statements if s.confidence_bps >= WRITTEN_BPS]
        waiting = len(statements) - len(written)
        self.n["people"] += 1
        self.n["waits"] += waiting
        self.n["waits right"] += waiting * turn.worth
        (self.long if turn.long else self.short)(turn, written)

    def short(self, turn: Turn, written: list[Statement]) -> None:
        self.n["kept"] += bool(written)
        self.n["want"] += turn.worth
        self.n["right"] += bool(written) and turn.worth
        self.n["found"] += bool(written) and turn.worth
        if bool(written) != turn.worth:
            self.note("kept" if written else "missed", f"{turn.case} {turn.id}: {turn.said.text[:150]}")
        if written and turn.worth:
            self.n["kinds"] += 1
            self.n["kind right"] += any(s.kind in SAME.get(turn.keep or "", {turn.keep}) for s in written)

    def long(self, turn: Turn, written: list[Statement]) -> None:
        matched: dict[int, list[Statement]] = {n: [] for n in range(len(turn.gold))}
        for item in written:
            hits = [n for n, s in enumerate(turn.gold) if holds(item.text, s)]
            hits = sorted(hits, key=lambda n: (len(matched[n]), len(turn.gold[n]["says"])))[:2]
            right = any(not matched[n] for n in hits)
            self.n["kept"] += 1
            self.n["right"] += right
            if not right:
                self.note("kept", f"{turn.case} {turn.id}: {item.text[:200]}")
            for n in hits:
                matched[n].append(item)
        for n, statement in enumerate(turn.gold):
            self.n["want"] += 1
            self.n["found"] += bool(matched[n])
            if not matched[n]:
                self.note("missed", f"{turn.case} {turn.id}: {statement['says'][:150]} {statement['must']}")
                continue
            self.n["kinds"] += 1
            kinds = SAME.get(statement["kind"], {statement["kind"]})
            good = any(s.kind in kinds for s in matched[n])
            self.n["kind right"] += good
            if not good:
                self.note("kind", f"{statement['kind']}, not {matched[n][0].kind}: {matched[n][0].text[:150]}")
            if statement.get("dated"):
                self.n["dates"] += 1
                texts = [_dated(s, turn) for s in matched[n]]
                good = any(all(any(a in text for a in d.split("|")) for d in statement["dated"]) for text in texts)
                self.n["dated"] += good
                if not good:
                    self.note("dated", f"{statement['dated'][0]}: {matched[n][0].text[:200]}")

    def told(self) -> str:
        n = self.n
        parts = [f"P {_share(n, 'right', 'kept')} R {_share(n, 'found', 'want')}"]
        parts += [f"waits {100 * n['waits'] / max(1, n['people']):.1f} (right {_share(n, 'waits right', 'waits')})"]
        parts += [f"kind {_share(n, 'kind right', 'kinds')}"]
        if n["dates"]:
            parts.append(f"dated {_share(n, 'dated', 'dates')} of {n['dates']}")
        return ", ".join(parts)


def _share(n: Counter[str], part: str, whole: str) -> str:
    return f"{n[part] / n[whole]:.3f}" if n[whole] else "-"


def _dated(statement: Statement, turn: Turn) -> str:
    ends = [at for at in (statement.valid_from_ms, statement.valid_to_ms) if at]
    days = [datetime.datetime.fromtimestamp(at / 1000, turn.zone).date().isoformat() for at in ends]
    return " ".join([statement.text, *days]).casefold()


def judge(reader: Reader, turns: Sequence[Turn], into: dict[str, Judge], show: int = 0) -> None:
    for turn in turns:
        name = "long" if turn.long else "short"
        into.setdefault(name, Judge(show)).turn(turn, reader.read(turn.said, turn.before).statements)


def report(name: str, judged: dict[str, Judge]) -> None:
    for kind, one in sorted(judged.items()):
        print(f"{name} {kind}: {one.told()}")
        for what, rows in one.wrong.items() if one.show else ():
            print(f"-- {what}: {len(rows)}", *rows[: one.show], sep="\n   ")
    sys.stdout.flush()


def swept(models: Models, encode: Encode | None, turns: Sequence[Turn], into: dict[str, dict[str, Judge]]) -> None:
    """The same turns at several operating points."""
    for least in (0.3, 0.4, 0.5, 0.6):
        points = {"given": (0.0, least - 0.08, least, 1.0), "read": (0.0, 7_500.0, 9_000.0, 10_000.0)}
        held = {f"scale.x.{part}": values for part, values in points.items()}
        models.scales = {name: Scale.of({k: _array(v) for k, v in held.items()}, "scale.x") for name in models.scales}
        judge(Reader(encode, models), turns, into.setdefault(f"{least:.2f}", {}))


def _array(values: Sequence[float]):
    import numpy as np

    return np.array(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, default=None)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--leave", choices=("language", "kind"))
    parser.add_argument("--sweep", action="store_true", help="also at other operating points")
    parser.add_argument("--show", type=int, default=0, help="the first N mistakes of each sort")
    parser.add_argument("--without-encoder", action="store_true")
    given = parser.parse_args()
    encoder = Encoder(given.vectors)
    encode = None if given.without_encoder else encoder
    if not given.folds and not given.leave:
        turns = turns_of(read_cases(given.cases, "worth-dev.jsonl", "worth-long-dev.jsonl"))
        judged: dict[str, Judge] = {}
        judge(Reader(encode), turns, judged, given.show)
        report("dev", judged)
        if given.sweep:
            many: dict[str, dict[str, Judge]] = {}
            swept(Models(weights("palyra.language", "reading.npz")), encode, turns, many)
            for name, one in many.items():
                report(name, one)
        return
    from reading import TRAIN, fit, scales

    turns = turns_of(read_cases(given.cases, *TRAIN))
    if given.leave:
        groups = [t.language if given.leave == "language" else t.kind_of_case for t in turns]
        parts = {g: [x == g for x in groups] for g in sorted(set(groups))}
    else:
        parts = {str(n): f.tolist() for n, f in enumerate(folds([t.case for t in turns], given.folds))}
    total: dict[str, Judge] = {}
    many = {}
    for name, part in parts.items():
        models = Models(fit([t for t, apart in zip(turns, part, strict=True) if not apart], encoder) | scales())
        apart = [t for t, is_apart in zip(turns, part, strict=True) if is_apart]
        alone: dict[str, Judge] = {}
        judge(Reader(encode, models), apart, alone)
        report(name, alone)
        judge(Reader(encode, models), apart, total, given.show)
        if given.sweep:
            swept(models, encode, apart, many)
    report("all", total)
    for name, one in many.items():
        report(name, one)


if __name__ == "__main__":
    main()
