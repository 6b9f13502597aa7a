"""A row of each model, and the addresses of all pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import reverse

from neuron_evals.models import AgentDefinition, CachedOutput, EvalReview, EvalRun, EvalRunItem, EvalSuite
from tests.models.rows import item, make_agent, make_run, make_suite, store

USING = "default"
PREFIX = "neuron_evals_"


def url_names() -> list[str]:
    """The names of all addresses that the app has in the admin."""
    names = [str(pattern.name) for pattern in _patterns() if str(pattern.name).startswith(PREFIX)]
    return sorted(name.removeprefix(PREFIX) for name in names)


def _patterns() -> list[Any]:
    found: list[Any] = []
    for resolver in admin.site.get_urls():
        found += getattr(resolver, "url_patterns", [resolver])
    return found


def address(name: str, rows: dict[str, Any]) -> str:
    """The address of a page, of a row where it needs one."""
    model, _, page = name.partition("_")
    arguments = [] if page in ("changelist", "add") else [rows[model].pk]
    return reverse(f"admin:{PREFIX}{name}", args=arguments)


def make_rows(text: str = "said", value: Any = None, **columns: Any) -> dict[str, Any]:
    """Store a row of each model, with a text in each of their texts and a value in all of their JSON."""
    held = {"said": text} if value is None else value
    agent = make_agent(USING)
    suite = make_suite(USING, agent=agent, description=text, metadata=held)
    # As rows of older versions have it: a name of today is one line of printable characters.
    EvalSuite.objects.filter(pk=suite.pk).update(name=text[:200])
    AgentDefinition.objects.filter(pk=agent.pk).update(
        name=text[:200], description=text, instructions=text, metadata=held
    )
    free = make_suite(USING, name="free", agent=agent, dataset=[{"input": text, "reference": text}], metadata=held)
    run = make_run(
        USING,
        suite=suite,
        agent=agent,
        judge=agent,
        source=text[:300],
        error=text,
        dispatch_error=text,
        launcher=text[:100],
        code_revision=text[:100],
        batch=text[:64],
        **dict.fromkeys(("options", "agent_snapshot", "judge_snapshot", "versions", "metadata"), held),
        **dict.fromkeys(("score_statistics", "metrics"), held),
    )
    stored = item(run, **{**hostile_columns(text, held), **columns})
    store(run, stored)
    run.shards.update(executor=text[:200])
    result = EvalRunItem.objects.get()
    review = EvalReview.objects.create(item=result, verdict="agree", note=text)
    entry = CachedOutput.objects.create(key="0" * 64, evaluator=text[:300], item_id=text, payload=text, size=1)
    return {
        "agentdefinition": AgentDefinition.objects.get(),
        "evalsuite": EvalSuite.objects.get(pk=free.pk),
        "evalrun": EvalRun.objects.get(),
        "evalrunitem": result,
        "evalrunshard": run.shards.get(),
        "evalreview": review,
        "cachedoutput": entry,
    }


def hostile_columns(text: str, held: Any) -> dict[str, Any]:
    """The columns of a result that hold what models, datasets, tools and judges say."""
    call = {"name": text, "arguments": {text: text}, "result": text, "approval_reason": text}
    judgement = {"judge": text, "reasoning": f"because {text}", "score": 0.5}
    check = {"verdict": "failed", "score": 0.5, "name": text, "label": f"{text} label", "message": f"found {text}"}
    return {
        "item_id": text,
        "input": held,
        "output": text,
        "output_text": text,
        "trajectory": [
            {"role": "user", "content": text},
            {"role": "assistant", "content": text, "tool_calls": [call]},
        ],
        "checks": [
            {**check, "line": 7, "weight": 2, "vacuous": True, "context": {**judgement, "criteria": text}},
            {**check, "context": {"judgements": [judgement, {**judgement, "judge": ""}]}},
        ],
        "error": text,
        "tags": [text],
        "details": {
            "traceback": text,
            "ending": {"reason": text, "detail": text},
            "other_attempts": [{"output": text}],
        },
        "usage": {"agent": {"model": text}},
        "metrics": {text: 1.5},
    }
