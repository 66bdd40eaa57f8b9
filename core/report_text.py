"""Cut a bug report into lines with a role: what was said, what was run, what a machine printed.

Trackers, shells, kernels and templates add far more text than their users write. A line's role
decides how much its words may weigh (``core/config.py``); noise is dropped here, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from codeviews.core.report_frames import FAULTS, FrameLine, frame_of
from codeviews.core.report_subjects import is_field

TITLE, PROSE, CODE, TRACE, LOG, ERROR = "title", "prose", "code", "trace", "log", "error"
FIELD = "field"  # of a tracker: product, component
HARDWARE = "hardware"  # lspci, lsusb: what the machine has, seldom what failed

MAX_TEXT = 1_000_000
MAX_LINE = 1_200


class Line(NamedTuple):
    """One line that may hold clues. ``frame`` is set on trace lines that print one; ``block``
    counts code blocks and traces, so that lines of one block share it."""

    text: str
    role: str
    block: int
    frame: FrameLine | None = None


_FENCE = re.compile(r"^\s{0,12}(?:`{3,}|~{3,}|\{\{\{|\}\}\}|\{(?:code|noformat)[^}]{0,60}\})")
_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s+(.{1,120})|\*\*(.{1,100}?)\*\*:?\s*$|(\w[\w /]{2,50}):\s*$)"
)
_NOISE_HEADING = re.compile(
    r"\b(?:versions?|environment|operating system|system (?:info|details)|platform|"
    r"installed|installation|"
    r"pip list|jupyter|backend|checklist|prerequisites|your os|dependencies|conda list|"
    r"show_versions|browsers?)\b",
    re.I,
)
_NOISE = re.compile(
    r"^\s*(?:"
    r"[-*]\s*\[[ xX]?\]\s.*"  # checklists
    r"|_No response_|N/?A|\(?last modified by .*|Description\s*|Created (?:an )?attachment \d+.*"
    r"|[=\-_*~#.\s]{4,}"  # rules
    r"|(?:Most recent|Latest|Earliest|Last known|First) [\w ]{0,30}(?:kernel|version).{0,200}"
    r"|(?:Distribution|Distro|Kernel|OS|uname|Hardware|Platform|Version|Release)\s*:.{0,200}"
    r"|[\w.\- ]{1,40}\s*(?:==|[:=@])\s*v?\d+(?:\.\d+)+\S*\s*"  # name: 1.2.3
    r"|[\w ()]{1,40}\t+: .*"  # /proc/cpuinfo
    r"|(?:[ER]?[A-DS][XIP]|R\d{1,2}|E?FLAGS|CR\d|DR\d|[CDEFGS]S)\s?:.*"
    r"|(?:Code|Stack|PGD|Call Trace|Pid|CPU)\s?:.*"
    r"|Modules linked in:.*|last sysfs file:.*|Tainted: .*"
    r"|(?:[0-9a-f]{2,16}[ :]+){6,}.*"  # hex dumps
    r"|platform \w+ -- Python.*|rootdir: .*|plugins: .*|cachedir: .*|collect(?:ed|ing) .*"
    r"|Traceback \(most recent call last\):?|The above exception was the direct cause.*"
    r"|During handling of the above exception.*"
    r")$"
)
_LABEL = re.compile(
    r"^\s*(?:Problem Description|Steps to reproduce|"
    r"(?:Actual|Expected|Current)(?: results?| outcome| behaviou?r)?|"
    r"Additional (?:info\w*|context)|Subject|"
    r"Summary|Describe the bug|How to reproduce|To Reproduce|Reproduction|Component(?: Name)?|"
    r"Product|Title|Issue Type|Feature Request|Bug summary|Bug)\s*:\s*",
    re.I,
)
_STAMP = re.compile(
    r"^\s*(?:<\d>)?(?:"
    r"\[\s{0,8}\d{1,8}\.\d{3,9}\]\s?"
    r"|\w{3} [ \d]\d \d\d:\d\d:\d\d (?:[\w.\-]{1,64} )?(?:[\w\-]{1,40}(?:\[\d+\])?: )?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+\-]\d\d:?\d\d)?\s*"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?\s+"
    r")+"
)
_QUOTE = re.compile(r"^(?:INTERNALERROR> ?|> (?=\S))")
_HARDWARE = re.compile(
    r"^(?:[\da-f]{4}:)?[\da-f]{2}:[\da-f]{2}\.\d |^\t[A-Z][\w ]{2,30}: |^Bus \d{3} "
    r"|^\s*(?i:(?:Hardware|Software|Machine|Computer|Laptop|Motherboard|Mainboard)"
    r"(?: (?:environment|name|model))?\s*:)"
)
_LEVEL = re.compile(r"^(?:\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\]?:?\s+)")
_PROMPT = re.compile(r"^\s{0,12}(?:>>>|\.\.\.|In \[\d{1,4}\]:|\$|#(?= ?(?:cat|ls|echo|cd)\b))\s?")
_CODE_LINE = re.compile(
    r"^\s*(?:from [\w.]+ import |import [\w.]+|class \w+.{0,200}[:{]\s*$"
    r"|(?:async )?def \w+\s?\(|@\w[\w.]*\W"
    r"|(?:if|for|while|with|elif|else|try|except|finally)\b.{0,200}:\s*$|return\b.{0,200}$"
    r"|[\w.\[\]'\"]{1,80}(?:, ?\w+){0,4} [+\-*/]?= \S.{0,400}$"
    r"|[\w.]{1,100}\(.{0,300}\)[,;:]?\s*(?:#.*)?$"
    r"|#include |(?:public|private|static|const|let|var|func|fn|package|struct)\s.{0,200}[;{(]\s*$"
    r"|(?:diff --git|index [0-9a-f]{7}|--- a/|\+\+\+ b/|@@ ).{0,300})"
)
_ERROR = re.compile(
    r"^\s{0,20}(?:E {1,8}|\w{1,20}> )?(?P<name>(?:[\w.]{1,100}\.)?[A-Z]\w{0,60}"
    r"(?:Error|Exception|Warning|Interrupt|Failure|Exit|DoesNotExist|Required|Invalid|NotFound))"
    r"(?::\s*(?P<message>.{0,600}))?$"
)
_COMMENT = re.compile(r"<!--.{0,4000}?-->", re.S)
_URL = re.compile(
    r"\b(?:https?|ftp|git)://[^\s<>\"')\]]{1,500}|[\w.+\-]{1,64}@[\w\-]{1,64}\.[\w.\-]{2,64}"
)
_BLOB = re.compile(r"/(?:blob|tree|raw)/[\w.\-]{1,80}/([\w@+.\-/]{1,300})(?:#L(\d{1,7}))?")


@dataclass(slots=True)
class _State:
    fence: bool = False
    trace: str = ""  # style of the last frame while inside a trace
    noisy: bool = False  # under a heading about the environment
    block: int = 0
    prose_seen: bool = False


def cut(text: str) -> str:
    """At most :data:`MAX_TEXT` characters, from both ends: logs put the cause first or last."""
    if len(text) <= MAX_TEXT:
        return text
    return text[: MAX_TEXT * 3 // 4] + "\n" + text[-MAX_TEXT // 4 :]


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a report that may hold clues, in order, with their roles.

    A repeated machine line is given once: log spam must not outweigh the words of a person.
    """
    state, seen = _State(), set[str]()
    for raw in _COMMENT.sub(" ", cut(text)).splitlines():
        line = _role(_QUOTE.sub("", _without_links(raw[:MAX_LINE].rstrip())), state)
        if line is None:
            continue
        if line.role in (LOG, TRACE, HARDWARE) and line.frame is None:
            key = re.sub(r"\d+", "0", line.text)
            if key in seen:
                continue
            seen.add(key)
        yield line


