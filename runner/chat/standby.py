"""Keeps the model of a chat ready between its turns."""

import asyncio
import os
import sys
from collections.abc import Callable

from runner.allowed_models import ModelNotAllowed, check_expanded
from runner.engine.ports import ConfigurationError, Model, ModelError
from runner.environment import VariableError, expand_model
from runner.models import open_model
from runner.spec import AgentSpec

# How long a thread may keep the others waiting while the model library is loaded, in seconds. With Python's usual 5 ms
# the prompt needs more than a second to react to Enter, and takes a Ctrl-C that follows for its own.
_GIVE_WAY_SECONDS = 0.0005

# A further user of the model that an agent names; None when it cannot be made.
OpenFor = Callable[[AgentSpec], Model | None]


def model_for(spec: AgentSpec) -> Model | None:
    """The model of an agent, not opened yet; None when its settings are wrong, which every turn will tell."""
    try:
        settings, _ = expand_model(spec.model, os.environ)
        check_expanded(spec, settings)
    except (VariableError, ModelNotAllowed):
        return None
    return open_model(settings)


class Standby:
    """A user of the model that asks nothing, so that its connections and weights outlive each turn.

    It opens the model in the background: while the person writes the first line, the model library is loaded.
    """

    def __init__(self, open_for: OpenFor = model_for) -> None:
        self._open_for = open_for
        self._model: Model | None = None
        self._opening: asyncio.Task[None] | None = None
        self._usual_seconds = sys.getswitchinterval()

    async def hold(self, spec: AgentSpec) -> None:
        """Keep the model of this agent ready from now on, and let go of the one before."""
        before = (self._model, self._opening)
        self._model = self._open_for(spec)
        self._opening = asyncio.create_task(self._opened(self._model)) if self._model is not None else None
        await _closed(*before)

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
