"""Structured output: what an agent's `output_schema` asks of the final answer, and the value found in a reply."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from runner.parsing.embedding import embed
from runner.parsing.json_text import NotJsonError, loads, scan
from runner.spec import Json, JsonObject

# What of a value does not fit a JSON Schema, a sentence each; none when it fits.
Problems = Callable[[Json, JsonObject], Sequence[str]]

# The tool of the native mode that takes the answer.
FINAL_ANSWER = "final_answer"
# The one key of the object that a value of another type travels in: providers want an object at the root.
WRAPPER = "value"
# More would be a list to copy rather than advice.
MAX_PROBLEMS = 5
# Checking takes time, and no honest answer stands behind so many other values.
MAX_CANDIDATES = 50


class UnfitError(Exception):
    """An answer does not fit; the message tells the model what to mend."""


@dataclass(frozen=True)
class Output:
    """The final answer's JSON Schema, as the author wrote it, and what holds values against it."""

    schema: JsonObject
    problems: Problems

    @cached_property
    def _is_object(self) -> bool:
        return self.schema.get("type", "object") == "object" and bool(self.schema.keys() & {"type", "properties"})

    @cached_property
    def object_schema(self) -> JsonObject:
        """The schema with an object at its root; references into it still hold."""
        if self._is_object:
            return self.schema
        inner, definitions = embed(self.schema, WRAPPER)
        wrapped: dict[str, Json] = {
            "type": "object",
            "properties": {WRAPPER: inner},
            "required": [WRAPPER],
            "additionalProperties": False,
        }
        return {**wrapped, "$defs": definitions} if definitions else wrapped

    @cached_property
    def instruction(self) -> str:
        """What the system prompt says to a model that nothing else holds to the schema."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return f"Your final answer must be JSON that fits this JSON Schema, with nothing before or after it:\n{schema}"

    def read(self, text: str) -> Json:
        """The first value in an answer that fits the schema.

        Raises:
            UnfitError: there is none.
        """
        for value in (candidates := self._candidates(text)):
            # A model that repeats its instructions gives the schema itself first.
            if value != self.schema:
                for form in self._forms(value):
                    if not self.problems(form, self.schema):
                        return form
        raise UnfitError(self._problem(candidates[-1]))

    def _candidates(self, text: str) -> list[Json]:
        try:
            return [loads(text)]
        except NotJsonError as error:
            found = scan(text)
            if found.broken or not found.values:
                raise UnfitError(f"the answer is not JSON: {(*found.broken, str(error))[0]}") from None
            return [*found.values[:MAX_CANDIDATES]]

    def fit(self, value: Json) -> Json:
        """The value, taken out of its wrapper.

        Raises:
            UnfitError: it does not fit.
        """
        for form in self._forms(value):
            if not self.problems(form, self.schema):
                return form
        raise UnfitError(self._problem(value))

    def _forms(self, value: Json) -> Iterator[Json]:
        """What a value may stand for: itself, or what is in the wrapper that we asked for."""
        single = not self._is_object and isinstance(value, dict) and len(value) == 1
        if single and WRAPPER in value:
            yield value[WRAPPER]
        yield value
        if single and WRAPPER not in value and "type" in self.schema:
            yield from value.values()  # a wrapper by another name, where an object cannot be meant

    def _problem(self, value: Json) -> str:
        if not self._is_object and isinstance(value, dict) and WRAPPER in value:
            value = value[WRAPPER]
        wrong = self.problems(value, self.schema)[:MAX_PROBLEMS]
        return f"the answer does not fit its schema: {'; '.join(wrong)}"


def as_text(value: Json) -> str:
    """A structured answer as people and pipes get it: one line of JSON, every character as it is."""
    return json.dumps(value, ensure_ascii=False)
