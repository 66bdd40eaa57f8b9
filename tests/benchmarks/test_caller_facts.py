"""Facts about callers, scored through the tool that lists them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOP = """\
class Till:
    def ring(self):
        return 1


class Bell:
    def ring(self):
        return 2


def open_shop(till: Till):
    return till.ring()


def close_shop():
    return Till().ring()


def sound():
    return Bell().ring()


def guess(thing):
    return thing.ring()
"""


def score(tree: Path, facts: list[dict[str, object]]) -> dict[str, object]:
    file = tree.parent / "facts.jsonl"
    file.write_text("".join(json.dumps(fact) + "\n" for fact in facts), "utf-8")
    command = [sys.executable, str(ROOT / "benchmarks" / "accuracy.py"), str(tree)]
    command += ["--facts", str(file), "--index-dir", str(tree.parent / "indexes")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_named_missing_wrong_and_unnamed_callers_are_counted(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "shop.py").write_text(SHOP, "utf-8")
    facts: list[dict[str, object]] = [
        {"symbol": "shop.py:Till.ring", "callers": ["open_shop", "guess"], "never": ["sound"]},
        {"symbol": "shop.py:Bell.ring", "callers": ["shop.py:20"], "never": ["shop.py:sound"]},
    ]
    assert score(tree, facts) == {
        "facts": 2,
        "callers": 3,
        "listed": 2,
        "recall": 0.6667,
        "wrong": 1,
        "unnamed": 1,
        "precision_at_least": 0.6667,
        "tiers": {"B": {"named": 2, "other": 1}},
        "differences": [
            "shop.py:Till.ring: missing guess",
            "shop.py:Till.ring: unnamed shop.py:close_shop (shop.py:16, B)",
            "shop.py:Bell.ring: wrong shop.py:sound",
        ],
    }
