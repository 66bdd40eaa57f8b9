"""What differs between the languages that the typed resolver serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from codeviews.core.facts import Import
from codeviews.core.resolve.declarations import Place

SAME = -1
"""A library method that returns what it is called on (``clone``, ``iter``, ``filter``)."""
LAST = -2
"""A library method that returns its receiver's last type argument (``get`` of lists and maps)."""


class LanguageRules(NamedTuple):
    """A language's scoping rules as data."""

    language: str
    place: Place
    """File -> dotted namespace of its top-level definitions."""
    constructors: tuple[str, ...] = ("",)
    """Names of constructors; "" stands for the name of the class."""
    call_constructs: bool = False
    """``T(...)`` makes a T."""
    callable_locals: bool = False
    """A local variable hides a function of the same name."""
    implicit_this: bool = True
    """``m()`` may be a method of the enclosing type."""
    closed_modules: bool = False
    """Names of the enclosing module are not visible; imports are relative and re-exportable."""
    outer_namespaces: bool = False
    """Names of the enclosing namespaces are visible."""
    partial_types: bool = False
    """Definitions of one qualified name in several files are one type."""
    free_names: bool = False
    """Top-level names of the whole repository are visible without import."""
    declared_members: bool = True
    """A member that no declaration shows does not exist (else: may be made at run time)."""
    this: frozenset[str] = frozenset(["this"])
    own: frozenset[str] = frozenset()
    """Names of the enclosing type in paths (``Self``, ``static``)."""
    super: frozenset[str] = frozenset(["super"])
    wrappers: frozenset[str] = frozenset()
    """Outside types whose members are those of their argument (``Box``, ``Arc``)."""
    projections: Mapping[str, int] = {}
    """Outside method -> which type argument of the receiver it returns."""
    library: frozenset[str] = frozenset()
    """Method names too common to bind by name alone."""
    universal: frozenset[str] = frozenset()
    """Methods that every type has from outside the repository (``toString``)."""
    component_calls: bool = False
    """``value.component()`` reads a component of a record."""
    outside_returns: Mapping[str, str] = {}
    """Outside method -> type it returns, whatever its receiver."""
    outside_constants: Mapping[str, str] = {}
    """Outside type -> type of its constants."""
    conversions: Mapping[tuple[str, str], int] = {}
    """(type of an argument, type of a parameter) -> how well it fits, 1 (hardly) to 7."""
    optional_parens: bool = False
    """A method without parameters is called by its name alone."""
    property_calls: bool = True
    """Reading a property by its name alone is a call of it (``attr_reader``)."""
    super_is_method: bool = False
    """``super(...)`` calls the overridden method, not a constructor."""
    loose_functions: bool = False
    """A function that one file of the repository defines may be meant without an import."""
    builtins: frozenset[str] = frozenset()
    """Functions of the language itself."""
    scope_functions: frozenset[str] = frozenset()
    """Outside functions that hand their receiver to a lambda (``let``, ``also``)."""
    target: Callable[[str, Import], str | None] | None = None
    """(path of a file, import) -> what names of :mod:`names` resolve it by, when not its path."""
    value_dispatch: bool = True
    """A call on a value may reach an override."""


COMMON_LIBRARY = frozenset(
    """
    accept add addAll all and any append apply as_ref as_mut as_str as_bytes assert at borrow build
    bytes call catch chars clear clone close collect compare compareTo compute connect contains
    containsKey copy count create debug decode default delete deref describe destroy difference drop
    each each_with_index empty encode end ends_with endsWith enter entry entries entrySet eq equals
    error exec execute exists exit expect extend fetch fill filter filter_map find find_map finish
    first flat_map flatMap flatten flush fmt fold for_each forEach format from from_str get get_mut
    getClass getName getOrDefault getValue getKey group group_by handle has hasNext hash hashCode
    head id in include includes index indexOf info init initialize insert inspect intersect into
    into_iter invoke is_empty is_none is_some is_ok is_err isEmpty isPresent iter iter_mut iterator
    join key keys keySet last len length let list listen load lock log main map map_err match max
    merge message min name new next none not notify ok ok_or ok_or_else open or or_else orElse
    parse path peek poll pop position post print println process push push_str put putAll query
    raise read readLine ready reduce ref register reject release remove render repeat replace
    request reset resolve respond_to reverse rewind run save send set setUp show shift size skip
    sleep slice sort sort_by sorted split start starts_with startsWith status stop stream strip
    sub submit subscribe substring sum swap sync take takeIf tap tearDown test then throw to
    to_lowercase to_owned to_s to_str to_string to_uppercase to_vec toArray toList toLowerCase
    toString toUpperCase transform trim truncate try_from try_into type unlock unwrap unwrap_or
    unwrap_or_default unwrap_or_else update use valid validate value valueOf values verify view
    visit wait warn when where with with_capacity wrap write writeln yield zip
    """.split()
)
