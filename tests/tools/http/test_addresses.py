"""Which addresses are reached: judged on what is really connected to, whoever names it."""

import ipaddress
import socket
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.http.addresses import Hosts, bare, check_found, is_public
from runner.tools.http.failures import RefusedAddressError
from tests.servers.misbehaving import Misbehaving, answer, redirect
from tests.tools.http.conftest import Caller, opened


class Names:
    """A DNS of the test: each name with the answers it gives, one after the other, the last for ever."""

    def __init__(self, **answers: Sequence[str]) -> None:
        self.asked: list[str] = []
        self._answers = {name.replace("_", "."): list(found) for name, found in answers.items()}

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        found = self._answers[host]
        return [found.pop(0) if len(found) > 1 else found[0]]

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "192.0.0.192", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fec0::1"),
        *("ff02::1", "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "2002:a9fe:a9fe::"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "::127.0.0.1", "2001:db8::1", "100::1"),
        "2001:0:4136:e378:8000:63bf:80ff:fffe",  # Teredo, with 127.0.0.1 inside
    ],
)
def test_what_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::"]
)
def test_what_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",  # field bug B113
        *(
            "http://[fe80::1]/",
            "http://[fd00:ec2::254]/",
            "http://100.100.100.200/",
            "http://[::ffff:169.254.169.254]/",
        ),
        *("http://[64:ff9b::a9fe:a9fe]/", "http://168.63.129.16/"),
    ],
)
@pytest.mark.parametrize("written", [True, False], ids=["by the author", "by an argument"])
async def test_metadata_is_never_reached(call: Caller, no_proxy: None, url: str, *, written: bool) -> None:
    tool = opened(url if written else "{{ url }}")

    assert "is not reached" in await call.failed(tool, url=url)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1"),
        "[::ffff:7f00:1]",
    ],
)
async def test_an_argument_does_not_reach_this_machine(call: Caller, server: Misbehaving, host: str) -> None:
    told = await call.failed(opened("http://{{ host }}/"), host=f"{host}:{server.port}")

    assert "not a public address" in told
    assert server.requests == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.1"])
async def test_other_ways_to_write_an_address_are_names(call: Caller, server: Misbehaving, host: str) -> None:
    async def as_the_system_does(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    tool = opened("http://{{ host }}/", resolve=as_the_system_does)

    assert (await call(tool, host=f"{host}:{server.port}")).is_error
    assert (await call(opened(f"http://{host}:{server.port}/", resolve=as_the_system_does))).is_error
    assert server.requests == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "api.localhost", "localhost."])
async def test_the_author_may_name_this_machine(call: Caller, server: Misbehaving, host: str) -> None:
    await call.ok(opened(f"http://{host}:{server.port}/"))
    await call.ok(opened("http://${HOST}/", environ={"HOST": f"{host}:{server.port}"}))

    assert len(server.requests) == 2


async def test_a_public_name_with_a_private_address_is_not_reached(call: Caller, server: Misbehaving) -> None:
    tool = opened(f"http://api.example.com:{server.port}/", resolve=Names(api_example_com=["127.0.0.1"]))

    told = await call.failed(tool)

    assert "its name stands for an address that is not public" in told
    assert "127.0.0.1" not in told
    assert server.requests == []


@pytest.mark.parametrize("pattern", ["api.example.com", "api.example.com:{port}", "*.example.com", "API.example.com."])
async def test_the_project_may_list_a_host(call: Caller, server: Misbehaving, pattern: str) -> None:
    names = Names(api_example_com=["127.0.0.1"])
    hosts = (pattern.format(port=server.port),)
    tool = opened(f"http://api.example.com:{server.port}/", resolve=names, http_hosts=hosts)

    assert f'"host":"api.example.com:{server.port}"' in await call.ok(tool)


@pytest.mark.parametrize(
    ("pattern", "host", "port", "listed"),
    [
        ("example.com", "example.com", 80, True),
        ("example.com", "api.example.com", 80, False),
        ("*.example.com", "a.b.example.com", 80, True),
        ("*.example.com", "example.com", 80, False),
        ("*.example.com", "badexample.com", 80, False),
        ("example.com:8080", "example.com", 80, False),
        ("[::1]:80", "::1", 80, True),
        ("::1", "::1", 80, True),
        ("bücher.example", "xn--bcher-kva.example", 80, True),
    ],
)
def test_how_hosts_are_listed(pattern: str, host: str, port: int, *, listed: bool) -> None:
    assert Hosts(patterns=(pattern,)).lists(bare(host), port) is listed


async def test_a_name_that_changes_its_address_between_calls_is_checked_each_time(
    call: Caller, server: Misbehaving
) -> None:
    names = Names(api_example_com=["127.0.0.1"], other_example_com=["127.0.0.1"])
    listed: Any = {"resolve": names, "http_hosts": ("api.example.com",)}
    server.on("/a", redirect(f"http://other.example.com:{server.port}/b"))

    assert "was not followed" in await call.failed(opened(f"http://api.example.com:{server.port}/a", **listed))
    assert "not public" in await call.failed(opened(f"http://other.example.com:{server.port}/b", **listed))
    assert server.targets == ["/a"]


async def test_a_dead_address_of_a_name_is_passed_over(call: Caller, server: Misbehaving) -> None:
    async def two(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.9", "127.0.0.1"]  # the server listens at the second only

    tool = opened(f"http://api.example.com:{server.port}/", resolve=two, http_hosts=("api.example.com",))

    await call.ok(tool)


def test_of_several_addresses_only_public_ones_are_connected_to() -> None:
    found = ["10.0.0.1", "93.184.216.34", "::1", "fe80::1%eth0", "2606:4700::1111"]

    assert check_found("api.example.com", 443, found, Hosts()) == ["93.184.216.34", "2606:4700::1111"]
    with pytest.raises(RefusedAddressError):
        check_found("api.example.com", 443, ["10.0.0.1", "::1"], Hosts())


@given(st.ip_addresses())
def test_no_reserved_address_is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    special = address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
    leads_elsewhere = isinstance(address, ipaddress.IPv6Address) and (
        address.ipv4_mapped or address.sixtofour or address.teredo
    )

    assert not (is_public(address) and special) or leads_elsewhere


async def test_a_connection_that_the_author_made_is_not_lent_to_an_argument(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(200, b"a"))
    await call.ok(opened(server.url + "/a"))

    assert "not a public address" in await call.failed(opened("{{ url }}"), url=server.url + "/a")
    assert server.targets == ["/a"]


async def test_a_name_that_nobody_knows_is_told(call: Caller, no_proxy: None) -> None:
    async def nowhere(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    told = await call.failed(opened("https://no.example.com/?secret=1", resolve=nowhere))

    assert told == "no.example.com: the name of the host is not known"


async def test_a_proxy_gets_what_is_not_local_and_not_excepted(
    call: Caller, server: Misbehaving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "direct.example.com")

    await call.ok(opened("http://api.example.com/x"))
    assert server.targets == ["http://api.example.com/x"]
    assert (await call(opened("http://direct.example.com/x"))).is_error
    assert "not a public address" in await call.failed(opened("{{ url }}"), url="http://10.0.0.1/")
    await call.ok(opened(server.url + "/here"))
    assert server.targets == ["http://api.example.com/x", "/here"]


async def test_a_proxy_that_cannot_be_used_is_told_without_its_password(
    call: Caller, no_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "nonsense://user:proxy-password@h")

    told = await call.failed(opened("http://api.example.com/x"))

    assert told == "api.example.com: the proxy did not pass the request on"
