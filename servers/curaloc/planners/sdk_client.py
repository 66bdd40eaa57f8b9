"""What the clients of all SDKs share: options, one connection a request, retries, temperature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners.client import (
    Ledger,
    OddAnswer,
    Prompt,
    Refused,
    Reply,
    retrying,
)
from codeviews.servers.curaloc.planners.modelled import ModelPlanner, needs_model
from codeviews.servers.curaloc.settings import DEFAULT, Settings


class SdkClient(ABC):
    """A :class:`ModelClient` over an SDK. ``base_url`` "" is the SDK's own choice.

    ``KEY`` names the environment variable that holds the key.
    """

    KEY: ClassVar[str]
    _HINTS: ClassVar[Mapping[int, str]] = {
        401: "check {key}",
        403: "check what {key} may use",
        404: "check --model and the endpoint's address",
        413: "the prompt is too long for this endpoint",
    }

    def __init__(
        self,
        model: str,
        settings: Settings = DEFAULT,
        base_url: str = "",
        temperature: float | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.model = model
        self.settings = settings
        self.temperature = temperature
        self.ledger = ledger if ledger is not None else Ledger()
        kind, api_error, key = self._sdk()
        self._errors = (api_error, ValueError, OSError)
        extra: dict[str, Any] = {"base_url": base_url} if base_url else {}
        options = {"max_retries": 0, "timeout": settings.request_s, **extra}
        self._open: Callable[[], Any] = partial(kind, api_key=key, **options)

    def ask(self, prompt: Prompt) -> Reply:
        """See :class:`ModelClient`. A model that takes no temperature is asked without one."""
        try:
            return self._ask(prompt)
        except Refused as error:
            if error.status in self._HINTS:
                hint = self._HINTS[error.status].format(key=self.KEY)
                raise PlanningFailure(f"{str(error).rstrip('.')}; {hint}") from error
            if self.temperature is None or "temperature" not in str(error):
                raise
            self.temperature = None
            return self._ask(prompt)

    def _ask(self, prompt: Prompt) -> Reply:
        request = self._request(prompt)

        def send() -> Reply:
            with self._open() as client:  # a failed request leaves no connection behind
                answer = self._send(client, request)
            try:
                return self._read(answer)
            except (AttributeError, TypeError) as error:
                raise OddAnswer from error

        return retrying(send, prompt, self.ledger, self.settings, self._errors)

    @abstractmethod
    def _sdk(self) -> tuple[Callable[..., Any], type[Exception], str]:
        """(client class, root of its API errors, key); a missing SDK or key is misuse."""

    @abstractmethod
    def _request(self, prompt: Prompt) -> dict[str, Any]:
        """The arguments of one request."""

    @abstractmethod
    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        """Send the request; the SDK's own object, or whatever the endpoint sent instead of one."""

    @abstractmethod
    def _read(self, answer: Any) -> Reply:
        """What the answer says."""


def planner_over(
    kind: type[SdkClient], name: str, model: str, options: Mapping[str, Any]
) -> ModelPlanner:
    """A planner whose model, and the one that summarizes, are asked through one kind of client.

    ``options``: ``base_url``, ``summary_model``, ``settings``, ``temperature``.

    Raises:
        MisuseError: no model was named.
    """
    settings: Settings = options.get("settings", DEFAULT)
    temperature = options.get("temperature", settings.temperature)
    base_url = options.get("base_url", "")
    client = kind(needs_model(name, model), settings, base_url, temperature)
    small = options.get("summary_model") or model
    helper = kind(small, settings, base_url, temperature, client.ledger)
    return ModelPlanner(name, client, helper)
