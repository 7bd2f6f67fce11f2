"""`${VAR}` in documents: read by `validate`, filled in at run time, and kept out of everything that is shown."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from runner.disguises import CUT, pattern_of, without_beginning
from runner.origins import further
from runner.spec import Json, ModelSpec, Text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WRITE = "write ${NAME}, ${NAME:-default}, ${NAME:?message}, or $${ for a literal ${"
# Shorter values (`1`, `dev`) stand everywhere by chance; masking them would only garble the text.
_SHORTEST_SECRET = 4
_MASK = "***"


class VariableError(Exception):
    """An environment variable cannot be filled in; the message is one line, `file:line: what and how to mend it`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Variable:
    """One `${…}`; `default` and `message` are what follows `:-` and `:?`. Places are characters from 0."""

    name: str
    start: int
    end: int
    default: str | None = None
    message: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Malformed:
    """A `${` that is not one of the forms."""

    message: str
    start: int
    end: int
    suggestion: str = _WRITE


@dataclass(frozen=True, kw_only=True, slots=True)
class Lack:
    """What is wrong with a variable that has no value, and what to do about it."""

    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; {self.suggestion}" if self.suggestion else self.message


@dataclass(frozen=True, kw_only=True, slots=True)
class Expanded:
    """A value with its variables filled in, and what came from the environment."""

    value: Json
    secrets: frozenset[str] = frozenset()


class Unset(Mapping[str, str]):
    """An environment in which no variable is missing, for showing what would be done: `${NAME}` stands for itself."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        return self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)


class Secrets:
    """Values that must not be shown."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.values = frozenset(value for value in values if len(value) >= _SHORTEST_SECRET)
        self._pattern = pattern_of(self.values)

    def mask(self, text: str) -> str:
        """The text with every secret in it replaced by `***`, also where it is quoted, escaped or in Base64."""
        return self._pattern.sub(_MASK, text) if self.values else text

    def ended(self, text: str) -> str:
        """A text that was cut before it was masked, without what may be the first half of a secret at its end."""
        return without_beginning(text, self.values)

    def mask_cut(self, text: str) -> str:
        """A text masked, and if it was cut before (`CUT` tells where), without half a secret at that place."""
        masked = self.mask(text)
        shown, mark, told = masked.rpartition(CUT) if self.values else ("", "", masked)
        return f"{self.ended(shown)}{mark}{told}" if mark else masked


@lru_cache(maxsize=1024)
def parse(value: str) -> tuple[str | Variable | Malformed, ...]:
    """The parts of a text: literal pieces (`$${` already read as `${`), variables, and what is neither."""
    parts: list[str | Variable | Malformed] = []
    position = 0
    while (start := value.find("${", position)) >= 0:
        if start > position and value[start - 1] == "$":
            parts.append(value[position : start - 1] + "${")
            position = start + 2
            continue
        if start > position:
            parts.append(value[position:start])
        variable = _variable(value, start)
        parts.append(variable)
        position = variable.end
    if position < len(value):
        parts.append(value[position:])
    return tuple(parts)


def _variable(value: str, start: int) -> Variable | Malformed:
    closing = value.find("}", start)
    if closing < 0:
        return Malformed(message="this '${' is not closed by '}'", start=start, end=len(value))
    end, content = closing + 1, value[start + 2 : closing]
    match = _NAME.match(content)
    if match is None:
        return Malformed(message=f"'{content}' is not the name of an environment variable", start=start, end=end)
    name, rest = match[0], content[match.end() :]
    if "${" in rest:
        return Malformed(message="a '${' inside of another is not supported", start=start, end=end)
    if rest and not rest.startswith((":-", ":?")):
        return Malformed(message=f"'{rest}' after the name {name} is not understood", start=start, end=end)
    default = rest[2:] if rest.startswith(":-") else None
    message = rest[2:] if rest.startswith(":?") else None
    return Variable(name=name, start=start, end=end, default=default, message=message)


