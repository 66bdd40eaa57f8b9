"""What the head of a C item says: names, parameters, types, storage."""

from __future__ import annotations

import re
from typing import NamedTuple

_SIMPLE = re.compile(
    r"(?P<before>[\w\s*]*?)\b(?P<name>\w+)\s*\((?P<inside>[^()]*)\)\s*(?P<after>[\w\s]*)\Z"
)
_GROUP = re.compile(r"(\w*)\s*\(")
_PARENS = re.compile(r"[()]")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_WORDS = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(r"\b__\w+\s*\((?:[^()]|\([^()]*\))*\)")
_DECLARATOR_END = re.compile(r"[\[:(]")
_POINTER_NAME = re.compile(r"\(\s*(?:\w+\s+)*[*^]\s*(?:\w+\s+)*?(\w+)\s*(?:\[[^\]]*\]\s*)*\)\s*\(")

_QUALIFIERS_TEXT = """
const volatile static extern inline register restrict __restrict signed unsigned auto
    __user __iomem __rcu __percpu __force __kernel __init __initdata __exit __exitdata __read_mostly
    __always_inline __inline __inline__ noinline asmlinkage notrace __ref __cold __must_check
    __maybe_unused __attribute__ __aligned __packed __randomize_layout __ro_after_init typedef
    ____cacheline_aligned ____cacheline_aligned_in_smp ____cacheline_internodealigned_in_smp
    __initconst __refdata __private __sched __net_init __net_exit __bitwise
"""
QUALIFIERS = frozenset(_QUALIFIERS_TEXT.split())
_PRIMITIVES_TEXT = """
void char short int long float double bool _Bool size_t ssize_t u8 u16 u32 u64 s8 s16 s32 s64
    __u8 __u16 __u32 __u64 __s8 __s16 __s32 __s64 __le16 __le32 __le64 __be16 __be32 __be64
    uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t unsigned signed loff_t
    dma_addr_t phys_addr_t resource_size_t pid_t gfp_t sector_t uintptr_t intptr_t
"""
PRIMITIVES = frozenset(_PRIMITIVES_TEXT.split())
_NOT_NAMES = (
    QUALIFIERS | PRIMITIVES | frozenset(["struct", "union", "enum", "if", "for", "while", "switch"])
)
_STORAGE = re.compile(r"(?:\b(?:static|inline|extern|asmlinkage|const|__\w+|noinline)\b\s*)*\Z")


class Head(NamedTuple):
    """A function's head. ``macro`` is the defining macro when one stands for the head."""

    name: str
    params: str
    macro: str = ""


def function_head(head: str) -> Head | None:
    """Name and parameter text of a function definition, prototype or defining macro call."""
    simple = _SIMPLE.match(head)
    if simple and simple["name"] not in _NOT_NAMES:
        if _STORAGE.match(simple["before"]) and _is_macro_name(simple["name"]):
            return _macro_head(simple["name"], simple["inside"])
        if not simple["name"].startswith("__attribute"):
            return Head(simple["name"], simple["inside"])
    return _grouped_head(head)


def _grouped_head(head: str) -> Head | None:
    groups = _groups(head)
    chosen = _choose(head, groups)
    if chosen is None:
        return None
    name, start, inside = chosen
    if not name or name in _NOT_NAMES:
        inner = re.search(r"[*^]\s*(?:\w+\s+)?(\w+)\s*\((.*)\)\s*\Z", inside, re.S)
        return Head(inner[1], inner[2]) if inner else None
    if _is_macro_name(name) and _STORAGE.match(head[:start].strip()):
        return _macro_head(name, inside)
    return Head(name, inside)


def _groups(head: str) -> list[tuple[str, int, str]]:
    """(identifier, its offset, text between the parentheses) of each outermost group."""
    found: list[tuple[str, int, str]] = []
    position = 0
    while match := _GROUP.search(head, position):
        depth = 0
        end = len(head)
        for paren in _PARENS.finditer(head, match.end() - 1):
            depth += 1 if paren[0] == "(" else -1
            if depth == 0:
                end = paren.start()
                break
        found.append((match[1], match.start(), head[match.end() : end]))
        position = end + 1
    return found


