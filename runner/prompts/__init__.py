"""Templates: read while an agent is checked, rendered while it runs. The only package that knows Jinja."""

from runner.prompts.includes import IncludeError, locate, read
from runner.prompts.looks import ITEM, Access
from runner.prompts.reading import FUNCTIONS, Mistake, Reading, Reference, read_template
from runner.prompts.rendering import PromptError, is_template, render
from runner.prompts.requests import Absent, Piece, Written, refusal, render_pieces, text_form
from runner.prompts.tokens import Mark

__all__ = [
    "FUNCTIONS",
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
