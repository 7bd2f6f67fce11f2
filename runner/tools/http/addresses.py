"""Which addresses may be reached: public ones, and others only where the author or the project says so.

Networks are those of the IANA special-purpose registries; a newer Python knows more of them than an older one, so the
ones that matter are listed here.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from runner.tools.http.failures import RefusedAddressError

IPAddress = IPv4Address | IPv6Address

_METADATA = frozenset(
    ipaddress.ip_address(each)
    # AWS over IPv6, Alibaba, Azure, Oracle; the others use link-local addresses.
    for each in ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")
)
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(each)
    for each in (
        *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
        *("64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7"),
        *("fec0::/10", "ff00::/8"),
    )
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")
# Reached without asking DNS, which might say something else (RFC 6761).
LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True, slots=True)
class Hosts:
    """The `http_hosts` of a project: `host`, `host:port` or `*.host`, which are reached wherever they are."""

    patterns: tuple[str, ...] = ()

    def lists(self, host: str, port: int) -> bool:
        """Whether a host, as `bare` gives it, is listed."""
        return any(_matches(pattern.strip().lower(), host, port) for pattern in self.patterns)


def _matches(pattern: str, host: str, port: int) -> bool:
    name, port_text = _split_port(pattern)
    if port_text and port_text != str(port):
        return False
    if name.startswith("*."):
        return host.endswith(bare(name[1:])) and host != bare(name[1:])
    return bare(name) == host


def _split_port(pattern: str) -> tuple[str, str]:
    name, colon, port = pattern.rpartition(":")
    if colon and port.isdigit() and (":" not in name or name.endswith("]")):
        return name, port
    return pattern, ""


def bare(host: str) -> str:
    """A host as it is compared: lower case, in ASCII, without brackets and the dot at the end."""
    host = host.strip("[]").lower().removesuffix(".")
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host


def literal_address(host: str) -> IPAddress | None:
    """The address that a host is, when it is no name. Other writings (`0x7f.1`, `2130706433`) count as names."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_localhost(host: str) -> bool:
    """Whether a name means this machine."""
    return host == "localhost" or host.endswith(".localhost")


def check_host(host: str, port: int, hosts: Hosts, *, by_author: bool) -> None:
    """What can be said before a name is looked up; `host` as `bare` gives it.

    Raises:
        RefusedAddressError: it must not be reached.
    """
    if hosts.lists(host, port):
        return
    address = literal_address(host)
    if address is not None and _is_never_reached(address):
        raise RefusedAddressError(_refusal(host, "a link-local or metadata address"))
    if by_author:
        return
    if is_localhost(host) or (address is not None and not is_public(address)):
        raise RefusedAddressError(_refusal(host, "not a public address"))


def check_found(host: str, port: int, found: Iterable[str], hosts: Hosts) -> list[str]:
    """Of the addresses found for a host that `check_host` let pass, those that may be connected to.

    Raises:
        RefusedAddressError: none of them may.
    """
    addresses = [ipaddress.ip_address(each.partition("%")[0]) for each in found]
    if hosts.lists(host, port) or literal_address(host) is not None or is_localhost(host):
        return [str(each) for each in addresses]
    allowed = [str(each) for each in addresses if is_public(each) and not _is_never_reached(each)]
    if not allowed:
        raise RefusedAddressError(_refusal(host, "its name stands for an address that is not public"))
    return allowed


def is_public(address: IPAddress) -> bool:
    """Whether an address is one of the public network, and so is every address inside of it (6to4, NAT64, …)."""
    inner = _inside(address)
    if inner is not None:
        return is_public(inner)
    if address.is_multicast or not address.is_global:
        return False
    return not any(address in network for network in _NOT_PUBLIC if network.version == address.version)


def _is_never_reached(address: IPAddress) -> bool:
    inner = _inside(address)
    if inner is not None and _is_never_reached(inner):
        return True
    return address.is_link_local or address in _METADATA


def _inside(address: IPAddress) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for or leads to."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if address.teredo:
        return address.teredo[1]
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _refusal(host: str, reason: str) -> str:
    return f"{host} is not reached: {reason}. The project can allow it with `http_hosts: ['{host}']` in runner.yaml"
