"""Says of ordinary values that they fit ordinary JSON Schemas: most runs need no more, and no slow library."""

from runner.spec import Json, JsonObject

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_SCALARS = (str, int, bool, type(None))
_SAYING_NOTHING = ("title", "description", "default", "examples", "deprecated", "format")
_KEYWORDS = frozenset(
    (
        *("type", "enum", "const", "anyOf", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
        *("items", "properties", "required", "additionalProperties", *_SAYING_NOTHING),
    )
)
# Longer texts have a budget, and so has what takes more looks: see there.
_LONG = 10_000
_MOST_LOOKS = 20_000


def surely_fits(value: Json, schema: Json) -> bool:
    """Whether a value fits a schema that `check` has passed; False as well when it cannot be told so easily."""
    return _Glance().fits(value, schema)


class _Glance:
    """One check, which gives up when it takes long: a few lines of schema can ask for years of it."""

    def __init__(self) -> None:
        self._left = _MOST_LOOKS

    def fits(self, value: Json, schema: Json) -> bool:
        if not isinstance(schema, dict):
            return schema is True
        self._left -= 1 + len(schema.get("enum", ()))
        return (
            self._left >= 0
            and schema.keys() <= _KEYWORDS
            and _has_type(value, schema.get("type"))
            and ("enum" not in schema or _is_one_of(value, schema["enum"]))
            and ("const" not in schema or _is_one_of(value, [schema["const"]]))
            and ("anyOf" not in schema or any(self.fits(value, branch) for branch in schema["anyOf"]))
            and self._parts_fit(value, schema)
        )

    def _parts_fit(self, value: Json, schema: JsonObject) -> bool:
        if type(value) is str:
            return len(value) <= _LONG and _is_within(len(value), schema, "minLength", "maxLength")
        if type(value) is list:
            return _is_within(len(value), schema, "minItems", "maxItems") and self._items(value, schema)
        if type(value) is dict:
            return self._keys(value, schema)
        return type(value) not in (int, float) or _is_within(value, schema, "minimum", "maximum")

    def _items(self, value: list[Json], schema: JsonObject) -> bool:
        inner = schema.get("items", True)
        return inner is True or all(self.fits(item, inner) for item in value)

    def _keys(self, value: dict[str, Json], schema: JsonObject) -> bool:
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        return all(key in value for key in schema.get("required", ())) and all(
            self.fits(item, named.get(key, others)) for key, item in value.items()
        )


def _has_type(value: Json, name: Json) -> bool:
    names = _TYPES if name is None else name if isinstance(name, list) else (name,)
    return any(type(value) in _TYPES.get(each, ()) for each in names)


def _is_one_of(value: Json, options: list[Json]) -> bool:
    """Types are compared too: `1`, `1.0` and `true` are equal to Python."""
    return type(value) in _SCALARS and any(type(value) is type(option) and value == option for option in options)


def _is_within(number: float, schema: JsonObject, least: str, most: str) -> bool:
    low, high = schema.get(least), schema.get(most)
    return (low is None or number >= low) and (high is None or number <= high)
