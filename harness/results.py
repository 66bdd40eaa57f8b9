"""A run's folder: configuration, records, trajectories and streams, each whole or absent.

``run.json`` holds the grid. A trial's record is written last, to a scratch file that is synced and
then *linked* to its name, so that a kill leaves no half record and, when a trial ran twice (a
worker declared dead that was not), the first record stays.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from codeviews.harness.behaviour import first_line
from codeviews.harness.errors import BadInput, DiskFull
from codeviews.harness.grid import CARRIER, Grid
from codeviews.harness.records import RECORD_VERSION, TrialId, TrialRecord


class Loaded(NamedTuple):
    """Records read, and a sentence for every file that is none."""

    records: list[TrialRecord]
    problems: list[str]


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def grid(self) -> Grid:
        """The run's configuration.

        Raises:
            BadInput: the folder is no run.
        """
        try:
            return Grid(**json.loads((self.path / "run.json").read_text())["grid"])
        except FileNotFoundError as error:
            raise BadInput(f"{self.path} is no run folder: it has no run.json") from error
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise BadInput(f"{self.path / 'run.json'} is damaged: {first_line(error)}") from error

    def begin(self, grid: Grid, tasks: dict[str, list[str]]) -> None:
        """Make the folder, or continue one of equal configuration.

        Raises:
            BadInput: the folder holds another configuration; says what differs.
        """
        if (self.path / "run.json").exists():
            return self._same(self.grid(), grid)
        make_folder(self.path)
        data = {"grid": grid.model_dump(mode="json"), "digest": grid.digest(), "tasks": tasks}
        write_whole(self.path / "run.json", json.dumps(data, indent=1).encode())
        return None

    def _same(self, old: Grid, new: Grid) -> None:
        if old.digest() == new.digest():
            return
        before, after = old.model_dump(), new.model_dump()
        differ = [k for k in before if before[k] != after[k] and k not in CARRIER]
        changed = [f"{k}: {before[k]!r} -> {after[k]!r}" for k in differ]
        raise BadInput(f"{self.path} was begun with another configuration: {'; '.join(changed)}")

    def tasks(self) -> dict[str, list[str]]:
        """The task ids of the run by benchmark."""
        return json.loads((self.path / "run.json").read_text()).get("tasks", {})

    def file(self, id: TrialId, kind: str, suffix: str) -> Path:
        """Where a trial's file of a kind is (``trials``, ``trajectories``, ``streams``...)."""
        return self.path / kind / id.benchmark / safe(id.task) / f"{id.slug}{suffix}"

    def record_path(self, id: TrialId) -> Path:
        """Where a trial's record is."""
        return self.file(id, "trials", ".json")

    def done(self, id: TrialId) -> bool:
        """Whether a trial has its record."""
        return self.record_path(id).exists()

    def save(self, record: TrialRecord) -> bool:
        """Write a record, whole or not at all; false when there was one already.

        Raises:
            DiskFull: no room.
        """
        data = record.model_dump_json(indent=1).encode()
        return write_whole(self.record_path(record.id), data, replace=False)

    def replace(self, record: TrialRecord) -> None:
        """Overwrite a record (after grading)."""
        write_whole(self.record_path(record.id), record.model_dump_json(indent=1).encode())

    def write(self, id: TrialId, kind: str, suffix: str, data: bytes) -> None:
        """Write one of a trial's other files."""
        write_whole(self.file(id, kind, suffix), data)

    def load(self) -> Loaded:
        """Every record of the run, and what is wrong with files that are none."""
        return load_records(sorted((self.path / "trials").rglob("*.json")))

    def sweep(self) -> None:
        """Remove scratch files that a killed harness of this machine left."""
        for path in self.path.rglob(f".{socket.gethostname()}-*.part"):
            path.unlink(missing_ok=True)


def pooled(folders: list[Path]) -> Loaded:
    """The records of several runs. Where a later run has trials of an earlier one, all of its
    trials count as further runs, so that each is paired with the baseline of its own run.

    Raises:
        BadInput: a folder is no run.
    """
    whole = Loaded([], [])
    for folder in dict.fromkeys(path.resolve() for path in folders):
        run = RunFolder(folder)
        run.grid()
        loaded = run.load()
        known = {record.id for record in whole.records}
        if any(record.id in known for record in loaded.records):
            first = 1 + max(id.run for id in known)
            for record in loaded.records:
                record.id = record.id.model_copy(update={"run": record.id.run + first})
            said = f"{folder} repeats trials of an earlier folder: they count as further runs"
            whole.problems.append(said)
        whole.records.extend(loaded.records)
        whole.problems.extend(loaded.problems)
    return whole


def load_records(paths: list[Path]) -> Loaded:
    """Read record files; a damaged one is a sentence, never an exception."""
    loaded = Loaded([], [])
    for path in paths:
        try:
            data = json.loads(path.read_bytes())
            if data.get("version") != RECORD_VERSION:
                raise ValueError(f"version {data.get('version')}, not {RECORD_VERSION}")
            loaded.records.append(TrialRecord.model_validate(data))
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            loaded.problems.append(f"{path} is no record and was left out: {first_line(error)}")
    return loaded


LONGEST_NAME = 150  # characters of a task id in a file name


def safe(name: str) -> str:
    """A task id as a file name; one that had to be changed ends with a digest of what it was."""
    plain = "".join(c if c.isalnum() or c in "._-+@" else "_" for c in name).lstrip(".")
    if name and plain == name and len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return f"{plain[:LONGEST_NAME] or '_'}-{digest}"


def write_whole(path: Path, data: bytes, replace: bool = True) -> bool:
    """Write a file so that it is seen whole or not at all, also after a crash.

    Raises:
        DiskFull: no room.
        BadInput: the folder cannot be written for another reason.
    """
    make_folder(path.parent)
    unique = f"{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}"
    scratch = path.with_name(f".{unique}-{path.name}.part")
    try:
        _write_synced(scratch, data)
        if replace:
            scratch.replace(path)
            return True
        os.link(scratch, path)
        return True
    except FileExistsError:
        return False
    except OSError as error:
        if no_room(error):
            raise DiskFull(f"the disk is full: {path.name} was not written") from error
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        scratch.unlink(missing_ok=True)
        _sync_folder(path.parent)


def no_room(error: OSError) -> bool:
    """Whether a disk, a quota or the limit of a file's size was reached."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def make_folder(path: Path) -> None:
    """Make a folder and its parents.

    Raises:
        DiskFull: no room.
        BadInput: it cannot be made; says why.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if no_room(error):
            raise DiskFull(f"the disk is full: {path} was not made") from error
        raise BadInput(f"{path} cannot be made: {error.strerror or error}") from error


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def runs(root: Path) -> Iterator[tuple[RunFolder, dict[str, Any]]]:
    """The run folders below ``root`` with their ``run.json``."""
    for path in sorted(root.glob("*/run.json")):
        try:
            yield RunFolder(path.parent), json.loads(path.read_text())
        except ValueError:
            continue
