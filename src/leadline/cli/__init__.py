"""The command line: one file for each command, loaded when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module

gc.disable()  # until the modules are loaded: looking for garbage among them costs a tenth of a short command's time

import click  # noqa: E402

__all__ = ["cli", "main"]

# Commands that multiply large matrices. In all others a second thread of numpy's BLAS would have nothing to do but to
# spin, on a core that the reader needs.
_PRODUCTS = frozenset({"agree", "aspects", "compare", "diagnose", "prefer", "report"})


class Commands(click.Group):
    """Commands are the files of this folder; only the one called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, by name."""
        files = os.listdir(os.path.dirname(__file__))
        return sorted(f[:-3] for f in files if f.endswith(".py") and not f.startswith("_"))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a file."""
        if name not in self.list_commands(ctx):
            from leadline.errors import UnknownName

            raise UnknownName("command", name, self.list_commands(ctx))
        if name not in _PRODUCTS:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
        command = import_module(f"leadline.cli.{name}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="leadline", message="leadline %(version)s")
def cli() -> None:
    """Measure rankings: how good they are, how far the evaluation can be trusted, and where they should have stopped.

    Try `leadline demo` first: it writes a small simulated track and evaluates it.

    Shell completion: `eval "$(_LEADLINE_COMPLETE=bash_source leadline)"` (or zsh_source, fish_source).
    """


def _roomy(f: Callable[[], None]) -> Callable[[], None]:
    """``f`` with a frame so large that Python sets memory for all frames above it aside at once.

    CPython keeps frames in pieces of 16 KB, and gives a piece back when its first frame ends. Imports that go up and
    down across such an edge fetch it thousands of times: an eighth of a short command's time.
    """
    f.__code__ = f.__code__.replace(co_stacksize=8000)
    return f


@_roomy
def main() -> None:
    """Run the command line and leave with its exit code: 0, 2 usage, 3 bad input, 4 nothing to evaluate, 130 Ctrl-C."""
    from leadline.errors import LeadlineError

    try:
        code = cli(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except LeadlineError as error:
        click.echo(f"leadline: {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _silence_stdout()
        sys.exit(0)
    except OSError as error:
        click.echo(f"leadline: {_told(error)}", err=True)
        sys.exit(3)
    except MemoryError:
        click.echo("leadline: out of memory; evaluate fewer runs at once, or ask for fewer curves", err=True)
        sys.exit(3)
    _leave(code if isinstance(code, int) else 0)


def _leave(code: int) -> None:
    """End at once: to take the interpreter down piece by piece takes longer than to score a run."""
    sys.stderr.flush()
    os._exit(code)


def _told(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _silence_stdout() -> None:
    """The reader of a pipe has left: keep Python from complaining when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
