"""The explanations of all codes -> `docs/codes.md`."""

from collections.abc import Iterable, Iterator

from runner.language.explanations import FAMILIES, Example, Explanation, explained_codes, explanation_of

_TOP = """\
<!-- Made by `make docs` from runner/language/explanations. -->

# Codes

What `runner validate` finds has a code, and a code never changes its meaning. `runner explain RUN301` shows a code's part
of this page in the terminal. Each example is a project of its own; a file without a name is `agents.d/example.yaml`.
"""


def codes_page() -> str:
    """The page as Markdown."""
    explanations = [explanation_of(code) for code in explained_codes()]
    parts = [_TOP]
    for digit, family in FAMILIES.items():
        of_family = [each for each in explanations if each.code[3] == digit]
        if of_family:
            parts.append(f"- [{_heading(digit, family)}](#{digit}xx): {_links(of_family)}\n")
    for digit, family in FAMILIES.items():
        of_family = [each for each in explanations if each.code[3] == digit]
        if of_family:
            parts.append(f'\n<a id="{digit}xx"></a>\n\n## {_heading(digit, family)}\n')
            parts.extend(f"\n{_explained(each)}" for each in of_family)
    return "".join(parts[:1]) + "\n" + "".join(parts[1:])


def _heading(digit: str, family: str) -> str:
    return f"RUN{digit}xx: {family}"


def _links(explanations: Iterable[Explanation]) -> str:
    return " ".join(f"[{each.code[3:]}](#{each.code.lower()})" for each in explanations)


def _explained(explanation: Explanation) -> str:
    parts = [
        f'<a id="{explanation.code.lower()}"></a>\n\n### {explanation.code}: {explanation.title}',
        explanation.what,
        f"*Why it matters.* {explanation.why}",
        "Bad:",
        *_blocks(explanation.bad),
        "Good:",
        *_blocks(explanation.good),
    ]
    return "\n\n".join(parts) + "\n"


def _blocks(examples: tuple[Example, ...]) -> Iterator[str]:
    for example in examples:
        named = example.file is not None and len(examples) > 1 or example.file not in (None, "agents.d/example.yaml")
        header = f"# {example.file}\n" if named else ""
        yield f"```{example.language}\n{header}{example.text}```"
