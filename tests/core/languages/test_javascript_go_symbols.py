"""Definitions of JavaScript, TypeScript and Go: names, kinds, spans, signatures, docs, flags."""

from __future__ import annotations

from codeviews.core.facts import ABSTRACT, ASYNC, CLASSMETHOD, DECLARATION, ENTRY, EXPORTED, Import
from codeviews.core.languages import go, javascript, typescript

JAVASCRIPT = b"""\
/**
 * Opens the door.
 * @param {string} key
 */
export async function open(key) {
  function turn() {}
}

// not a doc: a line lies between

const limit = 3;
const shut = (hard) => {};

class Door extends Base {
  // Counts knocks.
  static count = 0;
  #lock() {}
  static make() {}
  get size() { return 1; }
  onPush = () => {};
}
Door.prototype.knock = function () {};
module.exports.ring = function () {};
const api = { get() {}, set: () => {}, deep: { run() {} } };
export { shut };
"""

TYPESCRIPT = b"""\
/** A shape. */
export interface Shape {
  /** How much. */
  area(unit: string): number;
  label: string;
}
export abstract class Base<T> implements Shape {
  constructor(private readonly size: T) { }
  abstract area(unit: string): number;
}
type Id = string;
enum Color { Red, Green = 2 }
declare function load(id: Id): Shape;
function parse(a: string): void;
function parse(a: number): void;
function parse(a: any) { }
namespace Inner { export const deep = 1; }
"""

GO = b"""\
// Package shop sells.
package shop

import (
\t"fmt"
\tp "example.org/price"
)

// Cart holds items.
// It may be empty.
type Cart[T any] struct {
\tItems []T
\t*Base
}

type Priced interface {
\tPrice(unit string) (int, error)
}

const (
\t// Max is the limit.
\tMax = 10
\tmin = 1
)

// Add puts an item in.
func (c *Cart[T]) Add(item T) error {
\treturn nil
}

func main() {}
"""


def test_javascript_definitions() -> None:
    facts = javascript.extract("door.js", JAVASCRIPT)
    rows = [(s.qualname, s.kind, s.start_line, s.flags) for s in facts.symbols]
    assert rows == [
        ("", "module", 1, 0),
        ("open", "function", 5, EXPORTED | ASYNC),
        ("open.turn", "function", 6, 0),
        ("limit", "constant", 11, 0),
        ("shut", "function", 12, EXPORTED),
        ("Door", "class", 14, 0),
        ("Door.count", "field", 16, CLASSMETHOD),
        ("Door.#lock", "method", 17, 0),
        ("Door.make", "method", 18, CLASSMETHOD),
        ("Door.size", "property", 19, 0),
        ("Door.onPush", "method", 20, 0),
        ("Door.knock", "method", 22, 0),
        ("ring", "function", 23, EXPORTED),
        ("api", "constant", 24, 0),
        ("api.get", "method", 24, 0),
        ("api.set", "method", 24, 0),
        ("api.deep.run", "method", 24, 0),
    ]
    by_name = {symbol.qualname: symbol for symbol in facts.symbols}
    assert by_name["open"].doc == "Opens the door.\n@param {string} key"
    assert by_name["open"].signature == "async function open(key)"
    assert by_name["limit"].doc == ""
    assert by_name["Door.count"].doc == "Counts knocks."
    assert by_name["Door"].signature == "class Door extends Base"
    assert by_name["shut"].signature == "const shut = (hard)"
    parents = {name: facts.symbols[s.parent].qualname for name, s in by_name.items()}
    assert parents["Door.knock"] == "Door"
    assert parents["open.turn"] == "open"
    assert parents["api.get"] == "api"


def test_typescript_definitions() -> None:
    facts = typescript.extract("shape.ts", TYPESCRIPT)
    rows = [(s.qualname, s.kind, s.start_line, s.flags) for s in facts.symbols[1:]]
    assert rows == [
        ("Shape", "interface", 2, EXPORTED | DECLARATION),
        ("Shape.area", "method", 4, DECLARATION),
        ("Shape.label", "field", 5, DECLARATION),
        ("Base", "class", 7, EXPORTED | ABSTRACT),
        ("Base.constructor", "method", 8, 0),
        ("Base.area", "method", 9, ABSTRACT | DECLARATION),
        ("Id", "type", 11, 0),
        ("Color", "enum", 12, 0),
        ("Color.Red", "constant", 12, 0),
        ("Color.Green", "constant", 12, 0),
        ("load", "function", 13, DECLARATION),
        ("parse", "function", 16, 0),
        ("Inner", "namespace", 17, 0),
        ("Inner.deep", "constant", 17, EXPORTED),
    ]
    assert facts.symbols[1].doc == "A shape."
    assert facts.symbols[2].doc == "How much."
    assert facts.symbols[2].signature == "area(unit: string): number"


def test_imports_as_written() -> None:
    source = (
        b'import base, { one as first, type Two } from "./a";\nimport * as all from "b";\n'
        b'export * from "./c";\nexport { x as y } from "./d";\nconst e = require("e");\n'
        b'import("./f");\nimport "./g";\n'
    )
    assert typescript.extract("m.ts", source).imports == [
        Import("./a", "default", "base", 1),
        Import("./a", "one", "first", 1),
        Import("./a", "Two", "", 1),
        Import("b", "", "all", 2),
        Import("./c", "*", "", 3),
        Import("./d", "x", "y", 4),
        Import("e", "", "", 5),
        Import("./f", "", "", 6),
        Import("./g", "", "", 7),
    ]


def test_go_definitions() -> None:
    facts = go.extract("cart.go", GO)
    rows = [(s.qualname, s.kind, s.start_line, s.flags) for s in facts.symbols]
    assert rows == [
        ("", "module", 1, 0),
        ("Cart", "struct", 11, EXPORTED),
        ("Cart.Items", "field", 12, EXPORTED),
        ("Priced", "interface", 16, EXPORTED),
        ("Priced.Price", "method", 17, EXPORTED | DECLARATION),
        ("Max", "constant", 22, EXPORTED),
        ("min", "constant", 23, 0),
        ("Cart.Add", "method", 27, EXPORTED),
        ("main", "function", 31, ENTRY),
    ]
    by_name = {symbol.qualname: symbol for symbol in facts.symbols}
    assert by_name[""].doc == "Package shop sells."
    assert by_name["Cart"].doc == "Cart holds items.\nIt may be empty."
    assert by_name["Cart"].signature == "type Cart[T any] struct"
    assert by_name["Max"].doc == "Max is the limit."
    assert by_name["Cart.Add"].doc == "Add puts an item in."
    assert by_name["Cart.Add"].signature == "func (c *Cart[T]) Add(item T) error"
    assert facts.symbols[by_name["Cart.Add"].parent].qualname == "Cart"
    assert facts.imports == [
        Import("fmt", "", "", 5),
        Import("example.org/price", "", "p", 6),
    ]
