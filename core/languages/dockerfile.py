"""Dockerfiles: build stages with their instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import (
    Item,
    Lines,
    comment_above,
    header_comment,
    outline,
)

_INSTRUCTION = re.compile(
    r"\s*(FROM|RUN|CMD|LABEL|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD"
    r"|STOPSIGNAL|HEALTHCHECK|SHELL|MAINTAINER)\s+(\S.*)",
    re.IGNORECASE,
)
_STAGE = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w*)[\"']?")
DOCUMENT_LINES = 500
"""How far the end of a here-document is sought."""


def extract(path: str, source: bytes) -> FileFacts:
    """Stages as targets; instructions below as keys, ``ARG`` and ``ENV`` by their variable."""
    lines = Lines(source)
    return outline("dockerfile", path, lines, _items(lines), header_comment(lines))


def _items(lines: Lines) -> Iterator[Item]:
    last = 0
    for number, text in enumerate(lines.text, 1):
        match = _INSTRUCTION.match(text) if number > last else None
        if match is None:
            continue
        last = _end(lines, number)
        word, doc = match[1].upper(), comment_above(lines, number)
        signature = text.strip()
        if word == "FROM" and (stage := _STAGE.match(match[2])):
            yield Item(0, stage[2] or stage[1], "target", number, signature, doc)
        else:
            yield Item(1, _name(word, match[2]), "key", number, signature, doc, last)


def _name(word: str, argument: str) -> str:
    variable = _VARIABLE.match(argument) if word in ("ARG", "ENV") else None
    return variable[0] if variable else word


def _end(lines: Lines, number: int) -> int:
    """The last line of an instruction: behind its continuations or its here-document."""
    document = _HEREDOC.search(lines.text[number - 1])
    if document:
        for below in range(number + 1, min(len(lines), number + DOCUMENT_LINES) + 1):
            if lines.text[below - 1].strip() == document[1]:
                return below
    while number < len(lines) and lines.text[number - 1].rstrip().endswith("\\"):
        number += 1
    return number
