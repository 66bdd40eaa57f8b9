"""Tasks of a benchmark: read from a file, a folder or the hub, and turned into one shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from codeviews.harness.errors import BadInput, optional

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Gold:
    """The known answer. Symbols are written ``path:Qualified.name``."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    patch: str = ""
    test_patch: str = ""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task. ``repo`` is ``owner/name`` (or a bare name), ``commit`` a revision or "" for the
    tree as it is; ``script`` holds variables for scripted models."""

    id: str
    repo: str
    commit: str
    statement: str
    gold: Gold = Gold()
    script: Mapping[str, str] = field(default_factory=dict[str, str])
    row: Row = field(default_factory=dict[str, Any])


def rows(source: str, dataset: str, split: str) -> list[Row]:
    """Raw rows from ``source``: a ``.jsonl`` or ``.json`` file, a folder of them, or ``hub``.

    Raises:
        BadInput: the source is missing, empty or no JSON; says where.
        MissingProgram: ``hub`` without the ``datasets`` package.
    """
    if source in ("", "hub"):
        return _hub(dataset, split)
    path = Path(source)
    files = sorted(path.glob("*.json*")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise BadInput(f"no tasks at {source}: give a .jsonl or .json file, a folder, or hub")
    found = [row for file in files for row in _read(file)]
    if not found:
        raise BadInput(f"{source} holds no tasks")
    return found


def _read(path: Path) -> Iterator[Row]:
    for number, row in enumerate(_rows(path), 1):
        if not isinstance(row, dict):
            raise BadInput(f"{path}: row {number} is no JSON object")
        yield cast(Row, row)


def _rows(path: Path) -> Iterator[Any]:
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as text: {error}") from error
    try:
        if path.suffix == ".json":
            data = json.loads(text)
            yield from data.values() if isinstance(data, dict) else data
            return
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadInput(f"{path}:{number} is not JSON: {error}") from error


def _hub(dataset: str, split: str) -> list[Row]:
    load = optional("datasets", "hub").load_dataset
    return [dict(row) for row in load(dataset, split=split)]


def listed(value: Any) -> tuple[str, ...]:
    """A list of strings that some data sets store as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return (value,) if value else ()
    items = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    return tuple(str(item) for item in items if item is not None and item != "")


def swe_task(row: Row) -> Task:
    """A row of the SWE-bench family: ``instance_id``, ``repo``, ``base_commit``, patches, tests.

    Raises:
        BadInput: a required column is missing.
    """
    try:
        id, repo, commit = str(row["instance_id"]), str(row["repo"]), str(row["base_commit"])
    except KeyError as error:
        name = row.get("instance_id", "without instance_id")
        raise BadInput(f"task {name} has no column {error}") from error
    return Task(
        id=id,
        repo=repo,
        commit=commit,
        statement=str(row.get("problem_statement") or row.get("bug_description") or ""),
        gold=_gold(row),
        script=script_of(row),
        row=row,
    )


def script_of(row: Row) -> dict[str, str]:
    """A task's own variables for scripted models.

    Raises:
        BadInput: ``script`` is no table.
    """
    table = row.get("script") or {}
    if not isinstance(table, Mapping):
        raise BadInput("a task's script is a table of variables, not " + repr(table)[:40])
    return {str(key): str(value) for key, value in cast("Mapping[Any, Any]", table).items()}


def _gold(row: Row) -> Gold:
    patch = str(row.get("patch") or "")
    return Gold(
        files=listed(row.get("gold_files")) or patch_files(patch),
        symbols=listed(row.get("gold_symbols")),
        patch=patch,
        test_patch=str(row.get("test_patch") or ""),
        fail_to_pass=listed(row.get("FAIL_TO_PASS") or row.get("fail_to_pass")),
        pass_to_pass=listed(row.get("PASS_TO_PASS") or row.get("pass_to_pass")),
    )


def patch_files(patch: str) -> tuple[str, ...]:
    """Paths a unified diff changes (the old path of a deleted file), in order."""
    found: dict[str, None] = {}
    old = ""
    for line in patch.splitlines():
        if line.startswith("--- "):
            old = line[4:].split("\t")[0].removeprefix("a/")
        elif line.startswith("+++ "):
            new = line[4:].split("\t")[0].removeprefix("b/")
            found[old if new == "/dev/null" else new] = None
    return tuple(found)
