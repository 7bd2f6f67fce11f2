"""Every diagnostic code there is, with its title, gathered from the modules that find the problems."""

from runner.language import checks, document, imports, schema, suppression, unset_variables

# 1xx YAML text, 2xx structure, 3xx names and references, 4xx templates, 5xx tools, 6xx model and parsing,
# 7xx limits and policy, 8xx environment, 9xx comments that hide problems.
CODES: dict[str, str] = {
    **document.CODES,
    **schema.CODES,
    **checks.CODES,
    **imports.CODES,
    **unset_variables.CODES,
    **suppression.CODES,
}
