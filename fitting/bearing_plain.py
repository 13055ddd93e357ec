"""Small memories of plain sentences, and what people ask when they try a memory out: some of it told, some not."""

from pathlib import Path

from bearing_cases import seeded
from common import Case
from reading_cases import plain_sentences

QUESTIONS = Path(__file__).with_name("plain_questions.txt")
SIZES = (1, 1, 2, 3, 4, 6, 9, 14)


def plain_memories() -> list[Case]:
    told = [(language, kind, text) for language, kind, text in plain_sentences() if kind != "none"]
    asked: list[tuple[str, str, str]] = []
    language = ""
    for line in QUESTIONS.read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            question, _, text = line.partition(" =")
            asked.append((language, question, text.strip()))
    found: list[Case] = []
    for language in dict.fromkeys(one[0] for one in told):
        own = [(kind, text) for of, kind, text in told if of == language]
        for n, size in enumerate(SIZES * 3):
            kept = seeded(language, n, "plain").sample(own, min(size, len(own)))
            ids = {text: f"t{m}" for m, (_, text) in enumerate(kept)}
            turns = [{"id": ids[text], "role": "user", "text": text, "keep": kind} for kind, text in kept]
            questions = [
                {"id": f"q{m}", "text": question, "relevant": [ids[text]] if text in ids else []}
                for m, (of, question, text) in enumerate(asked)
                if of == language and (text in ids or seeded(language, n, question).random() < 0.15)
            ]
            case = {"id": f"plain-{language}-{n}", "language": language, "kind": "plain"}
            found.append({**case, "turns": turns, "questions": questions})
    return found
