"""Each line of a stream is a text."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.chat.lines import Lines


async def texts(data: bytes) -> list[str]:
    lines, found = Lines(io.BytesIO(data)), []
    while True:
        try:
            found.append(await lines.read())
        except EOFError:
            return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\r\ntwo\n", ["one", "two"]),
        (b"one\\\ntwo\nthree", ["one\ntwo", "three"]),
        (b"one\\\n", ["one"]),
        (b"one\n\ntwo", ["one", "", "two"]),
        ("\ufeff北京\n".encode(), ["北京"]),
        (b"a\xffb\n", ["a\ufffdb"]),
    ],
)
async def test_lines_become_texts(data: bytes, expected: list[str]) -> None:
    assert await texts(data) == expected


@given(st.lists(st.text(alphabet="ab \\é", max_size=5), max_size=6))
async def test_nothing_of_the_lines_is_lost(lines: list[str]) -> None:
    found = await texts("".join(f"{line}\n" for line in lines).encode())
    assert "".join(found).replace("\n", "").replace("\\", "") == "".join(lines).replace("\\", "")
