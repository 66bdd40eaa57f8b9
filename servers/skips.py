"""Files that were skipped, as answers that found nothing name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from codeviews.core.errors import CodeviewsError
from codeviews.core.files import read
from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.store import Store

MAX_FILES = 20  # skipped files of code that are searched for a name
MAX_BYTES = 16_000_000  # of one of them
_NAMED = 2  # files named in one sentence
_LAST = re.compile(r"([^\W\d]\w+)\W*$")


def excuse(store: Store, root: Path, text: str) -> str:
    """The skipped file that is asked for, or those that hold the name; "" when there is none."""
    skipped = store.skipped()
    head = text.partition(":")[0].strip().removeprefix("./")
    for path, reason in skipped:
        if head and (path == head or path.endswith("/" + head)):
            return f"{path} was skipped: {reason}"
    found = _LAST.search(text)
    if found is None or len(text.split()) != 1:
        return ""
    holding = list(_holding(root, skipped, found[1].encode()))
    return f"Skipped, yet holding {found[1]!r}: {'; '.join(holding[:_NAMED])}" if holding else ""


def _holding(root: Path, skipped: list[tuple[str, str]], name: bytes) -> Iterator[str]:
    """``path (reason)`` of skipped files of code with that word."""
    word = re.compile(rb"\b%s\b" % re.escape(name))
    code = [item for item in skipped if LANGUAGES[language_of(item[0])]]
    for path, reason in code[:MAX_FILES]:
        try:
            if word.search(read(root, path, MAX_BYTES)):
                yield f"{path} ({reason})"
        except CodeviewsError:
            continue
