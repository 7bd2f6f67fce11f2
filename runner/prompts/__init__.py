"""Templates: read while an agent is checked, rendered while it runs. The only package that knows Jinja."""

from runner.prompts.includes import IncludeError, locate, read
from runner.prompts.reading import Access, Mistake, Reading, Reference, read_template
from runner.prompts.rendering import PromptError, is_template, render
from runner.prompts.tokens import Mark

__all__ = [
    "Access",
    "IncludeError",
    "Mark",
    "Mistake",
    "PromptError",
    "Reading",
    "Reference",
    "is_template",
    "locate",
    "read",
    "read_template",
    "render",
]
