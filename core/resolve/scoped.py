"""Ruby, PHP, C#, Kotlin, Swift, Scala and shell: one resolver, each language's scoping as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname, join, normpath

from codeviews.core.facts import FileEdges, Import, RepoView, SourceFile
from codeviews.core.resolve.declarations import flow_of
from codeviews.core.resolve.family import resolve_family
from codeviews.core.resolve.language_rules import COMMON_LIBRARY, LAST, SAME, LanguageRules
from codeviews.core.resolve.names import PATH_PREFIX

VERSION = 1

_ELEMENT = dict.fromkeys(
    "get first last next find single random pop remove removeFirst removeLast elementAt max min"
    " firstOrNull lastOrNull find getOrNull popLast First Last FirstOrDefault Single Find head"
    " SingleOrDefault Peek Pop Dequeue getOrElse Result Value".split(),
    LAST,
)
_SAME = dict.fromkeys(
    "filter filterNot sorted sortedBy toList toSet reversed distinct take drop values shuffled"
    " Where OrderBy ToList ToArray Skip Take Distinct Reverse Values let also takeIf clone dup"
    " freeze each select reject sort sort_by".split(),
    SAME,
)
PROJECTIONS = {**_ELEMENT, **_SAME}
SHELL_BUILTINS = frozenset(
    "alias bg bind break builtin caller cd command compgen complete continue declare dirs disown"
    " echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local"
    " logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source"
    " suspend test times trap true type typeset ulimit umask unalias unset wait [ : .".split()
)
RUBY_BUILTINS = frozenset(
    "attr_reader attr_writer attr_accessor include extend prepend require require_relative load"
    " private public protected module_function raise puts print p lambda proc loop format sprintf"
    " block_given? private_constant alias_method define_method freeze catch throw binding".split()
)
PHP_BUILTINS = frozenset(
    "array_map count strlen isset empty is_null sprintf implode explode".split()
)


def _package(file: SourceFile) -> str:
    return flow_of(file).get("package", "")


def _global(file: SourceFile) -> str:
    return ""


def _own_file(file: SourceFile) -> str:
    return file.path.replace(".", "_")


def _ruby_target(repo: RepoView) -> Callable[[str, Import], str | None]:
    paths = repo.paths()
    roots = sorted({path[: path.index("lib/") + 4] for path in paths if "lib/" in path})

    def target(path: str, item: Import) -> str | None:
        name = item.module if item.module.endswith(".rb") else item.module + ".rb"
        folders = [dirname(path)] if item.module.startswith(".") else roots
        tried = (normpath(join(folder, name)) for folder in folders)
        return PATH_PREFIX + next((found for found in tried if found in paths), "")

    return target


def _file_target(repo: RepoView) -> Callable[[str, Import], str | None]:
    """Sourced and included files: beside the file, from the root, or the only one so named."""
    paths = repo.paths()

    def target(path: str, item: Import) -> str | None:
        if item.name not in ("", "*") or "." not in item.module.lstrip("./"):
            return None
        for folder in (dirname(path), ""):
            found = normpath(join(folder, item.module))
            if found in paths:
                return PATH_PREFIX + found
        ending = "/" + normpath(item.module).lstrip("./")
        ends = [found for found in paths if found.endswith(ending)]
        return PATH_PREFIX + (ends[0] if len(ends) == 1 else "")

    return target


def kotlin(repo: RepoView) -> LanguageRules:
    """Kotlin's scoping."""
    return LanguageRules(
        language="kotlin",
        place=_package,
        constructors=("",),
        call_constructs=True,
        callable_locals=True,
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        universal=frozenset("toString equals hashCode copy let also apply run takeIf".split()),
        scope_functions=frozenset("let also takeIf takeUnless".split()),
    )


def scala(repo: RepoView) -> LanguageRules:
    """Scala's scoping."""
    return LanguageRules(
        language="scala",
        place=_package,
        call_constructs=True,
        callable_locals=True,
        outer_namespaces=True,
        optional_parens=True,
        property_calls=False,
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        universal=frozenset("toString equals hashCode copy getClass asInstanceOf".split()),
    )


def csharp(repo: RepoView) -> LanguageRules:
    """C#'s scoping."""
    return LanguageRules(
        language="csharp",
        place=_package,
        callable_locals=True,
        outer_namespaces=True,
        partial_types=True,
        super=frozenset(["base"]),
        wrappers=frozenset(["Task", "ValueTask", "Lazy", "Nullable"]),
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        universal=frozenset("ToString Equals GetHashCode GetType MemberwiseClone".split()),
    )


def swift(repo: RepoView) -> LanguageRules:
    """Swift's scoping: the modules of one repository see each other."""
    return LanguageRules(
        language="swift",
        place=_global,
        constructors=("init",),
        call_constructs=True,
        callable_locals=True,
        free_names=True,
        this=frozenset(["self"]),
        own=frozenset(["Self"]),
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
    )


def php(repo: RepoView) -> LanguageRules:
    """PHP's scoping; namespaces are declared, so autoload maps add nothing to resolution."""
    return LanguageRules(
        language="php",
        place=_package,
        constructors=("__construct",),
        implicit_this=False,
        free_names=True,
        this=frozenset(["$this"]),
        own=frozenset(["self", "static"]),
        super=frozenset(["parent"]),
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        builtins=PHP_BUILTINS,
        target=_file_target(repo),
    )


def ruby(repo: RepoView) -> LanguageRules:
    """Ruby's scoping."""
    return LanguageRules(
        language="ruby",
        place=_global,
        constructors=("initialize",),
        partial_types=True,
        free_names=True,
        declared_members=False,
        this=frozenset(["self"]),
        optional_parens=True,
        super_is_method=True,
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        builtins=RUBY_BUILTINS,
        universal=frozenset("class send is_a? nil? respond_to? freeze dup tap inspect".split()),
        target=_ruby_target(repo),
    )


def bash(repo: RepoView) -> LanguageRules:
    """Shell scoping: a file's functions and those of the files it sources."""
    return LanguageRules(
        language="bash",
        place=_own_file,
        implicit_this=False,
        closed_modules=True,
        this=frozenset(),
        super=frozenset(),
        loose_functions=True,
        library=COMMON_LIBRARY,
        builtins=SHELL_BUILTINS,
        target=_file_target(repo),
    )


LANGUAGE_RULES: Mapping[str, Callable[[RepoView], LanguageRules]] = {
    "ruby": ruby,
    "php": php,
    "csharp": csharp,
    "kotlin": kotlin,
    "swift": swift,
    "scala": scala,
    "bash": bash,
}


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every file of the seven languages, or of ``only`` those paths."""
    return resolve_family(repo, LANGUAGE_RULES, only)
