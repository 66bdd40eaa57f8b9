"""What the re-implemented methods share: prompts, list schemas, source texts, fusion."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from codeviews.core.store import Definition, Store
from codeviews.servers.curaloc.edges import symbols_of
from codeviews.servers.curaloc.ranking import normalized
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.source import window


def prompt_text(name: str) -> str:
    """A prompt file without its version line."""
    text = (files("codeviews.harness.localization.prompts") / f"{name}.md").read_text("utf-8")
    return text.partition("\n")[2].strip()


def list_schema(name: str) -> dict[str, Any]:
    """``{name: [text, ...]}``."""
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": {"type": "string"}}},
        "required": [name],
        "additionalProperties": False,
    }


def texts(data: Any, key: str) -> list[str]:
    """The strings of a list in an answer; [] when it has another shape."""
    value = data.get(key) if isinstance(data, dict) else None
    return [v.strip() for v in value if isinstance(v, str)] if isinstance(value, list) else []


def skeleton(store: Store, path: str) -> str:
    """Signatures of a file's functions, methods and classes."""
    lines = [f"{d.start_line}: {d.qualname}  {d.signature}" for d in symbols_of(store, path)]
    return "\n".join([path, *lines])


def find(store: Store, address: str) -> Definition | None:
    """The definition that ``path:Qualified.name`` means, after normalization."""
    wanted = normalized(address)
    path = wanted.partition(":")[0]
    for definition in symbols_of(store, path):
        if normalized(definition.address) == wanted:
            return definition
    return None


def source(store: Store, definition: Definition, settings: Settings) -> str:
    """A definition's bounded source under its address."""
    shown = window(store, definition, store.text(definition.file_id), settings)
    more = "\n(truncated)" if shown.truncated else ""
    return f"### {definition.address}\n{shown.text}{more}"


def known_only(store: Store, names: Sequence[str]) -> list[str]:
    """Addresses of those names that exist, in order."""
    found = [find(store, name) for name in names]
    return list(dict.fromkeys(d.address for d in found if d is not None))


def fused(rankings: Sequence[Sequence[str]], constant: float = 60.0) -> list[str]:
    """Reciprocal-rank fusion."""
    score: dict[str, float] = {}
    for ranking in rankings:
        for place, name in enumerate(ranking, 1):
            score[name] = score.get(name, 0.0) + 1 / (constant + place)
    return sorted(score, key=lambda name: -score[name])
