"""Turns every way a command can end into an exit code, with one line on stderr if it failed."""

from collections.abc import Callable

import click

from runner.cli import errors, streams

_INTERRUPTED = 130


def ending(action: Callable[[], object]) -> int:
    """Do `action` and return the exit code: what it returns, or what its exception means; failures go to stderr."""
    try:
        code = action()
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.format_message(), err=True)
        code = errors.USAGE
    except click.UsageError as error:
        code = errors.complain_usage(error)
    except (click.Abort, KeyboardInterrupt):
        errors.complain("interrupted")
        code = _INTERRUPTED
    except (streams.ReaderGone, SystemExit):
        # click leaves by SystemExit when writing to stdout failed because its reader has gone.
        code = streams.READER_GONE
    except streams.UnwritableError as error:
        errors.complain(str(error))
        code = errors.INTERNAL
    except Exception as error:  # noqa: BLE001 - the border of the process: nobody above could handle it
        code = errors.complain_internal(error)
    return code if isinstance(code, int) else 0
