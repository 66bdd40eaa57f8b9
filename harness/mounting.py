"""The commands of the map server and of the index, and the index itself, outside the clock."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from codeviews import __version__ as codeviews_version
from codeviews.harness.errors import HarnessError
from codeviews.harness.hosts import Mount
from codeviews.harness.records import IndexCost
from codeviews.harness.workflows import TOOLS
from codeviews.harness.workspace import Slot, note

INDEX_VARIABLE = "CODEVIEWS_INDEX_DIR"
INDEX_TIMEOUT = 3600.0


class IndexFailed(HarnessError):
    """The index command failed or said nothing."""


def codeviews() -> list[str]:
    """The installed ``codeviews`` command; never a module of the current directory."""
    script = Path(sys.executable).with_name("codeviews")
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-P", "-c", "from codeviews.servers.cli import main; main()"]


def mount(view: str, slot: Slot, template: tuple[str, ...]) -> Mount:
    """The server of a view on a slot's tree. A template other than ours names its own tools, so
    none are expected of it but that there are some."""
    if template:
        command = fill(template, view, slot.repo)
    else:
        command = (*codeviews(), "serve", view, "--repo", str(slot.repo))
    env = {INDEX_VARIABLE: str(slot.index)}
    return Mount(view, command, env, () if template else TOOLS[view])


def fill(template: tuple[str, ...], view: str, repo: Path) -> tuple[str, ...]:
    """A command template with ``{python}``, ``{view}`` and ``{repo}`` filled in."""
    known = {"{python}": sys.executable, "{view}": view, "{repo}": str(repo)}
    return tuple(_replace(part, known) for part in template)


def _replace(text: str, known: dict[str, str]) -> str:
    for name, value in known.items():
        text = text.replace(name, value)
    return text


def prepare_index(slot: Slot, template: tuple[str, ...]) -> IndexCost:
    """Build the index of a slot once, keep a pristine copy, and restore it for every later trial:
    an agent that edits the index changes nothing for the next.

    Raises:
        IndexFailed: the index command failed; says its last line.
    """
    pristine, cost_file = slot.folder / "index.pristine", slot.folder / "index.json"
    made_by = _maker(template)
    shutil.rmtree(slot.index, ignore_errors=True)
    known = json.loads(cost_file.read_text()) if cost_file.exists() else {}
    if known.get("made_by") == made_by:
        shutil.copytree(pristine, slot.index)
        return IndexCost(**{**known["cost"], "reused": True})
    cost_file.unlink(missing_ok=True)
    shutil.rmtree(pristine, ignore_errors=True)
    slot.index.mkdir()
    cost = _build(slot, template)
    shutil.copytree(slot.index, pristine)
    note(cost_file, {"made_by": made_by, "cost": cost.model_dump()})
    return cost


def _maker(template: tuple[str, ...]) -> str:
    """Identifies the program that builds the index: an index of other code is built again."""
    core = Path(__file__).resolve().parent.parent / "core"
    stats = [(str(p), p.stat().st_mtime_ns) for p in sorted(core.rglob("*")) if p.is_file()]
    compiled = [item for item in stats if "__pycache__" not in item[0]]
    text = repr((codeviews_version, template, compiled))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _build(slot: Slot, template: tuple[str, ...]) -> IndexCost:
    argv = [*codeviews(), "index", str(slot.repo), "--json"]
    if template:
        argv = list(fill(template, "", slot.repo))
    env = {**os.environ, INDEX_VARIABLE: str(slot.index)}
    started = time.monotonic()
    try:
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=INDEX_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise IndexFailed(f"the index was not built: {error}") from error
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise IndexFailed(f"the index was not built: {said}")
    cost = _cost(done.stdout)
    return cost.model_copy(update={"seconds": round(time.monotonic() - started, 3)})


def _cost(text: str) -> IndexCost:
    try:
        data: dict[str, Any] = json.loads(text[text.index("{") :])
    except ValueError as error:
        raise IndexFailed("the index command printed no JSON") from error
    known = IndexCost.model_fields.keys() - {"reused"}
    return IndexCost(**{key: data[key] for key in known if isinstance(data.get(key), int | float)})
