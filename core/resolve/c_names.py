"""What a plain C name means in one file: scope, include reach, then external definitions."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from codeviews.core.facts import (
    AMBIGUOUS,
    BUILTIN,
    DECLARATION,
    EXTERNAL,
    TEST,
    TIER_FLOW,
    TIER_INFERRED,
    TIER_LEXICAL,
    TIER_NAME_ONLY,
    UNKNOWN,
    SourceFile,
)
from codeviews.core.resolve.c_index import (
    FUNCTION,
    MACRO,
    PROTOTYPE,
    Definition,
    Index,
    macro_bodies,
)

MANY = 8
SEPARATE_PROGRAMS = frozenset(
    ["tools", "samples", "scripts", "examples", "example", "demos", "demo", "docs", "contrib"]
)
_BUILTIN_PREFIXES = ("__builtin_", "__sync_", "__atomic_", "_mm_", "_mm256_", "__c11_")


class Target(NamedTuple):
    """A symbol a name may mean, with the tier and the rule that found it."""

    id: int
    tier: str
    rule: str


class Meaning(NamedTuple):
    """All a name may mean; without targets ``reason`` says why (``several`` of ``ambiguous``)."""

    targets: tuple[Target, ...] = ()
    reason: str = ""
    several: int = 0


class FileScope:
    """Names as one file sees them; answers are kept while the file is resolved."""

    def __init__(self, index: Index, source: SourceFile) -> None:
        self.index = index
        self.number = index.number[source.path]
        self.path = source.path
        self.is_test = bool(source.marks & TEST)
        self.mask = index.mask(self.number)
        self.functions: dict[str, list[int]] = {}
        self.macros: dict[str, list[int]] = {}
        self.bodies = macro_bodies(source)
        self._meanings: dict[str, Meaning] = {}
        self._expanded: dict[int, tuple[int, ...]] = {}
        self._macro_ids: set[int] = set()
        self._own(source)

    def _own(self, source: SourceFile) -> None:
        for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
            if "." in symbol.qualname:
                continue
            if symbol.kind == "function" and not symbol.flags & DECLARATION:
                self.functions.setdefault(symbol.name, []).append(ident)
            elif symbol.kind == "macro" and (
                ident in self.bodies or f"{symbol.name}(" in symbol.signature
            ):
                self.macros.setdefault(symbol.name, []).append(ident)

    def meaning(self, name: str) -> Meaning:
        """What a call of ``name`` reaches, macros expanded."""
        known = self._meanings.get(name)
        if known is None:
            known = self._meanings[name] = self._with_expansions(self._lookup(name))
        return known

    def functions_named(self, name: str) -> tuple[int, ...]:
        """Ids of the functions that ``name`` as a value means here; nothing by name alone."""
        return tuple(
            target.id
            for target in self.meaning(name).targets
            if target.tier != TIER_NAME_ONLY and target.id not in self._macro_ids
        )

    def _lookup(self, name: str) -> Meaning:
        functions = self.functions.get(name, ())
        macros = self.macros.get(name, ())
        if functions or macros:
            self._macro_ids.update(macros)
            twin = len(functions) + len(macros) > 1
            tier = TIER_INFERRED if twin else TIER_LEXICAL
            rule = "twin" if twin else "same file"
            if functions:
                return Meaning(tuple(Target(i, tier, rule) for i in (*functions, *macros)))
            own = tuple(Target(i, tier, rule) for i in macros)
            return Meaning(own + self._behind_macro(name))
        return self._elsewhere(name)

    def _behind_macro(self, name: str) -> tuple[Target, ...]:
        """Functions of the same name that the file's own macro stands before."""
        found = self._elsewhere(name).targets
        return tuple(t._replace(tier=TIER_INFERRED, rule="twin") for t in found)

    def _elsewhere(self, name: str) -> Meaning:
        candidates = self.index.names.get(name)
        if not candidates:
            return Meaning(reason=_absent(name))
        candidates = self._admissible(candidates)
        if not candidates:
            return Meaning(reason=EXTERNAL)
        index, mask = self.index, self.mask
        external = [c for c in candidates if c.code == FUNCTION]
        seen = [c for c in candidates if c.code != FUNCTION and index.reaches(mask, c.file)]
        if not external and not seen:
            return self._unreached(candidates)
        self._macro_ids.update(c.id for c in candidates if c.code == MACRO)
        return self._choose(external, seen)

    def _admissible(self, candidates: list[Definition]) -> list[Definition]:
        """Without tests for production code and without other programs of the repository."""
        index = self.index
        program = _program(self.path)
        kept = [c for c in candidates if _program(index.paths[c.file]) in ("", program)]
        if program:
            kept = [c for c in kept if _program(index.paths[c.file]) == program] or kept
        if not self.is_test:
            kept = [c for c in kept if not index.marks[c.file] & TEST]
        return kept

    def _unreached(self, candidates: list[Definition]) -> Meaning:
        best = [c for c in candidates if c.code != PROTOTYPE] or candidates[:1]
        if len(best) > 1:
            near = self._nearest(best)
            if len(near) > 1:
                return Meaning(reason=AMBIGUOUS, several=len(best))
            best = near
        self._macro_ids.update(c.id for c in best if c.code == MACRO)
        return Meaning((Target(best[0].id, TIER_NAME_ONLY, "unique name"),))

    def _choose(self, external: list[Definition], seen: list[Definition]) -> Meaning:
        shown = [c for c in seen if c.code != PROTOTYPE]
        prototypes = [c for c in seen if c.code == PROTOTYPE]
        if external:
            external = self._by_reach(external, prototypes)
        elif not shown:
            first = self._nearest(prototypes)[0]
            return Meaning((Target(first.id, TIER_LEXICAL, "declaration"),))
        if len(external) > MANY:
            external = []
            if not shown:
                return Meaning(reason=AMBIGUOUS, several=len(self.index.names))
        return Meaning(self._labelled(external, shown, bool(prototypes)))

    def _labelled(
        self, external: list[Definition], shown: list[Definition], declared: bool
    ) -> tuple[Target, ...]:
        if len(shown) > MANY:
            shown = self._nearest(shown)[:MANY]
        found: list[Target] = []
        if len(external) == 1:
            sure = declared or bool(shown) or self._is_near(external[0])
            tier = TIER_LEXICAL if sure else TIER_NAME_ONLY
            found.append(Target(external[0].id, tier, "external" if sure else "unique name"))
        else:
            found.extend(Target(c.id, TIER_FLOW, "several definitions") for c in external)
        twin = len(shown) > 1 or bool(external)
        for candidate in shown:
            tier = TIER_INFERRED if twin else TIER_LEXICAL
            found.append(Target(candidate.id, tier, "twin" if twin else "include"))
        return tuple(found)

    def _is_near(self, candidate: Definition) -> bool:
        there = posixpath.dirname(self.index.paths[candidate.file])
        return there == posixpath.dirname(self.path)

    def _by_reach(
        self, external: list[Definition], prototypes: list[Definition]
    ) -> list[Definition]:
        """Among several external definitions those that share the header which declares it."""
        if len(external) == 1:
            return external
        headers = [c.file for c in prototypes]
        index = self.index
        sharing = [
            c
            for c in external
            if c.file in headers or any(index.reaches(index.mask(c.file), h) for h in headers)
        ]
        return self._nearest(sharing or external)

    def _nearest(self, candidates: list[Definition]) -> list[Definition]:
        """Those in the nearest folder: the same one, then the longest shared path below the top."""
        if len(candidates) < 2:
            return candidates
        shared = [_shared(self.path, self.index.paths[c.file]) for c in candidates]
        best = max(shared)
        if best == 0:
            return candidates
        return [c for c, depth in zip(candidates, shared, strict=True) if depth == best]

    def _with_expansions(self, meaning: Meaning) -> Meaning:
        extra: dict[int, None] = {}
        for target in meaning.targets:
            if target.id in self._macro_ids:
                extra.update(dict.fromkeys(self.expanded(target.id)))
        for target in meaning.targets:
            extra.pop(target.id, None)
        if not extra:
            return meaning
        wrapped = tuple(Target(i, TIER_INFERRED, "macro") for i in extra)
        return meaning._replace(targets=meaning.targets + wrapped[:MANY])

    def expanded(self, macro: int) -> tuple[int, ...]:
        """Ids of the functions that a macro's expansion calls, through further macros."""
        known = self._expanded.get(macro)
        if known is not None:
            return known
        self._expanded[macro] = ()
        found: dict[int, None] = {}
        names = self.bodies.get(macro) or self.index.expansions.get(macro, ())
        for name in names:
            for target in self._lookup(name).targets:
                if target.id == macro or target.tier == TIER_FLOW:
                    continue
                if target.id in self._macro_ids:
                    found.update(dict.fromkeys(self.expanded(target.id)))
                else:
                    found[target.id] = None
        self._expanded[macro] = tuple(found)[:MANY]
        return self._expanded[macro]

    def is_macro(self, ident: int) -> bool:
        """Whether an id that :meth:`meaning` gave is a macro."""
        return ident in self._macro_ids


