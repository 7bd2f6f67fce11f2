"""A tool of type `openapi` -> the http tools it stands for, and what is wrong with it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, Related
from runner.language.document import Document, Path
from runner.language.openapi.arguments import UnusableError
from runner.language.openapi.conversion import to_tool
from runner.language.openapi.expanded import Expansion
from runner.language.openapi.keys import Keys
from runner.language.openapi.operations import Operation, is_pattern, operations_of, selected
from runner.language.openapi.reading import SpecError, SpecFile, SpecFiles, SpecTextError, require_openapi
from runner.language.openapi.references import ReferenceProblem, References
from runner.language.openapi.security import missing_auth
from runner.language.openapi.servers import ServerError, server_of
from runner.language.paths import place_of
from runner.spec import JsonObject
from runner.suggest import did_you_mean

_MOST_LISTED = 3
# Of one declaration. The largest documents that people call have a thousand; each takes its time to check.
_MOST_TOOLS = 5_000
_KEYS_OF_AUTH = ("header", "query")


def expand(declaration: JsonObject, document: Document, path: Path, root: FilePath, files: SpecFiles) -> Expansion:
    """The http tools of a declaration. What of it the schema complains about is passed over in silence.

    Args:
        declaration: the tool as declared.
        document: the toolset or agent that declares it.
        path: where in `document`.
        root: the root folder of the project, which the OpenAPI document may not be outside of.
        files: the OpenAPI documents already read.
    """
    name = declaration.get("spec")
    if not isinstance(name, str) or not name or not _is_sound(declaration):
        return Expansion()
    try:
        spec = files.read(place_of(document).parent / name, root)
        require_openapi(spec)
    except SpecError as error:
        problem = document.diagnostic(error.code, error.message, (*path, "spec"), suggestion=error.suggestion)
        return Expansion(diagnostics=(problem,))
    except SpecTextError as error:
        return Expansion(diagnostics=tuple(error.problems))
    return _Expander(declaration, document, path, spec, References(files, root)).expansion()


def _is_sound(declaration: JsonObject) -> bool:
    """Whether what the conversion looks at has the right types."""
    return (
        all(isinstance(declaration.get(key, {}), dict) for key in ("headers", "auth"))
        and all(isinstance(each, dict) for key, each in declaration.get("auth", {}).items() if key in _KEYS_OF_AUTH)
        and isinstance(declaration.get("name", ""), str)
        and isinstance(declaration.get("operations", []), list)
        and all(isinstance(each, str) for each in declaration.get("operations", []))
    )


@dataclass(kw_only=True, slots=True)
class _LeftOut:
    """Operations that a pattern matched and that cannot be tools, by the reason."""

    reasons: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    of: int = 0

    def message(self) -> str:
        count = sum(map(len, self.reasons.values()))
        told = "; ".join(f"{_listed(ids)}: {reason}" for reason, ids in self.reasons.items())
        return f"{count} of {self.of} operations are left out: {told}"


class _Expander:
    def __init__(
        self, declaration: JsonObject, document: Document, path: Path, spec: SpecFile, references: References
    ) -> None:
        self._declaration = declaration
        self._document = document
        self._path = path
        self._spec = spec
        self._references = references
        self._diagnostics: list[Diagnostic] = []
        self._left_out = _LeftOut()
        self._keys = Keys(declaration=declaration)

    def expansion(self) -> Expansion:
        try:
            everything = operations_of(self._spec, self._references)
        except ReferenceProblem as problem:
            return Expansion(diagnostics=tuple(problem.problems))
        chosen = self._chosen(everything)
        self._left_out.of = len(chosen)
        chosen = self._within_bounds(chosen)
        tools = [tool for operation, at in chosen if (tool := self._tool(operation, at)) is not None]
        tools = self._distinct(tools)
        if self._left_out.reasons:
            self._warn("RUN529", self._left_out.message(), "operations")
        for message, suggestion in self._keys.problems():
            self._warn("RUN530", message, "auth" if "auth" in self._declaration else "headers", suggestion)
        missing = missing_auth([operation for operation, _ in chosen], self._declaration, self._references)
        if missing is not None:
            message = f"{self._spec.file} says that its server needs a key"
            self._warn("RUN528", message, "auth", f"write {missing.written()}")
        return Expansion(tools=tuple(tool for _, tool in tools), diagnostics=tuple(self._diagnostics))

    def _warn(self, code: str, message: str, key: str, suggestion: str | None = None) -> None:
        at = (*self._path, key if key in self._declaration else "spec")
        self._diagnostics.append(
            self._document.diagnostic(code, message, at, suggestion=suggestion, severity="warning")
        )

    def _chosen(self, operations: list[Operation]) -> list[tuple[Operation, Path | None]]:
        """The operations that are selected, each with the place of its name if it was named exactly."""
        chosen: dict[tuple[str, str], tuple[Operation, Path | None]] = {}
        for index, selector in enumerate(self._declaration.get("operations", ["*"])):
            at = (*self._path, "operations", index)
            found = selected(operations, selector)
            if not found:
                self._diagnostics.append(self._unknown(selector, operations, at))
            for each in found:
                key = (each.method, each.path)
                if not is_pattern(selector):
                    chosen[key] = (each, at)
                chosen.setdefault(key, (each, None))
        return list(chosen.values())

    def _within_bounds(self, chosen: list[tuple[Operation, Path | None]]) -> list[tuple[Operation, Path | None]]:
        """The operations that can be checked in a reasonable time, those named exactly first."""
        if len(chosen) <= _MOST_TOOLS:
            return chosen
        first = sorted(chosen, key=lambda each: each[1] is None)
        reason = f"one declaration makes {_MOST_TOOLS:,} tools at most, so choose some of them"
        self._left_out.reasons[reason] = [operation.id for operation, _ in first[_MOST_TOOLS:]]
        return first[:_MOST_TOOLS]

    def _unknown(self, selector: str, operations: list[Operation], at: Path) -> Diagnostic:
        ids = [each.id for each in operations]
        what = f"no operation matches '{selector}'" if is_pattern(selector) else f"there is no operation '{selector}'"
        hint = did_you_mean(selector.strip("*"), ids) or (f"it has {_listed(ids)}" if ids else None)
        return self._document.diagnostic("RUN524", f"{what} in {self._spec.file}", at, suggestion=hint)

    def _tool(self, operation: Operation, at: Path | None) -> tuple[Operation, JsonObject] | None:
        try:
            server = server_of(operation, self._declaration)
            return operation, to_tool(operation, self._keys.sent(operation, server), server, self._references)
        except ServerError as error:
            suggestion = "write server: https://… beside spec"
            self._complain("RUN525", str(error), (*self._path, "spec"), suggestion=suggestion)
        except ReferenceProblem as problem:
            self._diagnostics += problem.problems
        except RecursionError:
            self._unusable(operation, at, "it is nested too deep")
        except UnusableError as error:
            self._unusable(operation, at, str(error))
        return None

    def _unusable(self, operation: Operation, at: Path | None, reason: str) -> None:
        if at is None:
            self._left_out.reasons[reason].append(operation.id)
            return
        related = (Related(message="the operation", location=operation.node.spec.location(operation.node.path)),)
        message = f"operation '{operation.id}' cannot be a tool: {reason}"
        self._complain("RUN526", message, at, related=related)

    def _complain(
        self, code: str, message: str, at: Path, *, suggestion: str | None = None, related: tuple[Related, ...] = ()
    ) -> None:
        self._diagnostics.append(self._document.diagnostic(code, message, at, suggestion=suggestion, related=related))

    def _distinct(self, tools: list[tuple[Operation, JsonObject]]) -> list[tuple[Operation, JsonObject]]:
        """The tools of which none has the name of another; that of two operations would hide one."""
        first: dict[str, Operation] = {}
        result = []
        for operation, tool in tools:
            known = first.setdefault(tool["name"], operation)
            if known is operation:
                result.append((operation, tool))
                continue
            pair = f"{known.method} {known.path} and {operation.method} {operation.path}"
            message = f"two operations would both be the tool '{tool['name']}': {pair}"
            related = (Related(message="the second", location=operation.node.spec.location(operation.node.path)),)
            self._complain("RUN527", message, (*self._path, "spec"), related=related)
        return result


def _listed(ids: Iterable[str]) -> str:
    names = list(ids)
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more
