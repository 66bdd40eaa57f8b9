"""A bug report as weighted clues: what to look for, where it was said and how much it counts.

``understand`` is pure and total: any text gives a :class:`Report`, none raises. Nothing here knows
a repository; whether a clue names anything is for ``core/seeds.py`` to find out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from codeviews.core import config
from codeviews.core.report_frames import COMPLETES, FAULTS, INNERMOST_LAST, FrameLine
from codeviews.core.report_subjects import drivers_of, field_words
from codeviews.core.report_text import (
    CODE,
    ERROR,
    FIELD,
    HARDWARE,
    LOG,
    PROSE,
    TITLE,
    TRACE,
    Line,
    lines_of,
)
from codeviews.core.stopwords import PROGRAMMING, STOP

# Kinds of clue
IDENTIFIER = "identifier"  # a name as code spells it: ``get_queryset``, ``HttpResponse``
DOTTED = "dotted"  # ``models.Model.save``, ``Class::method``; separators are written as dots
PATH = "path"  # a file or directory, without machine prefixes, with ``:line`` when one was given
LITERAL = "literal"  # words that a program printed, to be sought as one phrase
MODULE = "module"  # an imported module, a driver or a kernel module
CONFIG = "config"  # an option, setting or environment variable
SUBJECT = "subject"  # a word of a tracker's field, or the initials of a phrase there
WORD = "word"  # a plain word, lower case
KINDS = (IDENTIFIER, DOTTED, PATH, LITERAL, MODULE, CONFIG, SUBJECT, WORD)


class Clue(NamedTuple):
    """One thing to look for.

    ``weight`` is about 1.0 for a single mention in prose; ``origin`` is the role of the line that
    gave the most (``title``, ``prose``, ``code``, ``trace``, ``log``, ``error``); ``own`` marks
    names that the report's own code defines, which the repository may not know; ``order`` counts up
    through the report.
    """

    kind: str
    text: str
    weight: float
    origin: str
    own: bool
    order: int


class Frame(NamedTuple):
    """A stack frame. ``depth`` is 0 at the innermost frame of its ``trace``; ``line`` 0 is unknown;
    ``sure`` is False where the machine itself doubted it; ``fault`` marks where it stopped."""

    function: str
    path: str
    line: int
    module: str
    depth: int
    trace: int
    sure: bool
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Clues, strongest first within each kind, and frames in trace order, innermost first."""

    title: str
    clues: tuple[Clue, ...]
    frames: tuple[Frame, ...]

    def of(self, *kinds: str) -> tuple[Clue, ...]:
        """The clues of these kinds, strongest first."""
        return tuple(clue for clue in self.clues if clue.kind in kinds)


_NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(
    r"(?P<path>(?:[A-Za-z]:)?(?:[\w@+.\-]{1,80}[/\\]){1,20}[\w@+\-][\w@+.\-]{0,100}(?::\d{1,7})?)"
    rf"|(?P<dotted>{_NAME}(?:(?:\.|::|->|#){_NAME}){{1,12}})"
    r"|(?P<option>(?<![\w\-])--?[A-Za-z][\w\-]{2,60})"
    rf"|(?P<name>{_NAME}(?:-{_NAME}){{0,4}})"
)
_SUFFIX = re.compile(
    r"\.(?:pyx?|pyi|c|h|cc|cpp|cxx|hpp|hh|js|jsx|mjs|ts|tsx|vue|go|java|kt|rs|rb|php|cs|swift|scala|sh|"
    r"ya?ml|toml|json|ini|cfg|conf|sql|html?|css|less|scss|md|rst|txt|tpl|S|dts|proto)(?::\d{1,7})?$"
)
_CODEY = re.compile(r"_|[a-z\d][A-Z]|[A-Z]{2,}[a-z]|^[A-Z][A-Z\d]+$|[a-z]\d|^__")
_CONSTANT = re.compile(r"^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$")
_MACHINE_PREFIX = re.compile(
    r"^.*?(?:(?:site|dist)-packages/|/node_modules/|/go/src/(?:[\w.\-]+/){1,3}|/go/pkg/mod/|<[^>]*>/)"
    r"|^(?:[A-Za-z]:)?/(?:home/[^/]+|Users/[^/]+|root|tmp|opt|usr/src|build|workspace|app)/"
    r"|^(?:\.{1,3}/)+|^[ab]/(?=\w)|^[A-Za-z]:/|^/+"
)
_QUOTED = re.compile(
    r"\"([^\"\n]{6,300})\"|“([^”\n]{6,300})”|‘([^’\n]{6,300})’|(?<!\w)'([^'\n]{8,300})'(?!\w)"
)
_TICKED = re.compile(r"``?([^`\n]{2,200})``?")
_VARIABLE = re.compile(
    r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|['\"‘’“”`][^'\"‘’“”`]{0,200}['\"‘’“”`]|<[^<>]{0,200}>|\S*\d\S*|\S*/\S*|[{}\[\]()|]"
    r"|\b\w*_\w*\b|\S*\.\S+\S*"
)
_DEFINES = re.compile(
    rf"^\s*(?:(?:async )?def|class|function|func|fn|struct|interface|type|enum) +({_NAME})"
    rf"|^\s*(?:const |let |var )?({_NAME}) :?= "
)
_IMPORT = re.compile(
    r"^\s*from (?P<base>[\w.]{1,200}) import (?P<names>[\w, *()]{1,400})"
    r"|^\s*import (?P<plain>[\w.]{1,200}(?: as \w+)?(?:, ?[\w.]{1,200}){0,10})"
    r"|(?:require\(|from |import )['\"](?P<script>[\w@./\-]{2,200})['\"]"
)
_CALL = re.compile(rf"({_NAME})\s?\(")
_HEX = re.compile(r"(?=.*\d)[\da-f]{5,}")
_WORD = re.compile(r"[^\W\d_]{3,40}")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")


class _Book:
    """Collects mentions: the strongest origin counts in full, each repetition adds a little."""

    def __init__(self) -> None:
        self.best: dict[tuple[str, str], tuple[float, str, int]] = {}
        self.count: Counter[tuple[str, str]] = Counter()
        self.own: set[str] = set()

    def add(self, kind: str, text: str, role: str, factor: float = 1.0) -> None:
        key, weight = (kind, text), config.ORIGIN_WEIGHT[role] * factor
        old = self.best.get(key)
        self.count[key] += 1
        if old is None:
            if len(self.best) < config.MAX_CLUES_READ:
                self.best[key] = (weight, role, len(self.best))
        elif weight > old[0]:
            self.best[key] = (weight, role, old[2])

    def clues(self) -> Iterator[Clue]:
        for (kind, text), (weight, role, order) in self.best.items():
            repeats = min(self.count[kind, text] - 1, config.MAX_REPEATS)
            full = round(weight * (1.0 + config.REPEAT_BONUS * repeats), 4)
            yield Clue(kind, text, full, role, text.split(".")[-1] in self.own, order)


def understand(report: str) -> Report:
    """Read a bug report, a question or a bare list of names.

    Args:
        report: Any text in any language, up to a megabyte (more is cut in the middle).

    Returns:
        The same report for the same text. At most :data:`config.MAX_CLUES` clues of each kind.
    """
    book, frames, title = _Book(), _Frames(), ""
    for line in lines_of(report):
        if line.role == TITLE and not title:
            title = line.text.strip()
        if line.frame is not None:
            frames.add(line.frame, line.block)
            _read_frame(line.frame, book)
        if line.frame is None or line.role == TITLE:
            _READERS[line.role](line, book)
    return Report(title, tuple(_strongest(book.clues())), frames.ordered())


def _strongest(clues: Iterable[Clue]) -> Iterator[Clue]:
    ranked = sorted(clues, key=lambda clue: (-clue.weight, clue.order))
    for kind in KINDS:
        yield from [clue for clue in ranked if clue.kind == kind][: config.MAX_CLUES]


class _Frames:
    """Frames by trace; Go and Rust print a frame on two lines, which become one."""

    def __init__(self) -> None:
        self.traces: dict[int, list[FrameLine]] = {}

    def add(self, line: FrameLine, block: int) -> None:
        trace = self.traces.setdefault(block, [])
        waiting = trace[-1] if trace else None
        if waiting is not None and not waiting.path and COMPLETES.get(line.style) == waiting.style:
            trace[-1] = waiting._replace(path=line.path, line=line.line)
            return
        if len(trace) < config.MAX_FRAMES and line not in trace[-3:]:
            trace.append(line)

    def ordered(self) -> tuple[Frame, ...]:
        return tuple(
            frame
            for number, block in enumerate(sorted(self.traces))
            for frame in self._trace(number, block)
        )

    def _trace(self, number: int, block: int) -> Iterator[Frame]:
        lines = self.traces[block]
        inner_last = sum(line.style in INNERMOST_LAST for line in lines) * 2 > len(lines)
        for depth, line in enumerate(reversed(lines) if inner_last else lines):
            path = _repository_path(line.path)
            place = line.function, path, line.line, line.module
            yield Frame(*place, depth, number, line.sure, line.style in FAULTS)


def _read_frame(frame: FrameLine, book: _Book) -> None:
    if frame.module:
        book.add(MODULE, frame.module, TRACE)


def _read_prose(line: Line, book: _Book) -> None:
    for quoted in _QUOTED.findall(line.text):
        _read_literal(next(group for group in quoted if group), line.role, book)
    for ticked in _TICKED.findall(line.text):
        _read_names(ticked, line.role, book, config.TICKED_FACTOR)
        _read_plain_name(ticked, line.role, book)
    _read_drivers(line, book)
    _read_names(line.text, line.role, book, 1.0)
    _read_words(line.text, line.role, book)


def _read_code(line: Line, book: _Book) -> None:
    text = line.text
    defined = _DEFINES.match(text)
    if defined is not None:
        book.own.add(defined.group(1) or defined.group(2))
    if not _read_import(text, book):
        for name in sorted(set(_CALL.findall(text))):
            _read_identifier(name, CODE, book, config.CALLED_FACTOR)
    for quoted in _QUOTED.findall(text):
        _read_literal(next(group for group in quoted if group), CODE, book)
    _read_names(text, CODE, book, 1.0)
    _read_words(text, CODE, book)


def _read_trace(line: Line, book: _Book) -> None:
    _read_names(line.text, TRACE, book, 1.0)
    _read_words(line.text, TRACE, book)


def _read_log(line: Line, book: _Book) -> None:
    _read_drivers(line, book)
    _read_literal(line.text, LOG, book)
    _read_names(line.text, LOG, book, 1.0)
    _read_words(line.text, LOG, book)


def _read_hardware(line: Line, book: _Book) -> None:
    _read_drivers(line, book)
    _read_words(line.text, HARDWARE, book)


def _read_field(line: Line, book: _Book) -> None:
    for word in field_words(line.text):
        book.add(SUBJECT, word, FIELD)
    _read_words(line.text.partition(":")[2], FIELD, book)


def _read_error(line: Line, book: _Book) -> None:
    head, _, message = line.text.partition(":")
    name = head.split()[-1].split(".")[-1]
    book.add(IDENTIFIER, name, ERROR, config.EXCEPTION_FACTOR)
    _read_literal(message, ERROR, book)
    _read_names(message, ERROR, book, 1.0)
    _read_words(message, ERROR, book)


_READERS = {
    TITLE: _read_prose,
    PROSE: _read_prose,
    CODE: _read_code,
    TRACE: _read_trace,
    LOG: _read_log,
    HARDWARE: _read_hardware,
    FIELD: _read_field,
    ERROR: _read_error,
}


def _read_literal(text: str, role: str, book: _Book) -> None:
    """The constant pieces of a message: what stays when values, paths and numbers are cut out."""
    for piece in re.split(r"\s*[,:;=]\s+|\s{2,}|\x00", _VARIABLE.sub("\x00", text)):
        words = _WORD.findall(piece)
        if len(words) >= config.MIN_LITERAL_WORDS and any(
            word.lower() not in STOP for word in words
        ):
            phrase = " ".join(piece.split()).strip(" .,:;!?-*")
            book.add(LITERAL, phrase[:120], role, min(len(words), 6) / 4)


def _read_names(text: str, role: str, book: _Book, factor: float) -> None:
    for found in _TOKEN.finditer(text):
        kind, token = str(found.lastgroup), found.group()
        if kind == "path" or (kind == "dotted" and _SUFFIX.search(token)):
            _read_path(token, role, book, factor)
        elif kind == "dotted":
            _read_dotted(token, role, book, factor)
        elif kind == "option":
            book.add(CONFIG, token.lstrip("-"), role, factor)
        elif _CONSTANT.match(token):
            book.add(CONFIG, token, role, factor)
            book.add(IDENTIFIER, token, role, factor)
        elif len(token) > 2 and (_CODEY.search(token) or _called(text, found)):
            for name in token.split("-") if "_" not in token else [token]:
                _read_identifier(name, role, book, factor)


def _called(text: str, found: re.Match[str]) -> bool:
    return text[found.end() : found.end() + 1] == "("


def _read_identifier(name: str, role: str, book: _Book, factor: float) -> None:
    if len(name) > 2 and name.lower() not in STOP and not _HEX.fullmatch(name):
        book.add(IDENTIFIER, name, role, factor)


def _read_plain_name(ticked: str, role: str, book: _Book) -> None:
    """A single word between back-ticks is a name even when it looks like a plain word."""
    if re.fullmatch(_NAME, ticked) and len(ticked) > 2 and ticked.lower() not in PROGRAMMING:
        book.add(IDENTIFIER, ticked, role, config.TICKED_FACTOR)


def _read_path(token: str, role: str, book: _Book, factor: float) -> None:
    path = _repository_path(token.replace("\\", "/"))
    if not path or path.count("/") > 15:
        return
    if _SUFFIX.search(path):
        book.add(PATH, path, role, factor)
    elif "/" in path and re.search(r"[a-z]{3}", path):
        book.add(PATH, path.rstrip("."), role, factor * config.DIRECTORY_FACTOR)


def _read_dotted(token: str, role: str, book: _Book, factor: float) -> None:
    parts = re.split(r"\.|::|->|#", token)
    while parts and parts[0] in ("self", "this", "cls", "super", "np", "plt", "pd"):
        parts = parts[1:]
    if len(parts) > 1 and (role != PROSE or len(token) > 4):
        book.add(DOTTED, ".".join(parts), role, factor)
    for part in parts:
        _read_identifier(
            part, role, book, factor * (1.0 if part == parts[-1] else config.PREFIX_FACTOR)
        )


def _read_import(text: str, book: _Book) -> bool:
    found = _IMPORT.search(text)
    if found is None:
        return False
    base = found.group("base") or found.group("script") or ""
    if base:
        book.add(MODULE, base.strip("./"), CODE)
    for name in re.findall(_NAME, (found.group("names") or "").split(" as ")[0]):
        book.add(DOTTED, f"{base}.{name}", CODE)
        _read_identifier(name, CODE, book, 1.0)
    for name in re.findall(r"[\w.]+", re.sub(r" as \w+", "", found.group("plain") or "")):
        book.add(MODULE, name, CODE)
    return True


def _read_drivers(line: Line, book: _Book) -> None:
    for name in drivers_of(line.text, line.role in (LOG, TITLE)):
        book.add(MODULE, name, line.role)


def _read_words(text: str, role: str, book: _Book) -> None:
    for word in _WORD.findall(text):
        low = word.lower()
        if low not in STOP:
            book.add(WORD, low, role)
        pieces = _CAMEL.findall(word)
        if len(pieces) > 1:
            for piece in pieces:
                if len(piece) > 2 and piece.lower() not in STOP:
                    book.add(WORD, piece.lower(), role, config.PIECE_FACTOR)


def _repository_path(path: str) -> str:
    """``path`` without what belongs to the reporter's machine; matching goes by its last parts."""
    previous = None
    path = path.replace("\\", "/")
    while path != previous:
        previous, path = path, _MACHINE_PREFIX.sub("", path, count=1)
    return path.strip("/ ")
