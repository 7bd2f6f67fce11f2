"""The kinds of mistakes, in one list: a new one is a function and a line here."""

from tests.benchmarks.mutants.kinds import json_schemas, keys, protocols, references, syntax, templates, values
from tests.benchmarks.mutants.mutant import Mutate

_ALL: tuple[Mutate, ...] = (
    *(keys.key_typo, keys.foreign_key, keys.key_in_capitals, keys.duplicate_key, keys.missing_key, keys.misplaced_key),
    *(values.text_for_number, values.text_for_boolean, values.number_for_text, values.fraction_for_integer),
    *(values.list_for_scalar, values.mapping_for_scalar, values.scalar_for_collection, values.empty_value),
    *(values.enum_typo, values.enum_other, values.out_of_bounds, values.bad_duration, values.bad_size, values.bad_name),
    *(references.unknown_tool, references.unknown_tool_of_example, references.unknown_tool_choice),
    references.unknown_tool_of_permission,
    *(references.unknown_argument_of_example, references.missing_base, references.missing_file),
    *(references.unknown_module, references.unknown_function, references.unknown_parameter),
    *(references.unknown_required, references.unknown_config, references.unknown_operation),
    references.unknown_placeholder,
    *(templates.undeclared_variable, templates.unknown_filter, templates.unknown_test, templates.unknown_attribute),
    *(templates.unknown_statement, templates.unclosed_expression, templates.unclosed_block, templates.broken_variable),
    *(json_schemas.schema_type_typo, json_schemas.schema_type_foreign, json_schemas.schema_keyword_typo),
    *(json_schemas.required_as_boolean, json_schemas.negative_length, json_schemas.swapped_bounds),
    *(json_schemas.unfit_default, json_schemas.unknown_reference, json_schemas.unfit_answer),
    json_schemas.unfit_argument,
    *(protocols.bad_address, protocols.bad_header, protocols.bad_selection, protocols.body_of_get),
    *(protocols.bad_pattern, protocols.group_typo),
    *(syntax.tab, syntax.indented_more, syntax.indented_less, syntax.unclosed_quote, syntax.unclosed_bracket),
    *(syntax.missing_colon, syntax.missing_space, syntax.colon_in_text, syntax.unquoted_start),
    *(syntax.unquoted_template, syntax.bad_escape, syntax.python_tag, syntax.second_document),
)
KINDS: dict[str, Mutate] = {getattr(mutate, "__name__", ""): mutate for mutate in _ALL}
