"""Grade a run's patches: here, or by the official graders as child processes. And prove a grader:
the gold answer must succeed and an empty one must not."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from codeviews.harness import doctor, local_grader, runner
from codeviews.harness import grid as grids
from codeviews.harness import tasks as reading
from codeviews.harness.benchmarks import Official, benchmark
from codeviews.harness.errors import BadInput, HarnessError, MissingProgram
from codeviews.harness.policy import policy
from codeviews.harness.records import Failure, Prediction, TrialRecord, Verdict
from codeviews.harness.results import RunFolder, safe
from codeviews.harness.tasks import Task

LOCAL = {
    "swebench": local_grader.grade_repair,
    "swebenchpro": local_grader.grade_repair,
    "swtbench": local_grader.grade_tests,
}


class Graded(NamedTuple):
    """One graded answer. ``as_expected`` is false only in a proof that failed."""

    task: str
    answer: str
    success: bool | None
    note: str
    as_expected: bool = True


def table(rows: Sequence[Graded]) -> str:
    """Rows as Markdown."""
    lines = ["| task | answer | success | note |", "|---|---|---|---|"]
    words = {True: "yes", False: "no", None: "not graded"}
    lines += [f"| {r.task} | {r.answer} | {words[r.success]} | {r.note} |" for r in rows]
    wrong = sum(not row.as_expected for row in rows)
    graded = sum(row.success is not None for row in rows)
    told = f"{graded} graded, {len(rows) - graded} not graded, {wrong} not as expected"
    return "\n".join([*lines, "", told])


def waiting(folder: RunFolder, only: tuple[str, ...]) -> list[TrialRecord]:
    """Records that have a patch and no verdict, and whose failure (if any) is graded."""
    return [
        record
        for record in folder.load().records
        if record.verdict.success is None
        and record.prediction.patch
        and (record.failure is None or policy(record.failure.kind).grade)
        and (not only or record.id.task in only)
    ]


def grade_local(
    folder: RunFolder, only: tuple[str, ...], workers: int, timeout: float
) -> list[Graded]:
    """Grade a run's patches with the local grader and write the verdicts into the records."""
    grid = folder.grid()
    by_task: dict[tuple[str, str], list[TrialRecord]] = {}
    for record in waiting(folder, only):
        if record.id.benchmark in LOCAL:
            by_task.setdefault((record.id.benchmark, record.id.task), []).append(record)
    pools = {name: grids.pool(grid, name) for name in {name for name, _ in by_task}}

    def one(item: tuple[tuple[str, str], list[TrialRecord]]) -> list[Graded]:
        (name, id), records = item
        repos = grid.repos_of(name)
        answers = [(r.id.slug, r.prediction.patch) for r in records]
        verdicts = _verdicts(name, pools[name][id], repos, answers, timeout)
        for record, verdict in zip(records, verdicts, strict=True):
            _settle(folder, record, verdict)
        slugs = [slug for slug, _ in answers]
        return [Graded(id, s, v.success, v.note) for s, v in zip(slugs, verdicts, strict=True)]

    return _flat(one, by_task.items(), workers)


def _flat(one: Callable[[Any], list[Graded]], items: Iterable[Any], workers: int) -> list[Graded]:
    with ThreadPoolExecutor(max(1, workers)) as pool:
        return [row for rows in pool.map(one, list(items)) for row in rows]


def _verdicts(
    name: str, task: Task, repos: str, answers: Sequence[tuple[str, str]], timeout: float
) -> list[Verdict]:
    """Verdicts of several patches of one task; ungraded, with the reason, where none can be had."""
    try:
        with local_grader.bench(task, repos, runner.slots_folder(), timeout) as bench:
            return [
                LOCAL[name](bench, patch)
                if patch.strip()
                else Verdict(success=False, grader="empty patch", note="the patch is empty")
                for _, patch in answers
            ]
    except HarnessError as error:
        return [Verdict(note=str(error)) for _ in answers]


def _settle(folder: RunFolder, record: TrialRecord, verdict: Verdict) -> None:
    record.verdict = verdict
    if verdict.note == "the patch does not apply" and record.failure is None:
        record.failure = Failure(kind="patch_does_not_apply", message=verdict.note)
    folder.replace(record)


