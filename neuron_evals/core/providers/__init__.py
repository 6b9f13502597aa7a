"""The HTTP side of models: one contract, one provider for each dialect, and what the tokens cost."""

from __future__ import annotations

from neuron_evals.core.providers.anthropic import AnthropicProvider
from neuron_evals.core.providers.contract import BaseProvider, ModelReply, ModelRequest, ModelSettings, ToolSpec
from neuron_evals.core.providers.errors import ErrorKind, ProviderError
from neuron_evals.core.providers.fake import FakeProvider
from neuron_evals.core.providers.http import HttpProvider
from neuron_evals.core.providers.ollama import OllamaProvider
from neuron_evals.core.providers.openai import OpenAIProvider
from neuron_evals.core.providers.prices import Price, PriceTable, cost_of, default_prices

__all__ = [
    "AnthropicProvider",
    "BaseProvider",
    "ErrorKind",
    "FakeProvider",
    "HttpProvider",
    "ModelReply",
    "ModelRequest",
    "ModelSettings",
    "OllamaProvider",
    "OpenAIProvider",
    "Price",
    "PriceTable",
    "ProviderError",
    "ToolSpec",
    "cost_of",
    "default_prices",
]
