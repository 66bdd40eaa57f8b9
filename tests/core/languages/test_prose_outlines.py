"""Headings of prose with their sections; what no bytes can break."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.facts import FileFacts
from codeviews.core.languages import LANGUAGES, extractor
from codeviews.core.languages.outline import MAX_SYMBOLS

PLAIN = [language for language, family in LANGUAGES.items() if not family]


def facts_of(language: str, text: str, path: str = "x") -> FileFacts:
    return extractor(language)(path, text.encode())


def outline_of(facts: FileFacts) -> list[str]:
    return [f"{s.kind} {s.qualname} {s.start_line}-{s.end_line}" for s in facts.symbols[1:]]


MARKDOWN = """\
---
title: not a heading
---
# Shop `v2`

[badge]: x

Sells things.
All of them.

## Install ##
```sh
# not a heading
make
```

Linux
-----
Run it.
### [Details](x.md)
- item
---
# Licence
"""


def test_markdown_sections_hold_their_code_blocks() -> None:
    facts = facts_of("markdown", MARKDOWN)
    assert outline_of(facts) == [
        "heading Shop v2 4-22",
        "heading Shop v2.Install 11-15",
        "heading Shop v2.Linux 17-22",
        "heading Shop v2.Linux.Details 20-22",
        "heading Licence 23-23",
    ]
    install = facts.symbols[2]
    body = MARKDOWN.encode()[install.start_byte : install.end_byte].decode()
    assert body == "## Install ##\n```sh\n# not a heading\nmake\n```"
    assert facts.symbols[0].doc == "Sells things. All of them."


RST = """\
.. _start:

=====
Guide
=====

How to use it.

First steps
===========

.. setting:: DEBUG

``DEBUG``
---------

Switches it on.

.. code-block:: python

    Title = 1
    ---------

.. function:: run(path, *, fast=False)

    Runs one file.

    :param path: where it is

Second steps
============
+-----+
| a b |
+-----+
"""


def test_rst_titles_nest_by_adornment_and_objects_are_keys() -> None:
    facts = facts_of("rst", RST)
    assert outline_of(facts) == [
        "heading Guide 4-34",
        "heading Guide.First steps 9-28",
        "heading Guide.First steps.DEBUG 14-28",
        "key Guide.First steps.DEBUG.run 24-28",
        "heading Guide.Second steps 30-34",
    ]
    assert facts.symbols[0].doc == "How to use it."
    run = facts.symbols[4]
    assert (run.signature, run.doc) == ("function run(path, *, fast=False)", "Runs one file.")


def test_text_files_show_titles_when_they_are_written_like_rst() -> None:
    text = "Guide\n=====\n\nWords.\n\nMore\n----\n\nEnd.\n"
    titled = facts_of("text", text, "docs/guide.txt")
    assert outline_of(titled) == ["heading Guide 1-9", "heading Guide.More 6-9"]
    assert facts_of("text", text, "guide.dat").symbols[1:] == []
    note = facts_of("text", "\nOne line.\nAnother.\n\nNext.\n", "note.txt")
    assert (note.symbols[0].name, note.symbols[0].doc) == ("note.txt", "One line. Another.")


def test_names_beyond_the_limit_are_left_to_full_text_with_a_note() -> None:
    facts = facts_of("yaml", "".join(f"k{i}: 1\n" for i in range(MAX_SYMBOLS + 5)))
    assert len(facts.symbols) == MAX_SYMBOLS + 1
    assert facts.notes == ["the first 2,000 names are listed, full text finds the rest"]


FRAGMENTS = [
    b'a: b\n', b'  - x: |\n', b'\t', b'"', b"'", b'{', b'}', b'[', b']', b':', b',', b'# c\n',
    b'/*', b'\\"', b'===\n', b'CREATE TABLE t (\n', b';\n', b'FROM x AS y\n', b'RUN <<EOF\n',
    b'config A\n', b'help\n', b'menu "x"\n', b'endmenu\n', b'define x\n', b'{% block a %}',
    b'{% endblock %}', b'<h1>', b'</h1>', b'```\n', b'$$', b'\x00', b'\xff\xfe', b'\r\n',
    b'\r', b'\n', b" " * 30, b'[a]\n', b'k = """\n', b'<!--', b'.. function:: x\n', b'id="',
    b'BEGIN ', b'END;', b'\xef\xbb\xbf',
]  # fmt: skip
sources = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=8), max_size=40).map(b"".join)


@pytest.mark.parametrize("language", PLAIN)
@settings(max_examples=60, deadline=None)
@given(source=sources)
def test_any_bytes_give_a_well_formed_outline(language: str, source: bytes) -> None:
    facts = extractor(language)("x.txt", source)
    lines = source.count(b"\n") + 1
    assert facts.symbols[0][3:7] == (1, lines, 0, len(source))
    assert len({symbol.qualname for symbol in facts.symbols}) == len(facts.symbols)
    for index, symbol in enumerate(facts.symbols[1:], 1):
        parent = facts.symbols[symbol.parent]
        assert symbol.parent < index
        assert parent.start_byte <= symbol.start_byte <= symbol.end_byte <= parent.end_byte
        assert parent.start_line <= symbol.start_line <= symbol.end_line <= parent.end_line
        assert source[: symbol.start_byte].count(b"\n") + 1 == symbol.start_line


HUGE = {
    "spaces": b" " * 300_000,
    "quotes": b'"\\' * 150_000,
    "comments": b"/*" * 150_000,
    "brackets": b"[" * 300_000,
    "tags": b"<a " * 100_000,
    "blocks": b"{% block a %}\n" * 20_000,
    "dashes": b"- " * 150_000,
    "documents": b"RUN <<EOF\n" * 20_000,
    "equals": b"==\n" * 60_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_large_files_made_to_stall_a_scanner_do_not(name: str) -> None:
    for language in PLAIN:
        assert extractor(language)("x.txt", HUGE[name]).symbols[0].end_byte == len(HUGE[name])
