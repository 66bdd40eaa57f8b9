"""What kind of file this is beside its language: test, generated, vendored, example, documentation.

Marked files stay in the index and rank lower. Decided by the path and the first bytes only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from codeviews.core.facts import DOCUMENTATION, EXAMPLE, GENERATED, TEST, VENDORED

NAMES = (
    (TEST, "test"),
    (GENERATED, "generated"),
    (VENDORED, "vendored"),
    (EXAMPLE, "example"),
    (DOCUMENTATION, "documentation"),
)

HEAD_BYTES = 4096
LONG_LINE = 5000
"""A source line of this many bytes was not written by a person."""

_FOLDER_WORDS = {
    TEST: """tests __tests__ __mocks__ testsuite testsuites test-suite e2e unittests selftest
        selftests kunit testdata fixtures integration-tests androidtest""",
    VENDORED: """vendor vendored _vendor vendors third_party third-party thirdparty 3rdparty
        node_modules bower_components site-packages godeps pods""",
    EXAMPLE: "example examples sample samples demo demos tutorial tutorials cookbook",
    DOCUMENTATION: "doc docs documentation",
    GENERATED: "generated __generated__ _generated autogen",
}
_WEAK_TEST_FOLDERS = frozenset(["test", "testing"])
_FOLDERS = {word: mark for mark, words in _FOLDER_WORDS.items() for word in words.split()}

_TEST_NAME = re.compile(
    r"test_.*\.py|.*_tests?\.(?:py|go|c|cc|cpp|rs|rb|exs?|dart)|conftest\.py|tests\.py"
    r"|.*[.-](?:test|spec)\.[cm]?[jt]sx?|.*_spec\.rb|test_.*\.(?:rb|c|cc|cpp)"
    r"|.*[a-z0-9](?:Test|Tests|TestCase|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)"
    r"|Test[A-Z].*\.(?:java|kt)|.*-test\.(?:c|cc|cpp)|.*_unittest\.(?:cc|cpp|py)|.*_kunit\.c"
)
_GENERATED_NAME = re.compile(
    r".*\.min\.(?:js|css|mjs)|.*[._-]bundle\.js|.*_pb2(?:_grpc)?\.pyi?|.*\.pb\.(?:go|cc|h)|.*\.g\.dart"
    r"|.*\.(?:generated|designer|gen)\.[a-z]+|.*_generated\.[a-z]+|zz_generated\..*|.*_gen\.go|.*\.js\.map"
    r"|package-lock\.json|npm-shrinkwrap\.json|.*\.lock|go\.sum|.*-lock\.ya?ml|gradle\.lockfile",
    re.IGNORECASE,
)
_SCRIPTS = (".js", ".mjs", ".cjs", ".css")
_RELEASE_NAME = re.compile(r".*[a-z][-.]v?\d+\.\d+(?:\.\d+)*(?:\.min|\.slim)*\.(?:[cm]?js|css)")
_KEPT_NOTICE = re.compile(rb"\s*/\*!.{0,600}?(?:\bv?\d+\.\d+|licen[sc]e|copyright|\(c\))", re.S)
_PROSE_SUFFIXES = frozenset([".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt"])
_PROSE_NAMES = """
readme changelog changes history license licence copying contributing authors news install
"""
_PROSE_STEMS = frozenset(_PROSE_NAMES.split())
_BUILD_TEXT = re.compile(
    r"cmakelists\.txt|(?:.*[-_])?(?:requirements|constraints)(?:[-_].*)?\.txt|robots\.txt"
)
_BANNER = re.compile(
    rb"@generated\b|\bdo not edit\b|\bdo not modify\b[^\n]{0,60}\bgenerated\b"
    rb"|\b(?:file|code|header)\b[^\n]{0,30}\bauto(?:matically|-)?[ -]?generated\b"
    rb"|\bauto(?:matically|-)?[ -]?generated (?:by|from|with|using|file|code|header)\b"
    rb"|\bgenerated (?:by|from|with|using)\b[^\n]{0,80}\b(?:do not|compiler|generator|protoc"
    rb"|swagger|openapi|django|bison|flex|yacc|swig|thrift|autoconf|automake|cython)\b"
)
_BANNER_WORDS = (b"generated", b"do not edit")
_COMMENT = re.compile(rb" ?(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|''')")
BANNER_LINES = 30


def marks_of(path: str, head: bytes = b"") -> int:
    """The marks (bits of :mod:`codeviews.core.facts`) of a root-relative path.

    ``head`` is the file's first bytes (or all of it); only :data:`HEAD_BYTES` are looked at for a
    banner, and all that is given for very long lines.
    """
    folder, _, name = path.rpartition("/")
    marks = _marks_of_folder(folder) | _marks_of_name(name)
    if name.endswith(_SCRIPTS) and _is_release(name.lower(), head):
        marks |= VENDORED
    if not head or marks & (GENERATED | DOCUMENTATION):
        return marks
    if _has_banner(head) or _is_minified(name, head):
        marks |= GENERATED
    return marks


def mark_names(marks: int) -> list[str]:
    """The marks as words, in a fixed order."""
    return [name for bit, name in NAMES if marks & bit]


@lru_cache(maxsize=20_000)
def _marks_of_folder(folder: str) -> int:
    marks = 0
    for part in folder.lower().split("/"):
        marks |= _FOLDERS.get(part, 0)
    return marks | (TEST if _is_weak_test_folder(folder.lower().split("/")) else 0)


def _is_weak_test_folder(parts: list[str]) -> bool:
    """``test/`` and ``testing/`` hold tests at the top, below ``src`` or ``tools``; deeper they are
    as often a library's helpers for its users (``django/test``), which production code may call."""
    if not _WEAK_TEST_FOLDERS.isdisjoint(parts[:1]):
        return True
    return any(b in _WEAK_TEST_FOLDERS and a in ("src", "tools", "lib") for a, b in pairwise(parts))


@lru_cache(maxsize=4096)
def _marks_of_name(name: str) -> int:
    marks = 0
    lowered = name.lower()
    if ("test" in lowered or "spec" in lowered) and _TEST_NAME.fullmatch(name):
        marks |= TEST
    if _GENERATED_NAME.fullmatch(name):
        marks |= GENERATED
    suffix = lowered[lowered.rfind(".") :] if "." in lowered else ""
    if lowered in _PROSE_STEMS or suffix in _PROSE_SUFFIXES:
        marks |= 0 if _BUILD_TEXT.fullmatch(lowered) else DOCUMENTATION
    return marks


def _is_release(name: str, head: bytes) -> bool:
    """A released library copied in: its version in the name, or a notice that minifiers keep."""
    return bool(_RELEASE_NAME.fullmatch(name) or _KEPT_NOTICE.match(head[:HEAD_BYTES].lower()))


def _has_banner(head: bytes) -> bool:
    """A generator's banner in a comment near the top; in code or prose it does not count."""
    top = head[:HEAD_BYTES].lower()
    if not any(word in top for word in _BANNER_WORDS):
        return False
    found = _BANNER.search(top)
    if found is None:
        return False
    start = top.rfind(b"\n", 0, found.start()) + 1
    return top.count(b"\n", 0, start) < BANNER_LINES and bool(_COMMENT.match(top, start))


def _is_minified(name: str, head: bytes) -> bool:
    """Whether a script or style sheet is one machine-made line."""
    if not name.endswith((".js", ".css", ".mjs", ".cjs", ".json", ".html", ".svg")):
        return False
    return len(head) > LONG_LINE and len(head) > LONG_LINE * (head.count(b"\n") + 1)
