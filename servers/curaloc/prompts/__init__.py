"""The model's instructions: versioned text files in our own words."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from codeviews.servers.curaloc.settings import Settings

_SECTION = "\n## "
_TAGS = "issue structure symbol files capsules diagnosis assessed adjacent code"
_CLOSING = re.compile(rf"</(?=(?:{'|'.join(_TAGS.split())})\b)", re.IGNORECASE)


def version(name: str) -> str:
    """The version on a prompt file's first line."""
    return _read(name).partition("\n")[0].removeprefix("version:").strip()


def filled(name: str, settings: Settings) -> str:
    """A prompt with the guidance of the chosen formulation and the configuration's numbers."""
    text = _read(name).partition("\n")[2].strip()
    guidance = _guidance(settings.formulation).get(name, "")
    return text.replace("{guidance}", guidance).replace("{predictions}", str(settings.predictions))


def tagged(tag: str, text: str) -> str:
    """A text as data between tags (the opening one may hold attributes), which it cannot end: its
    own closing tags are spaced out."""
    name = tag.partition(" ")[0]
    return f"<{tag}>\n{_CLOSING.sub('< /', text)}\n</{name}>\n"


@cache
def _read(name: str) -> str:
    return (files("codeviews.servers.curaloc.prompts") / f"{name}.md").read_text("utf-8")


@cache
def _guidance(formulation: str) -> dict[str, str]:
    """Section name -> text of a formulation's file."""
    parts = _read(formulation).split(_SECTION)[1:]
    return {head.strip(): body.strip() for head, _, body in (p.partition("\n") for p in parts)}
