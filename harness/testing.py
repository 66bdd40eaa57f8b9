"""Run a repository's tests with pytest in its own environment, and read which passed."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED) (\S.*?)(?: - .*)?$")
GOOD = frozenset(["PASSED", "XFAIL"])


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcome by test id; ``problem`` is a sentence when the tests could not run at all."""

    by_id: Mapping[str, str]
    problem: str = ""

    def passed(self, wanted: str) -> bool:
        """Whether a test passed; a bare function name stands for every test of that name."""
        found = self.matching(wanted)
        return bool(found) and all(self.by_id[id] in GOOD for id in found)

    def matching(self, wanted: str) -> list[str]:
        """Ids a wanted test stands for."""
        if wanted in self.by_id:
            return [wanted]
        if "::" in wanted:
            return []
        return [id for id in self.by_id if id.split("::")[-1].split("[")[0] == wanted]


def run(
    python: Path,
    repo: Path,
    files: Sequence[str],
    timeout: float,
    variables: Mapping[str, str] | None = None,
) -> Outcomes:
    """Run test files. The child inherits nothing but PATH and gets a HOME of its own."""
    present = [path for path in files if path.endswith(".py") and (repo / path).is_file()]
    if not present:
        return Outcomes({}, "there are no test files to run")
    argv = [str(python), "-m", "pytest", "-rA", "--tb=no", "-q", "-p", "no:cacheprovider"]
    argv += ["-W", "ignore", "--show-capture=no", "--color=no", *present]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        env = {
            "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": home,
            "TMPDIR": home,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            **(variables or {}),
        }
        try:
            done = subprocess.run(
                argv,
                cwd=repo,
                env=env,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Outcomes({}, f"the tests did not finish within {timeout:.0f} s")
    return read(done.stdout, done.stderr)


def read(stdout: str, stderr: str = "") -> Outcomes:
    """Outcomes out of pytest's ``-rA`` summary."""
    found: dict[str, str] = {}
    for line in stdout.splitlines():
        match = _LINE.match(line)
        if match:
            found[match[2]] = match[1]
    if found:
        return Outcomes(found)
    said = (stderr.strip() or stdout.strip() or "no output").splitlines()[-1]
    return Outcomes({}, f"pytest reported nothing: {said[:200]}")