def prove(
    name: str, source: str, repos: str, only: tuple[str, ...], workers: int, timeout: float
) -> list[Graded]:
    """Grade gold and empty answers of tasks: the local grader is right where these come out right.

    Raises:
        BadInput: the benchmark has no local grader, or there are no such tasks.
    """
    if name not in LOCAL:
        raise BadInput(f"{name} has no local grader; those that have: {', '.join(sorted(LOCAL))}")
    module = benchmark(name)
    every = [module.task(row) for row in reading.rows(source, module.DATASET, module.SPLIT)]
    chosen = [task for task in every if not only or task.id in only]
    if not chosen:
        raise BadInput(f"{source} has none of the tasks {', '.join(only)}")

    def one(task: Task) -> list[Graded]:
        gold = task.gold.test_patch if name == "swtbench" else task.gold.patch
        answers = [("gold", gold), ("empty", " \n" if name == "swtbench" else NOTHING)]
        verdicts = _verdicts(name, task, repos, answers, timeout)
        pairs = zip(answers, verdicts, strict=True)
        return [_proved(task, answer, verdict) for (answer, _), verdict in pairs]

    return _flat(one, chosen, workers)


# a patch that changes nothing the tests see: unlike an empty string it runs them
NOTHING = """\
diff --git a/.codeviews-nothing b/.codeviews-nothing
new file mode 100644
--- /dev/null
+++ b/.codeviews-nothing
@@ -0,0 +1 @@
+nothing
"""


def _proved(task: Task, answer: str, verdict: Verdict) -> Graded:
    expected = verdict.success is None or verdict.success == (answer == "gold")
    return Graded(task.id, answer, verdict.success, verdict.note, expected)


def grade_official(
    folder: RunFolder, only: tuple[str, ...], workers: int, timeout: float
) -> list[Graded]:
    """Write predictions in each official format, run the official graders, take their verdicts.

    Raises:
        MissingProgram: a grader's requirement is absent; all of them are listed.
    """
    folder.grid()
    groups: dict[tuple[str, str, int], list[TrialRecord]] = {}
    for record in waiting(folder, only):
        groups.setdefault((record.id.benchmark, record.id.workflow, record.id.run), []).append(
            record
        )
    rows: list[Graded] = []
    for (name, workflow, run), records in sorted(groups.items()):
        label = f"{folder.path.resolve().name}-{workflow}-{run}"
        found = official_verdicts(folder.path / "official", name, label, records, workers, timeout)
        for record in records:
            known = found.get(record.id.task)
            verdict = _official_verdict(name, known)
            _settle(folder, record, verdict)
            rows.append(Graded(record.id.task, record.id.slug, verdict.success, verdict.note))
    return rows


def _official_verdict(name: str, success: bool | None) -> Verdict:
    if success is None:
        return Verdict(note="the official grader gave no verdict")
    metric = benchmark(name).SUCCESS
    return Verdict(success=success, metrics={metric: float(success)}, grader="official")


def official_verdicts(
    home: Path, name: str, label: str, records: list[TrialRecord], workers: int, timeout: float
) -> dict[str, bool]:
    """Run one official grader on one workflow's patches; success by task id."""
    module = benchmark(name)
    target = home / name / safe(label)
    target.mkdir(parents=True, exist_ok=True)
    predictions: dict[str, Prediction] = {r.id.task: r.prediction for r in records}
    path = module.write_predictions(predictions, label, target.resolve())
    grader = module.official(path, safe(label), workers)
    if grader is None:
        return {}
    checkout = _require(name, grader)
    with tempfile.TemporaryFile() as log:
        try:
            subprocess.run(
                grader.argv, cwd=checkout or target, stdout=log, stderr=log, timeout=timeout * 10
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise MissingProgram(f"the grader of {name} did not finish: {error}") from error
    found = module.read_report(target)
    return found or (module.read_report(Path(checkout)) if checkout else {})


def _require(name: str, grader: Official) -> str:
    """The grader's checkout folder, "" when it is an installed module."""
    checks = [doctor.requirement(name, need, grader.repository) for need in grader.needs]
    missing = [
        f"{item.name.partition(': ')[2]} ({item.detail})" for item in checks if not item.found
    ]
    if missing:
        raise MissingProgram(f"the official grader of {name} needs: {'; '.join(missing)}")
    return next((item.detail for item in checks if "checkout:" in item.name), "")
