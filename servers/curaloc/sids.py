"""What the symbols of an answer mean among the candidates: SIDs in any shape, or addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeviews.servers.curaloc.ranking import normalized
from codeviews.servers.curaloc.records import Inventory

NOTHING_OFFERED: Mapping[str, str] = {}


class Sids:
    """Finds candidates.

    ``offered`` maps the SIDs that the answer was made from to their addresses: when the index was
    made anew since, an old SID means its address, never what has that number now.
    """

    def __init__(self, inventory: Inventory, offered: Mapping[str, str] = NOTHING_OFFERED) -> None:
        self._inventory = inventory
        address = {c.definition.address: sid for sid, c in inventory.capsules.items()}
        loose = {normalized(text): sid for text, sid in reversed(address.items())}
        self._address = {**loose, **address}
        self._offered = {int(old): address.get(text) for old, text in offered.items()}

    def find(self, value: Any) -> int | None:
        """The candidate that a SID (12, "12", "[SID=12]") or a ``path:Qualified.name`` means."""
        if isinstance(value, str):
            number = _number(value)
            if number is None:
                text = value.strip().replace("::", ":", 1)
                return self._address.get(text, self._address.get(normalized(text)))
            value = number
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        sid = self._offered.get(value, value)
        return sid if sid in self._inventory.capsules else None


def _number(text: str) -> int | None:
    digits = text.strip().upper().removeprefix("[").removeprefix("SID=").rstrip("]")
    return int(digits) if digits.isdecimal() and len(digits) < 19 else None
