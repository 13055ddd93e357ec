"""The sentences of fitting/sensitive, one file a language, with made-up numbers of the right form filled in, and the
turns of people that turns.ids labels."""

import json
import random
import re
import string
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("sensitive")
_PLACE = re.compile(r"\{(\w+)\}")
Made = Callable[[random.Random], str]


@dataclass(frozen=True)
class Told:
    language: str
    text: str
    kinds: frozenset[str]
    """empty: nothing in it is sensitive"""


def cases(folder: Path) -> list[Told]:
    """`folder`: where worth-train.jsonl is."""
    found = _turns(folder / "worth-train.jsonl")
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                kinds, _, text = line.partition(": ")
                held = frozenset() if kinds == "-" else frozenset(kinds.split(","))
                found.append(Told(path.stem.partition("-")[0], filled(text), held))
    return found


def _turns(path: Path) -> list[Told]:
    said = {
        f"{conversation['id']}/{turn['id']}": (conversation["language"], turn["text"])
        for conversation in map(json.loads, path.read_text("utf-8").splitlines())
        for turn in conversation["turns"]
    }
    lines = [line.partition(": ") for line in (FOLDER / "turns.ids").read_text("utf-8").splitlines()]
    return [
        Told(*said[name], frozenset() if kinds == "-" else frozenset(kinds.split(",")))
        for kinds, _, names in lines
        if not kinds.startswith("#")
        for name in names.split()
    ]


def filled(text: str) -> str:
    """The same text gets the same numbers."""
    chance = random.Random(zlib.crc32(text.encode()))
    return _PLACE.sub(lambda place: MAKERS[place[1]](chance) if place[1] in MAKERS else _digits(place[1], chance), text)


def _digits(name: str, chance: random.Random) -> str:
    return _of(chance, string.digits, int(name[1:]))


def _of(chance: random.Random, letters: str, count: int) -> str:
    return "".join(chance.choice(letters) for _ in range(count))


def _d(chance: random.Random, count: int) -> str:
    return chance.choice("123456789") + _of(chance, string.digits, count - 1)


def _iban(country: str, form: str) -> Made:
    def made(chance: random.Random) -> str:
        body = "".join(_of(chance, string.ascii_uppercase if c == "A" else string.digits, 1) for c in form)
        check = 98 - int("".join(str(int(c, 36)) for c in f"{body}{country}00")) % 97
        whole = f"{country}{check:02d}{body}"
        return " ".join(whole[n : n + 4] for n in range(0, len(whole), 4))

    return made


def _card(chance: random.Random) -> str:
    body = "4" + _of(chance, string.digits, 14)
    doubled = sum(sum(divmod(2 * int(c), 10)) if n % 2 == 0 else int(c) for n, c in enumerate(body))
    whole = f"{body}{-doubled % 10}"
    return " ".join(whole[n : n + 4] for n in range(0, 16, 4))


def _dni(chance: random.Random) -> str:
    number = _d(chance, 8)
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def _nir(chance: random.Random) -> str:
    body = (
        f"{chance.choice('12')}{_d(chance, 2)}{chance.randint(1, 12):02d}{_d(chance, 2)}{_d(chance, 3)}{_d(chance, 3)}"
    )
    whole = f"{body}{97 - int(body) % 97:02d}"
    return f"{whole[0]} {whole[1:3]} {whole[3:5]} {whole[5:7]} {whole[7:10]} {whole[10:13]} {whole[13:]}"


def _born(chance: random.Random) -> str:
    return f"{chance.randint(50, 99)}{chance.randint(1, 12):02d}{chance.randint(1, 28):02d}"


def _phone(form: str) -> Made:
    return lambda chance: "".join(_of(chance, string.digits, 1) if c == "0" else c for c in form).replace("x", "0")


MAKERS: dict[str, Made] = {
    "passport": lambda c: _of(c, string.ascii_uppercase, c.choice((1, 2))) + _of(c, string.digits, 7),
    "ssn": lambda c: f"{c.randint(100, 665)}-{c.randint(10, 99)}-{c.randint(1000, 9999)}",
    "nino": lambda c: f"QQ {_d(c, 2)} {_d(c, 2)} {_d(c, 2)} C",
    "licence": lambda c: _of(c, string.ascii_uppercase, 5) + _of(c, string.digits, 6),
    "iban": _iban("GB", "AAAA00000000000000"),
    "iban_de": _iban("DE", "0" * 18),
    "iban_fr": _iban("FR", "0" * 23),
    "iban_es": _iban("ES", "0" * 20),
    "iban_it": _iban("IT", "A" + "0" * 22),
    "iban_pt": _iban("PT", "0" * 21),
    "iban_nl": _iban("NL", "AAAA" + "0" * 10),
    "iban_pl": _iban("PL", "0" * 24),
    "iban_cz": _iban("CZ", "0" * 20),
    "card": _card,
    "card_cn": lambda c: "62" + _of(c, string.digits, 17),
    "nhs": lambda c: f"{_d(c, 3)} {_d(c, 3)} {_d(c, 4)}",
    "medicare": lambda c: f"{_d(c, 1)}EG{_d(c, 1)}-TE{_d(c, 1)}-MK{_d(c, 2)}",
    "svnr": lambda c: f"{_d(c, 2)} {_born(c)} {_of(c, string.ascii_uppercase, 1)} {_d(c, 3)}",
    "nir": _nir,
    "dni": _dni,
    "nie": lambda c: f"X{_d(c, 7)}{c.choice('TRWAGMYF')}",
    "codice": lambda c: (
        f"{_of(c, 'BCDFGLMNPRST', 6)}{_d(c, 2)}{c.choice('ABCDEHLMPRST')}{c.randint(10, 28)}H501{c.choice('ABCDEFGH')}"
    ),
    "cpf": lambda c: f"{_d(c, 3)}.{_d(c, 3)}.{_d(c, 3)}-{_d(c, 2)}",
    "bsn": lambda c: _d(c, 9),
    "cn": lambda c: f"{_d(c, 6)}19{_born(c)}{_d(c, 4)}",
    "mynumber": lambda c: _d(c, 12),
    "rrn": lambda c: f"{_born(c)}-{c.choice('12')}{_d(c, 6)}",
    "pesel": lambda c: f"{_born(c)}{_d(c, 5)}",
    "dowod": lambda c: f"{_of(c, string.ascii_uppercase, 3)} {_d(c, 6)}",
    "rc": lambda c: f"{_born(c)}/{_d(c, 4)}",
    "track": lambda c: f"1Z{_of(c, string.ascii_uppercase + string.digits, 16)}",
    "hex": lambda c: _of(c, "0123456789abcdef", 10),
    "phone": _phone("555-0100-xx0"),
    "phone_de": _phone("x151 00000000"),
    "phone_fr": _phone("x6 00 00 00 00"),
    "phone_es": _phone("6x0 000 000"),
    "phone_it": _phone("3x0 0000000"),
    "phone_pt": _phone("9x0 000 000"),
    "phone_nl": _phone("x6-00000000"),
    "phone_cn": _phone("13000000000"),
    "phone_jp": _phone("x9x-0000-0000"),
    "phone_kr": _phone("x1x-0000-0000"),
    "phone_pl": _phone("6x0 000 000"),
    "phone_cz": _phone("7x0 000 000"),
}
