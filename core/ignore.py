"""Ignore rules: git's semantics for ``.gitignore`` and our own ``.codeviewsignore``.

A walk asks about one directory entry at a time and never about the content of an ignored folder, so
a rule here answers for that entry alone, as git's own matcher does. (``pathspec`` answers for whole
paths and lets a rule about a parent speak for its children, which is wrong for ``*.o`` followed by
``!/src/``; its price per path also grows with the number of rules.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codeviews.core.wildmatch import (
    STAR,
    NeverMatchesError,
    Piece,
    literal_of,
    path_regex,
    segment_regex,
    segments_of,
)

OWN_FILE = ".codeviewsignore"
GIT_FILE = ".gitignore"

_PRUNED = """
.git .hg .svn .bzr .jj CVS node_modules bower_components jspm_packages
__pycache__ .venv .tox .nox .mypy_cache .ruff_cache .pytest_cache .hypothesis
.eggs .ipynb_checkpoints .gradle .terraform .next .nuxt .svelte-kit .parcel-cache
.turbo .angular .dart_tool
"""
PRUNED_DIRECTORIES = frozenset(_PRUNED.split())
"""Never source of the project. ``.codeviewsignore`` can bring one back, except ``.git``."""

CACHES = frozenset(["__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"])
"""Folders that appear whenever tests run; their coming and going changes nothing."""

VENV_MARKER = "pyvenv.cfg"
"""A directory that holds this file is a Python virtual environment, whatever its name."""

RULE_FILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file. ``source`` is the file as a person would name it."""

    source: str
    line: int
    text: str
    negated: bool
    directories_only: bool
    by_name: bool
    regex: re.Pattern[str]
    segments: tuple[tuple[Piece, ...], ...]

    def where(self) -> str:
        """``.gitignore:3 (*.o)``."""
        return f"{self.source}:{self.line} ({self.text})"

    def matches(self, name: str, relative: str, is_directory: bool) -> bool:
        """Whether the rule speaks of this entry; ``relative`` is its path below the rule's file."""
        if self.directories_only and not is_directory:
            return False
        return self.regex.fullmatch(name if self.by_name else relative) is not None


class RuleSet:
    """The rules of one ignore file that lies in directory ``base`` ("" or ``a/b/``)."""

    __slots__ = ("_base", "_by_name", "_by_path", "_names", "_suffixes", "reopened", "rules")

    def __init__(self, rules: Sequence[Rule], base: str = "") -> None:
        self.rules = tuple(reversed(rules))
        self._base = len(_as_bytes(base))
        self._names, self._suffixes, others = _split_by_shape(self.rules)
        self._by_name = _any_of(others)
        self._by_path = _any_of(r.regex.pattern for r in self.rules if not r.by_name)
        self.reopened = frozenset(base + d for r in self.rules if r.negated for d in _above(r))
        """Directories that a negated rule reaches into, although they may be ignored themselves."""

    def match(self, name: str, path: str, is_directory: bool) -> Rule | None:
        """The last rule that speaks of this entry. ``path`` is root-relative."""
        if not (
            name in self._names
            or name.endswith(self._suffixes)
            or (self._by_name is not None and self._by_name.fullmatch(name))
            or (self._by_path is not None and self._by_path.fullmatch(path, self._base))
        ):
            return None
        relative = path[self._base :]
        for rule in self.rules:
            if rule.matches(name, relative, is_directory):
                return rule
        return None


def is_rule_file(path: str) -> bool:
    """Whether a change of this file can change which files count."""
    return path.rpartition("/")[2] in (GIT_FILE, OWN_FILE)


def is_cache(path: str) -> bool:
    """Whether a change of this path never changes which files count."""
    return path.rpartition("/")[2] in CACHES


def parse_rules(data: bytes, source: str, base: str = "") -> RuleSet:
    """Read an ignore file's bytes; lines git would discard are discarded."""
    # Latin-1 keeps bytes apart as git does: ``?`` is one byte, not one character.
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    rules = [
        rule
        for number, line in enumerate(text.split("\n"), 1)
        if (rule := _parse_line(line.removesuffix("\r"), source, number)) is not None
    ]
    return RuleSet(rules, base)


def first_match(chain: Iterable[RuleSet], name: str, path: str, is_directory: bool) -> Rule | None:
    """The deciding rule of a chain in order of precedence (the deepest ignore file first)."""
    if not path.isascii():
        name, path = _as_bytes(name), _as_bytes(path)
    for rules in chain:
        rule = rules.match(name, path, is_directory)
        if rule is not None:
            return rule
    return None


def _as_bytes(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _parse_line(line: str, source: str, number: int) -> Rule | None:
    text = _trim(line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    body = text[negated:]
    directories_only = body.endswith("/")
    body = body.removesuffix("/")
    by_name = "/" not in body
    try:
        segments = segments_of(body.removeprefix("/"))
    except NeverMatchesError:
        return None
    if not body or segments == [[]]:
        return None
    regex = segment_regex(segments[0]) if by_name else path_regex(segments)
    pieces = tuple(tuple(segment) for segment in segments)
    compiled = re.compile(regex, re.DOTALL)
    return Rule(source, number, text, negated, directories_only, by_name, compiled, pieces)


def _trim(line: str) -> str:
    """Drop trailing spaces, except one that a backslash keeps."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + " " if backslashes % 2 and len(text) < len(line) else text


def _split_by_shape(rules: Iterable[Rule]) -> tuple[frozenset[str], tuple[str, ...], list[str]]:
    """Plain names, ``*.suffix`` patterns and the regular expressions of the other name rules."""
    names: set[str] = set()
    suffixes: set[str] = set()
    others: list[str] = []
    for rule in rules:
        if not rule.by_name:
            continue
        segment = list(rule.segments[0])
        plain, tail = literal_of(segment), literal_of(segment[1:])
        if plain is not None:
            names.add(plain)
        elif segment[0].kind == STAR and tail:
            suffixes.add(tail)
        else:
            others.append(rule.regex.pattern)
    return frozenset(names), tuple(sorted(suffixes)), others


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(joined, re.DOTALL) if joined else None


def _above(rule: Rule) -> list[str]:
    """The plainly named directories above what a rule with a path speaks of."""
    found: list[str] = []
    for segment in rule.segments[:-1]:
        name = literal_of(list(segment))
        if name is None:
            break
        name = name.encode("latin-1").decode("utf-8", "surrogateescape")
        found.append(f"{found[-1]}/{name}" if found else name)
    return found
