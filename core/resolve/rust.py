"""Rust: crates, modules, use trees and re-exports, impl blocks, traits."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath

from codeviews.core.facts import FileEdges, Import, RepoView
from codeviews.core.resolve.cargo import Crates
from codeviews.core.resolve.family import resolve_family
from codeviews.core.resolve.language_rules import COMMON_LIBRARY, LAST, SAME, LanguageRules
from codeviews.core.resolve.names import PATH_PREFIX

VERSION = 2

WRAPPERS = frozenset(
    "Box Rc Arc Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Pin Cow LazyLock Lazy"
    " OnceCell ManuallyDrop Reverse".split()
)
PROJECTIONS = {
    **dict.fromkeys(
        "unwrap expect unwrap_or unwrap_or_default unwrap_or_else lock read write get_mut borrow"
        " borrow_mut into_inner load get_or_init".split(),
        0,
    ),
    **dict.fromkeys(
        "next last pop first nth peek find min_by max_by min_by_key max_by_key get remove"
        " pop_front pop_back front back".split(),
        LAST,
    ),
    **dict.fromkeys(
        "iter iter_mut into_iter clone cloned copied as_ref as_mut as_deref as_deref_mut rev filter"
        " skip take peekable ok ok_or ok_or_else map_err to_vec values values_mut enumerate"
        " to_owned by_ref drain chain or or_else".split(),
        SAME,
    ),
}


def _target(path: str, item: Import) -> str | None:
    """The file of ``#[path = "..."] mod x;``."""
    if not item.module.startswith("#path:"):
        return None
    return PATH_PREFIX + normpath(join(dirname(path), item.module[6:]))


def rules(repo: RepoView) -> LanguageRules:
    """Rust's scoping, with the crates of this repository."""
    return LanguageRules(
        language="rust",
        place=Crates(repo).place,
        constructors=(),
        call_constructs=True,
        callable_locals=True,
        implicit_this=False,
        closed_modules=True,
        this=frozenset(["self"]),
        own=frozenset(["Self"]),
        super=frozenset(),
        wrappers=WRAPPERS,
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        builtins=frozenset(["Some", "Ok", "Err", "drop"]),
        target=_target,
    )


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every Rust file, or of ``only`` those paths."""
    return resolve_family(repo, {"rust": rules}, only)
