"""The local grader: the gold answer succeeds, an empty or broken one does not. No network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness import environments, grading
from codeviews.harness.environments import Environment, Line
from codeviews.harness.errors import BadInput, MissingProgram
from codeviews.harness.grid import Grid
from codeviews.harness.records import TrialRecord
from codeviews.harness.results import RunFolder

FIX = """\
diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices) + 1
+    return sum(prices)
"""
TEST = """\
diff --git a/tests/test_cart.py b/tests/test_cart.py
new file mode 100644
--- /dev/null
+++ b/tests/test_cart.py
@@ -0,0 +1,9 @@
+from shop.cart import total
+
+
+def test_total():
+    assert total([1, 2]) == 3
+
+
+def test_is_a_number():
+    assert isinstance(total([]), int)
"""
ROW: dict[str, Any] = {
    "instance_id": "shop-1",
    "repo": "codeviews/shop",
    "base_commit": "HEAD",
    "version": "1.0",
    "problem_statement": "The total is one too high",
    "patch": FIX,
    "test_patch": TEST,
    "FAIL_TO_PASS": json.dumps(["tests/test_cart.py::test_total"]),
    "PASS_TO_PASS": ["tests/test_cart.py::test_is_a_number", "tests/test_cart.py::test_gone"],
}


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task file; the environment borrows this pytest, so that nothing is downloaded."""
    packages = str(Path(pytest.__file__).parent.parent)
    variables = {"PYTHONPATH": packages, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    borrowed = Environment((), editable=False, variables=variables)
    table = {"codeviews/shop": (Line((1,), (2,), borrowed),)}
    monkeypatch.setattr(environments, "TABLE", table)
    monkeypatch.setenv("CODEVIEWS_SLOTS", str(tmp_path / "slots"))
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return path


def test_the_gold_patch_resolves_and_an_empty_one_does_not(shop: Path, tasks: Path) -> None:
    rows = grading.prove("swebench", str(tasks), str(shop), (), 1, 120)
    assert [(row.answer, row.success, row.note) for row in rows] == [
        ("gold", True, "1 of 1 fail-to-pass, 0 of 1 broken, 1 left out"),
        ("empty", False, "0 of 1 fail-to-pass, 0 of 1 broken, 1 left out"),
    ]
    assert all(row.as_expected for row in rows)


def test_the_gold_test_fails_before_the_fix_and_passes_after(shop: Path, tasks: Path) -> None:
    rows = grading.prove("swtbench", str(tasks), str(shop), (), 1, 120)
    assert [(row.answer, row.success, row.note) for row in rows] == [
        ("gold", True, "1 tests fail before and pass after, 0 fail after"),
        ("empty", False, "the patch is empty"),
    ]


def run_with(patches: dict[str, str], shop: Path, tasks: Path, home: Path) -> RunFolder:
    """A run whose trials predicted these patches."""
    folder = RunFolder(home / "run")
    grid = Grid(
        name="r",
        benchmarks=("swebench",),
        tasks={"swebench": str(tasks)},
        repos={"*": str(shop)},
    )
    folder.begin(grid, {})
    for workflow, patch in patches.items():
        id = {"benchmark": "swebench", "task": "shop-1", "workflow": workflow}
        record = {"id": id, "config": "c", "host": {"name": "claude-code"}}
        folder.save(TrialRecord.model_validate({**record, "prediction": {"patch": patch}}))
    return folder


def test_grading_a_run_writes_verdicts_into_its_records(
    shop: Path, tasks: Path, tmp_path: Path
) -> None:
    breaks = FIX.replace("+    return sum(prices)\n", "+    return str(prices)\n")
    odd = FIX.replace("sum(prices) + 1", "sum(prices) + 7")
    patches = {"baseline": FIX, "ast": breaks, "docs": odd}
    folder = run_with(patches, shop, tasks, tmp_path)
    grading.grade_local(folder, (), 1, 120)
    found = {r.id.workflow: r for r in folder.load().records}
    assert {w: r.verdict.success for w, r in found.items()} == {
        "baseline": True,
        "ast": False,
        "docs": False,
    }
    assert found["ast"].verdict.note == "0 of 1 fail-to-pass, 1 of 1 broken, 1 left out"
    assert found["docs"].failure is not None
    assert found["docs"].failure.kind == "patch_does_not_apply"


def test_the_official_grader_says_what_is_missing(
    shop: Path, tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    folder = run_with({"baseline": FIX}, shop, tasks, tmp_path)
    with pytest.raises(MissingProgram, match="official grader of swebench needs: docker"):
        grading.grade_official(folder, (), 1, 60)
    line = json.loads(next((folder.path / "official").rglob("predictions.jsonl")).read_text())
    assert line == {
        "instance_id": "shop-1",
        "model_name_or_path": "run-baseline-0",
        "model_patch": FIX,
    }


def test_a_benchmark_without_a_local_grader_lists_those_that_have_one() -> None:
    with pytest.raises(BadInput, match="those that have: swebench, swebenchpro, swtbench"):
        grading.prove("secbench", "x", "", (), 1, 60)
