"""The checks of a result as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string
from django.utils.translation import gettext

from neuron_evals.admin import texts

if TYPE_CHECKING:
    from neuron_evals.core.results import Check
    from neuron_evals.models import EvalRunItem


def checks_table(item: EvalRunItem) -> str:
    """Return the checks of a result as a table: verdict, score, message, and the reasoning of every judge.

    Args:
        item: The result, with its checks.
    """
    from neuron_evals.outputs.reading import figures_of  # noqa: PLC0415  (a start loads no engine)

    checks = [_shown(check) for check in figures_of(item, "").checks]
    # Where the checks were cut when they were stored, the mark stands among them.
    left_out = [texts.one_line(mark) for mark in item.checks if isinstance(mark, str)]
    if not checks and not left_out:
        return gettext("no check")
    return render_to_string("admin/neuron_evals/checks.html", {"checks": checks, "left_out": left_out})


def _shown(check: Check) -> dict[str, Any]:
    marks = []
    if check.vacuous:
        marks.append(gettext("vacuous: every output meets it"))
    if check.weight != 1:
        marks.append(gettext("weight %s") % texts.number(check.weight))
    if check.line is not None:
        marks.append(gettext("line %d") % check.line)
    return {
        "verdict": texts.badge(str(check.verdict), str(check.verdict)),
        "name": texts.one_line(check.name),
        "label": "" if check.label == check.name else texts.one_line(check.label),
        "score": texts.number(check.score),
        "message": texts.text_block(check.message),
        "marks": marks,
        "reasonings": _reasonings(check),
        "context": texts.json_block(check.context) if check.context else "",
    }


def _reasonings(check: Check) -> list[dict[str, Any]]:
    """Return what the judges said, but for what the message says already."""
    several = check.context.get("judgements")
    judgements = several if isinstance(several, list) else [check.context]
    found = []
    for judgement in judgements:
        text = judgement.get("reasoning") if isinstance(judgement, dict) else None
        if isinstance(text, str) and text and text != check.message:
            who = judgement.get("judge") or judgement.get("model") or gettext("judge")
            found.append({"who": texts.one_line(str(who)), "text": texts.text_block(text)})
    return found
