"""The explanations of all codes -> `docs/codes.md`."""

from collections.abc import Iterable, Iterator

from runner.language.explanations import FAMILIES, Example, Explanation, explained_codes, explanation_of

_TOP = """\
<!-- Made by `make docs` from runner/language/explanations. -->

# Codes

What `runner validate` finds has a code, and a code never changes its meaning. `runner explain RUN301` shows the part of
this page about a code in the terminal. Each example is a project of its own; a file without a name is
`agents.d/example.yaml`.
"""


def codes_page() -> str:
    """The page as Markdown."""
    explanations = [explanation_of(code) for code in explained_codes()]
    contents, parts = [], []
    for digit, family in FAMILIES.items():
        heading = f"RUN{digit}xx: {family}"
        of_family = [each for each in explanations if each.family == family]
        contents.append(f"- [{heading}](#{digit}xx)")
        parts.append(f'<a id="{digit}xx"></a>\n\n## {heading}\n\n{_links(of_family)}\n')
        parts += [_explained(each) for each in of_family]
    return "\n".join([_TOP, *contents, "", *parts])


def _links(explanations: Iterable[Explanation]) -> str:
    return "\n".join(f"- [{each.code}](#{each.code.lower()}) {each.title}" for each in explanations)


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
        is_alone = len(examples) == 1 and example.file == "agents.d/example.yaml"
        header = f"# {example.file}\n" if example.file and not is_alone else ""
        yield f"```{example.language}\n{header}{example.text}```"
