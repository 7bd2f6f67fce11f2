"""What the model is told when a reply cannot be used, in every mode: the fault, and what to write instead."""

from runner.spec import ToolChoice

EMPTY = "the model returned no content: answer the user, or call a tool"
CUT_OFF = "the reply was cut off by max_tokens: give the whole reply again, shorter"
CUT_OFF_CALL = "the call was cut off by max_tokens and not run: make it again, with shorter arguments"


def tool_required(choice: ToolChoice) -> str:
    """For an answer where `tool_choice` demands a call first."""
    which = "a tool" if choice.mode == "required" else f"the tool {choice.mode}"
    return f"call {which} before you answer"
