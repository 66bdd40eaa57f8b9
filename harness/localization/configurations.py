"""``--change SETTING=VALUE``: a configuration of the method and its name in tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from codeviews.harness.errors import BadInput, UnknownName
from codeviews.servers.curaloc.settings import DEFAULT, PERSPECTIVES, Settings

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "profile": ("default", "paper"),
    "selection": ("planned", "source-order"),
    "formulation": tuple(PERSPECTIVES),
}


def configuration(changes: Mapping[str, str]) -> tuple[str, Settings]:
    """The name (``reference`` without changes) and the settings.

    Raises:
        UnknownName: no such setting or choice; what there is is listed.
        BadInput: the value has another type.
    """
    if "*" in changes:
        raise BadInput(f"--change takes SETTING=VALUE, not '{changes['*']}'")
    known = [field.name for field in fields(Settings)]
    values: dict[str, Any] = {}
    for name, text in changes.items():
        if name not in known:
            raise UnknownName("setting", name, known)
        values[name] = _value(name, text)
    title = ", ".join(f"{name}={text}" for name, text in changes.items())
    return title or "reference", replace(DEFAULT, **values)


def _value(name: str, text: str) -> Any:
    if name in _CHOICES:
        if text not in _CHOICES[name]:
            raise UnknownName(name, text, _CHOICES[name])
        return text
    kind = type(getattr(DEFAULT, name))
    if kind is bool:
        return _flag(name, text)
    try:
        number = kind(text)
    except ValueError as error:
        raise BadInput(f"{name} takes a number, not '{text}'") from error
    if not 0 <= number < float("inf"):
        raise BadInput(f"{name} takes a number that is not negative, not '{text}'")
    return number


def _flag(name: str, text: str) -> bool:
    table = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
    if text.lower() not in table:
        raise BadInput(f"{name} is true or false, not '{text}'")
    return table[text.lower()]
