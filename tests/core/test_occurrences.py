"""Every place of a name, whatever stands around it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeviews.core.occurrences import occurrences
from codeviews.core.session import Session

FILES = {
    "code.py": "retry = 1\nretry_limit = retry + 2\nxretry = 0\nobj.retry(retry)\n",
    "conf.yml": "retry: 3\nno-retry: 1\nretries: 2\n",
    "docs/a.md": "# Retry\n\nThe `retry` key; RETRY is another.\n",
    "wide.py": "x = '" + "y " * 3_000 + "retry " + "z " * 3_000 + "'\n",
    "ends.txt": "one\r\nretry\r\nthree",
    "accent.py": "éretry = 1\nretryé = 2\nretry = 3\n",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("names")
    for name, text in FILES.items():
        path = folder / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    opened = Session(folder / "repo", folder / "indexes")
    opened.build(jobs=1)
    yield opened
    opened.close()


def places(
    session: Session, *names: str, files: int = 99, per_file: int = 9
) -> dict[str, list[int]]:
    found = occurrences(session.store, names, lambda record: True, files, per_file)
    return {file.file.path: [place.line for place in file.places] for file in found.files}


def test_a_name_is_found_as_a_whole_word_only(session: Session) -> None:
    assert places(session, "retry") == {
        "accent.py": [3],
        "code.py": [1, 2, 4],
        "conf.yml": [1, 2],
        "docs/a.md": [3],
        "ends.txt": [2],
        "wide.py": [1],
    }


def test_several_names_share_one_scan(session: Session) -> None:
    assert places(session, "retry_limit", "retries", "obj.retry") == {
        "code.py": [2, 4],
        "conf.yml": [3],
    }


def test_a_place_in_an_overlong_line_is_shown_with_its_surroundings(session: Session) -> None:
    found = occurrences(session.store, ["retry"], lambda r: r.path == "wide.py", 9, 9)
    text = found.files[0].places[0].text
    assert len(text) <= 200
    assert "y y retry z z" in text


def test_what_the_bounds_cut_is_counted(session: Session) -> None:
    found = occurrences(session.store, ["retry"], lambda record: True, 2, 1)
    assert [(f.file.path, len(f.places), f.total) for f in found.files] == [
        ("accent.py", 1, 1),
        ("code.py", 1, 3),
    ]
    assert (found.total, found.unread) == (4, 4)


@pytest.mark.parametrize("name", ["", "***", '"', "nothing_like_it"])
def test_a_name_that_is_nowhere_has_no_place(session: Session, name: str) -> None:
    assert places(session, name) == {}
