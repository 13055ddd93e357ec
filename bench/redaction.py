"""How much the redactor finds, what it takes by mistake, and what it costs.

    bench/redaction.py [--json] [--shared DIR] [--seed N] [--show]

A secret counts as found only when every character of it is masked. Ordinary chat turns come
from <shared>/retrieval/*/items.jsonl; without them a few built-in sentences stand in.
"""

import argparse
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.redaction_corpus import CARRIERS, KINDS, Sample, samples

from palyra.core.redact import Span, redact_text
from palyra.core.redact_rules import PERSONAL_RULES, SECRET_RULES, Rule

ORDINARY = (
    "I went to the farmers market on Saturday and bought peaches, bread and a jar of local honey for Sue.",
    "The password reset flow is broken again, the secretary said the token budget is used up.",
    "max_tokens: 4096 and the tokenizer is cl100k, see https://example.com/docs?page=2&q=token",
    "Our secret santa is on Friday; the key is to keep it under twenty euros.",
    "commit 0f4c8d52a6b1e9f3c7d08a5b4e6f1c2d3a9b8e70 fixes the bug in the parser",
)
SENTENCE = "We met at the little cafe near the river and talked about the trip to Norway we want to take in June"


@dataclass(slots=True)
class Recall:
    total: int = 0
    found: int = 0
    extra_chars: int = 0

    @property
    def rate(self) -> float:
        return self.found / self.total if self.total else 1.0


def is_found(sample: Sample, spans: Iterable[Span]) -> bool:
    at = sample.start
    for span in spans:
        if span.start <= at < span.end:
            at = span.end
    return at >= sample.end


def measure_recall(seed: int, per_carrier: int, *, held_out: bool) -> tuple[dict[str, Recall], list[Sample]]:
    """Recall for "all" and for each carrier, and the samples missed."""
    recall = {name: Recall() for name in ("all", *CARRIERS)}
    missed = []
    for sample in samples(seed, per_carrier, held_out=held_out):
        spans = redact_text(sample.text).spans
        found = is_found(sample, spans)
        extra = sum(
            max(0, sample.start - span.start) + max(0, span.end - sample.end)
            for span in spans
            if overlaps(sample, span)
        )
        for name in ("all", sample.carrier):
            recall[name].total += 1
            recall[name].found += found
            recall[name].extra_chars += extra
        if not found:
            missed.append(sample)
    return recall, missed


def overlaps(sample: Sample, span: Span) -> bool:
    return span.start < sample.end and span.end > sample.start


def ordinary_turns(shared: Path) -> tuple[list[str], str]:
    files = sorted(shared.glob("retrieval/*/items.jsonl"))
    lines = [line for file in files for line in file.read_text("utf-8").split("\n") if line]
    texts = [json.loads(line)["text"] for line in lines]
    return (texts, f"{len(files)} sets") if texts else (list(ORDINARY), "built-in sentences, no chat sets found")


def false_alarms(texts: list[str]) -> list[tuple[str, Span]]:
    """The first span of every turn that has one."""
    return [(text, spans[0]) for text in texts if (spans := redact_text(text).spans)]


HOSTILE_UNITS = (
    "a", "Z9", "0", "=", '"', "'", " ", "\n", "@", "-", "_", ".", "/", ":", "a.", "a-", "a@", "1 ", "f0", "1.", "::",
    "AB12", "://", "://:", "a:a@", "eyJ", "-eyJ", "-----BEGIN PRIVATE" + " KEY-----", "password", "password ",
    "password=", "password: ", "password=a ", "pwd=aaaa ", 'token="', "token=token=", "token is ", "api_key",
    "api_key=", "key=",
    "key a1B2c3D4" + "e5F6g7H8 ", "my pin is ", "--token ", "cookie: a=", "authorization: ", "bearer ",
    "it's a key, it's ", "password for ", "mysql -u ",
)  # fmt: skip


def repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def hostile_ms(size: int) -> dict[str, tuple[float, str]]:
    """For each rule its slowest text of `size` characters: its own prefixes and the usual suspects, repeated."""
    worst: dict[str, tuple[float, str]] = {}
    for index, rule in enumerate((*SECRET_RULES, *PERSONAL_RULES)):
        worst[f"{index:03d} {rule.name}"] = max(
            (find_ms(rule, repeated(unit, size)), unit) for unit in (*own_units(rule), *HOSTILE_UNITS)
        )
    return worst


