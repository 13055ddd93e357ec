"""Which addresses are of the public web: everything that is not plainly so is refused.

Written out, since the tables of `ipaddress` differ between releases of Python. Of IPv6 only global unicast counts, and
of that no form that carries an IPv4 address inside: those are ways around the first table.
"""

import ipaddress
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_PUBLIC_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # shared by providers; the metadata of some clouds
            "127.0.0.0/8",
            "168.63.129.16/32",  # a cloud's own services, though it looks public
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",  # multicast, reserved, broadcast
        ),
    )
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # Teredo, ORCHID, benchmarks
            "2001:db8::/32",
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)


def is_public(address: Address) -> bool:
    """Whether a page may be fetched from there."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in network for network in _NOT_PUBLIC_V4)
    return (
        address.scope_id is None
        and address in _GLOBAL_V6
        and address.is_global
        and not any(address in network for network in _NOT_PUBLIC_V6)
    )
