"""Which calls are made, asked about or refused: the patterns themselves, and what they do to a run."""

import json
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.events import ApprovalRequested, ApprovalResolved, ToolCalled
from runner.engine.permissions import Permissions, matches
from runner.spec import Json, JsonObject, PermissionsSpec, Risk
from tests.engine.voices import FakeTool, Person, Voice, play, returning

MAIL: JsonObject = {"to": ["ana@example.com", "bo@example.com"], "urgent": True, "price": 12.5, "from": {"name": "Cy"}}


def verdict(spec: PermissionsSpec, arguments: JsonObject, *, name: str = "send_email", risk: Risk = "low") -> str:
    return Permissions(spec).of(name, [arguments], risk).verdict


@pytest.mark.parametrize(
    ("spec", "risk", "expected"),
    [
        (PermissionsSpec(), "low", "allow"),
        (PermissionsSpec(), "medium", "allow"),
        (PermissionsSpec(), "high", "ask"),
        (PermissionsSpec(allow=("send_email",)), "high", "allow"),
        (PermissionsSpec(allow=("risk=high",)), "high", "allow"),
        (PermissionsSpec(ask=("risk=low",)), "low", "ask"),
        (PermissionsSpec(ask=("risk=low",)), "medium", "allow"),
        (PermissionsSpec(deny=("risk=high",)), "high", "deny"),
        (PermissionsSpec(allow=("*",), ask=("send_*",)), "low", "ask"),
        (PermissionsSpec(allow=("*",), ask=("*",), deny=("send_*",)), "low", "deny"),
        (PermissionsSpec(ask=("send_email",), deny=("shell_*",)), "low", "ask"),
        (PermissionsSpec(deny=("Send_*",)), "low", "allow"),  # case counts
        (PermissionsSpec(deny=("send",)), "low", "allow"),  # the whole name
        (PermissionsSpec(deny=("send_[a-f]*",)), "low", "deny"),
    ],
)
def test_deny_beats_ask_beats_allow_and_the_risk_decides_the_rest(
    spec: PermissionsSpec, risk: Risk, expected: str
) -> None:
    assert verdict(spec, MAIL, risk=risk) == expected


@pytest.mark.parametrize(
    ("pattern", "some", "all_"),
    [
        ("send_email:to=*@example.com", True, True),
        ("send_email:to=ana@*", True, False),
        ("send_email:to=*@other.com", False, False),
        ("send_email:urgent=true", True, True),
        ("send_email:price=12.5", True, True),
        ("send_email:from.name=C?", True, True),
        ("send_email:from={*Cy*}", True, True),
        ("send_email:to=*,urgent=true", True, True),
        ("send_email:to=*,urgent=false", False, False),
        ("send_email:cc=*", False, False),
        ("send_email:from.mail=*", False, False),
        ("send_email:to.name=*", False, False),
        ("send_*:to=bo@*", True, False),
        ("read_*:to=bo@*", False, False),
    ],
)
def test_arguments_are_compared_as_text_and_lists_item_by_item(pattern: str, *, some: bool, all_: bool) -> None:
    assert matches(pattern, "send_email", MAIL, "low", every=any) is some
    assert matches(pattern, "send_email", MAIL, "low", every=all) is all_


def test_a_comma_belongs_to_the_value_unless_another_argument_begins_behind_it() -> None:
    said: JsonObject = {"text": "yes, and no", "to": "ana"}

    assert matches("say:text=yes, and *,to=ana", "say", said, "low", every=any)
    assert not matches("say:text=yes, and *,to=bo", "say", said, "low", every=any)


def test_objects_in_lists_are_gone_through() -> None:
    order: JsonObject = {"items": [{"sku": "a1"}, {"sku": "b2"}]}

    assert verdict(PermissionsSpec(deny=("send_email:items.sku=b*",)), order) == "deny"
    assert verdict(PermissionsSpec(allow=("send_email:items.sku=b*",)), order, risk="high") == "ask"
    assert verdict(PermissionsSpec(allow=("send_email:items.sku=??",)), order, risk="high") == "allow"


@pytest.mark.parametrize(
    "items",
    [
        [{"sku": "ok-1"}, {"url": "http://evil"}],
        [{"sku": "ok-1"}, "evil"],
        [{"sku": "ok-1"}, []],
        [{"sku": "ok-1"}, None],
        [{"sku": ["ok-1", {"sku": "ok-2"}]}],
        [[{"sku": "ok-1"}], [{"url": "http://evil"}]],
    ],
)
def test_an_item_without_the_argument_is_not_allowed_by_it(items: list[Json]) -> None:
    allow = PermissionsSpec(allow=("send_email:items.sku=ok-?",))

    assert verdict(allow, {"items": items}, risk="high") == "ask"
    assert verdict(PermissionsSpec(deny=("send_email:items.sku=ok-?",)), {"items": items}) == "deny"


