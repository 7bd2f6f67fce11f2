"""Syntax errors of values that only lack quotes around them."""

import re

from runner.diagnostics import Diagnostic
from runner.language.wording import clip
from runner.language.yaml12.slip import Slip, value_of, write_quoted

_TEMPLATE = re.compile(r"(?:^[ ]*|[:\-?,\[{][ ]+)(\{\{.*|\{%.*)")
# `key: ` or `- key: `, up to its value.
_ENTRY = re.compile(r"[ ]*(?:-[ ]+)*(?:\"[^\"]*\"|'[^']*'|[^\s:#][^:#]*):[ ]+(?=\S)")


def template(slip: Slip) -> Diagnostic | None:
    """A value that starts with `{{ … }}` or `{% … %}`."""
    start, text = slip.line
    found = _TEMPLATE.search(text)
    if not found or start + found.start(1) > slip.offset:
        return None
    value = value_of(found[1])
    message = f"quote values that start with {value[:2]}: unquoted they are YAML syntax"
    return slip.report("RUN109", message, start + found.start(1), len(value), hint=write_quoted(value))


def colon_in_value(slip: Slip) -> Diagnostic | None:
    """`description: note: x`; or a line indented as if the value above it were a mapping."""
    if "mapping values are not allowed" not in slip.says:
        return None
    start, text = slip.line
    entry = _ENTRY.match(text)
    if entry and start + entry.end() <= slip.offset:
        message = "': ' cannot stand inside an unquoted value; quote the value"
        hint = write_quoted(value_of(text[entry.end() :]), before=f"{clip(entry[0].strip())} ")
        return slip.report("RUN109", message, slip.offset, hint=hint)
    key = slip.before.strip()
    message = f"'{clip(key)}:' cannot start a mapping here: the line above it already is a value"
    hint = "check the indentation, and the ':' of the line above"
    return slip.report("RUN107", message, slip.offset - len(key), len(key), hint=hint)


def cannot_start(slip: Slip) -> Diagnostic | None:
    """A value that starts with `@`, `%` or a backtick."""
    if "cannot start any token" not in slip.says or not slip.rest:
        return None
    value = value_of(slip.rest)
    if re.search(r"[\[{]", slip.before):  # an item of a flow collection ends earlier
        value = re.split(r"[,\]}]", value, maxsplit=1)[0].rstrip()
    is_key = not slip.before.strip(" -") and re.search(r":(?:\s|$)", value)
    message = f"'{value[:1]}' cannot start an unquoted {'key' if is_key else 'value'}"
    hint = "put it in quotes" if is_key else write_quoted(value)
    return slip.report("RUN109", message, slip.offset, 1 if is_key else len(value), hint=hint)


def anchor_or_alias(slip: Slip) -> Diagnostic | None:
    """`*` and `&`, meant as text or not."""
    name = re.split(r"[\s,\]}]", slip.rest, maxsplit=1)[0]
    if slip.says.startswith("found undefined alias"):
        message = f"alias '{clip(name)}' is used, but nothing above is marked '&{clip(name[1:])}'"
        return slip.report("RUN113", message, slip.offset, len(name), hint="quote the value if it is meant as text")
    if slip.says == "second occurrence":
        message = f"'{clip(name)}' is already the name of another value"
        return slip.report("RUN113", message, slip.offset, len(name), note="first")
    if slip.trouble.context not in ("while scanning an alias", "while scanning an anchor"):
        return None
    value = value_of(slip.rest_from(slip.start))
    meaning = "an alias" if value[:1] == "*" else "an anchor"
    message = f"'{value[:1]}' at the start of an unquoted value means {meaning}"
    return slip.report("RUN109", message, slip.start, len(value), hint=write_quoted(value))
