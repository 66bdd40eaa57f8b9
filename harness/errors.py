"""Errors that people meet, each building its own sentence.

HarnessError
|- UnknownName     a grid, host, benchmark, behaviour... that is none of the choices
|- BadInput        a file or option that cannot be used as given
|- MissingProgram  a program, key or optional package is absent; says how to get it
|- Interrupted     the run is being stopped: a trial under way leaves no record
|- DiskFull        nothing can be written any more: the run stops, what is done stays done
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType


class HarnessError(Exception):
    """Root of all errors that are reported as one sentence."""


class UnknownName(HarnessError):
    """A name that is none of the choices."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.kind, self.name, self.choices = kind, name, sorted(choices)
        super().__init__(f"unknown {kind} '{name}'; choose from: {', '.join(self.choices)}")


class BadInput(HarnessError):
    """A file or option that cannot be used as given."""


class MissingProgram(HarnessError):
    """Something the machine lacks, with the way to get it."""


class Interrupted(HarnessError):
    """The run is being stopped: a trial under way leaves no record and is run again later."""


class DiskFull(HarnessError):
    """The disk is full; complete records are safe and ``harness resume`` continues."""


def optional(module: str, extra: str) -> ModuleType:
    """Import a module of an extra.

    Raises:
        MissingProgram: it is not installed; the sentence names the extra.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise MissingProgram(
            f"this needs {package}: install it with pip install 'codeviews[{extra}]'"
        ) from error