@pytest.mark.parametrize("number", [1000, 1000.0, "1000", "1e3", "1000.0", " 1E+3 "])
@pytest.mark.parametrize("written", ["1000", "1000.0", "1e3"])
def test_a_number_that_is_denied_is_denied_however_it_is_written(number: Json, written: str) -> None:
    assert verdict(PermissionsSpec(deny=(f"send_email:n={written}",)), {"n": number}) == "deny"


@pytest.mark.parametrize(
    ("glob", "value", "some", "all_"),
    [
        ("1000", 1000.5, False, False),
        ("1", True, False, False),
        ("1000", 1e3, True, True),
        ("1000", "1e3", True, False),  # text, which may be read as a number
        ("1.1", "1.10", True, False),
        ("1.1", "1.1", True, True),
        ("1??0", 1000.0, True, False),
        ("100*", 1000.0, True, True),
        ("1e999999", 1, False, False),
        ("1e9999999999", "1e9999999999", True, True),
        ("Infinity", float("inf"), True, True),
        ("1", float("nan"), False, False),
    ],
)
def test_numbers_are_compared_by_their_value(glob: str, value: Json, *, some: bool, all_: bool) -> None:
    assert matches(f"t:n={glob}", "t", {"n": value}, "low", every=any) is some
    assert matches(f"t:n={glob}", "t", {"n": value}, "low", every=all) is all_


@pytest.mark.parametrize("name", ["user.name", "$filter", "a/b", "x[0]", "a.b.c", "größe"])
def test_arguments_with_odd_names_can_be_denied_alone_and_behind_others(name: str) -> None:
    given: JsonObject = {name: "evil", "to": "ana, bo"}

    assert matches(f"t:{name}=ev*", "t", given, "low", every=any)
    assert matches(f"t:to=ana, bo,{name}=ev*", "t", given, "low", every=any)
    assert not matches(f"t:to=ana, bo,{name}=good", "t", given, "low", every=any)


def test_an_argument_of_this_name_and_one_inside_of_another_both_count() -> None:
    given: JsonObject = {"a.b": "evil", "a": {"b": "good", "b.c": "x"}}

    assert matches("t:a.b=evil", "t", given, "low", every=any)
    assert matches("t:a.b=good", "t", given, "low", every=any)
    assert not matches("t:a.b=good", "t", given, "low", every=all)
    assert matches("t:a.b.c=x", "t", given, "low", every=any)


@pytest.mark.parametrize("text", ["a, b=c", "a,b", "a,=b", "x,y* z=1"])
def test_a_comma_without_a_name_behind_it_is_part_of_the_value(text: str) -> None:
    assert matches(f"say:text={text},to=ana", "say", {"text": text, "to": "ana"}, "low", every=all)


ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "a.b"]), inner, max_size=3),
    max_leaves=8,
)


@given(value=ARGUMENTS, path=st.sampled_from(["a", "a.b", "b.a", "a.a.b"]), glob=st.sampled_from(["*", "1", "t*"]))
def test_what_is_allowed_for_all_of_it_would_be_denied_for_some_of_it(value: Json, path: str, glob: str) -> None:
    pattern = f"t:{path}={glob}"

    if matches(pattern, "t", {"a": value}, "low", every=all):
        assert matches(pattern, "t", {"a": value}, "low", every=any)


@pytest.mark.parametrize("missing", [{}, {"to": []}, {"to": {}}])
def test_an_argument_that_is_missing_matches_nothing_so_it_is_not_allowed_by_it(missing: JsonObject) -> None:
    assert verdict(PermissionsSpec(allow=("send_email:to=*@example.com",)), missing, risk="high") == "ask"


def test_one_bad_item_is_enough_to_deny_and_all_have_to_be_good_to_allow() -> None:
    allow = PermissionsSpec(allow=("send_email:to=*@example.com",))
    deny = PermissionsSpec(deny=("send_email:to=*@evil.com",))
    mixed: JsonObject = {"to": ["ana@example.com", "eve@evil.com"]}

    assert verdict(deny, mixed) == "deny"
    assert verdict(allow, mixed, risk="high") == "ask"
    assert verdict(allow, {"to": ["ana@example.com"]}, risk="high") == "allow"


def test_a_list_sent_as_text_is_a_list_all_the_same() -> None:
    written: JsonObject = {"to": '["ana@example.com", "eve@evil.com"]'}
    mended: JsonObject = {"to": ["ana@example.com", "eve@evil.com"]}
    deny = Permissions(PermissionsSpec(deny=("send_email:to=*@evil.com",)))
    allow = Permissions(PermissionsSpec(allow=("send_email:to=*@example.com*",)))

    assert deny.of("send_email", (written, mended), "low").verdict == "deny"
    assert allow.of("send_email", (written, mended), "high").verdict == "ask"


def test_the_reason_names_the_pattern() -> None:
    permissions = Permissions(PermissionsSpec(ask=("send_*:to=*",), deny=("shell_*",)))

    assert permissions.of("send_email", [MAIL], "low").reason == "ask: send_*:to=*"
    assert permissions.of("shell_run", [{}], "low").reason == "deny: shell_*"
    assert permissions.of("wipe", [{}], "high").reason == "the tool has risk high"


