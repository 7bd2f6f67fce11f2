"""The messages between the runner and a tool's process, and the words for how one ended."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.spec import LimitPolicy, ProjectSpec, ToolSpec
from runner.tools.isolated.endings import how_it_ended, too_much_memory
from runner.tools.isolated.protocol import (
    Call,
    Failed,
    Logged,
    ProtocolError,
    Ready,
    Reply,
    Returned,
    Setup,
    encoded,
    read_reply,
    read_request,
)
from runner.tools.isolated.settings import Isolation, isolation_of
from runner.tools.isolated.surroundings import environment_for

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=3)
REPLIES = st.one_of(
    st.builds(Ready, description=st.text(), parameters=OBJECTS),
    st.builds(Failed, message=st.text()),
    st.builds(Logged, level=st.sampled_from(["debug", "info", "warning", "error"]), message=st.text()),
    st.builds(Returned, content=st.text(), is_error=st.booleans()),
)


@given(REPLIES)
def test_a_reply_arrives_as_it_was_sent_on_one_line_of_ascii(reply: Reply) -> None:
    line = encoded(reply)
    assert line.index(b"\n") == len(line) - 1
    assert line.isascii()
    assert read_reply(line) == reply


@given(OBJECTS, st.text())
def test_a_call_arrives_as_it_was_sent(arguments: dict[str, object], name: str) -> None:
    call = Call(id=name, session=None, arguments=arguments, seconds=1.5)
    assert read_request(encoded(call)) == call


def test_a_setup_arrives_as_it_was_sent() -> None:
    setup = Setup(
        spec=ToolSpec(name="x", type="python", parameters={"type": "object"}, settings={"function": "a:b"}, timeout=2),
        project=ProjectSpec(
            root="/p",
            tools_folder="/p/tools.d",
            python_packages=("a", "b"),
            http_hosts=("h",),
            limits=LimitPolicy(required=("max_cost",), maximum={"max_cost": 1.0}),
        ),
        isolation=Isolation(max_memory=10, max_cpu=0.5),
        max_result_chars=7,
        variables={"TOKEN": "s3cret"},
        python_path="/x",
    )
    assert read_request(encoded(setup)) == setup
    assert "s3cret" not in repr(setup)


@given(st.one_of(st.binary(), JSON.map(lambda value: json.dumps(value).encode())))
def test_anything_else_is_no_reply(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_reply(line)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"Returned": {"content": 5, "is_error": false}}',
        b'{"Returned": {"content": "x", "is_error": 0}}',
        b'{"Ready": {"description": "x", "parameters": []}}',
        b'{"Setup": {}}',
    ],
)
def test_a_reply_with_other_types_inside_is_none(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_reply(line)


@pytest.mark.parametrize(
    ("code", "isolation", "words"),
    [
        (0, {}, "ended without a result (exit code 0)"),
        (-15, {}, "was killed by signal 15 (SIGTERM)"),
        (-24, {"max_cpu": 1.5}, "used more than 1.5 s of processor time"),
        (-24, {}, "was killed by signal 24 (SIGXCPU)"),
        (-9, {"max_memory": 1500}, "was killed by signal 9 (SIGKILL); it may take at most 1,500 bytes of memory"),
        (-63, {}, "was killed by signal 63"),
        (None, {}, "hangs in the system and cannot be ended"),
    ],
)
def test_an_ending_is_told_in_words(code: int | None, isolation: dict[str, float], words: str) -> None:
    assert how_it_ended(code, Isolation(**isolation)) == f"the tool's process {words}"  # type: ignore[arg-type] # the two limits have types of their own


@pytest.mark.parametrize(
    ("size", "shown"), [(512_000_000, "512MB"), (2**29, "512MiB"), (2**31, "2GiB"), (3000, "3kB"), (7, "7 bytes")]
)
def test_a_size_is_shown_as_people_write_it(size: int, shown: str) -> None:
    assert too_much_memory(size) == f"the tool's process used more than {shown} of memory"


@pytest.mark.parametrize(
    ("declared", "isolation"),
    [
        (None, None),
        ("none", None),
        ({"mode": "none", "max_cpu": 1}, None),
        ("process", Isolation()),
        ({"mode": "process"}, Isolation()),
        (
            {"mode": "process", "max_memory": "512MB", "max_cpu": "1m", "x-why": "slow"},
            Isolation(max_memory=512_000_000, max_cpu=60.0),
        ),
    ],
)
def test_isolation_is_read_as_it_is_declared(declared: object, isolation: Isolation | None) -> None:
    settings = {} if declared is None else {"isolation": declared}
    assert isolation_of(ToolSpec(name="x", type="python", settings=settings)) == isolation


def test_keys_of_the_runner_are_not_handed_on() -> None:
    environ = {
        "PATH": "/bin",
        "HOME": "/root",
        "LC_TIME": "de_DE",
        "https_proxy": "http://proxy",
        "OPENAI_API_KEY": "sk",
        "AWS_SECRET_ACCESS_KEY": "sk",
        "DATABASE_URL": "postgres://user:password@host",
    }
    assert environment_for({"HOME": "/tmp", "MINE": "1"}, environ) == {
        "PATH": "/bin",
        "HOME": "/tmp",
        "LC_TIME": "de_DE",
        "https_proxy": "http://proxy",
        "MINE": "1",
    }
