"""Every form of a report on a validation, by the name that `--format` gives it."""

from importlib import import_module

from runner.report.diagnostics.report import CheckReport, Reporter


def _made_by(name: str) -> Reporter:
    """The reporter called `name` in the module called `name`, imported when it has to report."""

    def reporter(report: CheckReport, colour: bool) -> str:  # noqa: FBT001 - as `Reporter` has it
        made: Reporter = getattr(import_module(f"runner.report.diagnostics.{name}"), name)
        return made(report, colour)

    return reporter


FORMATS: dict[str, Reporter] = {
    "text": _made_by("text"),
    "json": _made_by("document"),
    "sarif": _made_by("sarif"),
    "github": _made_by("github"),
    "junit": _made_by("junit"),
    "gitlab": _made_by("gitlab"),
}
