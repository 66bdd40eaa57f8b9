"""Running statements: declarations, branches, loops, classes and namespaces."""

from __future__ import annotations

from typing import Any

from codeviews.core.resolve.js_classes import define_class
from codeviews.core.resolve.js_eval import bind, evaluate
from codeviews.core.resolve.js_instances import iterate
from codeviews.core.resolve.js_invoke import expect
from codeviews.core.resolve.js_machine import (
    STATEMENTS,
    Ir,
    Machine,
    branch,
    run,
    run_block,
    sure,
)
from codeviews.core.resolve.js_program import TYPE_MARK
from codeviews.core.resolve.js_types import value_of_type
from codeviews.core.resolve.js_values import EMPTY, Env, Obj, Value, join, only


def _expression(m: Machine, env: Env, ir: Ir) -> bool:
    evaluate(m, env, ir[1])
    return False


def _let(m: Machine, env: Env, ir: Ir) -> bool:
    _, pattern, source, declared, kind = ir
    value = sure(evaluate(m, env, source), source, const=kind == "const")
    if declared is not None:
        expect(m, env, declared, value)
        value = join(value, value_of_type(m, env, declared))
    if source is not None or pattern is None or pattern[0] != "v":
        bind(m, env, pattern, value, kind)
    else:
        declare(m, env, pattern[1], value, kind)
    return False


def declare(m: Machine, env: Env, name: str, value: Value, kind: str) -> None:
    """Bind a new name; ``var`` keeps what a hoisted declaration already holds."""
    scope = env.home if kind == "var" else env
    if kind == "var" and name in scope.vars and not value:
        return
    m.write(scope.vars, name, value)


def _return(m: Machine, env: Env, ir: Ir) -> bool:
    m.returned = join(m.returned, evaluate(m, env, ir[1]))
    return True


def _throw(m: Machine, env: Env, ir: Ir) -> bool:
    evaluate(m, env, ir[1])
    return True


def _if(m: Machine, env: Env, ir: Ir) -> bool:
    _, arms, last = ir
    for condition, _ in arms:
        evaluate(m, env, condition)
    bodies = [body for _, body in arms] + ([last] if last is not None else [])
    return branch(
        m,
        [lambda body=body: run_block(m, env, body) for body in bodies],
        complete=last is not None,
    )


def _loop(m: Machine, env: Env, ir: Ir) -> bool:
    inner = Env(env, env.module, m.epoch)
    for part in ir[1]:
        if part is not None:
            run(m, inner, part)
    branch(m, [lambda: run_block(m, inner, ir[2])], complete=False)
    return False


def _for(m: Machine, env: Env, ir: Ir) -> bool:
    _, word, kind, target, iterable, body, line, scope = ir
    source = evaluate(m, env, iterable)
    items = iterate(m, source, line, scope) if word == "of" else EMPTY
    inner = Env(env, env.module, m.epoch)

    def arm() -> bool:
        bind(m, inner, target, items, kind)
        return run_block(m, inner, body)

    branch(m, [arm], complete=False)
    return False


def _try(m: Machine, env: Env, ir: Ir) -> bool:
    _, body, caught, final = ir
    ended = branch(m, [lambda: run_block(m, env, body)], complete=True)
    if caught is not None:
        stopped = branch(m, [lambda: run_block(m, env, caught)], complete=False)
        ended = ended and stopped
    return run_block(m, env, final) or ended


def _switch(m: Machine, env: Env, ir: Ir) -> bool:
    evaluate(m, env, ir[1])
    for condition, _ in ir[2]:
        evaluate(m, env, condition)
    arms = [lambda body=body: run_block(m, env, body) for _, body in ir[2]]
    branch(m, arms, complete=False)
    return False


def _many(m: Machine, env: Env, ir: Ir) -> bool:
    for part in ir[1]:
        run(m, env, part)
    return False


def _class(m: Machine, env: Env, ir: Ir) -> bool:
    defined = only(define_class(m, env, ir[2]))
    m.write(env.vars, ir[1], defined)
    return False


def _interface(m: Machine, env: Env, ir: Ir) -> bool:
    defined = define_class(m, env, ir[2])
    name = TYPE_MARK + ir[1]
    m.write(env.vars, name, join(env.vars.get(name, EMPTY), only(defined)))
    return False


def _alias(m: Machine, env: Env, ir: Ir) -> bool:
    alias = Obj("alias", ir[1])
    alias.record, alias.env = ir[2], env
    m.write(env.vars, TYPE_MARK + ir[1], only(alias))
    return False


def _namespace(m: Machine, env: Env, ir: Ir) -> bool:
    _, name, body, exported = ir
    inner = Env(env, env.module, m.epoch, home=True)
    run_block(m, inner, body, scoped=False)
    known: dict[Obj, int] = env.vars.get(name, EMPTY)
    holder = next(iter(known), None) or Obj("inst", name, m.epoch)
    for key in exported:
        for wanted in (key, TYPE_MARK + key):
            if wanted in inner.vars:
                holder.props[wanted] = inner.vars[wanted]
    m.write(env.vars, name, join(known, only(holder)))
    return False


_TABLE: dict[str, Any] = {
    "x": _expression,
    "let": _let,
    "ret": _return,
    "throw": _throw,
    "if": _if,
    "loop": _loop,
    "for": _for,
    "try": _try,
    "switch": _switch,
    "block": run_block,
    "many": _many,
    "class": _class,
    "interface": _interface,
    "alias": _alias,
    "namespace": _namespace,
}
STATEMENTS.update(_TABLE)
