"""Options and settings are checked where they are given; the fingerprint tells providers apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from neuron_evals import (
    AnthropicProvider,
    InvalidArgument,
    ModelSettings,
    OllamaProvider,
    OpenAIEmbeddings,
    OpenAIProvider,
)
from neuron_evals.core.classifiers import TypeSafeAI


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "https://",
        "http://host:port/v1",
        "http://[",
        5 * "x",
        " http://host/v1",
        "http://host/v1\n",
        "http://ho st/v1",
        5,
        b"http://host/v1",
    ],
)
def test_base_url__no_address__refused(url):
    with pytest.raises(InvalidArgument, match="base_url is an address such as https://host/v1"):
        OpenAIProvider("m", base_url=url)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:pass@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1#part",
        "https://user:pass@host:99999/v1",
        "ftp://user:pass@host/v1",
        "user:pass@host/v1",
        "https://user:pass word@host/v1",
        "htps://host/v1?key=secret",
    ],
)
def test_base_url__that_may_hold_a_secret__refused_without_showing_it(url):
    with pytest.raises(InvalidArgument, match="a user, a query or a fragment") as caught:
        OpenAIProvider("m", base_url=url)
    assert "pass" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_base_url__slash_at_its_end__makes_no_difference():
    assert OpenAIProvider("m", base_url="https://host/v1/").base_url == "https://host/v1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "timeout is above 0 seconds, got 0"),
        ({"timeout": float("nan")}, "timeout is above 0 seconds, got nan"),
        ({"timeout": "60"}, "timeout is above 0 seconds, got '60'"),
        ({"max_retries": -1}, "max_retries is a whole number, 0 or more, got -1"),
        ({"max_retries": True}, "max_retries is a whole number, 0 or more, got True"),
        ({"max_in_flight": 0}, "max_in_flight is a whole number, 1 or more, got 0"),
        ({"max_reply_bytes": 1.5}, "max_reply_bytes is a whole number, 1 or more, got 1.5"),
        ({"structured": "tool"}, "structured is one of schema, prompt, got 'tool'"),
        ({"headers": {"X-A": "a\r\nb"}}, "headers: names and values are printable text, not so for 'X-A'"),
        ({"headers": {"X-A": 5}}, "headers: names and values are printable text, not so for 'X-A'"),
        ({"headers": {"X A": "5"}}, "headers: 'X A' is no name of a header that can be added"),
        ({"headers": {"": "5"}}, "headers: '' is no name of a header that can be added"),
        ({"headers": {"Content-Length": "5"}}, "headers: 'Content-Length' is no name of a header that can be added"),
        ({"headers": {"transfer-encoding": "x"}}, "headers: 'transfer-encoding' is no name of a header that can be"),
        ({"headers": "X-A: 5"}, "headers is a mapping, got str"),
        ({"extra_body": None}, "extra_body is a mapping, got NoneType"),
        ({"model": 5}, "model is the name of a model, got 5"),
        ({"stream": "no"}, "stream is True or False, got 'no'"),
        ({"empty_content": 1}, "empty_content is True or False, got 1"),
        ({"organisation": "a\nb"}, "organisation is text that a header can carry, got 'a\\nb'"),
        ({"organisation": 5}, "organisation is text that a header can carry, got 5"),
        ({"api_key": 5}, "api_key is a key as text, or a callable that returns it, got int"),
    ],
)
def test_option__out_of_range__refused(options, message):
    with pytest.raises(InvalidArgument) as caught:
        OpenAIProvider(**{"model": "m", **options})
    assert message in str(caught.value)


@pytest.mark.parametrize("version", ["", None, 5, "2026\n"])
def test_version__that_no_header_can_carry__refused(version):
    with pytest.raises(InvalidArgument, match="AnthropicProvider: version is text that a header can carry"):
        AnthropicProvider("m", version=version)


@pytest.mark.parametrize(
    "make", [lambda **options: OpenAIEmbeddings("m", **options), lambda **options: TypeSafeAI("k", **options)]
)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": "60"}, "timeout is above 0 seconds, got '60'"),
        ({"timeout": -1}, "timeout is above 0 seconds, got -1"),
        ({"max_retries": "4"}, "max_retries is a whole number, 0 or more, got '4'"),
    ],
)
def test_option__of_a_service_that_is_no_chat_model__checked_alike(make, options, message):
    with pytest.raises(InvalidArgument) as caught:
        make(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize("options", [{"base_url": 5}, {"extra_body": "x"}])
def test_option__of_embeddings__of_another_type__refused(options):
    with pytest.raises(InvalidArgument):
        OpenAIEmbeddings("m", **options)


@pytest.mark.parametrize("model", [" ", 5])
def test_option__of_a_classifier__that_names_no_model__refused(model):
    with pytest.raises(InvalidArgument, match="model is the name of a model, not blank"):
        TypeSafeAI("k", model)


@pytest.mark.parametrize("variable", ["canary-0123456789", "canary/0123=", "", 5])
def test_variable__that_can_be_none__refused_without_showing_it(variable):
    with pytest.raises(InvalidArgument, match="api_key_env is the name of an environment variable") as caught:
        OpenAIProvider("m", api_key_env=variable)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -0.1}, "temperature is 0 or more, or None, got -0.1"),
        ({"temperature": float("inf")}, "temperature is 0 or more, or None, got inf"),
        ({"top_p": 0}, "top_p is above 0 and at most 1, or None, got 0"),
        ({"max_tokens": 0}, "max_tokens is a whole number, 1 or more, or None, got 0"),
        ({"max_tokens": 1.5}, "max_tokens is a whole number, 1 or more, or None, got 1.5"),
        ({"seed": "7"}, "seed is a whole number, or None, got '7'"),
        ({"timeout": 0}, "timeout is above 0 seconds, or None, got 0"),
        ({"temperature": True}, "temperature is 0 or more, or None, got True"),
    ],
)
def test_setting__out_of_range__refused(options, message):
    with pytest.raises(InvalidArgument) as caught:
        ModelSettings(**options)
    assert str(caught.value) == f"ModelSettings: {message}"


def test_setting__at_the_edge_of_its_range__taken():
    ModelSettings(temperature=0, top_p=1, max_tokens=1, seed=0, timeout=0.001)


def test_fingerprint__same_for_the_same_and_another_for_what_changes_the_answer():
    def made(**options):
        return OpenAIProvider(**{"model": "m", "base_url": "https://host/v1", **options}).fingerprint

    same = [
        made(),
        made(api_key="sk-12345678"),
        made(timeout=1),
        made(max_retries=0, max_in_flight=3),
        made(stream=True),
    ]
    assert len(set(same)) == 1
    others = [
        made(model="other"),
        made(base_url="https://other/v1"),
        made(extra_body={"a": 1}),
        made(structured="prompt"),
        made(headers={"X-A": "1"}),
        OllamaProvider("m", base_url="https://host/v1").fingerprint,
    ]
    assert len({*same, *others}) == 7


def test_import_and_construction__load_no_http_client():
    code = """
import sys
from neuron_evals import OpenAIProvider
OpenAIProvider("m")
print({"httpcore", "httpx"} & set(sys.modules))
"""
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "set()"
