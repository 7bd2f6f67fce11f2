from dataclasses import replace

import pytest

from runner.agent import Agent
from runner.filled_in import named_secrets, secrets_named_by
from runner.spec import ModelSpec, Text, ToolSpec
from tests.cli.fakes import SPEC

TOOL = ToolSpec(
    name="send",
    type="python",
    settings={
        "function": "mail:${NOT_FILLED_IN}",
        "env": {"TOKEN": "${MAIL_TOKEN}"},
        "config": {"a": ["${MAIL_A:-none}"]},
    },
    folder="/project/tools.d",
)
ENVIRON = {
    "MAIL_TOKEN": "token-1234",
    "MODEL_KEY": "key-1234",
    "MODEL_NAME": "openai/gpt-5-mini",
    "NOT_FILLED_IN": "else-1234",
    "OTHER": "other-1234",
}
MODEL = ModelSpec(name="${MODEL_NAME}", api_key=Text(value="${MODEL_KEY}", origin="mail.yaml:1"))


def test_the_secrets_of_an_agent_are_what_its_file_names() -> None:
    backup = replace(MODEL, api_key=Text(value="${BACKUP_KEY:-}", origin="mail.yaml:2"))
    spec = replace(SPEC, model=replace(MODEL, fallbacks=(backup,)), tools=(TOOL,))
    assert named_secrets(spec, ENVIRON).values == {"token-1234", "key-1234"}
    assert named_secrets(spec, {**ENVIRON, "BACKUP_KEY": "backup-1"}).values == {"token-1234", "key-1234", "backup-1"}
    assert named_secrets(spec, {}).values == frozenset()


def test_a_tool_by_itself_has_only_its_own() -> None:
    assert secrets_named_by(TOOL, {**ENVIRON, "MAIL_A": "address-1"}).values == {"token-1234", "address-1"}


def test_an_agent_knows_its_secrets_before_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_TOKEN", "token-1234")
    assert Agent(replace(SPEC, tools=(TOOL,))).secrets.mask("it is token-1234") == "it is ***"
