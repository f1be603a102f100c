"""The command line: `python -m core COMMAND`. Each command stands in core/commands; here they are put together.

A reply goes to standard output, everything else to standard error. Exit codes: 0 done, 2 a mistake of
the user (with --json: {"error": {"what", "where", "hint"}} on standard output), 1 a fault of the program,
or a run that failed, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence

import typer

from core.commands import bench, cache, corpus, graph, runs
from core.commands.ask import ask
from core.commands.diagnose import diagnose
from core.commands.evaluate import evaluate
from core.commands.evaluate_ir import evaluate_ir
from core.commands.evaluate_sgur import evaluate_sgur
from core.commands.gate import gate
from core.commands.gold import gold
from core.commands.reply import Reply, SafeFormatter, as_json, say
from core.commands.rerank import rerank
from core.commands.sft import sft
from core.commands.stuffing import stuffing
from core.commands.themes import themes
from core.errors import CausewayError

app = typer.Typer(
    help="Causeway: see how evidence is found. Ask a graph, compare methods, and look at what was done.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Runs are kept in the folder CAUSEWAY_HOME, else in the user's data folder. `make app` shows them.",
)
app.command()(ask)
app.command()(evaluate)
app.command()(gold)
app.command()(sft)
app.command()(rerank)
app.command("evaluate-ir")(evaluate_ir)
app.command()(gate)
app.command()(diagnose)
app.command("evaluate-sgur")(evaluate_sgur)
app.command()(stuffing)
app.command()(themes)
app.add_typer(graph.app, name="graph")
app.add_typer(corpus.app, name="corpus")
app.add_typer(runs.app, name="runs")
app.add_typer(cache.app, name="cache")
app.add_typer(bench.app, name="bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    wants_json = "--json" in words
    _log_to_stderr()
    # What a library prints must not end up in the middle of the reply; help alone is printed by the command line.
    aside = contextlib.redirect_stdout(sys.stderr) if wants_json and "--help" not in words else contextlib.nullcontext()
    try:
        with aside:
            reply = app(args=words, prog_name="python -m core", standalone_mode=False)
    except CausewayError as error:
        return _refuse(error, wants_json)
    except typer.TyperException as error:
        if not str(error):  # a group without a command has printed its help
            return 2
        return _refuse(_misuse(error), wants_json)
    except (KeyboardInterrupt, typer.Abort):
        say("Stopped.")
        return 130
    except Exception as error:
        if os.environ.get("CAUSEWAY_DEBUG"):
            raise
        say(f"A fault in Causeway, not in your data: {type(error).__name__}: {error}")
        say("Set CAUSEWAY_DEBUG=1 to see where.")
        return 1
    if not isinstance(reply, Reply):
        return int(reply or 0)
    return _print(reply.printed()) or reply.code


def _log_to_stderr() -> None:
    # The level is the handler's, too: some libraries set their own loggers to DEBUG.
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(SafeFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])


def _refuse(error: CausewayError, wants_json: bool) -> int:
    if wants_json:
        _print(as_json(error.as_json()))
    else:
        say(f"Error: {error}")
    return 2


def _misuse(error: typer.TyperException) -> CausewayError:
    return CausewayError(
        error.format_message(), where="command line", hint="`python -m core --help` lists the commands."
    )


def _print(text: str) -> int:
    """Print to standard output, whatever its encoding can hold; 1 if nobody reads on (`| head`)."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (the interpreter flushes it once more at exit)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
