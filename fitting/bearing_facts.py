"""Third-person facts of made-up people, places and things, some changed later, and questions about them.

Conversations are about one person's world; a memory may as well hold what somebody reads about the wide one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bearing_cases import seeded
from common import Case

_FIRST = (
    "Ada Bruno Carla Deniz Edgar Farida Goran Hanna Ivo Jorun Kofi Leila Marek Nadia Otto Pilar Quirin Rosa Sven Tuva"
)
_LAST = (
    "Abel Brandt Castro Dvorak Eriksen Fontana Gruber Horvat Ibsen Jansen Keller Lindqvist Moreau Novak Okoye Petrov"
)
_MADE = ("Bel", "Cor", "Dan", "Est", "Fal", "Gor", "Hal", "Isk", "Jur", "Kal", "Lor", "Mar", "Nor", "Osk", "Pel", "Rav")
_TAILS = ("dale", "mont", "stad", "via", "burg", "ova", "ara", "ington", "land", "ia", "os", "heim", "worth", "una")
_WORKS = "The Silver Harbour|A Winter Letter|Stone and Salt|The Last Orchard|Nine Bridges|Cold Lantern|Red Meridian"
_TRADES = "baker|surgeon|notary|pilot|glassblower|cellist|judge|diver|beekeeper|goalkeeper|translator|carpenter"
_SPORTS = "handball|rowing|fencing|curling|water polo|archery|judo|badminton"
_TONGUES = "Basque|Tamil|Swahili|Danish|Latvian|Welsh|Malay|Georgian"


def _relations() -> list[tuple[str, str, list[str], list[str]]]:
    blocks = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")[1:]
    found = []
    for block in blocks:
        head, *lines = block.strip().splitlines()
        of, value = head.split()
        says, asks = ([line[2:] for line in lines if line.startswith(mark)] for mark in "=?")
        found.append((of, value, says, asks))
    return found


_SAID = _relations()


def _world(dice: Any) -> dict[str, list[str]]:
    people = [f"{a} {b}" for a in _FIRST.split() for b in _LAST.split()]
    made = [a + b for a in _MADE for b in _TAILS]
    dice.shuffle(people)
    dice.shuffle(made)
    firms = [
        f"{name} {end}" for name, end in zip(made[:25], ("Motors", "Press", "Foods", "Bank", "Labs") * 5, strict=True)
    ]
    return {
        "person": people[:80],
        "place": made[30:75],
        "country": [name + end for name, end in zip(made[80:105], ("", " Islands", "", "", "") * 5, strict=True)],
        "firm": firms,
        "work": _WORKS.split("|"),
        "trade": _TRADES.split("|"),
        "sport": _SPORTS.split("|"),
        "tongue": _TONGUES.split("|"),
    }


def fact_cases(count: int, unasked: Sequence[str], size: tuple[int, int] = (40, 420), seed: str = "fit") -> list[Case]:
    """Sets in the format of the cases, each a memory of its own; `unasked`: questions that nothing here bears on."""
    made = []
    for n in range(count):
        dice = seeded(seed, n)
        world = _world(dice)
        turns: list[dict[str, Any]] = []
        stated: dict[tuple[str, int], tuple[str, str | None]] = {}
        for serial in range(dice.randint(*size)):
            which = dice.randrange(len(_SAID))
            known = [key for key in stated if key[1] == which and stated[key][1] is None]
            of, value, says, _ = _SAID[which]
            again = bool(known) and dice.random() < 0.45
            x = dice.choice(known)[0] if again else dice.choice(world[of])
            if not again and (x, which) in stated:
                continue
            y = dice.choice([v for v in world[value] if v != x])
            old = stated.get((x, which))
            text = dice.choice(says).format(x=x, y=y)
            turns.append(
                {"id": f"t{serial}", "role": "user", "text": text, "keep": "fact", "replaces": [old[0]] if old else []}
            )
            stated[x, which] = (f"t{serial}", old[0] if old else None)
        questions = []
        for (x, which), (turn, old_turn) in dice.sample(sorted(stated.items()), min(24, len(stated))):
            text = dice.choice(_SAID[which][3]).format(x=x)
            questions.append({"text": text, "relevant": [turn], "stale": [old_turn] if old_turn else []})
        for which in dice.sample(range(len(_SAID)), 8):
            x = dice.choice([x for x in world[_SAID[which][0]] if (x, which) not in stated] or ["Zeno Quist"])
            questions.append({"text": dice.choice(_SAID[which][3]).format(x=x), "relevant": [], "stale": []})
        questions += [{"text": text, "relevant": [], "stale": []} for text in dice.sample(list(unasked), 8)]
        made.append(
            {"id": f"{seed}-facts-{n}", "language": "en", "kind": "facts", "turns": turns, "questions": questions}
        )
    return made
