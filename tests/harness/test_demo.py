"""The demo grid in a bounded form: the real host, our real map servers, records equal the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeviews.harness import behaviour, grid, scripting
from codeviews.harness.benchmarks import benchmark
from codeviews.harness.cli import app
from codeviews.harness.results import RunFolder
from codeviews.harness.workflows import BASELINE, TOOLS


def test_the_demo_runs_from_one_command_and_its_records_are_the_scripts_truth(
    claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEVIEWS_SLOTS", str(tmp_path / "slots"))
    views = "baseline,callgraph,hybrid"
    options = ["--workflows", views, "--only", "ledger-3", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, ["run", "--grid", "demo", *options, "--json"])
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert (summary["trials"], summary["successes"], summary["environment"]) == (3, 3, 0)
    demo = grid.load("demo")
    task = grid.chosen(demo, "localize")["ledger-3"]
    script = behaviour.load("map-first")
    for record in RunFolder(tmp_path / "run").load().records:
        has_map = record.id.workflow != BASELINE
        truth = scripting.truth(script, has_map, scripting.variables(task, ""))
        assert scripting.differences(record, truth, task, benchmark("localize")) == []
        if has_map:
            assert record.tools[0].tool == TOOLS[record.id.workflow][0]
            assert record.tools[0].output_chars > 100
            assert record.index is not None
            assert record.index.files >= 7
