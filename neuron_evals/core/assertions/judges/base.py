"""What all judges have in common: who grades, how often, what they are asked, and what is recorded of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, as_agent
from neuron_evals.core.assertions.judges.subject import same_model_warning, text_of
from neuron_evals.core.assertions.options import require_count
from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.judges.judging import Judgement, ajudged, judged
from neuron_evals.core.judges.panels import Panel
from neuron_evals.core.judges.prompts import Material, Prompt, as_examples, judge_prompt
from neuron_evals.core.judges.scales import NumberScale, Scale
from neuron_evals.core.judges.votes import RULES, Rule, Vote, vote
from neuron_evals.core.results import AssertionResult

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory

AgentLike = BaseAgent | Callable[[str], Any]
_UNIT = NumberScale(0, 1)


@dataclass(frozen=True)
class Judge(Assertion):
    """An assertion that asks a model to grade; implement `instructions`, and `material` where there is some.

    It takes text or a `Trajectory`. A judge that cannot be reached, or gives no grade even when asked once more, makes
    the check an `error`, never a grade.

    Args:
        judge: The agent that grades, or several in a list; each is asked in a fresh conversation. A callable from text
            to text is an agent too.
        votes: How often each is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    judge: AgentLike | Sequence[AgentLike] = field(repr=False)
    _: KW_ONLY
    votes: int = 1
    rule: Rule = "mean"

    def __post_init__(self) -> None:
        self._threshold(self.threshold)
        object.__setattr__(self, "examples", as_examples(self.assertion_name, self.examples))
        require_count(self.assertion_name, "votes", self.votes)
        judges = len(self._judges())
        if not judges or not self.votes:
            msg = (
                f"{self.assertion_name}: at least one judge is asked at least once, got {judges} and votes={self.votes}"
            )
            raise InvalidArgument(msg)
        if self.rule not in RULES:
            msg = f"{self.assertion_name}: rule is one of {', '.join(RULES)}, got {self.rule!r}"
            raise InvalidArgument(msg)

    @property
    @abstractmethod
    def threshold(self) -> float:
        """Lowest score that passes; a field of the subclasses, because it comes after their own."""

    @property
    @abstractmethod
    def examples(self) -> Sequence[Mapping[str, Any]]:
        """Graded examples; a field of the subclasses, likewise."""

    @property
    def vacuous(self) -> bool:
        """Whether every grade passes: with threshold 0. The judge is asked all the same."""
        return self.threshold == 0

    @abstractmethod
    def instructions(self) -> str:
        """Return the criteria, with the rubric if there is one. They are not fenced."""

    def material(self) -> Sequence[Material]:
        """Return what the output is compared with; each part is fenced."""
        return ()

    def grades(self) -> Scale:
        """Return the scale on which the judge grades; 0 to 1."""
        return _UNIT

    def render_transcript(self, trajectory: Trajectory) -> str:
        """Return a trajectory as the judge should read it; override it to leave something out, or to add something."""
        return trajectory.to_transcript(mark_stubs=False)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return the joint grade.

        Raises:
            InvalidInput: `actual` is neither text nor a trajectory; no judge was asked.
            JudgeError: A judge gave no grade, or cannot be reached when others have answered; what all of them said is
                in the error's context.
        """
        prompt, asked, panel = self._asked(actual)
        for judge in asked:
            with panel.asking(judge):
                panel.judgements.append(judged(judge, prompt.text, self.grades()))
        return self._result(actual, prompt, panel)

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does; the judges are awaited one after the other."""
        prompt, asked, panel = self._asked(actual)
        for judge in asked:
            with panel.asking(judge):
                panel.judgements.append(await ajudged(judge, prompt.text, self.grades()))
        return self._result(actual, prompt, panel)

    def _judges(self) -> tuple[BaseAgent, ...]:
        given: Any = self.judge
        several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
        try:
            return tuple(as_agent(judge) for judge in (given if several else [given]))
        except ConfigurationError as exc:
            msg = f"{self.assertion_name}: judge: {exc}"
            raise InvalidArgument(msg) from None

    def _asked(self, actual: Any) -> tuple[Prompt, Sequence[BaseAgent], Panel]:
        """Return what is asked, who is, and where the answers go."""
        output = text_of(self.assertion_name, actual, self.render_transcript)
        prompt = judge_prompt(self.instructions(), output, self.grades(), self.material(), self.examples)
        asked = [judge for judge in self._judges() for _ in range(self.votes)]
        material = {part.name: part.text for part in self.material()}
        described: dict[str, Any] = {
            "threshold": self.threshold,
            "criteria": self.instructions(),
            "reference": material.pop("reference", None),
            **material,
        }
        return prompt, asked, Panel(len(asked), described | ({"rule": self.rule} if len(asked) > 1 else {}))

    def _result(self, actual: Any, prompt: Prompt, panel: Panel) -> AssertionResult:
        found = vote(panel.scores(), self.rule, self.threshold)
        judgements = panel.judgements
        message = judgements[0].reasoning if len(judgements) == 1 else _all_reasons(judgements, found, self.rule)
        context = panel.context(found, message)
        if prompt.imitations:
            context["imitated_fences"] = prompt.imitations
        if not found.passed:
            message = f"{self._shortfall(found)}: {' '.join(message.split()) or 'the judge gave no reasons'}"
        warning = same_model_warning(actual, judgements)
        if warning:
            context["warning"] = warning
            message = f"{message} (warning: {warning})".lstrip()
        return AssertionResult(found.passed, found.score, message, context)

    def _shortfall(self, found: Vote) -> str:
        if self.rule == "majority" and found.count > 1:
            return f"{found.passing} of {found.count} judgements reach the threshold {self.threshold:g}, no majority"
        return f"score {found.score:.10g} is below the threshold {self.threshold:g}"


def _all_reasons(judgements: Sequence[Judgement], found: Vote, rule: Rule) -> str:
    reasons = [
        f"{judgement.judge or judgement.model or f'judgement {number}'} {judgement.score:.4g}: {judgement.reasoning}"
        for number, judgement in enumerate(judgements, 1)
    ]
    spread = f"{rule} of {found.count} judgements from {found.lowest:.4g} to {found.highest:.4g}"
    return "\n".join([spread, *reasons])
