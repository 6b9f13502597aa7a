"""Serializers and forms as schemas: the engine knows neither library, so they are tested where both are there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django import forms
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import serializers

from neuron_evals import MatchesSchema


class LineSerializer(serializers.Serializer[Any]):
    price = serializers.DecimalField(max_digits=6, decimal_places=2)
    due = serializers.DateField(required=False)


class OrderSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(min_value=1)
    paid = serializers.BooleanField(default=False)
    note = serializers.CharField(required=False, allow_blank=True)
    lines = LineSerializer(many=True)

    def validate(self, attrs: Any) -> Any:
        if attrs["paid"] and not attrs["lines"]:
            raise serializers.ValidationError("a paid order has lines")
        return attrs


class OrderForm(forms.Form):
    number = forms.IntegerField(min_value=1)
    paid = forms.BooleanField(required=False)
    note = forms.CharField(required=False, max_length=10)
    due = forms.DateField(required=False)
    price = forms.DecimalField(required=False)
    size = forms.ChoiceField(choices=[("s", "small"), ("l", "large")], required=False)
    tags = forms.MultipleChoiceField(choices=[("a", "A"), ("b", "B")], required=False)
    extra = forms.JSONField(required=False)

    def clean(self) -> None:
        if self.cleaned_data.get("paid") and not self.cleaned_data.get("note"):
            raise forms.ValidationError("a paid order has a note")


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({"number": 1, "lines": [{"price": "1.50", "due": "2026-01-31"}]}, []),
        ({"number": "1", "paid": True, "lines": [{"price": 1}]}, []),
        ({"lines": []}, ["at number: This field is required."]),
        (
            {"number": 0, "lines": 5},
            ["at number: ", 'at lines.non_field_errors: Expected a list of items but got type "int".'],
        ),
        ({"number": 1, "lines": [{"price": 1}, {"price": "x"}]}, ["at lines[1].price: A valid number is required."]),
        ({"number": 1, "paid": True, "lines": []}, ["at non_field_errors: a paid order has lines"]),
        ([], ["at the whole value: expected an object, got []"]),
        (None, ["at the whole value: expected an object, got null"]),
        ("text", ['at the whole value: expected an object, got "text"']),
    ],
)
def test_a_serializer_validates_the_value_as_its_data(value: Any, problems: list[str]) -> None:
    result = MatchesSchema(OrderSerializer).evaluate(json.dumps(value))
    assert result.passed is (not problems), result.message
    for problem in problems:
        assert problem in result.message


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({"number": 1}, []),
        ({"number": "1", "paid": False, "note": None, "due": "2026-01-31", "price": 1.5, "size": "l"}, []),
        ({"number": 1, "tags": ["a", "b"], "extra": {"x": [1, None]}}, []),
        ({"number": 1, "extra": [1, 2]}, []),
        ({}, ["at number: This field is required."]),
        ({"number": 0, "size": "m"}, ["at number: Ensure this value", "at size: Select a valid choice."]),
        ({"number": 1, "tags": ["a", "c"]}, ["at tags: Select a valid choice. c is not one"]),
        ({"number": 1, "due": 5}, ["at due: Enter a valid date."]),
        ({"number": 1, "due": {"year": 1}, "price": [1]}, ["at due: Enter a valid date.", "at price: Enter a number."]),
        ({"number": 1, "paid": True}, ["at __all__: a paid order has a note"]),
        (["number"], ['at the whole value: expected an object, got ["number"]']),
        (None, ["at the whole value: expected an object, got null"]),
    ],
)
def test_a_form_validates_the_value_as_if_it_had_been_sent(value: Any, problems: list[str]) -> None:
    result = MatchesSchema(OrderForm).evaluate(json.dumps(value))
    assert result.passed is (not problems), result.message
    for problem in problems:
        assert problem in result.message


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.fixed_dictionaries({}, optional=dict.fromkeys(OrderForm.base_fields, ANY) | {"lines": ANY})


@pytest.mark.parametrize("schema", [OrderSerializer, OrderForm])
@given(value=FIELDS | ANY)
def test_no_reply_makes_them_raise(schema: type, value: Any) -> None:
    result = MatchesSchema(schema).evaluate(json.dumps(value))
    assert result.passed or result.message
