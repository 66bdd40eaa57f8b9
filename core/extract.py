"""One file -> the rows the store writes. Runs in worker processes; reads nothing but that file."""

from __future__ import annotations

import hashlib
import time
from typing import cast

from codeviews.core.config import (
    MAX_DOC_CHARS,
    MAX_FILE_BYTES,
    MAX_PROSE_BYTES,
    MAX_SIGNATURE_CHARS,
)
from codeviews.core.errors import UnreadableFileError
from codeviews.core.facts import FileFacts, Symbol
from codeviews.core.files import FolderReader, to_utf8
from codeviews.core.languages import LANGUAGES, extractor, language_of
from codeviews.core.marks import marks_of
from codeviews.core.repository import Entry
from codeviews.core.store import pack_facts
from codeviews.core.store_write import Extracted, compress
from codeviews.core.text import SymbolTuple


class Skip(Exception):
    """A file that is not indexed; the message is the reason shown to the user."""


def size_limit(path: str) -> int:
    """Bytes above which a file is listed as skipped and not read."""
    return MAX_FILE_BYTES if LANGUAGES[language_of(path)] else MAX_PROSE_BYTES


def extract_file(reader: FolderReader, entry: Entry) -> Extracted:
    """Read and understand one file.

    Raises:
        Skip: it is too large, binary or unreadable.
    """
    limit = size_limit(entry.path)
    if entry.size > limit:
        raise Skip(f"{entry.size:,} bytes, over the limit of {limit:,}")
    seen_ns = time.time_ns()
    try:
        raw = reader.read(entry.path)
    except UnreadableFileError as error:
        raise Skip(error.reason) from error
    source = to_utf8(raw)
    if source is None:
        raise Skip("binary (NUL bytes)")
    return _rows(entry, source, raw, seen_ns)


def content_hash(raw: bytes) -> bytes:
    """The key of a file's facts: 16 bytes of BLAKE2b over its bytes on disk."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def understand(path: str, source: bytes) -> FileFacts:
    """Facts by the language the name says, trimmed to the sizes the store keeps."""
    facts = extractor(language_of(path))(path, source)
    facts.symbols = [_trim(symbol) for symbol in facts.symbols]
    return facts


def _trim(symbol: Symbol) -> Symbol:
    if len(symbol.doc) <= MAX_DOC_CHARS and len(symbol.signature) <= MAX_SIGNATURE_CHARS:
        return symbol
    return symbol._replace(
        doc=symbol.doc[:MAX_DOC_CHARS], signature=symbol.signature[:MAX_SIGNATURE_CHARS]
    )


def _rows(entry: Entry, source: bytes, raw: bytes, seen_ns: int) -> Extracted:
    facts = understand(entry.path, source)
    return Extracted(
        path=entry.path,
        language=facts.language,
        size=entry.size,
        mtime_ns=entry.mtime_ns,
        seen_ns=seen_ns,
        hash=content_hash(raw),
        marks=marks_of(entry.path, source[:4096]),
        lines=source.count(b"\n") + 1,
        note="; ".join(facts.notes),
        text=compress(source),
        facts=pack_facts(facts),
        symbols=cast("list[SymbolTuple]", list(map(tuple, facts.symbols))),
        source=source,
    )
