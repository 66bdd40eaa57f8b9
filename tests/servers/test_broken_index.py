"""The index or the repository is taken away while a server answers: a sentence, then recovery."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.builder import last_words, start_build, stop_build
from codeviews.core.session import Session
from codeviews.servers.hosts import server_command

CALLERS = ("callgraph", "callers_of", {"symbol": "place_order"})


def body(answer: tuple[str, bool]) -> tuple[str, bool]:
    return answer[0].partition("\n")[2], answer[1]


def test_a_background_build_ends_without_a_complaint(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text("def f():\n    pass\n")
    session = Session(root, tmp_path / "indexes")
    child = start_build(root, session.database)
    code = child.wait()
    stop_build(child)
    assert (code, last_words(session.database)) == (0, "")
    assert session.ready()
    session.close()


def test_a_repository_that_is_moved_away_keeps_its_index(own_shop: Session, call: Any) -> None:
    before = call(own_shop, *CALLERS)
    away = own_shop.root.with_name("away")
    own_shop.root.rename(away)
    for _ in range(2):
        text, error = call(own_shop, *CALLERS)
        assert error
        assert text == (
            f"the repository's folder {own_shop.root} is gone or cannot be entered; put it back, "
            "or start again with the folder it is in now"
        )
    with own_shop.reading() as store:
        assert store.file_count() > 0
    away.rename(own_shop.root)
    assert body(call(own_shop, *CALLERS)) == body(before)


def test_a_new_tree_in_the_old_place_is_watched(own_shop: Session, call: Any) -> None:
    call(own_shop, *CALLERS)
    own_shop.root.rename(own_shop.root.with_name("away"))
    shutil.copytree(own_shop.root.with_name("away"), own_shop.root)
    call(own_shop, *CALLERS)
    (own_shop.root / "shop" / "late.py").write_text("def late_comer():\n    pass\n")
    text, error = call(own_shop, "ast", "ast_node", {"symbol": "late_comer"})
    assert not error
    assert "shop/late.py:1" in text


def test_an_edit_of_the_same_size_and_time_is_read(own_shop: Session, call: Any) -> None:
    call(own_shop, *CALLERS)
    path = own_shop.root / "shop" / "orders.py"
    stamp = path.stat()
    path.write_text(path.read_text().replace("place_order", "plant_order"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert path.stat().st_size == stamp.st_size
    text, _ = call(own_shop, "ast", "ast_node", {"symbol": "plant_order"})
    assert "def plant_order(" in text


def test_an_index_that_is_deleted_is_built_again(own_shop: Session, call: Any) -> None:
    before = body(call(own_shop, *CALLERS))
    shutil.rmtree(own_shop.database.parent)
    assert body(call(own_shop, *CALLERS)) == before


def test_an_index_that_another_process_replaced_is_read_from_then_on(
    own_shop: Session, call: Any
) -> None:
    before = body(call(own_shop, *CALLERS))
    own_shop.database.unlink()
    other = Session(own_shop.root, own_shop.database.parents[1])
    other.build(jobs=1)
    with other.reading() as store:
        made = store.meta("built_ns")
    other.close()
    assert body(call(own_shop, *CALLERS)) == before
    assert own_shop.store.meta("built_ns") == made


def test_a_damaged_index_is_built_anew(own_shop: Session, call: Any) -> None:
    before = body(call(own_shop, *CALLERS))
    own_shop.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(own_shop.database.read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    own_shop.close()
    own_shop.database.write_bytes(data)
    answers = [call(own_shop, *CALLERS) for _ in range(3)]
    assert body(answers[-1]) == before
    for text, error in answers:
        assert not error or "built anew; ask again" in text


@pytest.mark.parametrize("cursor", ["²", "-1", "9" * 5_000, "x" * 100_000, "1e3"])
def test_a_cursor_that_was_never_given_is_refused(ask: Any, cursor: str) -> None:
    text, error = ask("ast", "ast_files", cursor=cursor)
    assert error
    assert text == f"cursor {cursor[:60]!r} is not from an earlier answer; leave it empty"


@pytest.mark.parametrize("line", ["9" * 10, "9" * 25, "9" * 5_000, "²"])
def test_a_line_that_no_file_has_is_not_found(ask: Any, line: str) -> None:
    text, error = ask("ast", "ast_node", symbol=f"shop/orders.py:{line}")
    assert not error
    assert text.startswith("Not found: no definition is called 'shop/orders.py:")


def test_a_folder_that_cannot_hold_an_index_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "indexes"
    command = [
        *server_command("")[:4],
        "status",
        "--repo",
        str(tmp_path),
        "--index-dir",
        str(place),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"codeviews: the index in {place}/")
    assert "could not be written (Not a directory)" in done.stderr
