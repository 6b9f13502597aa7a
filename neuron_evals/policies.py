"""Policies for `Conversation.with_approvals`: who decides on the calls for which an agent asks approval."""

from __future__ import annotations

from neuron_evals.core.conversations.policies import approve_all, by_tool, from_item, reject_all, when

__all__ = ["approve_all", "by_tool", "from_item", "reject_all", "when"]