def lack(variable: Variable, environ: Mapping[str, str], *, is_key: bool = False) -> Lack | None:
    """What is wrong with a variable that cannot be filled in; None when it can.

    As in a shell, `:-` and `:?` take an empty value for none. A key that is empty is none either: without this, a
    request would go out with no key, or with one that says so.
    """
    name, value = variable.name, environ.get(variable.name)
    if variable.default is not None:
        return None
    if variable.message is not None:
        return None if value else Lack(message=f"{variable.message or f'{name} is needed'} (${name})")
    if value is None:
        return Lack(
            message=f"environment variable {name} is not set",
            suggestion=f"set it, or give a default: ${{{name}:-…}}",
        )
    if is_key and not value.strip():
        return Lack(
            message=f"environment variable {name} is empty",
            suggestion=f"set it, or write ${{{name}:-}} if there need be no key",
        )
    return None


def expand(text: Text, environ: Mapping[str, str], *, is_key: bool = False) -> Expanded:
    """A text with its variables filled in.

    Args:
        text: what is written.
        environ: where the variables are looked up.
        is_key: whether it signs requests in, so that an empty variable is as bad as one that is not set.

    Raises:
        VariableError: a variable is not set and has no default, or a `${` is malformed.
    """
    pieces: list[str] = []
    secrets: set[str] = set()
    for part in parse(text.value):
        match part:
            case str():
                pieces.append(part)
            case Variable():
                found = _value(part, text, environ, is_key=is_key)
                pieces.append(found)
                if part.name in environ and found == environ[part.name]:
                    secrets.add(found)
            case Malformed():
                raise VariableError(f"{place_in(text, part.start)}: {part.message}; {part.suggestion}")
    return Expanded(value="".join(pieces), secrets=frozenset(secrets))


def _value(variable: Variable, text: Text, environ: Mapping[str, str], *, is_key: bool) -> str:
    value = environ.get(variable.name)
    if variable.default is not None:
        return value or variable.default
    if isinstance(environ, Unset):
        return f"${{{variable.name}}}" if value is None else value
    if problem := lack(variable, environ, is_key=is_key):
        raise VariableError(f"{place_in(text, variable.start)}: {problem}")
    return environ[variable.name]


def place_in(text: Text, offset: int) -> str:
    """`file:line` of a character of the text."""
    return further(text.origin, text.value.count("\n", 0, offset))


def expand_json(value: Json, origin: str, environ: Mapping[str, str]) -> Expanded:
    """JSON data with the variables in all of its strings filled in, those in keys left alone.

    Raises:
        VariableError: as `expand`.
    """
    if isinstance(value, str):
        return expand(Text(value=value, origin=origin), environ)
    if isinstance(value, Mapping):
        each = {key: expand_json(item, origin, environ) for key, item in value.items()}
        found = frozenset[str]().union(*(item.secrets for item in each.values()))
        return Expanded(value={key: item.value for key, item in each.items()}, secrets=found)
    if isinstance(value, list):
        items = [expand_json(item, origin, environ) for item in value]
        found = frozenset[str]().union(*(item.secrets for item in items))
        return Expanded(value=[item.value for item in items], secrets=found)
    return Expanded(value=value)


def expand_model(model: ModelSpec, environ: Mapping[str, str]) -> tuple[ModelSpec, Secrets]:
    """A model's settings, and those of its fallbacks, with all variables filled in.

    Names are no secrets: they are shown with every run.

    Raises:
        VariableError: as `expand`.
    """
    name = expand(Text(value=model.name, origin=model.origin), environ)
    base = expand(model.api_base, environ) if model.api_base else None
    key = expand(model.api_key, environ, is_key=True) if model.api_key else None
    params = expand_json(model.params, model.origin, environ)
    fallbacks = [expand_model(each, environ) for each in model.fallbacks]
    expanded = replace(
        model,
        name=name.value,
        # `${OPENAI_BASE_URL:-}` gives an empty text when there is none: the provider's own server is meant.
        api_base=replace(model.api_base, value=base.value) if model.api_base and base and base.value else None,
        api_key=replace(model.api_key, value=key.value) if model.api_key and key and key.value else None,
        params=params.value,
        fallbacks=tuple(each for each, _ in fallbacks),
    )
    values = [each.secrets for each in (base, key, params) if each]
    return expanded, Secrets(frozenset[str]().union(*values, *(secrets.values for _, secrets in fallbacks)))
