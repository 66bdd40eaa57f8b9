"""Tasks of the retrieval benchmark: report text, repository at its base commit, gold places."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Repositories whose mirror goes by another name, because only that one holds all base commits.
ALIASES = {
    "django/django": "felixxm/django",
    "scikit-learn/scikit-learn": "glemaitre/scikit-learn",
    "matplotlib/matplotlib": "timhoffm/matplotlib",
    "imagemagick/imagemagick": "ImageMagick/ImageMagick",
}
SAFE_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
SUITES = {
    "lite": "swebench_lite.jsonl",
    "pro": "swebench_pro_dev.jsonl",
    "linuxfl": "linuxfl_dev.jsonl",
    "secbench": "secbench_dev.jsonl",
}


class Task(NamedTuple):
    """One report. Gold functions are ``path:Qualified.name``; ``commit`` "" is a ready tree."""

    id: str
    suite: str
    repo: str
    commit: str
    date: str
    language: str
    report: str
    gold_files: tuple[str, ...]
    gold_functions: tuple[str, ...]

    @property
    def names_gold(self) -> bool:
        """Whether the report itself names a gold file's base name or a gold function."""
        names = [path.rsplit("/", 1)[-1] for path in self.gold_files]
        names += [gold.rsplit(":", 1)[-1].rsplit(".", 1)[-1] for gold in self.gold_functions]
        return any(name in self.report for name in names)


def load(folder: Path, suite: str) -> list[Task]:
    """The scoreable tasks of a suite, by repository and date."""
    lines = (folder / SUITES[suite]).read_text("utf-8").splitlines()
    tasks = [_READERS[suite](json.loads(line)) for line in lines]
    kept = [task for task in tasks if task.gold_files and (task.gold_functions or suite != "lite")]
    return sorted(kept, key=lambda task: (task.repo, task.date, task.id))


def _lite(row: dict[str, Any]) -> Task:
    return Task(
        row["instance_id"],
        "lite",
        row["repo"],
        row["base_commit"],
        row["created_at"],
        "python",
        row["problem_statement"],
        tuple(row["gold_files"]),
        tuple(row["gold_functions"]),
    )


def _pro(row: dict[str, Any]) -> Task:
    parts = [row["problem_statement"], row.get("requirements") or "", row.get("interface") or ""]
    return Task(
        row["instance_id"],
        "pro",
        row["repo"],
        row["base_commit"],
        "",
        row["repo_language"],
        "\n\n".join(part for part in parts if part),
        tuple(row["gold_files"]),
        (),
    )


def _linuxfl(row: dict[str, Any]) -> Task:
    report = (
        f"{row['title']}\nProduct: {row['Product']}\nComponent: {row['Component']}\n\n"
        f"{row['description']}"
    )
    gold = tuple(row["paths"])
    return Task(row["id"], "linuxfl", "linux", "", "", "c", report, gold, ())


def _secbench(row: dict[str, Any]) -> Task:
    report = f"{row['bug_description']}\n\n{row['sanitizer_report']}"
    return Task(
        row["instance_id"],
        "secbench",
        row["repo"],
        row["base_commit"],
        "",
        "c",
        report,
        tuple(row["gold_files"]),
        (),
    )


_READERS = {"lite": _lite, "pro": _pro, "linuxfl": _linuxfl, "secbench": _secbench}


def mirror_of(mirrors: Path, repo: str) -> Path:
    """The clone of a repository: ``owner__name``, ``owner+name`` or ``owner/name``, bare or not."""
    owner, _, name = ALIASES.get(repo, repo).partition("/")
    for place in (f"{owner}__{name}", f"{owner}+{name}", f"{owner}/{name}"):
        for folder in (mirrors / place / "repo", mirrors / place):
            if (folder / "HEAD").exists() or (folder / ".git").exists():
                return folder
    raise FileNotFoundError(f"no clone of {owner}/{name} under {mirrors}")


def check_out(mirror: Path, commit: str, tree: Path) -> None:
    """Make ``tree`` hold exactly that commit, with the history before it and nothing of what came
    after, as a user's clone would have it. Nothing of the repository is run."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    archive = _git(mirror, "archive", "--format=tar", commit)
    if archive.returncode == 0:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(tree, members=_plain(tar), filter="data")
    else:  # a mirror may lack its largest blobs: take what it has
        _write_blobs(mirror, commit, tree)
    _attach_history(mirror, commit, tree)


def _attach_history(mirror: Path, commit: str, tree: Path) -> None:
    """A ``.git`` of our own with ``HEAD`` at the commit and no other reference, which borrows the
    mirror's objects. Its index holds all files, so that each counts as tracked."""
    objects = _git(mirror, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    objects.check_returncode()
    folder = tree / ".git"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "refs").mkdir(parents=True)
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "objects" / "info" / "alternates").write_bytes(objects.stdout)
    (folder / "HEAD").write_text(f"{commit}\n", "ascii")
    _git(tree, "read-tree", commit).check_returncode()


def _git(mirror: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*SAFE_GIT, "-C", str(mirror), *words]
    return subprocess.run(command, input=given, capture_output=True, check=False)


def _write_blobs(mirror: Path, commit: str, tree: Path) -> None:
    listed = _git(mirror, "ls-tree", "-r", "-z", commit)
    listed.check_returncode()
    entries = [line.partition(b"\t") for line in listed.stdout.split(b"\0") if line]
    blobs = [(head.split()[2], path) for head, _, path in entries if head.startswith(b"100")]
    names = b"\n".join(name for name, _ in blobs) + b"\n"
    stream = io.BytesIO(_git(mirror, "cat-file", "--batch", given=names).stdout)
    for _, path in blobs:
        header = stream.readline().split()
        if header[-1:] == [b"missing"]:
            continue
        content = stream.read(int(header[2]) + 1)[:-1]
        place = tree / path.decode("utf-8", "surrogateescape")
        if ".." not in place.parts:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def _plain(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    return (member for member in tar if member.isfile() or member.isdir())
