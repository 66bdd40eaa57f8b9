"""Ranked answers out of an agent's last message."""

from __future__ import annotations

import json
import re
from typing import Any

MOST = 10
_BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)```", re.S)
_LINE = re.compile(r"^\s*(?:\d+[.)]|[-*])?\s*`?([\w./+@-]+\.[\w+-]+)`?(?:\s|$|:)")


def json_object(text: str) -> dict[str, Any]:
    """The last JSON object in a message: in a code block, or bare; {} when there is none."""
    blocks = [*_BLOCK.findall(text), text, *_braces(text)]
    for block in reversed(blocks):
        try:
            data = json.loads(block)
        except ValueError:
            continue
        if isinstance(data, dict):
            return data
    return {}


def _braces(text: str) -> list[str]:
    start, end = text.find("{"), text.rfind("}")
    return [text[start : end + 1]] if 0 <= start < end else []


def ranked(text: str, key: str) -> tuple[list[str], str]:
    """The ranked list under ``key`` and a note about what was odd.

    More than ten entries are cut to the first ten; a list of paths, one a line, is accepted when
    there is no JSON.
    """
    value = json_object(text).get(key)
    found = [str(item) for item in value] if isinstance(value, list) else _lines(text)
    unique = list(dict.fromkeys(clean(item) for item in found if item.strip()))
    if not unique:
        return [], f"the answer names no {key}"
    if len(unique) > MOST:
        return unique[:MOST], f"the answer names {len(unique)} {key}; the first ten count"
    return unique, ""


def _lines(text: str) -> list[str]:
    return [found[1] for line in text.splitlines() if (found := _LINE.match(line))]


def clean(path: str) -> str:
    """A path as the repository writes it."""
    return path.strip().strip("`'\"").removeprefix("./").removeprefix("a/").lstrip("/")