@given(value=st.text() | st.integers() | st.booleans() | st.none(), glob=st.text(alphabet="ab*?[]", max_size=5))
def test_a_single_value_matches_as_its_text_does(value: str | int | None, glob: str) -> None:
    text = value if isinstance(value, str) else json.dumps(value)

    assert matches(f"t:a={glob}", "t", {"a": value}, "low", every=all) is fnmatchcase(text, glob)


PATTERNS = st.sampled_from(["get_*", "*", "t:a=1", "risk=high", "risk=low", "t"])


@given(patterns=st.lists(PATTERNS, max_size=4), risk=st.sampled_from(["low", "high"]))
def test_more_patterns_under_deny_never_make_more_possible(patterns: list[str], risk: Risk) -> None:
    order = {"deny": 0, "ask": 1, "allow": 2}
    ruled = [
        order[verdict(PermissionsSpec(deny=tuple(patterns[:count])), {"a": 1}, name="t", risk=risk)]
        for count in range(len(patterns) + 1)
    ]

    assert ruled == sorted(ruled, reverse=True)


# -- in a run ---------------------------------------------------------------------------------------------------------


async def test_a_denied_call_is_not_made_and_the_model_reads_why(voice: Voice) -> None:
    shell = returning("shell", "done")

    ran = await play(
        voice.mode,
        [voice.calls(("shell", {"command": "ls"})), voice.answer("I may not")],
        [shell],
        permissions=PermissionsSpec(deny=("shell",)),
    )

    assert shell.received == []
    reason = "not run, the permissions of this agent forbid it (deny: shell)"
    assert reason in voice.results(ran.model.requests[1])[0]
    (resolved,) = ran.of(ApprovalResolved)
    assert (resolved.decision, resolved.by, resolved.reason) == ("denied", "permissions", reason)
    assert (ran.of(ApprovalRequested), ran.of(ToolCalled)) == ([], [])
    assert (ran.finished.answer, ran.finished.tool_calls, ran.finished.sources) == ("I may not", 0, ())


async def test_a_denied_call_is_put_before_nobody(voice: Voice) -> None:
    person = Person([])

    await play(
        voice.mode,
        [voice.calls(("wipe", {})), voice.answer("ok")],
        [returning("wipe", "gone", risk="high")],
        permissions=PermissionsSpec(ask=("wipe",), deny=("risk=high",)),
        approver=person,
    )

    assert person.asked == []


async def test_of_several_calls_only_the_denied_one_is_left_out(voice: Voice) -> None:
    read, shell = returning("read", "text"), returning("shell", "done")

    ran = await play(
        voice.mode,
        [voice.calls(("shell", {}), ("read", {"n": 1}), ("shell", {}), ("read", {"n": 2})), voice.answer("done")],
        [read, shell],
        permissions=PermissionsSpec(deny=("shell",)),
    )

    assert (read.received, shell.received) == ([{"n": 1}, {"n": 2}], [])
    told = voice.results(ran.model.requests[1])
    assert ["forbid it" in each for each in told] == [True, False, True, False]
    assert ran.finished.tool_calls == 2


async def test_a_model_that_insists_on_a_denied_call_is_stopped(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [voice.calls(("shell", {}))] * 4,
        [returning("shell", "done")],
        permissions=PermissionsSpec(deny=("shell",)),
    )

    assert ran.finished.status == "repeated_calls"


async def test_what_the_tool_will_read_counts_as_well_as_what_was_written(voice: Voice) -> None:
    mail = returning("mail", "sent", mend=lambda given: {**given, "to": given["to"].split()})

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "eve@evil.com ana@example.com"})), voice.answer("no")],
        [mail],
        permissions=PermissionsSpec(deny=("mail:to=*@evil.com",)),
    )

    assert mail.received == []
    assert ran.of(ApprovalResolved)[0].decision == "denied"


async def test_a_tool_is_asked_how_it_reads_arguments_only_where_a_pattern_is_about_them(voice: Voice) -> None:
    read: list[str] = []

    def looked(name: str) -> FakeTool:
        def mend(given: JsonObject) -> JsonObject:
            read.append(name)
            return given

        return returning(name, "done", mend=mend)

    await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"}), ("shell", {})), voice.answer("no")],
        [looked("mail"), looked("shell")],
        permissions=PermissionsSpec(deny=("m*:to=eve",), ask=("risk=high",), allow=("shell",)),
    )

    assert read == ["mail"]


@pytest.mark.parametrize(("risk", "asked"), [("low", False), ("medium", False), ("high", True)])
async def test_a_tool_of_high_risk_is_asked_about_by_itself(voice: Voice, risk: Risk, *, asked: bool) -> None:
    ran = await play(
        voice.mode, [voice.calls(("wipe", {})), voice.answer("ok")], [returning("wipe", "gone", risk=risk)]
    )

    assert [each.reason for each in ran.of(ApprovalRequested)] == ["the tool has risk high"] * asked
    assert ran.finished.tool_calls == (0 if asked else 1)
