"""``--arg name=value`` -> tool arguments, typed by the tool's own schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codeviews.core.errors import MisuseError
from codeviews.servers.toolkit import Tool


def parse_arguments(tool: Tool, pairs: Sequence[str], files: Sequence[str]) -> dict[str, Any]:
    """Arguments from the command line; lists are given as JSON or comma-separated.

    Raises:
        MisuseError: not ``name=value``, or an unreadable file.
    """
    out: dict[str, Any] = {}
    for pair in pairs:
        name, value = _split(pair, "--arg")
        out[name] = _typed(tool, name, value)
    for pair in files:
        name, file = _split(pair, "--arg-file")
        out[name] = _text(file)
    return out


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
