"""The verbs of the command `runner`."""

import gc
from importlib import import_module

import click

from runner import __version__
from runner.suggest import did_you_mean

# What people come for -> verb -> what it does. Each verb is a module of this package with a `command`, imported only
# when it is called.
_GROUPS = {
    "Run agents": {
        "run": "Run an agent and print its answer.",
        "chat": "Talk with an agent, turn by turn.",
        "sessions": "Show, resume, export or delete kept conversations.",
        "feedback": "Show or forget what people corrected.",
        "warm": "Keep a process that makes runs start at once.",
    },
    "Check agents": {
        "validate": "Check agents, toolsets and the project file; offline.",
        "fix": "Repair what can be repaired for certain.",
        "explain": "Tell what an error code means, with examples.",
        "render": "Show what a run would send to the model first.",
        "list": "Show the agents or the tools of a project.",
        "tool": "Call one tool, or show what a call would do.",
    },
    "Write agents": {
        "init": "Write a small project that works at once.",
        "import": "Turn an agent of another tool into one of ours.",
        "tools": "Bring tools into a project: import an OpenAPI document.",
        "schema": "Print a JSON Schema for editors.",
    },
}
VERBS = {verb: what for group in _GROUPS.values() for verb, what in group.items()}
# Garbage is looked for once in so many objects: Python's 700 costs half of the time that a large file takes to check.
_ALLOCATIONS = 20_000
# Of these Python allows no module of the same name.
_MODULES = {"import": "import_"}


class Verbs(click.Group):
    """A group that knows its verbs without importing them: starting up is most of what a short command costs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs, as `--help` lists them."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        gc.set_threshold(_ALLOCATIONS)
        command = import_module(f"runner.cli.{_MODULES.get(cmd_name, cmd_name)}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a wrong entry in VERBS is found by the first test
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which one was probably meant."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], VERBS) or f"the commands are {', '.join(VERBS)}"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs for `--help`."""
        del ctx
        width = max(map(len, VERBS))
        for title, verbs in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{verb:<{width}}", what) for verb, what in verbs.items()])


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND [ARGUMENTS]...",
    epilog="""\b
Examples:
  runner init demo && cd demo                       start with a project that works
  runner validate                                   check everything, exit 1 on errors
  runner run assistant "What time is it in Tokyo?"  the answer goes to stdout

\b
Exit codes:
  0 done · 1 a file is wrong · 2 the command is wrong · 3 internal error
  4 the model failed · 5 a limit was reached · 6 no usable reply · 7 saved, waits for approval
  130/143 interrupted · 141 nobody reads the output""",
)
@click.version_option(__version__, message="runner %(version)s")
def cli() -> None:
    """Write an agent as one YAML file, check it, and run it against any model."""
