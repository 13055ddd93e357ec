"""Structured personal data: what it looks like, and the check digits that prove it.

Personal data is labelled so that a sensitivity decision can be made; it is masked only where
a policy says so. A number without a valid check digit is left alone: order numbers are common.
"""

from collections.abc import Callable

_EMAIL = r"[A-Za-z0-9_.+%-](?<![\w.+%-].)[A-Za-z0-9_.+%-]{0,63}+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
_CARD = r"\d(?<![\w.+-].)(?:[ -]?\d){12,18}(?![\w-]|\.\d)"
_IBAN = r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?(?![A-Za-z0-9])"
_PHONE = (
    r"[+(0-9](?<![\w.+-].)(?:(?<=\+)\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}"
    r"|(?:(?<=\()\d|(?<=\d))\d{2}\)?[ .-]\d{3}[ .-]\d{4}|(?<=0)\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5})(?![\w-]|\.\d)"
)
_SSN = r"[0-8](?<![\w-].)\d\d(?<!000|666)-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"
_NINO = (
    r"[A-CEGHJ-PR-TW-Z](?<![A-Za-z0-9].)[A-CEGHJ-NPR-TW-Z](?<!BG|GB|NK|KN|TN|NT|ZZ)"
    r" ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])"
)
_DNI = r"[XYZ0-9](?<![A-Za-z0-9].)\d{7}-?[A-HJ-NP-TV-Z](?![A-Za-z0-9])"
_CODICE = r"[A-Z](?<![A-Za-z0-9].)[A-Z]{5}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])"
_NIR = r"[12](?<![\w-].) ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}(?![\w-])"
_CPF = r"\d(?<![\w.-].)\d\d\.\d{3}\.\d{3}-\d{2}(?![\w-])"
_RESIDENT = (
    r"[1-9](?<![A-Za-z0-9].)\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![A-Za-z0-9])"
)
_IPV4 = r"\d(?<![\w.]\d)\d{0,2}+(?:\.\d{1,3}+){3}(?!\w|\.\d)"
_IPV6 = r"[0-9A-Fa-f:](?<![\w:.].)(?:(?<=:)(?=:)|(?=[0-9A-Fa-f]{0,3}:[0-9A-Fa-f]{0,4}:))[0-9A-Fa-f:]{2,38}+(?![\w:])"


def _digits(value: str) -> list[int]:
    return [int(c) for c in value if c.isdecimal()]


def is_luhn(value: str) -> bool:
    digits = _digits(value)
    total = sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and total % 10 == 0


def is_iban(value: str) -> bool:
    plain = value.replace(" ", "")
    return 15 <= len(plain) <= 34 and int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _is_dni(value: str) -> bool:
    plain = value.replace("-", "")
    number = int(plain[:-1].translate({ord("X"): "0", ord("Y"): "1", ord("Z"): "2"}))
    return plain[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]


def _is_nir(value: str) -> bool:
    plain = value.replace(" ", "").replace("2A", "19").replace("2B", "18")
    return len(plain) == 15 and plain.isdecimal() and 97 - int(plain[:13]) % 97 == int(plain[13:])


def _is_cpf(value: str) -> bool:
    digits = _digits(value)
    for size in (9, 10):
        total = sum(digit * weight for digit, weight in zip(digits, range(size + 1, 1, -1), strict=False))
        if total * 10 % 11 % 10 != digits[size]:
            return False
    return len(set(digits)) > 1


def _is_resident(value: str) -> bool:
    total = sum(int(c) * pow(2, 17 - i, 11) for i, c in enumerate(value[:17]))
    return "10X98765432"[total % 11] == value[17].upper()


def _is_card(value: str) -> bool:
    return value[0] in "23456" and is_luhn(value)


def _is_ipv4(value: str) -> bool:
    return all(int(part) <= 255 for part in value.split("."))


def _is_ipv6(value: str) -> bool:
    """Times (`12:30:00`) and bare `::` have the letters of an address but not its shape."""
    groups = value.split(":")
    if any(len(group) > 4 for group in groups) or not value.strip(":"):
        return False
    return len(groups) == 8 and "" not in groups if "::" not in value else value.count("::") == 1 and len(groups) <= 8


_ALWAYS: Callable[[str], bool] = bool
# In order of certainty: where two overlap, the first one keeps its label.
PERSONAL: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("pii.email", _EMAIL, _ALWAYS),
    ("pii.iban", _IBAN, is_iban),
    ("pii.national_id", _RESIDENT, _is_resident),
    ("pii.national_id", _NIR, _is_nir),
    ("pii.card", _CARD, _is_card),
    ("pii.national_id", _SSN, _ALWAYS),
    ("pii.national_id", _NINO, _ALWAYS),
    ("pii.national_id", _DNI, _is_dni),
    ("pii.national_id", _CODICE, _ALWAYS),
    ("pii.national_id", _CPF, _is_cpf),
    ("pii.ip_address", _IPV4, _is_ipv4),
    ("pii.ip_address", _IPV6, _is_ipv6),
    ("pii.phone", _PHONE, _ALWAYS),
)