def _program(path: str) -> str:
    first = path.split("/", 1)[0] if "/" in path else ""
    return first if first in SEPARATE_PROGRAMS else ""


def _shared(one: str, other: str) -> int:
    left, right = one.split("/")[:-1], other.split("/")[:-1]
    depth = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        depth += 1
    return depth


def _absent(name: str) -> str:
    if name.startswith(_BUILTIN_PREFIXES):
        return BUILTIN
    return EXTERNAL if name in LIBC else UNKNOWN


_LIBC_TEXT = """
abort abs accept access assert atexit atoi atol bind bsearch calloc ceil clock close connect cos
exit exp fabs fclose feof ferror fflush fgetc fgets floor fopen fork fprintf fputc fputs fread
free fscanf fseek fstat ftell fwrite getc getchar getenv getline gettimeofday htonl htons
inet_ntop inet_pton ioctl isalnum isalpha isatty isdigit islower isprint isspace isupper
isxdigit kill labs listen localtime log lseek malloc memchr memcmp memcpy memmove memset mkdir
mktime mmap munmap nanosleep ntohl ntohs open opendir perror pipe poll pow printf pthread_create
pthread_join pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock putc putchar puts qsort
raise rand random read readdir realloc recv recvfrom remove rename rewind rmdir scanf select
send sendto setenv setsockopt shutdown sigaction signal sin sleep snprintf socket sprintf sqrt
srand sscanf stat strcasecmp strcat strchr strcmp strcpy strcspn strdup strerror strftime strlen
strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtok
strtol strtoll strtoul strtoull system tan time tolower toupper ungetc unlink usleep va_arg
va_copy va_end va_start vfprintf vprintf vsnprintf vsprintf wait waitpid write
"""
LIBC = frozenset(_LIBC_TEXT.split())
