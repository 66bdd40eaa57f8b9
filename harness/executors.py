"""Ways to run many trials: threads of this process, or a Dask cluster. The same records result.

Both yield ``(id, record)`` as trials end and raise the first error that stops a run. A Dask worker
that dies loses nothing: its trials are run again elsewhere, and a trial that already has its record
is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import Any, NamedTuple

from codeviews.harness.describing import Context
from codeviews.harness.errors import BadInput, MissingProgram, optional
from codeviews.harness.hosts import process
from codeviews.harness.records import TrialId, TrialRecord
from codeviews.harness.tasks import Task
from codeviews.harness.trial import run_trial

_ADDRESS = re.compile(r"([a-z]+://)?[^/\s]+:\d+/?")


class Job(NamedTuple):
    """One trial to run."""

    id: TrialId
    task: Task


Done = Iterator[TrialRecord]


def threads(context: Context, jobs: Sequence[Job]) -> Done:
    """Run trials on ``grid.jobs`` threads; on any error the running hosts are ended."""
    process.begin()
    pool = ThreadPoolExecutor(context.grid.jobs, thread_name_prefix="trial")
    try:
        waiting: set[Future[TrialRecord]] = {
            pool.submit(run_trial, context, job.id, job.task) for job in jobs
        }
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        process.end_all()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def dask(context: Context, jobs: Sequence[Job]) -> Done:
    """Run trials on a Dask cluster: the scheduler of the grid, or a local one of ``grid.jobs``
    worker processes.

    Raises:
        MissingProgram: ``distributed`` is not installed, or no scheduler answers.
        BadInput: the scheduler's address is none.
    """
    distributed = optional("distributed", "cluster")
    settings = optional("dask", "cluster").config
    with settings.set({"distributed.scheduler.allowed-failures": 10}), ExitStack() as stack:
        address: Any = context.grid.scheduler
        if not address:
            address = stack.enter_context(_local(distributed, context.grid.jobs))
        client = stack.enter_context(_connected(distributed, address))
        yield from _collect(distributed, client, context, jobs)


def _connected(distributed: Any, address: Any) -> Any:
    if isinstance(address, str) and not _ADDRESS.fullmatch(address):
        raise BadInput(f"'{address}' is no address of a Dask scheduler, as tcp://HOST:8786")
    try:
        return distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MissingProgram(f"no Dask scheduler answers at {address}: {error}") from error


def _local(distributed: Any, workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
    )


def _collect(distributed: Any, client: Any, context: Context, jobs: Sequence[Job]) -> Done:
    futures = [
        client.submit(run_trial, context, job.id, job.task, pure=False, priority=-number)
        for number, job in enumerate(jobs)
    ]
    try:
        for future in distributed.as_completed(futures, loop=client.loop):
            yield future.result()
    except BaseException:
        client.cancel(futures, force=True)
        raise


EXECUTORS: Mapping[str, Callable[[Context, Sequence[Job]], Done]] = {
    "threads": threads,
    "dask": dask,
}
