"""The flow suite of our own: rebinding, branches, closures, containers, in PyCG's format."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tests" / "fixtures" / "flow"
WIDE = ROOT / "tests" / "fixtures" / "flow_wide"

KNOWN_DIFFERENCES = [
    # a name that another module replaces may still be what it was
    "attributes/module_attribute_patched: extra (A) gauge.test -> gauge.sound",
    # a class changed between two calls has both methods for every caller
    "classes/class_attribute_changed_between: extra (B) main -> main.Box.call",
    "classes/class_attribute_changed_between: extra (C) main.before -> main.patched",
    # ``super()`` is also what the class itself would call, whether or not it is ever made
    "classes/diamond_order: extra (A) main.Left.visit -> main.Root.visit",
    # ``cls`` in ``__init_subclass__`` may be the class itself as far as types tell
    "classes/init_subclass_registry: extra (B) main -> main.Plugin.run",
    # the declared method of a protocol is named beside those that fit it
    "classes/protocol_argument: extra (B) main.listen -> main.Speaker.say",
    # a call of a decorated function is one of the function and of its wrapper
    "decorators/wraps_with_arguments: extra (A) main.toll -> main.chime",
    "scope/global_rebound_by_call: extra (B) main.measure -> main.small",
]


@pytest.fixture(scope="module")
def accuracy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accuracy", ROOT / "benchmarks" / "accuracy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy"] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        spec.loader.exec_module(module)
    return module


def test_flow_suite_has_exactly_the_expected_edges(accuracy: ModuleType) -> None:
    report = accuracy.run(SUITE, "python", strict=True)
    assert report.total.cases >= 236
    assert report.differences == KNOWN_DIFFERENCES


def test_wide_flow_suite_differs_where_it_is_said_to(accuracy: ModuleType) -> None:
    lines = (WIDE / "differences.txt").read_text("utf-8").splitlines()
    report = accuracy.run(WIDE, "python", strict=True)
    assert report.total.cases == 157
    assert sorted(report.differences) == sorted(x for x in lines if not x.startswith("#"))


def test_implicit_calls_count_when_the_case_names_one_of_their_kind(
    accuracy: ModuleType, tmp_path: Path
) -> None:
    lines = ["class Bag:", "    def __iter__(self):", "        return iter([])", ""]
    lines += ["    @property", "    def size(self):", "        return 0", ""]
    lines += ["bag = Bag()", "for item in bag:", "    print(bag.size)"]
    (tmp_path / "main.py").write_text("\n".join(lines))
    (tmp_path / "callgraph.json").write_text('{"main": ["main.Bag.__iter__"]}')
    assert accuracy.run(tmp_path, "python").differences == []
    strict = accuracy.run(tmp_path, "python", strict=True)
    assert strict.differences == [".: extra (B) main -> main.Bag.size"]
