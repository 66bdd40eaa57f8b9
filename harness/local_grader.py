"""Grade a patch without containers: the task's own tests in a fresh virtual environment.

Repair (SWE-bench): with the hidden tests applied, all fail-to-pass tests pass and no pass-to-pass
test breaks. Test writing (SWT-bench): a predicted test fails before the gold fix and passes after
it, and nothing in its files breaks. Pass-to-pass tests that fail here even with the gold patch are
left out and counted, as they say nothing about a patch.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from codeviews.harness import environments, testing
from codeviews.harness.environments import NoEnvironment
from codeviews.harness.gitrepo import applies, git
from codeviews.harness.records import Verdict
from codeviews.harness.tasks import Task, patch_files
from codeviews.harness.testing import GOOD, Outcomes
from codeviews.harness.workspace import Slot, locate, locked

NAME = "local"


@dataclass(slots=True)
class Bench:
    """A task set up for grading: its tree, its Python, and the reference outcomes."""

    task: Task
    slot: Slot
    python: Path
    timeout: float
    _gold: Outcomes | None = field(default=None)

    def outcomes(self, files: list[str], *patches: str) -> Outcomes:
        """Outcomes of test files on the base commit with patches applied in order.

        A patch that does not apply is the ``problem``.
        """
        self.slot.reset(keep_ignored=True)
        for patch in patches:
            if not patch.strip():
                continue
            if not applies(patch, self.slot.repo):
                return Outcomes({}, "the patch does not apply")
            git("apply", "-", cwd=self.slot.repo, stdin=patch)
        variables = environments.environment(self.task).variables
        return testing.run(self.python, self.slot.repo, files, self.timeout, variables)

    @property
    def tests(self) -> list[str]:
        """Test files the hidden tests are in."""
        return list(patch_files(self.task.gold.test_patch))

    def gold(self) -> Outcomes:
        """Outcomes with the gold patch; run once."""
        if self._gold is None:
            gold = self.task.gold
            self._gold = self.outcomes(self.tests, gold.patch, gold.test_patch)
        return self._gold


@contextmanager
def bench(task: Task, repos: str, folder: Path, timeout: float) -> Generator[Bench]:
    """Set a task up under ``folder``: one at a time per task.

    Raises:
        NoRepository: the repository or commit is not here.
        NoEnvironment: its tests cannot be run here.
    """
    environments.environment(task)
    home = folder / "grading" / task.id
    home.mkdir(parents=True, exist_ok=True)
    with locked(home / "lock"):
        slot = Slot(home, locate(task, repos, folder / "mirrors"))
        slot.reset()
        python = environments.build(home / "venv", slot.repo, task)
        yield Bench(task, slot, python, timeout)


def grade_repair(bench: Bench, patch: str) -> Verdict:
    """Whether a patch resolves the task."""
    task, reference = bench.task, bench.gold()
    wanted = task.gold.fail_to_pass
    missing = [test for test in wanted if not reference.passed(test)]
    if reference.problem or missing or not wanted:
        reason = reference.problem or f"{len(missing)} fail-to-pass tests fail with the gold patch"
        raise NoEnvironment(f"{task.id} cannot be graded here: {reason}")
    kept = [test for test in task.gold.pass_to_pass if reference.passed(test)]
    seen = bench.outcomes(bench.tests, patch, task.gold.test_patch)
    if seen.problem and not seen.by_id:
        return _verdict("resolved", False, seen.problem)
    fixed = [test for test in wanted if seen.passed(test)]
    broken = [test for test in kept if not seen.passed(test)]
    left_out = len(task.gold.pass_to_pass) - len(kept)
    note = f"{len(fixed)} of {len(wanted)} fail-to-pass, {len(broken)} of {len(kept)} broken"
    note += f", {left_out} left out" if left_out else ""
    return _verdict("resolved", len(fixed) == len(wanted) and not broken, note)


def grade_tests(bench: Bench, patch: str) -> Verdict:
    """Whether a tests-only patch reproduces the issue."""
    files = list(patch_files(patch))
    base = bench.outcomes(files)
    before = bench.outcomes(files, patch)
    if before.problem and not before.by_id:
        return _verdict("reproducing", False, before.problem)
    after = bench.outcomes(files, patch, bench.task.gold.patch)
    if after.problem and not after.by_id:
        return _verdict("reproducing", False, after.problem)
    turned = [
        t for t, how in after.by_id.items() if how in GOOD and before.by_id.get(t) not in GOOD
    ]
    turned = [test for test in turned if before.by_id.get(test) in ("FAILED", "ERROR")]
    failing = [t for t, how in after.by_id.items() if how in ("FAILED", "ERROR")]
    new = [test for test in failing if base.by_id.get(test) not in ("FAILED", "ERROR")]
    note = f"{len(turned)} tests fail before and pass after, {len(new)} fail after"
    return _verdict("reproducing", bool(turned) and not new, note)


def _verdict(metric: str, success: bool, note: str) -> Verdict:
    return Verdict(success=success, metrics={metric: float(success)}, grader=NAME, note=note)
