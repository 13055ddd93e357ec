"""Which browsers' pages may talk to us. A name that an attacker points at 127.0.0.1 is still the attacker's name.

Host must be ours, and so must Origin if there is one: otherwise any web page could speak to a daemon on loopback.
"""

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from palyra.core.errors import PermissionDenied

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class HostCheck:
    def __init__(self, names: frozenset[str]) -> None:
        self._names = LOOPBACK_NAMES | {name.lower() for name in names}

    def check(self, http: HTTPConnection) -> None:
        hosts = http.headers.getlist("host")
        if len(hosts) != 1 or _name(f"//{hosts[0]}") not in self._names:
            raise PermissionDenied(
                f"host {', '.join(hosts)[:128]!r} is not one of ours",
                hint="use 127.0.0.1, or list the name in daemon.allowed_hosts",
            )
        for origin in http.headers.getlist("origin"):
            if _name(origin) not in self._names:
                raise PermissionDenied(
                    f"pages of {origin[:128]!r} may not call this daemon",
                    hint="open the console at its own address, or list the name in daemon.allowed_hosts",
                )


def _name(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises when it is none
    except ValueError:
        return None
    return parts.hostname if not parts.username else None