def _choose(head: str, groups: list[tuple[str, int, str]]) -> tuple[str, int, str] | None:
    """The group that holds the parameters: not an attribute, not a macro call before the head."""
    plain = [group for group in groups if not group[0].startswith("__")] or groups
    plain = [group for group in plain if group[0] not in ("asm", "alignas")] or plain
    named = [group for group in plain if not (_is_macro_name(group[0]))]
    if named and (len(named) == len(plain) or _typed_before(head, named[0][1])):
        return named[0]
    return plain[0] if plain else None


def _typed_before(head: str, start: int) -> bool:
    before = head[:start].rstrip()
    return bool(before) and (before[-1] == "*" or before[-1].isalnum() or before[-1] == "_")


def _is_macro_name(name: str) -> bool:
    return len(name) > 2 and name == name.upper() and not name.isdigit()


def _macro_head(macro: str, inside: str) -> Head | None:
    arguments = [part.strip() for part in split_commas(inside)]
    if not arguments or not _IDENTIFIER.match(arguments[0]):
        return None
    name = arguments[0]
    if "SYSCALL_DEFINE" in macro:
        return Head(syscall_name(macro, name), _paired(arguments[1:]), macro)
    if macro.startswith("TEST") and len(arguments) > 1 and _IDENTIFIER.match(arguments[1]):
        name = f"{name}_{arguments[1]}"
    return Head(name, _paired(arguments[1:]), macro)


def syscall_name(macro: str, name: str) -> str:
    """The function that ``SYSCALL_DEFINEn(name, ...)`` stands for."""
    return f"compat_sys_{name}" if macro.startswith("COMPAT") else f"sys_{name}"


def _paired(arguments: list[str]) -> str:
    """``unsigned int, fd, char *, buf`` as ``unsigned int fd, char * buf``."""
    pairs = zip(arguments[::2], arguments[1::2], strict=False)
    return ", ".join(f"{kind} {name}" for kind, name in pairs)


def split_commas(text: str) -> list[str]:
    """Split at commas that no bracket holds."""
    if "(" not in text and "{" not in text and "[" not in text:
        return text.split(",")
    parts: list[str] = []
    depth = last = 0
    for match in re.finditer(r"[,(){}\[\]]", text):
        if match[0] in "({[":
            depth += 1
        elif match[0] in ")}]":
            depth -= 1
        elif depth == 0:
            parts.append(text[last : match.start()])
            last = match.end()
    parts.append(text[last:])
    return parts


def parameters(params: str) -> dict[str, str]:
    """Parameter name -> type name, in order (unnamed ones are ``#i``)."""
    found: dict[str, str] = {}
    for index, part in enumerate(split_commas(params)):
        name, kind = declared(part)
        found[name or f"#{index}"] = kind
    return found


def declared(text: str) -> tuple[str, str]:
    """(name, type) of one declarator: ``const struct inode *i`` is ``("i", "inode")``.

    The type of a function pointer is ``(*)``.
    """
    if "(" in text:
        pointer = _POINTER_NAME.search(text)
        if pointer:
            return pointer[1], "(*)"
        text = _ATTRIBUTE.sub("", text)
    if "[" in text or ":" in text or "(" in text:
        text = _DECLARATOR_END.split(text, maxsplit=1)[0]
    found = _WORDS.findall(text)
    while len(found) > 2 and found[-1].startswith("__") and found[-1] in QUALIFIERS:
        found.pop()
    if len(found) == 1:
        return "", _type_of(found)
    return (found[-1], _type_of(found[:-1])) if found else ("", "")


def type_name(text: str) -> str:
    """The struct tag or typedef that a type is about; "" for arithmetic types."""
    return _type_of(_WORDS.findall(text))


def _type_of(words: list[str]) -> str:
    name = ""
    tagged = False
    for word in words:
        if word in ("struct", "union", "enum"):
            tagged = True
        elif word not in QUALIFIERS:
            name = word
            if tagged:
                break
    return "" if name in PRIMITIVES else name
