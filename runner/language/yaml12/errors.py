"""What PyYAML says about a text it cannot read -> what the person has to change."""

import re
from collections.abc import Callable

from runner.diagnostics import Diagnostic
from runner.language.source import Source
from runner.language.yaml12 import slips_quoting as quoting
from runner.language.yaml12 import slips_structure as structure
from runner.language.yaml12 import slips_unclosed as unclosed
from runner.language.yaml12.nodes import Trouble
from runner.language.yaml12.slip import Slip

# Everything YAML does not allow in its text: https://yaml.org/spec/1.2.2/#51-character-set
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# The first that knows the slip speaks, so the more particular come first.
_RULES: tuple[Callable[[Slip], Diagnostic | None], ...] = (
    structure.too_deep,
    structure.several_documents,
    structure.tab,
    structure.directive,
    structure.tag,
    structure.escape,
    structure.unclosed_quote,
    quoting.template,
    unclosed.unclosed_quote_before,
    unclosed.unclosed_bracket_before,
    unclosed.no_colon_above,
    structure.unclosed_flow,
    quoting.colon_in_value,
    quoting.cannot_start,
    quoting.anchor_or_alias,
    structure.block_header,
    structure.no_colon,
    structure.list_in_line,
    structure.after_value,
    structure.no_value,
    structure.wrong_indentation,
)


def explain(trouble: Trouble, source: Source) -> list[Diagnostic]:
    """The diagnostics for a text that has no tree; at least one."""
    if trouble.problem.endswith("characters are not allowed"):
        return _control_characters(source)
    slip = Slip(trouble=trouble, source=source)
    for rule in _RULES:
        diagnostic = rule(slip)
        if diagnostic is not None:
            return [diagnostic]
    where = f" {trouble.context}" if trouble.context else ""
    return [slip.report("RUN107", f"YAML syntax: {trouble.problem}{where}", slip.offset)]


def _control_characters(source: Source) -> list[Diagnostic]:
    """One diagnostic for each line that holds some."""
    found: dict[int, Diagnostic] = {}
    for match in _CONTROL.finditer(source.text):
        span = source.span(*match.span())
        code = ord(match[0])
        hint = f'in a double-quoted value write "\\x{code:02x}"' if code < 0x100 else None
        message = f"control character U+{code:04X} is not allowed"
        found.setdefault(span.line, source.diagnostic("RUN104", message, span, suggestion=hint))
    return list(found.values())
