"""Docstrings and doc comments are taken apart in every common style."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.doc_comments import parse_doc
from codeviews.core.docstrings import DocItem, DocNote, DocSections

GOOGLE = """Fetch rows of a table.

    Rows come in key order.

    Args:
        table (Table): The open table.
        *keys: Which rows,
            all when empty.

    Returns:
        A mapping.

    Raises:
        OSError: The disk is gone.

    Example:
        >>> fetch(t)
        {}
    """

NUMPY = """Fetch rows.

Parameters
----------
table : Table
    The open table.
limit : int, optional

Returns
-------
rows : dict
    A mapping.

See Also
--------
store : The reverse.
"""

SPHINX = """Fetch rows.

:param Table table: The open table.
:param keys: Which rows.
:returns: A mapping.
:rtype: dict
:raises OSError: The disk is gone."""

JAVADOC = """/**
 * Fetches rows
 * of a table.
 *
 * <p>In key order.
 *
 * @param table the open table,
 *     never null
 * @param <K> key type
 * @return a mapping
 * @throws IOException when the disk is gone
 * @since 2.0
 */"""

JSDOC = """/**
 * @description Fetches rows.
 * @param {Table} table - the open table
 * @param {number} [limit=10] at most
 * @returns {Promise<Map>} a mapping
 */"""

DOXYGEN = """/// \\brief Fetches rows.
/// \\param[in] table the open table
/// \\return a mapping"""

KERNEL = """/**
 * fetch_rows() - get rows of a table
 * @table: the open table,
 *         locked
 * @ops->limit: at most
 *
 * Rows come in key order.
 *
 * Context: process
 * Return: 0 or -errno
 */"""

SIGNATURE = "async def fetch(table, *keys: str, limit: int = 10) -> dict[str, Row]"


def test_google_style_with_types_from_the_signature() -> None:
    assert parse_doc(GOOGLE, "python", SIGNATURE) == DocSections(
        "google",
        "Fetch rows of a table.",
        "Rows come in key order.",
        parameters=(
            DocItem("table", "Table", "The open table."),
            DocItem("*keys", "str", "Which rows, all when empty."),
        ),
        returns=(DocItem("", "dict[str, Row]", "A mapping."),),
        raises=(DocItem("", "OSError", "The disk is gone."),),
        notes=(DocNote("Example", ">>> fetch(t)\n{}"),),
    )


def test_numpy_style() -> None:
    assert parse_doc(NUMPY) == DocSections(
        "numpy",
        "Fetch rows.",
        parameters=(DocItem("table", "Table", "The open table."), DocItem("limit", "int", "")),
        returns=(DocItem("rows", "dict", "A mapping."),),
        notes=(DocNote("See Also", "store : The reverse."),),
    )


def test_sphinx_style() -> None:
    assert parse_doc(SPHINX) == DocSections(
        "sphinx",
        "Fetch rows.",
        parameters=(
            DocItem("table", "Table", "The open table."),
            DocItem("keys", "", "Which rows."),
        ),
        returns=(DocItem("", "dict", "A mapping."),),
        raises=(DocItem("", "OSError", "The disk is gone."),),
    )


def test_tags_of_java() -> None:
    assert parse_doc(JAVADOC, "java") == DocSections(
        "tags",
        "Fetches rows of a table.",
        "<p>In key order.",
        parameters=(
            DocItem("table", "", "the open table, never null"),
            DocItem("<K>", "", "key type"),
        ),
        returns=(DocItem("", "", "a mapping"),),
        raises=(DocItem("IOException", "", "when the disk is gone"),),
        notes=(DocNote("since", "2.0"),),
    )


def test_tags_of_javascript_have_types() -> None:
    assert parse_doc(JSDOC, "typescript") == DocSections(
        "tags",
        "Fetches rows.",
        parameters=(
            DocItem("table", "Table", "the open table"),
            DocItem("limit", "number", "at most"),
        ),
        returns=(DocItem("", "Promise<Map>", "a mapping"),),
    )


def test_tags_of_doxygen() -> None:
    assert parse_doc(DOXYGEN, "cpp") == DocSections(
        "tags",
        "Fetches rows.",
        parameters=(DocItem("table", "", "the open table"),),
        returns=(DocItem("", "", "a mapping"),),
    )


def test_kernel_doc() -> None:
    found = parse_doc(KERNEL, "c")
    assert found == DocSections(
        "kernel-doc",
        "get rows of a table",
        "Rows come in key order.",
        parameters=(
            DocItem("table", "", "the open table, locked"),
            DocItem("ops->limit", "", "at most"),
        ),
        returns=(DocItem("", "", "0 or -errno"),),
        notes=(DocNote("Context", "process"),),
    )
    assert found.lines() == [
        "get rows of a table",
        "Rows come in key order.",
        "Parameters:",
        "  table: the open table, locked",
        "  ops->limit: at most",
        "Returns:",
        "  0 or -errno",
        "Context:",
        "  process",
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Reads\na file.\n\nSlowly: it sleeps.\n", "python"),
        ("// Reads\n// a file.\n//\n// Slowly: it sleeps.", "go"),
        ("/* Reads\n * a file.\n *\n * Slowly: it sleeps. */", "c"),
        ("# Reads\n# a file.\n#\n# Slowly: it sleeps.", "ruby"),
        ("-- Reads\n-- a file.\n--\n-- Slowly: it sleeps.", "sql"),
    ],
)
def test_prose_has_a_summary_and_a_description(text: str, language: str) -> None:
    assert parse_doc(text, language) == DocSections("plain", "Reads a file.", "Slowly: it sleeps.")


@pytest.mark.parametrize("signature", ["", "class A", "def f(", "def f(a", "def f(a) -> :"])
def test_a_signature_that_is_no_definition_only_leaves_types_out(signature: str) -> None:
    found = parse_doc("Do.\n\nArgs:\n    a: it\n", "python", signature)
    assert found.parameters == (DocItem("a", "", "it"),)


FRAGMENTS = [
    *GOOGLE.splitlines(),
    *NUMPY.splitlines(),
    *SPHINX.splitlines(),
    "Attributes:",
    ":",
    "",
]
FRAGMENTS += [*JSDOC.splitlines(), *KERNEL.splitlines(), "Deprecated", "----------", "    1.0: x"]
documents = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=20), max_size=15).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(text=documents, language=st.sampled_from(["python", "c", "java"]))
def test_any_text_is_understood_without_an_error(text: str, language: str) -> None:
    found = parse_doc(text, language, SIGNATURE)
    assert all(line == line.rstrip("\n") for line in found.lines())
    assert found.style in ("google", "numpy", "sphinx", "tags", "kernel-doc", "plain")
