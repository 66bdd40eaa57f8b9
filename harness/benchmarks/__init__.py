"""One file = one task benchmark: its tasks, prompt, how to collect the answer and how to grade it.

A benchmark is a module with the names of :class:`Benchmark` and one line in :data:`BENCHMARKS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from codeviews.harness.errors import UnknownName
from codeviews.harness.records import Prediction, Verdict
from codeviews.harness.tasks import Task

BENCHMARKS: dict[str, str] = {
    "linuxfl": "linuxfl",
    "swebenchpro": "swebenchpro",
    "swtbench": "swtbench",
    "secbench": "secbench",
    "localize": "localize",
    "swebench": "swebench",
}


class Official(NamedTuple):
    """An official grader as a child process. ``argv`` runs in ``folder``, the grader's checkout;
    ``needs`` are the programs and modules that ``harness doctor`` checks."""

    repository: str
    revision: str
    argv: list[str]
    report: str
    needs: tuple[str, ...]


class Benchmark(Protocol):
    """What a benchmark module exposes.

    ``METRICS`` names the metrics in report order, ``SUCCESS`` the one that is the task's success.
    ``REPAIR`` benchmarks edit the repository: the gate applies and the answer is a patch.
    """

    NAME: str
    TITLE: str
    DATASET: str
    SPLIT: str
    METRICS: tuple[str, ...]
    SUCCESS: str
    REPAIR: bool

    def task(self, row: Mapping[str, Any]) -> Task:
        """One row as a task."""
        ...

    def prompt(self, task: Task) -> str:
        """What the agent is asked, the same in every workflow."""
        ...

    def collect(self, task: Task, answer: str, patch: str) -> Prediction:
        """The prediction out of the agent's last message and its changes to the tree."""
        ...

    def grade(self, task: Task, prediction: Prediction) -> Verdict:
        """Grade what needs no grader process; ``success`` None when one is needed."""
        ...

    def write_predictions(
        self, predictions: Mapping[str, Prediction], model: str, to: Path
    ) -> Path:
        """Write predictions in the official grader's format; gives the file."""
        ...

    def official(self, predictions: Path, run: str, workers: int) -> Official | None:
        """The official grader's command, or None where there is none."""
        ...

    def read_report(self, folder: Path) -> dict[str, bool]:
        """Success by task id, out of the official grader's output."""
        ...


def benchmark(name: str) -> Benchmark:
    """A benchmark by name.

    Raises:
        UnknownName: the choices are listed.
    """
    if name not in BENCHMARKS:
        raise UnknownName("benchmark", name, BENCHMARKS)
    return cast(Benchmark, import_module(f"codeviews.harness.benchmarks.{BENCHMARKS[name]}"))
