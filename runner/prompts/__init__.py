"""Templates: read while an agent is checked, rendered while it runs. The only package that knows Jinja."""

from runner.prompts.includes import IncludeError, locate, read
from runner.prompts.on_demand import INPUT_ALONE, read_template, refusal, render, render_pieces
from runner.prompts.pieces import Absent, Piece, Written, text_form
from runner.prompts.readings import FUNCTIONS, ITEM, Access, Mistake, Reading, Reference
from runner.prompts.texts import PromptError, is_template
from runner.prompts.tokens import Mark

__all__ = [
    "FUNCTIONS",
    "INPUT_ALONE",
    "ITEM",
    "Absent",
    "Access",
    "IncludeError",
    "Mark",
    "Mistake",
    "Piece",
    "PromptError",
    "Reading",
    "Reference",
    "Written",
    "is_template",
    "locate",
    "read",
    "read_template",
    "refusal",
    "render",
    "render_pieces",
    "text_form",
]