def _without_links(raw: str) -> str:
    return _URL.sub(_path_of_url, raw) if "://" in raw or "@" in raw else raw


def _path_of_url(found: re.Match[str]) -> str:
    """A link to a file of a forge is a path; any other link is noise."""
    blob = _BLOB.search(found.group())
    if blob is None:
        return " "
    return f" {blob.group(1)}:{blob.group(2) or 1} "


def _role(raw: str, state: _State) -> Line | None:
    if _FENCE.match(raw):
        return _toggle(raw, state)
    if not raw.strip():
        state.trace = state.trace if state.trace == "goroutine" else ""
        return None
    if not state.fence and _heading(raw, state):
        return None
    stamped = _STAMP.match(raw)
    body = _LEVEL.sub("", raw[stamped.end() :]) if stamped else raw
    return _traced(raw, body, state) or _plain_line(body, bool(stamped), state)


def _toggle(raw: str, state: _State) -> Line | None:
    """Open or close a fenced block; a fence that opens and closes on one line holds code."""
    inner = raw.strip().strip("`~{}")
    if raw.strip().startswith("`") and raw.strip().endswith("`") and len(inner) > 12:
        return Line(inner, CODE, state.block)
    state.fence = not state.fence and not raw.strip().startswith("}}}")
    state.block += 1
    state.trace = ""
    return None


def _heading(raw: str, state: _State) -> bool:
    """Note a heading; True when the line is a template's heading and holds nothing else."""
    found = _HEADING.match(raw)
    if found is None:
        return False
    words = next(group for group in found.groups() if group)
    first, state.prose_seen = not state.prose_seen, True
    state.noisy = not first and bool(_NOISE_HEADING.search(words))
    return not first and (state.noisy or len(words.split()) <= 4)


def _traced(raw: str, body: str, state: _State) -> Line | None:
    """The line as part of a stack trace, or None when it is none."""
    if raw.startswith("goroutine "):
        state.trace, state.block = "goroutine", state.block + 1
        return None
    frame = frame_of(body, state.trace) or (frame_of(raw, state.trace) if body != raw else None)
    if frame is not None:
        if not state.trace:
            state.block += 1
        is_title = not state.prose_seen and frame.style in FAULTS
        state.trace, state.prose_seen = frame.style, True
        return Line(body, TITLE if is_title else TRACE, state.block, frame)
    error = _ERROR.match(body)
    if error is not None:
        state.trace, state.prose_seen = "", True
        return Line(body.strip(), ERROR, state.block)
    if state.trace in ("python", "pytest", "ipython") and raw[:1] in " \t>":
        return Line(body, TRACE, state.block)
    return None


def _plain_line(body: str, stamped: bool, state: _State) -> Line | None:
    state.trace = state.trace if state.trace in ("go", "go_function", "goroutine", "rust") else ""
    first, state.prose_seen = not state.prose_seen, True
    if first:
        return Line(_LABEL.sub("", body).strip("# "), TITLE, state.block)
    if state.noisy or _NOISE.match(body):
        return None
    if is_field(body):
        return Line(body, FIELD, state.block)
    if _HARDWARE.match(body):
        return Line(body, HARDWARE, state.block)
    if stamped:
        return Line(body, LOG, state.block)
    prompt = _PROMPT.match(body)
    if prompt is not None:
        return Line(body[prompt.end() :], CODE, state.block)
    if state.fence or _CODE_LINE.match(body):
        return Line(body, CODE, state.block)
    return Line(_LABEL.sub("", body), PROSE, state.block)
