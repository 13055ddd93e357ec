"""How much a value looks like a secret, and how much a name looks like it keeps one.

A prefix such as `ghp_` speaks for itself; everything else is a name ("password", "api key")
beside a value, and both must be judged. Names have three tiers: after PASSWORD almost any
value counts, after SECRET it must not be a plain word, after HINT it must look random.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from functools import cache, lru_cache, partial


def lazy(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[], re.Pattern[str]]:
    """An expression compiled when first used: two hundred of them would slow down the start of every command."""
    return cache(partial(re.compile, pattern, flags))


class Weight(IntEnum):
    NOTHING = 0  # a placeholder, a reference, code, a path
    NUMBER = 1
    POOR = 2  # placeholder words with digits, as in "admin123": an example in code, a bad password elsewhere
    WORD = 3  # letters only: a word or an identifier
    PHRASE = 4  # three or more words joined: a pass phrase, or a slug
    WEAK = 5  # letters with digits or signs, too short to be sure
    MEDIUM = 6  # eight characters or more of that
    STRONG = 7  # sixteen or more that nobody would type: random


class Tier(IntEnum):
    NONE = 0
    HINT = 1
    SECRET = 2
    PASSWORD = 3


# Names as they are said and written, lower case. A name of the HINT tier counts only as a whole word.
PASSWORD_NAMES = (
    "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd", "pw", "contraseña", "contrasena",
    "mot de passe", "senha", "wachtwoord", "hasło", "пароль", "lösenord", "adgangskode", "passord", "salasana",
    "heslo", "şifre", "密码", "密碼", "口令", "パスワード", "비밀번호", "mật khẩu", "kata sandi",
)  # fmt: skip
SECRET_NAMES = (
    "secret", "token", "credential", "creds", "geheimnis", "令牌", "密钥", "密鑰", "トークン",
)  # fmt: skip
HINT_NAMES = (
    "key", "auth", "pass", "pat", "sid", "session", "sessionid", "sig", "signature", "jwt", "bearer", "cookie", "otp",
    "clave", "schlüssel", "clé", "appid", "dsn", "code",
)  # fmt: skip
NAME_TIERS = (
    dict.fromkeys(HINT_NAMES, Tier.HINT)
    | dict.fromkeys(SECRET_NAMES, Tier.SECRET)
    | dict.fromkeys(PASSWORD_NAMES, Tier.PASSWORD)
)
# "key" alone may be on a keyboard or in a dictionary; owned by one of these it opens something.
_KEY_OWNERS_WORDS = (
    "api access secret private auth authentication authorization signing signature encryption client service account "
    "master shared storage subscription license licence deploy sdk app application admin webhook ssh consumer "
    "integration project server personal security recovery root live production staging jwt hmac crypto decryption "
    "wallet session"
)
KEY_OWNERS = frozenset(_KEY_OWNERS_WORDS.split())
# `eos_token`, `next_token`, `max_tokens` belong to text models and paging.
_HARMLESS_OWNERS_WORDS = "eos bos pad unk sep cls mask stop special next page prev max min num total start end sync"
HARMLESS_OWNERS = frozenset(_HARMLESS_OWNERS_WORDS.split())
# `SECRET_KEY_BASE`, `API_KEY_PROD`: what may follow the telling word without changing what it says.
NAME_SUFFIXES = (
    "key", "base", "prod", "production", "dev", "staging", "stage", "test", "live", "old", "new", "value", "b64",
    "base64", "primary", "secondary", "plain", "v1", "v2",
)  # fmt: skip

_PLACEHOLDERS_WORDS = (
    "your my the our some any this that new old current test testing tester demo dummy fake sample example "
    "placeholder secret secure secured super strong weak wrong correct incorrect valid invalid bad good plain "
    "hashed hash encrypted random default change changeme changeit me replace insert enter put add set paste goes "
    "here please pass password passwd passphrase passwort passcode pwd key keys api app application token tokens "
    "access refresh auth bearer client server service jwt user username users admin root guest login db database "
    "mysql postgres postgresql mongo mongodb redis aws openai github gitlab google weather openweather "
    "openweathermap stripe maps map id name value string str text type field confirm confirmation required "
    "optional none null nil undefined true false empty hidden redacted masked removed abc abcd abcdef xyz foo bar "
    "baz qwerty todo tbd and or of for to with in is not a an very long private public session flask django "
    "config env var variable dev prod production staging local localhost existing known generated provided actual "
    "real same other another john jane doe alice bob hello world email mail input output data bcrypt argon sha md "
    "hex base encoded account from firebase twilio slack discord telegram bot news shared signing webhook "
    "encryption custom unique mock stub short temp temporary initial first credentials credential creds code min "
    "max number int bool boolean object varchar char csrf wtf hmac oauth cookie"
)
_PLACEHOLDERS = _PLACEHOLDERS_WORDS.split()
_PLACEHOLDER = re.compile(
    r"(?>(?:" + "|".join(sorted(_PLACEHOLDERS, key=len, reverse=True)) + r")|x{2,}|[\W_]+|\d{1,4})++\Z", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"\$(?:[{(]|[A-Z][A-Z0-9_]*\Z|[a-z][a-z_]*\Z)|[<{]|%[({]|%[A-Z_]+%|\[[a-z ]|(?:https?|file|s3|gs)://|vault:|ref\+|![A-Z][a-z]"
)
_CODE = re.compile(r"[A-Za-z_$]{2,}(?:(?:\.|->|::)[A-Za-z_]+)*[(\[{]|[A-Za-z_]+(?:\.[A-Za-z_]+)+\Z")
_PATH = re.compile(
    r"(?:\.{1,2}|~)?/[\w.\-]+(?:/[\w.\-]*)+\Z|/[a-z][a-z\-]*\Z|[A-Za-z]:\\|[\w\-]+\.(?:json|ya?ml|txt|pem|key|env|py|js|ts|crt)\Z"
)
_QUANTITY = re.compile(
    r"[~<>]?\d+(?:[.,:/x\-–]\d+)*(?:[A-Za-z%+°]{0,4}|-?(?:bits?|bytes?|chars?|characters?|digits?|days?|hours?|minutes?))\Z"
)
_JOINED_WORDS = re.compile(r"[A-Za-z]{2,12}(?:([-_.])[A-Za-z]{2,12})(?:\1[A-Za-z]{2,12})+\Z")
_DESCRIBES = re.compile(
    r"(?:ed|ing|able|ible|only|sensitive|based|free|proof|like|ly|safe|specific|friendly|less|wide|readable|of|the)\Z",
    re.IGNORECASE,
)
# A capitalised word is one run: identifiers are made of them.
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|([0-9]+)")
_HEX = re.compile(r"(?:[0-9a-f]+|[0-9A-F]+)\Z")


@lru_cache(maxsize=4096)
def weigh(value: str, quoted: bool = False, /) -> Weight:
    """What `value` looks like on its own; `quoted` says it cannot be an expression of some language."""
    core = value.rstrip("!?.,;:*")
    if len(core) < 3 or _REFERENCE.match(value):
        return Weight.NOTHING
    if core.isdecimal():
        return Weight.NUMBER
    random = len(core) >= 16 and looks_random(core)
    if not random and (_QUANTITY.match(core) or _PATH.match(core)):
        return Weight.NOTHING
    if not random and _PLACEHOLDER.match(core):
        return Weight.POOR if core[-1].isdecimal() and core.isalnum() else Weight.NOTHING
    if core.isalpha():
        return _weigh_letters(core, random)
    if _JOINED_WORDS.match(core):
        return Weight.WORD if _DESCRIBES.search(core) else Weight.PHRASE
    if not quoted and not random and _CODE.match(value):
        return Weight.NOTHING
    if not any(c.isdecimal() for c in core) and not _RUNS.sub("", core).strip("-/'’.,_:;|()[]{}\"`<>"):
        # "and/or", "n/a", "case-sensitive": words joined by ordinary punctuation
        return Weight.STRONG if random else Weight.WORD
    if random:
        return Weight.STRONG
    return Weight.MEDIUM if len(core) >= 8 else Weight.WEAK if len(core) >= 4 else Weight.NOTHING


def _weigh_letters(core: str, random: bool) -> Weight:
    if random:
        return Weight.STRONG
    if len(core) >= 8 and core.isascii() and len(_RUNS.findall(core)) / len(core) >= 0.4:
        return Weight.MEDIUM
    return Weight.WORD


def looks_random(value: str) -> bool:
    """Whether letters and digits change places as often as chance would have it.

    Words, identifiers, dates and slugs keep their classes in runs; keys do not. Shannon entropy was
    tried first: at 20 characters it cannot tell `getUserAccessToken22` from a key.
    """
    core = "".join(c for c in value if c.isascii() and c.isalnum())
    distinct = len(set(core))
    if len(core) < 12 or distinct < 8:
        return False
    if _HEX.match(core):
        return len(core) >= 20 and len(_RUNS.findall(core)) >= len(core) / 5
    runs = _RUNS.findall(core)
    density = len(runs) / len(core)
    digit_runs = sum(1 for digits in runs if digits)
    if digit_runs and len(core) >= 24 and value.isalnum() and density >= 0.22:
        return True  # no identifier runs on that long without a separator
    return density >= 0.34 or (density >= 0.25 and digit_runs >= 2) or (density >= 0.3 and digit_runs >= 1)


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME_PARTS = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def name_tier(name: str) -> Tier:
    """The tier of a field name in any spelling: `apiKey`, `API_KEY`, `api-key`, `db.password.prod`."""
    parts = _NAME_PARTS.findall(_CAMEL.sub("_", name).lower())
    while len(parts) > 1 and (parts[-1].isdecimal() or (parts[-1] in NAME_SUFFIXES and parts[-1] != "key")):
        parts.pop()
    if not parts:
        return Tier.NONE
    tail, owner = parts[-1], parts[-2] if len(parts) > 1 else ""
    if owner in HARMLESS_OWNERS:
        return Tier.NONE
    if (
        tail.rstrip("s") in PASSWORD_NAMES
        or tail.endswith(("password", "passwd", "passphrase"))
        or tail in ("pass", "pin")
    ):
        return Tier.PASSWORD
    if tail in ("secrets", "credentials", "apikeys", "authorization", "cookie", "jwt", "bearer"):
        return Tier.SECRET
    if tail in SECRET_NAMES or tail.endswith(("secret", "token", "apikey")):
        return Tier.SECRET
    if tail in ("key", "keys") and owner in KEY_OWNERS:
        return Tier.SECRET
    return NAME_TIERS.get(tail, Tier.NONE)


def is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.match(value) is not None
