"""A secret is found however it was written, and its first half at the end of a text that was cut."""

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.environment import Secrets

# The machine may be busy with other things.
unhurried = settings(deadline=None)
KEY = "sk_live_AB+cd/ef*gh_%ij"
SECRETS = st.text(min_size=4, max_size=20).filter(lambda text: len(text.strip()) >= 4)


@pytest.mark.parametrize(
    "written",
    [
        KEY.replace("/", "\\/"),  # PHP
        KEY.replace("+", "\\u002B"),  # .NET
        KEY.replace("+", "\\u002b").replace("/", "\\/"),
        KEY.replace("_", "\\_").replace("*", "\\*"),  # Markdown
        json.dumps(json.dumps(KEY.replace("/", "\\/")))[3:-3],
        quote(KEY, safe=""),
        quote(KEY, safe="").lower().replace("ab", "AB"),
        quote(quote(KEY, safe=""), safe=""),
        quote(KEY, safe="/%:@!$&'()*+,;=-._~?[]"),
        base64.b64encode(KEY.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
    ],
)
def test_a_secret_is_masked_in_every_way_that_servers_write_it(written: str) -> None:
    # In Base64 the last character may hold a few bits of what comes next, so it stays.
    assert re.fullmatch(r"a \*\*\*\w? b", Secrets([KEY]).mask(f"a {written} b"))


def test_a_secret_with_what_addresses_and_pages_escape_is_masked() -> None:
    secret = "p@ss w0rd/x1^<&\"'é\U0001f600\n\\"
    ways = [
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
        html.escape(secret, quote=False),
        "p@ss%20w0rd/x1%5E%3C%26%22%27%C3%A9%f0%9f%98%80%0A%5c",
    ]

    for way in ways:
        assert Secrets([secret]).mask(f"<{way}>") == "<***>", way


@unhurried
@given(secret=st.text(min_size=6, max_size=20), before=st.binary(max_size=4), after=st.binary(max_size=4))
def test_base64_of_a_secret_among_other_bytes_is_masked(secret: str, before: bytes, after: bytes) -> None:
    try:
        data = secret.strip().encode()
    except UnicodeEncodeError:
        return
    if len(data) < 6:
        return
    written = base64.b64encode(before + data + after).decode()

    assert "***" in Secrets([secret]).mask(written)


def test_base64_of_short_secrets_garbles_nothing() -> None:
    assert Secrets(["word"]).mask(base64.b64encode(b"word").decode()) == "d29yZA=="


@unhurried
@given(secret=SECRETS, before=st.text(max_size=5), data=st.data())
def test_no_half_of_a_secret_is_left_at_the_end(secret: str, before: str, data: st.DataObject) -> None:
    way = data.draw(st.sampled_from([secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]))
    cut = data.draw(st.integers(1, len(way)))

    left = Secrets([secret]).ended(f"#{before}{way[:cut]}")

    assert len(left) <= len(f"#{before}")


@pytest.mark.parametrize("cut", range(1, 30))
def test_half_of_an_escaped_secret_is_not_left_either(cut: int) -> None:
    way = quote("p@ss w0rd/x1^", safe="")

    assert Secrets(["p@ss w0rd/x1^"]).ended(f"see {way[:cut]}") == "see "


def test_a_text_that_ends_with_nothing_of_a_secret_stays() -> None:
    assert Secrets([KEY]).ended("see skip and 5% more") == "see skip and 5% more"
    assert Secrets().ended("anything") == "anything"
    assert Secrets([KEY]).ended("") == ""


def test_texts_that_were_made_to_hurt_take_no_time() -> None:
    hostile = Secrets(["\\" * 40 + "x", "/" * 40 + "x", "+" * 40 + "x", "a" * 400])

    for piece in ("\\", "/", "\\/", "%2f", "+", "%", "&#", "a"):
        text = piece * (200_000 // len(piece))
        hostile.mask(text)
        hostile.ended(text[:-1] + "b")
