"""Syntax errors of a document's structure: indentation, quotes and brackets, blocks, tags."""

import re

from runner.diagnostics import Diagnostic
from runner.language.wording import clip
from runner.language.yaml12.nodes import MAX_DEPTH, TOO_DEEP, quoted_before
from runner.language.yaml12.slip import Slip


def too_deep(slip: Slip) -> Diagnostic | None:
    """Nesting beyond our limit, or libyaml's."""
    if slip.says != TOO_DEEP:
        return None
    return slip.report("RUN115", f"values are nested deeper than {MAX_DEPTH} levels", slip.offset)


def several_documents(slip: Slip) -> Diagnostic | None:
    """A second `---`."""
    if "another document" not in slip.says:
        return None
    hint = "put it in a file of its own"
    return slip.report("RUN112", "a second document starts here; a file holds one", slip.offset, 3, hint=hint)


def tab(slip: Slip) -> Diagnostic | None:
    """A tab before the first character of the line, whatever PyYAML made of it."""
    start, text = slip.line
    indentation = text[: len(text) - len(text.lstrip())]
    if "\t" not in indentation or "quoted scalar" in slip.trouble.context:
        return None
    hint = "use spaces"
    return slip.report("RUN108", "tab cannot be used for indentation", start + indentation.index("\t"), hint=hint)


def directive(slip: Slip) -> Diagnostic | None:
    """A line that starts with `%`."""
    if "incompatible YAML document" in slip.says:
        return slip.report("RUN107", "expected a YAML 1.2 document", slip.offset, len(slip.rest))
    if slip.trouble.context != "while scanning a directive":
        return None
    return slip.report("RUN109", "'%' at the start of a line begins a YAML directive; quote it", slip.start)


def tag(slip: Slip) -> Diagnostic | None:
    """A tag that cannot even be read."""
    if "tag handle" not in slip.says and not slip.trouble.context.endswith(" a tag"):
        return None
    shown = re.split(r"\s", slip.rest_from(slip.start), maxsplit=1)[0]
    message = f"tag '{clip(shown)}' is not allowed; documents are plain YAML data"
    return slip.report("RUN111", message, slip.start, len(shown), hint="quote the value if it is meant as text")


def escape(slip: Slip) -> Diagnostic | None:
    r"""`"\d"`: common in regular expressions and Windows paths."""
    if "unknown escape" in slip.says:
        # libyaml points at the backslash, PyYAML behind it.
        start = slip.offset if slip.rest.startswith("\\") else slip.offset - 1
        shown = slip.source.text[start : start + 2]
        message = f"'{shown}' is not an escape that double quotes know"
        return slip.report("RUN107", message, start, 2, hint=f"write '\\{shown}', or use single quotes")
    if "Unicode character escape" in slip.says:
        message = "the escape names no character; half a surrogate pair is none"
        return slip.report("RUN107", message, slip.offset, hint="write the character itself")
    return None


def unclosed_quote(slip: Slip) -> Diagnostic | None:
    """The text ended inside quotes: what matters is where they opened."""
    if "quoted scalar" not in slip.trouble.context:
        return None
    quote = slip.source.text[slip.start]
    end = slip.source.related("read up to here", slip.source.span(slip.offset, slip.offset))
    opening = slip.source.span(slip.start, slip.start + 1)
    return slip.source.diagnostic("RUN107", f"this {quote} is never closed", opening, related=(end,))


def unclosed_flow(slip: Slip) -> Diagnostic | None:
    """`[a, b` without its bracket."""
    if not re.search(r"expected ',' or '[\]}]'", slip.says):
        return None
    opening = slip.source.text[slip.start]
    closing = "}" if opening == "{" else "]"
    if slip.at_end:
        return slip.report("RUN107", f"this '{opening}' is never closed", slip.start)
    line, _ = slip.source.place(slip.start)
    found = f"'{slip.rest[0]}'" if slip.rest else "the end of the line"
    message = f"expected ',' or '{closing}' for the '{opening}' of line {line}, found {found}"
    return slip.report("RUN107", message, slip.offset, note=f"'{opening}' opened")


def block_header(slip: Slip) -> Diagnostic | None:
    """`key: | text`."""
    if slip.trouble.context != "while scanning a block scalar":
        return None
    message = f"the text of a '{slip.source.text[slip.start]}' block starts on the line after it, indented"
    return slip.report("RUN107", message, slip.offset, len(slip.rest))


def no_colon(slip: Slip) -> Diagnostic | None:
    """A line of text among keys."""
    if "could not find expected ':'" not in slip.says:
        return None
    line = slip.rest_from(slip.start)
    return slip.report("RUN107", f"expected 'key: value', found no ': ' in '{clip(line)}'", slip.start, len(line))


def list_in_line(slip: Slip) -> Diagnostic | None:
    """`key: - item`."""
    if "entries are not allowed" not in slip.says:
        return None
    message = "a list item '- …' cannot start here; put it on a line of its own, or quote the value if it is text"
    return slip.report("RUN107", message, slip.offset)


def after_value(slip: Slip) -> Diagnostic | None:
    """Text behind a closing quote or bracket: the value has ended, and only a comment may follow."""
    sign = slip.before.rstrip()[-1:]
    if not re.match(r"did not find expected key|expected <block end>", slip.says) or sign not in ('"', "'", "]", "}"):
        return None
    opened = quoted_before(slip.source.text, slip.offset)
    if opened is not None and slip.source.place(opened)[0] < slip.source.place(slip.offset)[0]:
        line, _ = slip.source.place(opened)
        opening = slip.source.related("opened", slip.source.span(opened, opened + 1))
        message = f"this text follows the {sign} that closes the one of line {line}: is a {sign} missing there?"
        here = slip.source.span(slip.offset, slip.offset + max(1, len(slip.rest)))
        return slip.source.diagnostic("RUN107", message, here, related=(opening,))
    message = f"the value ended with {sign}, nothing may follow it"
    if sign in ('"', "'"):
        other = "'" if sign == '"' else '"'
        message += f"; quote the whole value, with {other} around {sign}"
    return slip.report("RUN107", message, slip.offset, len(slip.rest))


def no_value(slip: Slip) -> Diagnostic | None:
    """A bracket or comma where a value should be."""
    if "node content" not in slip.says:
        return None
    if not slip.rest:
        return slip.report("RUN107", "expected a value, found the end of the text", slip.offset)
    hint = "quote it if it is meant as text"
    return slip.report("RUN107", f"expected a value, found '{slip.rest[:1]}'", slip.offset, hint=hint)


def wrong_indentation(slip: Slip) -> Diagnostic | None:
    """A line that belongs to none of the blocks around it."""
    expected = {"while parsing a block mapping": "a key", "while parsing a block collection": "another '- item'"}
    if slip.trouble.context not in expected:
        return None
    _, column = slip.source.place(slip.start)
    kind = "mapping" if slip.trouble.context.endswith("mapping") else "list"
    message = f"expected {expected[slip.trouble.context]} in column {column}, like the {kind} around it"
    return slip.report("RUN107", message, slip.offset, len(slip.rest), note=f"the {kind} begins")
