"""Secrets given away by the form that carries them: headers, cookies, URLs, command lines."""

import base64
import binascii
import re
from collections.abc import Iterator

from palyra.core.redact_context import CUT, Found, trim
from palyra.core.redact_values import Weight, lazy, looks_random, weigh

LABELS = frozenset(
    f"secret.{tail}" for tail in ["bearer", "basic", "authorization", "cookie", "url_password", "password", "token"]
)

_CREDENTIAL_CHAR = rf"[^\s\"'`,;\\<>{CUT}]"
_CREDENTIAL = rf"(?=(?P<v>{_CREDENTIAL_CHAR}{{4,128}}+))"
_CREDENTIAL_REST = re.compile(f"{_CREDENTIAL_CHAR}*+")
_AUTHORIZATION = lazy(
    r"authorization\\{0,7}[\"'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[furb]{0,2}\\{0,7}[\"'`]?"
    rf"(?:(?P<scheme>[a-z][a-z0-9\-]{{1,24}})[ \t]{{1,4}})?{_CREDENTIAL}"
)
_BEARER = lazy(rf"bearer(?<![a-z]bearer)[ \t]{{1,4}}{_CREDENTIAL}")
_BASIC = lazy(r"basic(?<![a-z]basic)[ \t]{1,4}(?=(?P<v>[a-z0-9+/]{8,512}+={0,2}))")


def authorization(text: str, low: str) -> Iterator[Found]:
    """`Authorization: Bearer …`, `Authorization: …`, a bearer or basic credential anywhere."""
    done = 0
    for match in _AUTHORIZATION().finditer(low):
        start, end = match.span("v")
        scheme = match["scheme"]
        if start >= done and weigh(text[start:end], True) >= (Weight.PHRASE if scheme else Weight.MEDIUM):
            label = f"secret.{scheme}" if scheme in ("bearer", "basic") else "secret.authorization"
            done = _credential_end(text, start)
            yield start, done, label
    done = 0
    for match in _BEARER().finditer(low):
        start, end = match.span("v")
        value = text[start:end]
        if start >= done and weigh(value) >= Weight.MEDIUM and any(c.isdecimal() for c in value):
            done = _credential_end(text, start)
            yield start, done, "secret.bearer"
    for match in _BASIC().finditer(low):
        start, end = match.span("v")
        if _is_basic_pair(text[start:end]):
            yield start, end, "secret.basic"


def _credential_end(text: str, start: int) -> int:
    rest = _CREDENTIAL_REST.match(text, start)
    return trim(text, start, rest.end()) if rest else start


def _is_basic_pair(value: str) -> bool:
    try:
        raw = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in raw and all(32 <= byte < 127 for byte in raw)


_COOKIE_HEADER = lazy(
    r"cookie(?<![a-z]cookie)\\{0,7}[\"'`]?\]?[ \t]{0,4}(?:[:=,][ \t]{0,4}|[ ])\\{0,7}[\"'`]?"
    rf"(?P<v>[\w.\-]{{1,64}}=[^\r\n\"'`{CUT}]{{1,8192}}+)",
    re.ASCII,
)
_COOKIE_PAIR = lazy(rf"(?<![\w.\-])([\w.\-]{{1,64}})=([^;\s,\\{CUT}]{{6,4096}}+)", re.ASCII)
_COOKIE_ATTRIBUTES_WORDS = "path domain expires max-age samesite version priority theme lang locale"
_COOKIE_ATTRIBUTES = frozenset(_COOKIE_ATTRIBUTES_WORDS.split())


def cookies(text: str, low: str) -> Iterator[Found]:
    """The values of a Cookie or Set-Cookie header; its attributes stay readable."""
    for header in _COOKIE_HEADER().finditer(low):
        for pair in _COOKIE_PAIR().finditer(text, *header.span("v")):
            if pair[1].lower() not in _COOKIE_ATTRIBUTES and weigh(pair[2], True) >= Weight.PHRASE:
                yield pair.start(2), pair.end(2), "secret.cookie"


