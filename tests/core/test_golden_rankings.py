"""Golden rankings on three small repositories: each case is a way in which maps were seen to fail
(the study's RQ2), with the answer that is wanted instead."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codeviews.core.explore import Filter, Ranking, rank
from codeviews.core.session import Session
from codeviews.core.store import Store

RANKINGS = Path(__file__).parents[1] / "fixtures" / "rankings"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Store]]:
    home = tmp_path_factory.mktemp("index")
    sessions: dict[str, Session] = {}
    for folder in sorted(RANKINGS.iterdir()):
        tree = shutil.copytree(folder, home / "trees" / folder.name)
        sessions[folder.name] = Session(tree, home / "databases")
        sessions[folder.name].build(jobs=1)
    yield {name: session.store for name, session in sessions.items()}
    for session in sessions.values():
        session.close()


def files(ranking: Ranking, n: int) -> list[str]:
    return [ranking.candidates.files[scored.id].path for scored in ranking.files[:n]]


def symbols(ranking: Ranking, n: int) -> list[str]:
    known = ranking.candidates.definitions
    return [known[scored.id].address for scored in ranking.symbols[:n]]


class Case(NamedTuple):
    """``files`` and ``symbols`` are the whole start of the ranking that is wanted."""

    failure: str
    repository: str
    report: str
    files: tuple[str, ...]
    symbols: tuple[str, ...]


CASES = (
    Case(
        "the symptom's file comes first and the called cause is still in the answer",
        "kernel",
        "Write to a remote mount hangs\n\n"
        "remote_file_write never returns when the server is slow, the task times out again",
        ("fs/remote/file.c", "fs/remote/proc.c"),
        ("fs/remote/file.c:remote_file_write", "fs/remote/proc.c:remote_call_write"),
    ),
    Case(
        "a driver that nothing calls is not lost to its better connected neighbours",
        "kernel",
        "Wireless card hangs on suspend\n\n"
        "My Atmo card does not come back on resume, its firmware is fine.\n"
        "[   12.345678] atmo: card did not come back after suspend\n",
        ("drivers/wireless/atmo.c",),
        ("drivers/wireless/atmo.c:atmo_resume",),
    ),
    Case(
        "where the machine stopped outweighs what everything calls",
        "kernel",
        "Crash at night\n\n[    1.0] EIP is at rpc_run_task+0x14/0x50\n"
        "[    1.1] Call Trace:\n[    1.2]  debug_note+0x1/0x20\n",
        ("net/rpc/clnt.c",),
        ("net/rpc/clnt.c:rpc_run_task",),
    ),
    Case(
        "a tracker's field says which part is meant",
        "kernel",
        "Nothing after resume\nProduct: Drivers\nComponent: network-wireless\n\nIt is dead.\n",
        ("drivers/wireless/atmo.c",),
        ("drivers/wireless/atmo.c:atmo_resume",),
    ),
    Case(
        "an architecture's file outside every call and include is found by its terms",
        "kernel",
        "clock_gettime is slow on Marsh\n\nThe clock page of Marsh is not mapped.\n",
        ("kernel/time/clock.c", "arch/marsh/kernel/vdso.c"),
        ("kernel/time/clock.c:clock_gettime",),
    ),
    Case(
        "a helper that everything calls stays below what the report speaks of",
        "ledger",
        "Statement shows 0.13 where 0.12 is right\n\n"
        "The statement's render_row shows 0.13 for an amount of half a cent.\n",
        ("ledger/report.py",),
        ("ledger/report.py:Statement.render_row",),
    ),
    Case(
        "a generic name goes to the class that the report names",
        "ledger",
        "Store.save leaves half a file after a crash",
        ("ledger/store.py",),
        ("ledger/store.py:Store.save",),
    ),
    Case(
        "a bare generic method of another language goes to its class too",
        "gallery",
        "Album.get returns undefined for a new picture",
        ("src/album.ts",),
        ("src/album.ts:Album.get",),
    ),
    Case(
        "a message leads to the code that prints it",
        "ledger",
        "ValueError: spending limit exceeded for this period",
        ("ledger/budget.py",),
        ("ledger/budget.py:Budget.check",),
    ),
    Case(
        "a file that the report names comes first, without further exploring",
        "ledger",
        "Wrong line\n\nSee ledger/query.py, the account filter drops entries",
        ("ledger/query.py",),
        ("ledger/query.py:select_entries",),
    ),
    Case(
        "frames of a stack trace come in their order",
        "gallery",
        "RangeError: picture width must be positive\n"
        "    at resize (/app/src/resize.ts:2:25)\n    at Album.get (/app/src/album.ts:13:36)\n",
        ("src/resize.ts", "src/album.ts"),
        ("src/resize.ts:resize", "src/album.ts:Album.get"),
    ),
    Case(
        "a question of one name is answered by that name",
        "gallery",
        "evict",
        ("src/cache.ts",),
        ("src/cache.ts:Cache.evict",),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=[case.failure for case in CASES])
def test_ranking_starts_as_it_should(case: Case, stores: dict[str, Store]) -> None:
    ranking = rank(stores[case.repository], case.report, "hybrid", Filter())
    assert files(ranking, len(case.files)) == list(case.files)
    assert symbols(ranking, len(case.symbols)) == list(case.symbols)


def test_the_cause_two_calls_below_the_symptom_is_in_reach(stores: dict[str, Store]) -> None:
    ranking = rank(stores["kernel"], CASES[0].report, "callgraph", Filter())
    assert "net/rpc/clnt.c:rpc_run_task" in symbols(ranking, 6)


def test_tests_come_last_unless_they_are_wanted(stores: dict[str, Store]) -> None:
    report = "statement amounts are rounded half to even cents"
    last = rank(stores["ledger"], report, "hybrid", Filter())
    wanted = rank(stores["ledger"], report, "hybrid", Filter(include_tests=True))
    assert "tests/test_money.py" not in files(last, 3)
    assert files(wanted, 1) == ["tests/test_money.py"]


def test_paths_narrow_the_ranking(stores: dict[str, Store]) -> None:
    ranking = rank(stores["kernel"], CASES[1].report, "hybrid", Filter(paths=("drivers/base",)))
    assert {path.rpartition("/")[0] for path in files(ranking, 20)} == {"drivers/base"}


@pytest.mark.parametrize("view", ["ast", "callgraph", "deps", "docs", "hybrid"])
def test_every_view_answers_with_the_named_definition_first(
    view: str, stores: dict[str, Store]
) -> None:
    ranking = rank(stores["ledger"], "Store.save leaves half a file", view, Filter())
    assert symbols(ranking, 1) == ["ledger/store.py:Store.save"]


def test_contributions_explain_a_score(stores: dict[str, Store]) -> None:
    ranking = rank(stores["ledger"], CASES[6].report, "hybrid", Filter())
    first, second = ranking.symbols[:2]
    assert first.score == 1.0
    gap = sum(first.contributions.values()) - sum(second.contributions.values())
    assert second.score == pytest.approx(math.exp(-gap))


def test_a_report_without_any_known_word_ranks_nothing(stores: dict[str, Store]) -> None:
    ranking = rank(stores["gallery"], "zzyzx qwfpg", "hybrid", Filter())
    assert (ranking.files, ranking.symbols) == ([], [])


def test_a_word_that_only_tests_repeat_stays_rare(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    common = [f"def step_{n}(batch):\n    return batch.flush({n})\n" for n in range(12)]
    (tree / "steps.py").write_text("\n".join(common), "utf-8")
    (tree / "quota.py").write_text("def limit(user):\n    return user.overdraft\n", "utf-8")
    (tree / "batch.py").write_text("def flush_batch(batch):\n    batch.flush()\n", "utf-8")
    for n in range(40):
        test = f"def test_case_{n}():\n    overdraft = {n}\n    assert overdraft\n"
        (tree / "tests" / f"test_overdraft_{n}.py").write_text(test, "utf-8")
    session = Session(tree, tmp_path / "databases")
    session.build(jobs=1)
    ranking = rank(session.store, "overdraft lost after a batch flush", "hybrid", Filter())
    session.close()
    assert files(ranking, 1) == ["quota.py"]


def test_a_driver_is_the_files_that_its_makefile_links_and_the_folder_of_its_name(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "tree" / "drivers" / "net"
    (folder / "acme").mkdir(parents=True)
    rules = "acme-wifi-objs := rx.o\nacme-wifi-objs += \\\n\ttx.o gone.o\nobj-m += other.o\n"
    (folder / "Makefile").write_text(rules, "utf-8")
    for name in ("rx", "tx", "other", "acme/queue"):
        (folder / f"{name}.c").write_text(f"int {name[:2]}_up(void)\n{{\n}}\n", "utf-8")
    session = Session(tmp_path / "tree", tmp_path / "databases")
    session.build(jobs=1)
    ranking = rank(session.store, "acme_wifi: card is gone\nmodprobe acme\n", "hybrid", Filter())
    session.close()
    known, evidence = ranking.candidates.files, ranking.candidates.evidence
    found = {(known[i].path, channel) for i, of in evidence.files.items() for channel in of}
    assert {pair for pair in found if pair[1].startswith("driver")} == {
        ("drivers/net/rx.c", "driver"),
        ("drivers/net/tx.c", "driver"),
        ("drivers/net/acme/queue.c", "driver_folder"),
    }
