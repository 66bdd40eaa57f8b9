"""Words, ``--arg name=value`` -> tool arguments, typed by the tool's own schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codeviews.core.errors import MisuseError
from codeviews.servers.toolkit import Tool


def parse_arguments(
    tool: Tool, pairs: Sequence[str], files: Sequence[str], words: Sequence[str] = ()
) -> dict[str, Any]:
    """Arguments from the command line; lists are given as JSON or comma-separated.

    ``words`` are ``name=value`` as well, or the values of the required parameters in their order.

    Raises:
        MisuseError: not ``name=value``, a word too many, or an unreadable file.
    """
    out: dict[str, Any] = {}
    for pair in pairs:
        name, value = _split(pair, "--arg")
        out[name] = _typed(tool, name, value)
    for pair in files:
        name, file = _split(pair, "--arg-file")
        out[name] = _text(file)
    _add_words(tool, words, out)
    return out


def _add_words(tool: Tool, words: Sequence[str], out: dict[str, Any]) -> None:
    plain: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name in tool.params.model_fields:
            out[name] = _typed(tool, name, value)
        else:
            plain.append(word)
    takes = [name for name in _plain(tool) if name not in out]
    if len(plain) > len(takes):
        raise MisuseError(_too_many(tool, plain[len(takes)]))
    for name, word in zip(takes, plain, strict=False):
        out[name] = _typed(tool, name, word)


def _plain(tool: Tool) -> list[str]:
    """The parameters whose names a plain word does not need: the required ones, else the symbol."""
    fields = tool.params.model_fields
    return [name for name, field in fields.items() if field.is_required()] or [
        name for name in fields if name == "symbol"
    ]


def _too_many(tool: Tool, word: str) -> str:
    plain = _plain(tool)
    rest = ", ".join(name for name in tool.params.model_fields if name not in plain)
    takes = f"one plain word for {' and one for '.join(plain)}" if plain else "no plain word"
    return (
        f"{tool.name} takes {takes}, so {word[:80]!r} is too many: put several words in quotes "
        f"and write other arguments as name=value ({rest})"
    )


def _split(pair: str, option: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise MisuseError(f"{option} {pair!r} is not name=value")
    return name.strip(), value


def _text(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text("utf-8", "replace")
    except OSError as error:
        raise MisuseError(f"--arg-file: {file} cannot be read ({error.strerror})") from error


def _typed(tool: Tool, name: str, value: str) -> Any:
    kind = tool.schema()["properties"].get(name, {}).get("type", "string")
    if kind == "string":
        return value
    if kind == "array" and not value.lstrip().startswith("["):
        return [part for part in value.split(",") if part]
    try:
        return json.loads(value)
    except ValueError:
        return value
