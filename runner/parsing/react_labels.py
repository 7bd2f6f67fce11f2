"""The words of the ReAct protocol in a language, and how the protocol is explained to a model in it.

The protocol is that of Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models" (2022).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runner.engine.ports import ToolDefinition

Section = Literal["thought", "action", "input", "observation", "answer"]

_ENGLISH_FORM = """\
You can use these tools:
{tools}

Work step by step. To use a tool, write exactly these lines and then stop:
{thought}: <what you have to find out>
{action}: <the name of one tool: {names}>
{action_input}: <its arguments as one JSON object, {{}} when it takes none>

The result is then given to you as "{observation}: <result>". Never write an {observation} yourself. \
Use tools as often as you need to. When you can answer the user, write:
{thought}: <why you can answer now>
{final_answer}: <your answer>"""

_CHINESE_FORM = """\
你可以使用这些工具:
{tools}

请一步一步地解决问题。需要使用工具时, 只写下面几行, 然后停下:
{thought}: <你需要弄清什么>
{action}: <一个工具的名称: {names}>
{action_input}: <工具的参数, 一个 JSON 对象, 没有参数时写 {{}}>

工具的结果会以“{observation}: <结果>”的形式给你。不要自己写{observation}。\
可以多次使用工具。当你能够回答用户时, 写:
{thought}: <为什么现在可以回答>
{final_answer}: <你的回答>"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Labels:
    """The words that open each section, without their colon, and the text that explains the protocol.

    `form` is a format string that may use `{tools}`, `{names}` and the names of the other fields.
    """

    thought: str
    action: str
    action_input: str
    observation: str
    final_answer: str
    form: str = _ENGLISH_FORM

    @property
    def words(self) -> dict[Section, str]:
        """The label of each section."""
        return {
            "thought": self.thought,
            "action": self.action,
            "input": self.action_input,
            "observation": self.observation,
            "answer": self.final_answer,
        }

    @property
    def stop(self) -> tuple[str, ...]:
        """What ends a reply: the observation's label at the start of a line, never the bare word (field bug B13)."""
        label = f"\n{self.observation}:"
        return (label,) if self.observation.isascii() else (label, f"\n{self.observation}：")  # noqa: RUF001 - the colon of Chinese keyboards

    def explain(self, tools: Sequence[ToolDefinition]) -> str:
        """The part of the system prompt that describes the tools and the protocol."""
        described = [
            f"- {tool.name}: {tool.description}\n  arguments: {json.dumps(tool.parameters, ensure_ascii=False)}"
            for tool in tools
        ]
        return self.form.format(
            tools="\n".join(described),
            names=", ".join(tool.name for tool in tools),
            thought=self.thought,
            action=self.action,
            action_input=self.action_input,
            observation=self.observation,
            final_answer=self.final_answer,
        )


ENGLISH = Labels(
    thought="Thought",
    action="Action",
    action_input="Action Input",
    observation="Observation",
    final_answer="Final Answer",
)
CHINESE = Labels(
    thought="思考",
    action="行动",
    action_input="行动输入",
    observation="观察",
    final_answer="最终答案",
    form=_CHINESE_FORM,
)
# How an agent's file calls the label of each section.
_KEYS: dict[str, Section] = {
    "thought": "thought",
    "action": "action",
    "action_input": "input",
    "observation": "observation",
    "final_answer": "answer",
}
LANGUAGES: dict[str, Labels] = {"en": ENGLISH, "zh": CHINESE}


def label_problems(labels: Labels) -> list[tuple[str, str]]:
    """What keeps an author's own labels from being told apart in a reply: the key, and what is wrong."""
    problems: list[tuple[str, str]] = []
    seen: dict[str, str] = {}
    for key, section in _KEYS.items():
        word = labels.words[section]
        if not _bare(word) or any(character in word for character in "\n:："):  # noqa: RUF001 - see above
            problems.append((key, f"the label {word!r} must be one line of text without a colon"))
        elif (first := seen.setdefault(_bare(word), key)) != key:
            problems.append((key, f"the label {word!r} is the one of {first} already"))
    return problems


def _bare(label: str) -> str:
    """What is left to tell a label by: models write `Action_Input` and `action input` as well."""
    return "".join(character for character in label.casefold() if character not in " \t_-")
