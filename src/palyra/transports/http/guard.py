"""Which browsers' pages may talk to us. A name that an attacker points at 127.0.0.1 is still the attacker's name.

Host must be ours, and so must Origin if there is one: otherwise any web page could speak to a daemon on loopback. On
loopback that means the very same address: whatever else a person runs there, on another port, is not the console.
"""

import re
from typing import TypeAlias

from starlette.requests import HTTPConnection

from palyra.core.errors import PermissionDenied

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

Authority: TypeAlias = tuple[str, int | None]

_AUTHORITY = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HostCheck:
    def __init__(self, names: frozenset[str]) -> None:
        self._others = frozenset(name.lower() for name in names)
        self._names = LOOPBACK_NAMES | self._others

    def check(self, http: HTTPConnection) -> None:
        hosts = http.headers.getlist("host")
        host = _authority(hosts[0]) if len(hosts) == 1 else None
        if host is None or host[0] not in self._names:
            raise PermissionDenied(
                f"host {', '.join(hosts)[:128]!r} is not one of ours",
                hint="use 127.0.0.1, or list the name in daemon.allowed_hosts",
            )
        for origin in http.headers.getlist("origin"):
            if not self._is_ours(origin, host):
                raise PermissionDenied(
                    f"pages of {origin[:128]!r} may not call this daemon",
                    hint="open the console at its own address, or list the name in daemon.allowed_hosts",
                )

    def _is_ours(self, origin: str, host: Authority) -> bool:
        scheme, _, rest = origin.partition("://")
        page = _authority(rest)
        if page is None or scheme not in _DEFAULT_PORTS:
            return False
        if page[0] in self._others:
            return True
        port = _DEFAULT_PORTS[scheme]
        return (page[0], page[1] or port) == (host[0], host[1] or port)


def _authority(text: str) -> Authority | None:
    """Name and port, if it is nothing but these."""
    match = _AUTHORITY.fullmatch(text.lower())
    if match is None:
        return None
    port = None if match[2] is None else int(match[2])
    return None if port is not None and port > 65_535 else (match[1].strip("[]"), port)
