"""Texts of other tools -> Jinja templates of this language."""

import re

from runner.importing.agent import AgentDraft
from runner.importing.part import Notes
from runner.prompts import is_template, read_template

_TEXTS = ("instructions", "prompt")
_GIVEN = "input"
# `${env.NAME}`, `${env:NAME}` and `${env:NAME:default}`.
_VARIABLE = re.compile(r"\$\{env[.:](?P<name>[A-Za-z_]\w*)(?:[:?=](?P<default>[^}]*))?\}")


def as_template(text: str) -> str:
    """A text that was no template, so that it renders as itself."""
    return f"{{% raw %}}{text}{{% endraw %}}" if is_template(text) and "endraw" not in text else text


def with_variables(text: str) -> str:
    """A text with our form of environment variables."""

    def ours(found: re.Match[str]) -> str:
        return f"${{{found['name']}:-{found['default']}}}" if found["default"] else f"${{{found['name']}}}"

    return _VARIABLE.sub(ours, text)


def declare_variables(draft: AgentDraft, notes: Notes) -> None:
    """Declare the variables that the templates use and the source says nothing about: every run must give them."""
    inputs = draft.get("inputs") or {}
    for field in _TEXTS:
        text = draft.get(field)
        for mark in read_template(text).variables if isinstance(text, str) else ():
            if mark.text != _GIVEN and mark.text not in inputs:
                inputs[mark.text] = {"type": "string"}
                draft.put_from(f"inputs.{mark.text}", inputs[mark.text])
                notes.add((), f"variable '{mark.text}' is declared nowhere; it is now an input that a run must give")
