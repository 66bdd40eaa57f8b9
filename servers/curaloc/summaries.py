"""Behavioural summaries: the docstring, else the cache, else an auxiliary model (A.3)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from codeviews.core.store import Definition
from codeviews.servers.curaloc.failures import IncompleteSummaries
from codeviews.servers.curaloc.prompts import version
from codeviews.servers.curaloc.settings import Settings

TRUNCATED = "… (source truncated)"
_BLANK_LINE = re.compile(r"\r?\n[ \t]*\r?\n")


class Source(NamedTuple):
    """A symbol that needs a generated summary. ``text`` has at most ``summary_lines`` lines."""

    sid: int
    kind: str
    name: str
    text: str

    @property
    def key(self) -> str:
        """The cache key: prompt version, kind and source."""
        parts = "\0".join([version("summarize"), self.kind, self.text])
        return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()


def from_docstring(definition: Definition, settings: Settings) -> str:
    """The first paragraph of the docstring, if it is short enough."""
    paragraph = _BLANK_LINE.split(definition.doc.strip(), maxsplit=1)[0]
    text = " ".join(paragraph.split())
    return text if len(text) <= settings.summary_chars else ""


def source_for(definition: Definition, text: bytes, settings: Settings) -> Source:
    """What the auxiliary model reads of a symbol: ``summary_lines`` lines that fit one batch."""
    whole = text[definition.start_byte : definition.end_byte].decode("utf-8", "replace")
    body = "\n".join(whole.split("\n")[: settings.summary_lines])[: settings.summary_batch_chars]
    shown = body if len(body) == len(whole) else f"{body}\n{TRUNCATED}"
    return Source(definition.id, definition.kind, definition.qualname, shown)


Ask = Callable[[Sequence[Source]], Mapping[int, str]]
"""One request to the auxiliary model; may answer for fewer symbols than asked, or raise nothing."""


def generate(
    needed: Sequence[Source], ask: Ask, settings: Settings, cache: SummaryCache | None
) -> dict[int, str]:
    """Summaries by SID; missing ones are asked for again in halved batches.

    Raises:
        IncompleteSummaries: less than ``summary_share`` of the needed ones arrived.
    """
    known = cache.find(needed) if cache else {}
    wanted = [source for source in needed if source.sid not in known]
    size, found = settings.summary_symbols, dict[int, str]()
    while wanted and size >= 1:
        for batch in batches(wanted, size, settings.summary_batch_chars):
            found |= _clean(ask(batch), batch, settings)
        wanted = [source for source in wanted if source.sid not in found]
        size = size // 2
    asked = len(found) + len(wanted)
    if asked and len(found) < settings.summary_share * asked:
        raise IncompleteSummaries(f"only {len(found)} of {asked} summaries arrived")
    if cache:
        cache.keep({s.key: found[s.sid] for s in needed if s.sid in found})
    return known | found


def _clean(
    answer: Mapping[int, str], batch: Sequence[Source], settings: Settings
) -> dict[int, str]:
    asked = {source.sid for source in batch}
    shown = {sid: " ".join(text.split())[: settings.summary_chars] for sid, text in answer.items()}
    return {sid: text for sid, text in shown.items() if sid in asked and text}


def batches(sources: Iterable[Source], symbols: int, chars: int) -> list[list[Source]]:
    """Groups of at most ``symbols`` symbols and ``chars`` characters; one symbol always fits."""
    out: list[list[Source]] = []
    room = 0
    for source in sources:
        if not out or len(out[-1]) >= symbols or room < len(source.text):
            out.append([])
            room = chars
        out[-1].append(source)
        room -= len(source.text)
    return out


class SummaryCache:
    """Generated summaries of one repository: a JSON-lines file beside its index."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "summaries.jsonl"
        self._known: dict[str, str] = {}
        if self._path.is_file():
            for line in self._path.read_text("utf-8", "replace").splitlines():
                self._known |= _entry(line)

    def find(self, sources: Sequence[Source]) -> dict[int, str]:
        """Cached summaries by SID."""
        return {s.sid: self._known[s.key] for s in sources if s.key in self._known}

    def keep(self, summaries: Mapping[str, str]) -> None:
        """Add summaries by key."""
        self._known |= summaries
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps([key, text]) + "\n" for key, text in summaries.items())


def _entry(line: str) -> dict[str, str]:
    """One cached summary; a line that was cut short is none."""
    try:
        key, text = json.loads(line)
    except ValueError:
        return {}
    return {str(key): str(text)}
