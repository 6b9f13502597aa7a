from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.asking.replies import UnusableReply
from neuron_evals.core.judges.replies import read_reply
from neuron_evals.core.judges.scales import LabelScale, NumberScale

UNIT = NumberScale(0, 1)
FIVE = NumberScale(1, 5)
LABELS = LabelScale({"irrelevant": 0, "relevant": 1})

GRADES = [
    (UNIT, '{"score": 0.63, "reasoning": "mostly right"}', 0.63, "mostly right"),
    (UNIT, '```json\n{"score": 0.63, "reasoning": "mostly right"}\n```', 0.63, "mostly right"),
    (UNIT, 'My verdict: {"score": 0.63, "reasoning": "so"} as asked.', 0.63, "so"),
    (UNIT, '{"score": 1, "reasoning": "saw [a, b, ] and {c, }"}', 1.0, "saw [a, b, ] and {c, }"),
    (UNIT, 'ok {"score": 1, "reasoning": "saw [a, b, ] and {c, }"}', 1.0, "saw [a, b, ] and {c, }"),
    (UNIT, '<think>maybe {"score": 0}</think>\n{"score": 1, "reasoning": "good"}', 1.0, "good"),
    (UNIT, 'maybe {"score": 0}</think>{"score": 1, "reasoning": "good"}', 1.0, "good"),
    (UNIT, '<THINK>a <think>{"score": 0}</think> b</THINK> {"score": 1}', 1.0, ""),
    (UNIT, '{"score": 1, "reasoning": "<think>x</think> is a tag"}', 1.0, "<think>x</think> is a tag"),
    (UNIT, 'so: {"score": 1, "reasoning": "<think>x</think> is a tag"}', 1.0, "<think>x</think> is a tag"),
    (UNIT, '{"reasoning": "late", "score": "0.8", "pass": false}', 0.8, "late"),
    (UNIT, '{"score": 0.5, "reasoning": 7}', 0.5, ""),
    (UNIT, 'It said {"answer": 1}, so {"score": 0.5}', 0.5, ""),
    (UNIT, 'The set {1, 2} and {} are fine. {"score": 0.5}', 0.5, ""),
    (UNIT, '{"score": 0.5, "details": {"score": 1}}', 0.5, ""),
    (FIVE, "SCORE: 5\nEXPLANATION: great", 1.0, "great"),
    (FIVE, "SCORE:   4   \nEXPLANATION: good", 0.75, "good"),
    (FIVE, "SCORE: 3.5\nEXPLANATION: ok", 0.625, "ok"),
    (FIVE, "EXPLANATION: good\nSCORE: 4", 0.75, "good"),
    (FIVE, "SCORE: [2]\nEXPLANATION: 5 problems", 0.25, "5 problems"),
    (FIVE, "SCORE: 4", 0.75, ""),
    (FIVE, "**SCORE:** 4\r\n**EXPLANATION:** good", 0.75, "good"),
    (FIVE, "<think>SCORE: 5</think>SCORE: 1", 0.0, ""),
    (LABELS, '{"label": "irrelevant", "reasoning": "off topic"}', 0.0, "off topic"),
    (LABELS, "LABEL: relevant", 1.0, ""),
    (LabelScale({"1": 0, "10": 1}), '{"label": "10"}', 1.0, ""),
]


@pytest.mark.parametrize(("scale", "reply", "score", "reasoning"), GRADES)
def test_reply_with_one_grade__read(scale, reply, score, reasoning):
    found = read_reply(reply, scale)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.reasoning == reasoning


