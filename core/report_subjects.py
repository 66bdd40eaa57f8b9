"""What a report says it is about outside its prose: a tracker's fields, drivers in log lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.stopwords import STOP

_FIELD = re.compile(
    r"\s*(?:Product|Component|Subsystem|Area|Package|Category)(?: Name)?\s*:"
    r"\s*(?P<value>\S.{0,200})",
    re.I,
)
_EMPTY = frozenset("config configuration core device devices driver drivers general kernel".split())
_DRIVER = re.compile(
    r"^(?P<log>[a-z][a-z\d_\-]{2,30})(?: [\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d| \d[\d\-.:]*)?: "
    r"|\b(?:module|driver|modprobe|rmmod|insmod)[: ]+[\"'`]?(?P<after>[A-Za-z][\w\-]{2,40})"
    r"|\b(?P<before>[A-Za-z][\w\-]{2,40}) (?:driver|module)\b"
    r"|\bKernel (?:driver in use|modules): (?P<lspci>[\w\-]{2,40})"
)


def is_field(line: str) -> bool:
    """Whether the line is a tracker's field that says which part of a program is meant."""
    return _FIELD.match(line) is not None


def field_words(line: str) -> Iterator[str]:
    """The words of a tracker's field, lower case, and the initials of its phrases: directories are
    often called by them (``File System`` is ``fs``)."""
    found = _FIELD.match(line)
    for phrase in re.split(r"[/\-]", found["value"].lower() if found else ""):
        words = re.findall(r"[a-z\d]+", phrase)
        if len(words) > 1:
            yield "".join(word[0] for word in words)
        yield from (word for word in words if word not in STOP and word not in _EMPTY)


def drivers_of(line: str, printed: bool) -> Iterator[str]:
    """Names of drivers and kernel modules on a line; at its start only where it was ``printed`` by
    a machine or is a title."""
    for found in _DRIVER.finditer(line):
        name = str(found.group(str(found.lastgroup)))
        if name.lower() not in STOP and (found.lastgroup != "log" or printed):
            yield name
