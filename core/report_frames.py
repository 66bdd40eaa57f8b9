"""Stack frames as tools print them, one line at a time.

Every pattern is anchored and linear, because a report may be a megabyte of hostile text. A language
is one line in :data:`PATTERNS`; the groups that count are ``function``, ``path``, ``line`` and
``module`` (kernel module or package), and any of them may be missing.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class FrameLine(NamedTuple):
    """One frame as printed. ``style`` is a key of :data:`PATTERNS`; ``line`` is 0 when unknown;
    ``sure`` is False for entries that the kernel marks with a question mark."""

    style: str
    function: str
    path: str
    line: int
    module: str
    sure: bool


_SOURCE = r"[\w@+.\-/\\:~ ]{1,300}?"

PATTERNS: dict[str, re.Pattern[str]] = {
    # Python's own traceback, also behind a prefix such as ``INTERNALERROR>``
    "python": re.compile(
        r'^\W{0,40}(?:\w{1,20}> {1,8})?File "(?P<path>[^"]{1,300})", line (?P<line>\d{1,7})'
        r"(?:, in (?P<function>[\w.<>]{1,200}))?"
    ),
    # IPython: ``/a/b.py in name(args)``
    "ipython": re.compile(r"^(?P<path>[~\w./\\\-]{1,300}\.pyx?) in (?P<function>[\w.<>]{1,200})\("),
    # pytest: ``a/b.py:12: in name`` and ``a/b.py:12: ValueError``
    "pytest": re.compile(
        r"^(?:E {1,8})?(?P<path>[\w./\\\-]{1,300}\.py):(?P<line>\d{1,7}): "
        r"(?:in (?P<function>[\w.<>]{1,200})|[\w.]{1,100}$)"
    ),
    # Linux oops, lockdep, KASAN and hung-task traces
    "kernel": re.compile(
        r"^.{0,90}?(?:^|[ \[>:])(?P<function>[A-Za-z_][\w.]{1,120})"
        r"\+0x[0-9a-f]{1,6}/0x[0-9a-f]{1,6}"
        r"(?: \[(?P<module>\w{1,60})\])?"
    ),
    # where a kernel stopped: ``EIP is at name+0x12``, ``RIP: 0010:[<c0103a9a>] name+0x1c/0x20``
    "kernel_at": re.compile(
        r"^.{0,90}?\b(?:[RE]?IP is at|PC is at|pc :|[RE]?IP:?)(?: {1,3}[\da-f]{4}:?)?"
        r"(?: {0,3}\[<[\da-f]{8,16}>\]){0,2} {0,3}(?P<function>[A-Za-z_][\w.]{1,120})\+0x"
        r"[\da-f]{1,6}(?:/0x[\da-f]{1,6})?(?: \[(?P<module>\w{1,60})\])?"
    ),
    "kernel_warning": re.compile(
        r"^.{0,90}?\b(?:WARNING|BUG|INFO): (?:CPU: \d{1,4} )?(?:PID: \d{1,9} )?at "
        r"(?P<path>[\w.\-/]{1,200}\.[chS]):(?P<line>\d{1,7})"
        r"(?: (?P<function>[A-Za-z_][\w.]{1,120})(?:\+0x|\())?"
    ),
    # AddressSanitizer, MemorySanitizer, UBSan and gdb
    "sanitizer": re.compile(
        r"^\s{0,40}#\d{1,4} {1,3}(?:0x[0-9a-f]{1,16} )?in (?P<function>[\w:~<>*&., ]{1,200}?)"
        r"(?:\([^()]{0,200}\))?(?: const)? (?:\(?(?P<path>" + _SOURCE + r")(?::(?P<line>\d{1,7})|"
        r"\+0x[0-9a-f]+\)?)(?::\d{1,6})?\)?)?\s*$"
    ),
    "gdb": re.compile(
        r"^\s{0,40}#\d{1,4} {1,3}(?:0x[0-9a-f]{1,16} in )?(?P<function>[\w:~<>]{1,200}) "
        r"\(.{0,600}\) (?:at (?P<path>" + _SOURCE + r"):(?P<line>\d{1,7})|from .{0,200})\s*$"
    ),
    "java": re.compile(
        r"^\s{0,40}at (?P<function>[\w$.<>/]{1,300})\((?P<path>[\w$\-]{1,100}\.(?:java|kt|scala)|"
        r"Native Method|Unknown Source)(?::(?P<line>\d{1,7}))?\)"
    ),
    "csharp": re.compile(
        r"^\s{0,40}at (?P<function>[\w.`<>+\[\],]{1,300})\([^()]{0,300}\)"
        r"(?: in (?P<path>" + _SOURCE + r"):line (?P<line>\d{1,7}))?\s*$"
    ),
    "javascript": re.compile(
        r"^\s{0,40}at (?:(?:async |new )?(?P<function>[\w$.<>\[\] ]{1,200}) \()?"
        r"(?:file://|webpack://+)?(?P<path>[\w@$+.\-/\\: ]{1,300}?):(?P<line>\d{1,7})"
        r"(?::\d{1,6})?\)?\s*$"
    ),
    "firefox": re.compile(
        r"^\s{0,8}(?P<function>[\w$./<>]{0,200})@(?:https?|file)://[\w.:\-]{0,100}"
        r"(?P<path>/[\w@$+.\-/]{1,300}):(?P<line>\d{1,7}):\d{1,6}\s*$"
    ),
    "go": re.compile(
        r"^\s{0,40}(?P<path>(?:[A-Za-z]:)?[\w@$+.\-/]{1,300}\.go):(?P<line>\d{1,7})"
        r"(?: \+0x[0-9a-f]{1,8})?\s*$"
    ),
    "go_function": re.compile(
        r"^(?:created by )?(?P<function>[\w\-]{1,60}(?:[./][\w\-%]{1,80}){0,12}"
        r"\.(?:\(\*?[\w\[\].]{1,80}\)\.)?[\w.]{1,80})\((?:0x|\.\.\.|\{|\)).{0,600}$"
    ),
    "rust": re.compile(
        r"^\s{0,10}\d{1,4}: {1,4}(?:0x[0-9a-f]{1,16} - )?(?P<function>[\w<>&' ]{1,80}"
        r"(?:::[\w<>&'{} #]{1,80}){1,12})\s*$"
    ),
    "rust_at": re.compile(
        r"^\s{0,40}at (?P<path>[\w@$+.\-/\\]{1,300}\.rs):(?P<line>\d{1,7})(?::\d{1,6})?\s*$"
    ),
    "panic": re.compile(
        r"^.{0,80}\bpanicked at (?:.{0,200}, )?(?P<path>[\w.\-/\\]{1,300}\.rs):(?P<line>\d{1,7})"
    ),
    "ruby": re.compile(
        r"^\s{0,40}(?:from )?(?P<path>[\w./\-]{1,300}\.(?:rb|rake)):(?P<line>\d{1,7})"
        r":in [`'](?:[\w ]{0,30} in )?(?P<function>[\w.#?!<>=:\[\]]{1,200})'"
    ),
    "php": re.compile(
        r"^\s{0,40}#\d{1,4} (?P<path>[\w./\\\-]{1,300}\.php)\((?P<line>\d{1,7})\): "
        r"(?P<function>[\w\\:>\-]{1,200})\("
    ),
}

_MARKS: dict[str, tuple[str, ...]] = {
    "python": ('File "',),
    "ipython": (".py in ", ".pyx in "),
    "pytest": (".py:",),
    "kernel": ("+0x",),
    "kernel_at": ("+0x",),
    "kernel_warning": (": at ", "PID: "),
    "sanitizer": (" in ",),
    "gdb": ("#",),
    "java": ("at ",),
    "csharp": ("at ",),
    "javascript": ("at ",),
    "firefox": ("@",),
    "go": (".go:",),
    "go_function": ("(",),
    "rust": ("::",),
    "rust_at": (".rs:",),
    "panic": ("panicked at",),
    "ruby": (":in ",),
    "php": (".php(",),
}

_OWN_FIRST = ("kernel_at", "kernel_warning", "java", "rust_at", "go", "pytest", "gdb")
_ORDER = (*_OWN_FIRST, *(style for style in PATTERNS if style not in _OWN_FIRST))

# A second line of these styles completes the frame above it: Go and Rust print two lines a frame.
COMPLETES = {"go": "go_function", "rust_at": "rust"}
# These lines tell where the machine stopped, before or after the calls that led there.
FAULTS = frozenset(["kernel_at", "kernel_warning"])
# Python prints the innermost frame last; everything else prints it first.
INNERMOST_LAST = frozenset(["python", "pytest", "ipython"])
_CODE_WORDS = frozenset(["if", "for", "while", "switch", "return", "print"])


def frame_of(line: str, previous: str = "") -> FrameLine | None:
    """The frame printed on ``line``, or None.

    Args:
        line: One line, without its newline; callers cut it to a sane length first.
        previous: Style of the frame on the line above ("" for none). ``go_function`` lines look
            like any call, so they count only where the caller says a goroutine dump is being read.
    """
    for style in _ORDER:
        if not any(mark in line for mark in _MARKS[style]):
            continue
        if style == "go_function" and previous not in ("go", "goroutine"):
            continue
        found = PATTERNS[style].match(line)
        if found is not None:
            return _frame(style, line, found)
    return None


def _frame(style: str, line: str, found: re.Match[str]) -> FrameLine | None:
    group = found.groupdict()
    function = (group.get("function") or "").strip()
    if function in _CODE_WORDS:
        return None
    path = (group.get("path") or "").strip().replace("\\", "/")
    if path in ("Native Method", "Unknown Source", "native"):
        path = ""
    sure = not (style == "kernel" and "? " in line[: found.end("function")])
    number = int(group.get("line") or 0)
    return FrameLine(style, _plain(style, function), path, number, group.get("module") or "", sure)


def _plain(style: str, function: str) -> str:
    """The function's name in the repository's own spelling: no template arguments, no compiler
    suffixes (``foo.isra.0``), ``Type.method`` for Go receivers, ``<module>`` dropped."""
    if function in ("<module>", "<anonymous>", "anonymous", "<lambda>"):
        return ""
    if style.startswith("kernel"):
        return function.split(".")[0]
    if style == "go_function":
        tail = function.rsplit("/", 1)[-1].replace("(*", "").replace("(", "").replace(")", "")
        return tail.split(".", 1)[-1]
    if style in ("rust", "sanitizer", "gdb"):
        return re.sub(r"::h[0-9a-f]{16}$|<[^<>]{0,80}>", "", function).strip(": ")
    return function.removeprefix("Object.").removeprefix("new ").strip()
