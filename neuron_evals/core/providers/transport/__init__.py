"""HTTP for providers: connections, retries, limits and deadlines. The only place that imports httpcore and httpx."""

from __future__ import annotations

from neuron_evals.core.providers.transport.receiving import Assembler, Received
from neuron_evals.core.providers.transport.retry import RetryPolicy
from neuron_evals.core.providers.transport.sending import Outgoing, Transport
from neuron_evals.core.providers.transport.watch import Watch

__all__ = ["Assembler", "Outgoing", "Received", "RetryPolicy", "Transport", "Watch"]