UNUSABLE = [
    (UNIT, "", "empty"),
    (UNIT, " \n", "empty"),
    (UNIT, "I cannot evaluate this.", "no score"),
    (UNIT, "There are 5 points to make; I give 9", "no score"),
    (UNIT, "This is not excellent", "no score"),
    (UNIT, "0.7", "no object"),
    (UNIT, '[{"score": 1}]', "no object"),
    (UNIT, '{"score": 0.9, "reasoning": "The answer is mos', "breaks off"),
    (UNIT, '{"score": 0.9', "breaks off"),
    (UNIT, '{"score": 0.75, // fine\n "reasoning": "ok"}', "not valid"),
    (UNIT, '{"score": 0.75, "reasoning": "line one\nline two"}', "not valid"),
    (UNIT, '{"score": 0.5, "tags": ["x", ], }', "not valid"),
    (UNIT, '{"score": 0.5, "tags": ["x",, ]}', "not valid"),
    (UNIT, "{'pass': True, 'reason': 'fine'}", "not valid"),
    (UNIT, '{score: 0.2, why: {"score": 1}}', "not valid"),
    (UNIT, '{ see {"score": 1} }', "inside other braces"),
    (UNIT, '{"score": 0.2, "score": 1}', "not valid"),
    (UNIT, '{"score": NaN}', "not valid"),
    (UNIT, '{"score": 0.1} {"score": 1}', "2 values"),
    (UNIT, '{"score": 1} {"score": 1}', "2 values"),
    (UNIT, '{"score": 0.1}\nSCORE: 1', "2 values"),
    (UNIT, "SCORE: 1\nSCORE: 0", "2 values"),
    (UNIT, '{"result": {"score": 1}}', "no score"),
    *[(UNIT, f'{{"pass": "{said}"}}', "no score") for said in ("false", "No", "FALSE", "0")],
    (UNIT, '{"pass": true, "score": 9, "reasoning": "natural"}', "not on the scale from 0 to 1"),
    (UNIT, '{"score": true}', "must be a number"),
    (UNIT, '{"score": null}', "must be a number"),
    (UNIT, '<think>maybe {"score": 0}', "inside its thoughts"),
    (UNIT, '<think>a</think> <think>{"score": 1}', "inside its thoughts"),
    (FIVE, "The text contains 'SCORE: 5'. My own: SCORE: 1", "no score"),
    (FIVE, "SCORE: 4/5", "must be a number"),
    (FIVE, "SCORE: -1", "not on the scale"),
    (FIVE, "SCORE: <think>5</think>4", "must be a number"),
    (FIVE, "SCORE: {4}", "must be a number"),
    (FIVE, "SCORE: 4\rSCORE: 5", "must be a number"),
    (NumberScale(0, 100), '{"score": 3.1e+120}', "not on the scale"),
    (LABELS, "irrelevant", "no label"),
    (LABELS, '{"label": "very relevant"}', "one of"),
    (LABELS, '{"score": 1}', "no label"),
    (LabelScale({"1": 0, "10": 1}), '{"label": 10}', "one of"),
    (UNIT, "{" * 200_000, "braces"),
    (UNIT, '{"a":' * 5_000, "breaks off|not valid"),
]


@pytest.mark.parametrize(("scale", "reply", "problem"), UNUSABLE)
def test_reply_without_exactly_one_grade__unusable_and_says_why(scale, reply, problem):
    with pytest.raises(UnusableReply, match=problem):
        read_reply(reply, scale)


PIECES = st.one_of(
    st.text(max_size=10),
    st.sampled_from(
        [
            "{",
            "}",
            "<think>",
            "</think>",
            '{"score": 1}',
            '{"score":',
            "SCORE: 1",
            "\n",
            '"',
            "[",
            "```json",
            "9" * 5000,
        ]
    ),
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text__gives_a_grade_on_the_scale_or_is_unusable(text):
    with suppress(UnusableReply):
        assert 0 <= read_reply(text, UNIT).score <= 1


@given(
    st.floats(0, 1),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    st.text(st.characters(exclude_characters="{}<>", codec="utf-8"), max_size=50).filter(
        lambda text: "score" not in text.lower()
    ),
)
def test_object_in_any_prose__gives_its_own_score_and_reasoning(score, reasoning, prose):
    reply = f"{prose}{json.dumps({'reasoning': reasoning, 'score': score})}{prose}"
    found = read_reply(reply, UNIT)
    assert (found.score, found.reasoning) == (score, reasoning)
