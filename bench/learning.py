"""What the rules of learning find, and whether their confidence means what it says.

    python bench/learning.py [--cases FILE ...] [--sets DIR] [--json] [--failures]

A case is an utterance, who said it, and what durable knowledge it holds: `gist` words that have to be in what is
proposed, or nothing. A proposal is right when its case expects its kind and all words of that gist are in its text;
anything else is wrong. Bands: facts that are written without asking, what a person is asked about or better, and all.

Cases say the truth once, in their first run; after that the rules have been mended with them (all but cases_last, which
is kept for measuring). cases_unseen was written before its writer had read the rules, cases_last after. First runs, as
far as they were noted:

                  written without asking       a person is asked
                  precision (n)                precision  recall
    cases_fresh   1.0 (29)                     0.91       0.79
    cases_unseen  1.0 (54)                     0.98       0.91
    cases_last    1.0 (10)                     1.0        0.80

Cases are short and clean; people are not. `tests/domain/learning/judged.jsonl` holds one reader's verdicts on proposals
from real chats (would the person want it kept, and can it be understood by itself?), by the place of what was said: the
texts belong to the retrieval sets. Where those are at hand, a second table says which share of the judged is worth
asking about at the confidence they have now; `-` is what is no longer proposed. Of facts, that share was 0.91 from
9,000 on, 0.33 from 8,500, 0.27 from 8,000 and 0.12 from 7,500 in sample 1, before confidence was calibrated with it;
samples 2 to 4 were drawn later, each from what the rules of its day proposed (`was_bps`), and had 0.63 (83), 0.70 (69)
and 0.63 (57) from 7,500 to 8,999 when they were drawn. The rules were mended with all of them, so the table flatters.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from palyra.core.ids import EventId
from palyra.domain.compaction.plan import Voice
from palyra.domain.learning.candidate import LearningPolicy
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal, Utterance
from palyra.domain.learning.rules import propose_by_rules
from palyra.domain.memory import Trust

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "learning-dev.jsonl"
SETS = Path(__file__).resolve().parents[2] / "shared" / "retrieval"
JUDGED = Path(__file__).resolve().parents[1] / "tests" / "domain" / "learning" / "judged.jsonl"
POLICY = LearningPolicy()
TRUST = {Voice.USER: Trust.OWNER, Voice.ASSISTANT: Trust.AGENT, Voice.TOOL: Trust.TOOL}
BANDS = ((9_500, 10_001), (9_000, 9_500), (8_500, 9_000), (8_000, 8_500), (7_500, 8_000), (0, 7_500))


@dataclass(slots=True)
class Figures:
    proposed: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    by_confidence: dict[tuple[int, int], list[bool]] = field(default_factory=lambda: {band: [] for band in BANDS})
    cases: int = 0
    of_others: int = 0
    """auto-written from what the person did not say"""
    failures: list[str] = field(default_factory=list)


def heard(case: dict[str, Any]) -> Heard:
    voice = Voice(case["speaker"])
    return Heard("R1", (Utterance(1, EventId("E1"), voice, case["text"], trust=TRUST[voice]),))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def is_right(proposal: Proposal, expected: dict[str, Any]) -> bool:
    text = proposal.text.casefold()
    return expected["kind"] == proposal.kind.value and all(word.casefold() in text for word in expected["gist"])


def is_auto(proposal: Proposal) -> bool:
    return proposal.kind is LearnedKind.DURABLE_FACT and proposal.confidence_bps >= POLICY.auto_write_bps


def is_reviewable(proposal: Proposal) -> bool:
    return proposal.confidence_bps >= POLICY.review_from_bps(proposal.kind)


def measure(cases: list[dict[str, Any]]) -> Figures:
    figures = Figures()
    for case in cases:
        _measure_one(case, figures)
    return figures


def _measure_one(case: dict[str, Any], figures: Figures) -> None:
    figures.cases += 1
    proposals = propose_by_rules([heard(case)], POLICY.max_candidates_per_run)
    for proposal in proposals:
        right = any(is_right(proposal, expected) for expected in case["expect"])
        bands = [
            f"all {proposal.kind.value}",
            *([f"reviewable {proposal.kind.value}"] if is_reviewable(proposal) else []),
            *(["auto"] if is_auto(proposal) else []),
        ]
        figures.proposed.update(bands)
        figures.right.update(bands if right else ())
        for low, high in BANDS:
            if low <= proposal.confidence_bps < high:
                figures.by_confidence[low, high].append(right)
        figures.of_others += is_auto(proposal) and case["speaker"] != "user"
        if not right:
            what = f"{proposal.kind.value} {proposal.confidence_bps} {'+'.join(proposal.basis)}"
            figures.failures.append(f"wrong   {case['id']} {case['lang']} [{what}] {proposal.text}")
    for expected in case["expect"]:
        fitting = [proposal for proposal in proposals if is_right(proposal, expected)]
        bands = [
            expected["kind"],
            *([f"all {expected['kind']}"] if fitting else []),
            *([f"reviewable {expected['kind']}"] if any(map(is_reviewable, fitting)) else []),
            *(["auto"] if any(map(is_auto, fitting)) else []),
        ]
        figures.expected[bands[0]] += 1
        figures.found.update(bands[1:])
        if not any(map(is_reviewable, fitting)):
            figures.failures.append(f"missed  {case['id']} {case['lang']} [{expected['kind']}] {case['text']}")


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def report(figures: Figures) -> dict[str, Any]:
    kinds = [kind.value for kind in LearnedKind]
    by_kind = {
        f"{band} {kind}": {
            "precision": share(figures.right[f"{band} {kind}"], figures.proposed[f"{band} {kind}"]),
            "recall": share(figures.found[f"{band} {kind}"], figures.expected[kind]),
            "proposed": figures.proposed[f"{band} {kind}"],
            "expected": figures.expected[kind],
        }
        for band in ("reviewable", "all")
        for kind in kinds
    }
    expected = sum(figures.expected.values())
    summed = {
        f"{band} {name}": sum(counter[f"{band} {kind}"] for kind in kinds)
        for band in ("reviewable", "all")
        for name, counter in (("right", figures.right), ("proposed", figures.proposed), ("found", figures.found))
    }
    return {
        "cases": figures.cases,
        "auto_written": {
            "precision": share(figures.right["auto"], figures.proposed["auto"]),
            "recall": share(figures.found["auto"], figures.expected[LearnedKind.DURABLE_FACT.value]),
            "proposed": figures.proposed["auto"],
            "of_other_voices": figures.of_others,
        },
        **{
            band: {
                "precision": share(summed[f"{band} right"], summed[f"{band} proposed"]),
                "recall": share(summed[f"{band} found"], expected),
                "proposed": summed[f"{band} proposed"],
            }
            for band in ("reviewable", "all")
        },
        "by_kind": by_kind,
        "reliability": [
            {"from_bps": low, "to_bps": min(high - 1, 10_000), "right": share(sum(seen), len(seen)), "n": len(seen)}
            for (low, high), seen in figures.by_confidence.items()
        ],
    }


def show(name: str, made: dict[str, Any]) -> None:
    print(f"{name}: {made['cases']} cases")
    for band in ("auto_written", "reviewable", "all"):
        print(f"  {band:<26}" + "  ".join(f"{label} {value}" for label, value in made[band].items()))
    for label, row in made["by_kind"].items():
        print(f"  {label:<26}" + "  ".join(f"{key} {value}" for key, value in row.items()))
    print("  confidence    right    n")
    for row in made["reliability"]:
        print(f"  {row['from_bps']:>5}-{row['to_bps']:<6}  {row['right'] if row['n'] else '-':<7}  {row['n']}")


def judged_by_confidence(sets: Path) -> list[dict[str, Any]]:
    """For each kind and band of confidence, the share of judged proposals that were worth asking about; none where
    the set they are from is not at hand."""
    verdicts: dict[tuple[str, str], list[bool]] = {}
    judged = lines_of(JUDGED)
    for name in sorted({verdict["set"] for verdict in judged}):
        items = sets / name / "items.jsonl"
        if not items.is_file():
            continue
        texts = {(item["conversation"], item["id"]): item["text"] for item in lines_of(items)}
        for verdict in judged:
            if verdict["set"] == name:
                band = _band_now(verdict, texts[verdict["conversation"], verdict["item"]])
                verdicts.setdefault((verdict["kind"], band), []).append(verdict["worth"])
    return [
        {"kind": kind, "confidence": band, "worth": share(sum(seen), len(seen)), "n": len(seen)}
        for (kind, band), seen in sorted(verdicts.items(), reverse=True)
    ]


def _band_now(verdict: dict[str, Any], text: str) -> str:
    for proposal in propose_by_rules([heard({"speaker": "user", "text": text})], POLICY.max_candidates_per_run):
        overlaps = any(span.start < verdict["end"] and verdict["start"] < span.end for span in proposal.evidence)
        if overlaps and proposal.kind.value == verdict["kind"]:
            return next(
                f"{low}-{min(high - 1, 10_000)}" for low, high in BANDS if low <= proposal.confidence_bps < high
            )
    return "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, nargs="+", default=[CASES], help="files of cases, one JSON object a line")
    parser.add_argument(
        "--sets", type=Path, default=SETS, help="where the retrieval sets are, for the judged proposals"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--failures", action="store_true", help="also list what is wrong and what was missed")
    given = parser.parse_args()
    reports: dict[str, dict[str, Any]] = {}
    for path in given.cases:
        if not path.is_file():
            sys.exit(f"error: there is no file {path}")
        figures = measure(lines_of(path))
        reports[path.name] = report(figures) | ({"failures": figures.failures} if given.failures else {})
        if not given.json:
            show(path.name, reports[path.name])
            print("".join(f"  {line}\n" for line in figures.failures) if given.failures else "", end="")
    judged = judged_by_confidence(given.sets)
    if given.json:
        print(json.dumps(reports | {"judged": judged}, ensure_ascii=False))
    elif judged:
        print("judged proposals from real chats\n  kind          confidence   worth    n")
        for row in judged:
            print(f"  {row['kind']:<12}  {row['confidence']:<11}  {row['worth']:<7}  {row['n']}")


if __name__ == "__main__":
    main()
