"""Keeps the model of a chat ready between its turns."""

import asyncio
import os
import sys
from collections.abc import Callable

from runner.allowed_models import ModelNotAllowed, check_expanded
from runner.engine.ports import ConfigurationError, Model, ModelError
from runner.environment import VariableError, expand_model
from runner.language.known_models import is_known, known_providers
from runner.models import open_model
from runner.models.providers import check_key
from runner.spec import AgentSpec, ModelSpec
from runner.suggest import closest

# How long a thread may keep the others waiting while the model library is loaded, in seconds. With Python's usual 5 ms
# the prompt needs more than a second to react to Enter, and takes a Ctrl-C that follows for its own.
_GIVE_WAY_SECONDS = 0.0005

# A further user of the model that an agent names, None when there is to be none; raises ModelError.
OpenFor = Callable[[AgentSpec], Model | None]


def model_for(spec: AgentSpec) -> Model | None:
    """The model of an agent, not opened yet.

    Raises:
        ModelError: it cannot be asked, as is known without loading anything; every turn would tell it.
    """
    try:
        settings, _ = expand_model(spec.model, os.environ)
        check_expanded(spec, settings)
    except (VariableError, ModelNotAllowed) as error:
        raise ModelError(str(error), configuration=True) from None
    _check_provider(settings)
    return open_model(settings)


def _check_provider(settings: ModelSpec) -> None:
    params = settings.params or {}
    address = settings.api_base or params.get("api_base") or params.get("base_url")
    provider = settings.name.partition("/")[0]
    known = known_providers() or {provider}  # where LiteLLM has no such list, it has to say so itself
    if not address and provider not in known | {"local"} and not is_known(settings.name):
        meant = closest(provider, sorted(known))
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise ModelError(f"model {settings.name!r}: there is no provider {provider!r}{hint}", configuration=True)
    given = bool(address or settings.api_key or params.get("api_key"))
    check_key(provider, settings.name, given=given, environ=os.environ)


class Standby:
    """A user of the model that asks nothing, so that its connections and weights outlive each turn.

    It opens the model in the background: while the person writes the first line, the model library is loaded.
    """

    def __init__(self, open_for: OpenFor = model_for) -> None:
        self._open_for = open_for
        self._model: Model | None = None
        self._opening: asyncio.Task[None] | None = None
        self._usual_seconds = sys.getswitchinterval()

    async def hold(self, spec: AgentSpec) -> str | None:
        """Keep the model of this agent ready from now on, and let go of the one before.

        Returns:
            Why no turn can ask that model, as far as it is known by now; then the one before is kept.
        """
        before = (self._model, self._opening)
        try:
            self._model = self._open_for(spec)
        except ModelError as error:
            return str(error)
        self._opening = asyncio.create_task(self._opened(self._model)) if self._model is not None else None
        await _closed(*before)
        return None

    async def close(self) -> None:
        """Let go of the model."""
        before = (self._model, self._opening)
        self._model = self._opening = None
        await _closed(*before)

    async def _opened(self, model: Model) -> None:
        sys.setswitchinterval(_GIVE_WAY_SECONDS)
        try:
            await model.open()
        except (ModelError, ConfigurationError):
            pass  # the turns open it too, and tell what is wrong
        finally:
            sys.setswitchinterval(self._usual_seconds)


async def _closed(model: Model | None, opening: "asyncio.Task[None] | None") -> None:
    if model is None or opening is None:
        return
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    await model.close()
