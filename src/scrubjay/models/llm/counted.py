"""A model whose every request, repairs included, goes through one function: nothing is sent uncounted."""

from __future__ import annotations

from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from scrubjay.models.llm.client import Attempt


class Counted(WrapperModel):
    """``wrapped``, asked by ``attempt``."""

    def __init__(self, wrapped: Model, attempt: Attempt) -> None:
        super().__init__(wrapped)
        self._attempt = attempt

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        *rest: Any,
        **more: Any,
    ) -> ModelResponse:
        """Sends ``messages`` as ``wrapped`` does."""

        async def send() -> ModelResponse:
            return await self.wrapped.request(messages, model_settings, model_request_parameters, *rest, **more)

        return await self._attempt(send)