_USER_INFO = lazy(
    rf"://(?P<user>[^\s:/@?#\"'`<>{CUT}]{{0,512}}+)(?::(?P<s>[^\s/?#\"'`<>{CUT}]{{1,512}}))?@(?=[\w\[\-{{$])", re.ASCII
)
# Database clients take passwords with "/", "#" and "?" unescaped: the host tells where one ends.
_DATABASE_USER_INFO = lazy(
    rf"(?:sql|gres|db|dis|diss|amqp|amqps|ftp|ftps|smtp|smtps|ldap|ldaps|nats|server)(?:\+[a-z0-9]{{1,16}})?://"
    rf"(?P<user>[^\s:/@\"'`<>{CUT}]{{0,128}}+):(?P<s>[^\s\"'`<>{CUT}]{{1,256}}?)@"
    r"(?=[\w.\-]{1,255}+(?::\d{1,5})?(?:[,/?\s\"'`]|\Z))",
    re.ASCII,
)


def user_info(text: str, low: str) -> Iterator[Found]:
    """The password in `scheme://user:password@host`; a lone user only when it is random."""
    for match in _DATABASE_USER_INFO().finditer(low):
        if _is_password(match["s"], match["user"]):
            yield *match.span("s"), "secret.url_password"
    for match in _USER_INFO().finditer(text):
        if match["s"] is not None:
            if _is_password(match["s"], match["user"]):
                yield *match.span("s"), "secret.url_password"
        elif len(match["user"]) >= 16 and looks_random(match["user"]):
            yield *match.span("user"), "secret.url_password"


_STANDS_FOR = re.compile(r"[<{\[*%]|\$[{(A-Z]|x{3,}\Z")


def _is_password(value: str, user: str = "") -> bool:
    """Anything in that place is a password, but for templates and the `user:password@` of manuals."""
    if user in ("user", "username") and value in ("password", "passwd", "pass"):
        return False
    return not _STANDS_FOR.match(value)


_FLAG = lazy(
    r"-(?<![\w\-]-)-?(?:[a-z0-9]{1,20}-){0,3}"
    r"(?:(?P<p>password|passwd|passphrase|pass|pwd)|token|secret|key|apikey|pat|auth|credentials)"
    rf"[ ]{{1,4}}(?![-$<{{])(?P<q>[\"']?)(?=(?P<v>[^\s\"'`{CUT}]{{4,512}}+))",
    re.ASCII,
)
_USER_FLAG = re.compile(
    r"-(?:u|-user|-userpwd|-proxy-user)[ =]?[\"']?[\w.@+\-]{1,64}+:(?=(?P<v>[^\s\"'`" + CUT + r"]{3,256}+))", re.ASCII
)
# `mysql -psecret`, `redis-cli -a secret`: one letter means a password to these programs only.
_CLIENT_FLAG = re.compile(
    r"(?:(?:mysql|mariadb)[a-z]{0,8}(?:[ ][^\s|;&]{1,40}+){0,8}?[ ]-p|redis-cli(?:[ ][^\s|;&]{1,40}+){0,8}?[ ]-a[ ])"
    rf"[\"']?(?=(?P<v>[^\s\"'`{CUT}]{{4,256}}+))"
)
_SSHPASS = re.compile(rf"sshpass[ ]-p[ ]?[\"']?(?=(?P<v>[^\s\"'`{CUT}]{{3,256}}+))")


def flags(text: str, low: str) -> Iterator[Found]:
    """`--password hunter2`, `curl -u ana:…`, `sshpass -p …`."""
    for match in _FLAG().finditer(low):
        start, end = match.span("v")
        weight = weigh(text[start:end], match["q"] != "")
        if match["p"] is not None:
            if weight >= Weight.PHRASE:
                yield start, end, "secret.password"
        elif weight >= Weight.PHRASE and end - start >= 8:
            yield start, end, "secret.token"
    for pattern in (_USER_FLAG, _CLIENT_FLAG, _SSHPASS):
        for match in pattern.finditer(low):
            start, end = match.span("v")
            if weigh(text[start:end], True) >= Weight.PHRASE:
                yield start, end, "secret.password"