def own_units(rule: Rule) -> list[str]:
    needles = [needle for needle in rule.needles[:3] if needle]
    return [unit for n in needles for unit in (n, n.upper(), n + "aB3", n + "=", n + " ")]


def find_ms(rule: Rule, text: str) -> float:
    low = text.lower()
    taken = timed_ms(lambda: deque(rule.find(text, low), maxlen=0))
    # A second and a third look where it matters: on a busy machine one run says little.
    return (
        min(taken, *(timed_ms(lambda: deque(rule.find(text, low), maxlen=0)) for _ in range(2)))
        if taken > 100
        else taken
    )


def hostile_whole_ms(size: int) -> tuple[float, str]:
    """The slowest such text for the redactor as a whole."""
    return max((redact_ms(repeated(unit, size)), unit) for unit in HOSTILE_UNITS)


def redact_ms(text: str) -> float:
    return timed_ms(lambda: redact_text(text))


def timed_ms(run: Callable[[], object]) -> float:
    """CPU time: the figure should not depend on who else is busy."""
    start = time.process_time()
    run()
    return (time.process_time() - start) * 1000


def sentence_us(rounds: int = 20_000) -> float:
    """Best of five, microseconds for an ordinary sentence of 100 characters without a hit."""

    def run() -> None:
        for _ in range(rounds):
            redact_text(SENTENCE)

    return min(timed_ms(run) for _ in range(5)) * 1000 / rounds


def report(seed: int, shared: Path, per_carrier: int, size: int) -> dict[str, object]:
    recall, missed = measure_recall(seed, per_carrier, held_out=False)
    held, held_missed = measure_recall(seed, per_carrier, held_out=True)
    turns, source = ordinary_turns(shared)
    alarms = false_alarms(turns)
    slowest = sorted(((ms, rule, unit) for rule, (ms, unit) in hostile_ms(size).items()), reverse=True)
    whole_ms, whole_unit = hostile_whole_ms(size)
    return {
        "seed": seed,
        "kinds": len(KINDS),
        "samples": recall["all"].total,
        "recall": {name: round(item.rate, 4) for name, item in recall.items()},
        "held_out_recall": {name: round(item.rate, 4) for name, item in held.items()},
        "extra_chars_mean": round(recall["all"].extra_chars / recall["all"].total, 2),
        "missed_kinds": dict(
            Counter(f"{sample.kind}/{sample.carrier}" for sample in missed + held_missed).most_common()
        ),
        "turns": len(turns),
        "turns_source": source,
        "false_alarms": len(alarms),
        "false_alarms_per_2000": round(2000 * len(alarms) / len(turns), 3),
        "hostile_ms_max": round(slowest[0][0], 1),
        "hostile_slowest": [f"{ms:.0f} ms {rule} on {unit!r}" for ms, rule, unit in slowest[:5]],
        "hostile_all_rules_ms": round(whole_ms, 1),
        "hostile_all_rules_unit": whole_unit,
        "sentence_us": round(sentence_us(), 2),
        "alarms": [f"{span.label}: {text[max(0, span.start - 40) : span.end + 20]!r}" for text, span in alarms],
        "missed": [f"{sample.kind}/{sample.carrier}: {sample.text[:200]!r}" for sample in missed + held_missed],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shared", type=Path, default=Path(__file__).resolve().parents[2] / "shared")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-carrier", type=int, default=4, help="samples of each kind in each carrier")
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of hostile text")
    parser.add_argument("--show", action="store_true", help="print each false alarm and each miss")
    args = parser.parse_args()
    result = report(args.seed, args.shared, args.per_carrier, args.size)
    details = {name: result.pop(name) for name in ("alarms", "missed")}
    if args.json:
        print(json.dumps(result | (details if args.show else {})))
        return 0
    for name, value in result.items():
        print(f"{name:24} {value}")
    if args.show:
        for name, lines in details.items():
            print(f"\n{name}:", *(lines if isinstance(lines, list) else []), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
