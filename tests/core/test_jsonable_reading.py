from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.jsonable.reading import JsonFault, parse_value

PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", '"', '"a"', "\\", "e", "E", ".", "-", "1", "9" * 5000, "1e999", "NaN", "x", " "]
)


@pytest.mark.parametrize("following", ["SCORE: 1", "x", "...", "-", "e", ".", '"'])
def test_number_of_too_many_digits_before_what_is_no_json__refused_for_its_digits(following):
    with pytest.raises(JsonFault, match="an integer of 5000 digits"):
        parse_value('{"score":' + "9" * 5000 + following, 0)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text__is_a_value_or_a_fault(text):
    with suppress(JsonFault):
        parse_value(text, 0)
