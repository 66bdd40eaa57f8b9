"""Files and folders as bad as they come: the index is built, true, and says what it left out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from codeviews.core.session import Session
from codeviews.servers.hosts import server_command

GOOD = "def good():\n    return 1\n"


def build(root: Path, home: Path) -> tuple[list[str], dict[str, str], list[str]]:
    """Indexed paths, skipped paths with reasons, and names of functions."""
    session = Session(root, home)
    try:
        report = session.build(jobs=1)
        with session.reading() as store:
            paths = sorted(record.path for record in store.files())
            definitions = [d for path in paths for d in store.symbols_of(path)]
            functions = [d.name for d in definitions if d.kind == "function"]
        return paths, {s["path"]: s["reason"] for s in report.skipped}, sorted(functions)
    finally:
        session.close()


def test_every_encoding_and_line_end_is_read(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    contents = {
        "bom.py": b"\xef\xbb\xbfdef bom():\n    pass\n",
        "crlf.py": b"def crlf():\r\n    pass\r\n",
        "latin.py": b"# -*- coding: latin-1 -*-\ndef latin():\n    return 'caf\xe9'\n",
        "wide.py": "def wide():\n    return 'é'\n".encode("utf-16"),
        "broken.py": b"def whole():\n    pass\n\ndef half(:\n\ndef after():\n    pass\n",
        "line.js": b"function oneLine(){" + b"x=1;" * 200_000 + b"}",
        "empty.py": b"",
        "nul.py": b"def no():\n    return '\0'\n",
        "link.py": b"",
    }
    for name, data in contents.items():
        (root / name).write_bytes(data)
    (root / "link.py").unlink()
    (root / "link.py").symlink_to("bom.py")
    (root / "out.py").symlink_to("/etc/hostname")
    (root / "loop").symlink_to(".")
    paths, skipped, functions = build(root, tmp_path / "indexes")
    assert paths == sorted(contents.keys() - {"nul.py", "link.py"})
    assert skipped == {
        "nul.py": "binary (NUL bytes)",
        "link.py": "symbolic link",
        "loop": "symbolic link",
        "out.py": "symbolic link that leaves the repository",
    }
    assert {"bom", "crlf", "latin", "wide", "whole", "after", "oneLine"} <= set(functions)


def test_an_empty_repository_has_an_empty_index(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    assert build(root, tmp_path / "indexes") == ([], {}, [])


def test_nothing_of_the_repository_is_run_or_imported(tmp_path: Path) -> None:
    root, proof = tmp_path / "repo", tmp_path / "proof"
    root.mkdir()
    evil = f"open({str(proof)!r}, 'w').close()\n"
    modules = ["conftest", "setup", "sitecustomize", "usercustomize", "typer", "json", "typing"]
    for name in [*modules, "codeviews/__init__", "core/__init__", "mcp/__init__", "numpy"]:
        (root / name).parent.mkdir(exist_ok=True)
        (root / f"{name}.py").write_text(evil + GOOD)
    (root / ".jedi").mkdir()
    (root / ".jedi" / "project.json").write_text(f'["python", "{root}/evil"]')
    command = [part.replace("{view}", "callgraph") for part in server_command(str(root))]
    environment = os.environ | {"CODEVIEWS_INDEX_DIR": str(tmp_path / "indexes")}
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b""
    _, _, functions = build(root, tmp_path / "indexes")
    assert functions.count("good") == 11
    assert not proof.exists()


def test_literals_no_number_holds_leave_the_other_edges(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    big = "9" * 5_000
    texts = {
        "odd.js": f"const a = [good];\na.at('²')();\na.at('--5')();\na.at({big})();\na[{big}]();\n",
        "odd.rs": f"impl P {{ fn f(&self) {{ self.{big}.g(); (1, 2).{big}.h(); }} }}\n",
        "odd.py": f"a = [0] * {big}\na[{big}]()\n'%{big}s' % a\n10 ** 10 ** 10\n",
        "odd.c": f"void (*a[])(void) = {{[{big}] = 0}};\nvoid g(void) {{ a[{big}](); }}\n",
        "odd.swift": f"func f(t: (Int, Int)) {{ t.{big}.x() }}\n",
        "good.js": "function good() {}\nfunction calls() { good(); }\n",
    }
    for name, text in texts.items():
        (root / name).write_text(text)
    session = Session(root, tmp_path / "indexes")
    try:
        report = session.build(jobs=1)
        with session.reading() as store:
            calls = [d.address for d in store.symbols_of("good.js") if d.name == "calls"]
    finally:
        session.close()
    assert report.notices == []
    assert calls == ["good.js:calls"]
    assert report.edges >= 1


def test_fields_that_are_all_assigned_from_each_other_end(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    names = [f"f{n}" for n in range(14)]
    ruby = "".join(
        f"  def step_{one}\n"
        + "".join(f"    @{one} = @{other}\n" for other in names)
        + f"    @{one}.ring\n    tie\n  end\n"
        for one in names
    )
    java = "".join(
        f"  void step{one}() {{ "
        + " ".join(f"this.{one} = this.{other};" for other in names)
        + f" this.{one}.ring(); tie(); }}\n"
        for one in names
    )
    (root / "knot.rb").write_text(f"class Knot\n  def tie\n  end\n{ruby}end\n")
    (root / "Knot.java").write_text(f"class Knot {{\n  var f0;\n  void tie() {{}}\n{java}}}\n")
    session = Session(root, tmp_path / "indexes")
    try:
        assert session.build(jobs=1).edges == 2 * len(names)
    finally:
        session.close()


def test_a_name_that_is_not_utf8_is_skipped_and_shown_escaped(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "good.py").write_text(GOOD)
    with open(os.fsencode(root) + b"/b\xff.py", "w") as odd:
        odd.write(GOOD)
    (root / "two\nlines.py").write_text(GOOD)
    paths, skipped, functions = build(root, tmp_path / "indexes")
    assert paths == ["good.py"]
    assert skipped == {
        "b\\udcff.py": "its name is not UTF-8",
        "two\\nlines.py": "its name holds a control character",
    }
    assert functions == ["good"]
