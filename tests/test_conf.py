"""`NEURON_EVALS`: defaults, what is refused and how, and when it is read again."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError


def problems(**settings: Any) -> list[tuple[str, str]]:
    with override_settings(NEURON_EVALS=settings):
        return [(problem.code, str(problem)) for problem in conf.problems()]


def test_settings__none_given__are_the_defaults():
    assert conf.read() == conf.Settings(
        providers={},
        agents={},
        tools={},
        prices={},
        assertions={},
        suite_imports=(),
        bindings={},
        container="neuron_evals.container.make",
        suite_defaults=conf.SuiteDefaultSettings(None, None, {}, None, None),
        runner=conf.RunnerSettings(concurrency=1, before_child=None, after_child=None),
        outputs=(conf.OutputEntry("console", {}),),
        cache=conf.CacheEntry("file", {"path": ".neuron/cache/evaluation"}),
        launcher=conf.LauncherEntry("process", {}),
        limits=conf.LimitSettings(dataset_items=10_000, dataset_bytes=2_000_000, stored_bytes=262_144),
    )


def test_settings__all_given__are_what_was_given():
    given = {
        "PROVIDERS": {"local": {"BACKEND": "openai", "OPTIONS": {"base_url": "http://127.0.0.1/v1"}}},
        "AGENTS": {"support": "shop.agents.SupportAgent"},
        "TOOLS": {"refund_order": "shop.tools.refund_order"},
        "PRICES": {"qwen3": {"input": 1, "output": "0.5"}},
        "ASSERTIONS": {"sentiment": "shop.evals.Sentiment"},
        "SUITE_IMPORTS": ["shop", "shop.evals"],
        "SUITE_DEFAULTS": {
            "MODEL": "local:qwen3",
            "INSTRUCTIONS": "Be brief.",
            "MODEL_SETTINGS": {"temperature": 0, "seed": None},
            "TIMEOUT": 60,
            "RETRIES": 2,
        },
        "BINDINGS": {"shop.mail.Mailer": "shop.mail.FakeMailer"},
        "CONTAINER": "shop.evals.make",
        "RUNNER": {"CONCURRENCY": 4, "BEFORE_CHILD": print, "AFTER_CHILD": "shop.evals.after"},
        "OUTPUTS": ["console", {"BACKEND": "json", "OPTIONS": {"path": "out.json"}}, {"BACKEND": "shop.evals.Slack"}],
        "CACHE": {"BACKEND": "shop.evals.SharedCache", "OPTIONS": {"host": "cache"}},
        "LAUNCHER": {"BACKEND": "process", "OPTIONS": {"log": "runs.log"}},
        "LIMITS": {"DATASET_ITEMS": 100, "DATASET_BYTES": 50_000, "STORED_BYTES": 2_000},
    }
    with override_settings(NEURON_EVALS=given):
        assert conf.problems() == []
        assert conf.read() == conf.Settings(
            providers={"local": conf.ProviderEntry("openai", {"base_url": "http://127.0.0.1/v1"})},
            agents={"support": "shop.agents.SupportAgent"},
            tools={"refund_order": "shop.tools.refund_order"},
            prices={"qwen3": {"input": 1, "output": "0.5"}},
            assertions={"sentiment": "shop.evals.Sentiment"},
            suite_imports=("shop", "shop.evals"),
            suite_defaults=conf.SuiteDefaultSettings("local:qwen3", "Be brief.", {"temperature": 0}, 60, 2),
            bindings={"shop.mail.Mailer": "shop.mail.FakeMailer"},
            container="shop.evals.make",
            runner=conf.RunnerSettings(4, print, "shop.evals.after"),
            outputs=(
                conf.OutputEntry("console"),
                conf.OutputEntry("json", {"path": "out.json"}),
                conf.OutputEntry("shop.evals.Slack"),
            ),
            cache=conf.CacheEntry("shop.evals.SharedCache", {"host": "cache"}),
            launcher=conf.LauncherEntry("process", {"log": "runs.log"}),
            limits=conf.LimitSettings(100, 50_000, 2_000),
        )


def test_settings__one_key_of_runner_given__others_keep_their_defaults():
    with override_settings(NEURON_EVALS={"RUNNER": {"CONCURRENCY": 8}}):
        assert conf.read().runner == conf.RunnerSettings(8, None, None)


@pytest.mark.parametrize(
    ("given", "backend", "options"),
    [
        ({}, "file", {"path": ".neuron/cache/evaluation"}),
        ({"BACKEND": "file"}, "file", {"path": ".neuron/cache/evaluation"}),
        ({"OPTIONS": {"path": "elsewhere"}}, "file", {"path": "elsewhere"}),
        ({"BACKEND": "shop.evals.SharedCache"}, "shop.evals.SharedCache", {}),
    ],
)
def test_cache__what_is_left_out__is_that_of_the_file_cache(given: Any, backend: str, options: Any) -> None:
    with override_settings(NEURON_EVALS={"CACHE": given}):
        assert conf.problems() == []
        assert conf.read().cache == conf.CacheEntry(backend, options)


def test_cache_entry__shows_no_options():
    assert repr(conf.CacheEntry("shop.Redis", {"password": "s3cret"})) == "CacheEntry(backend='shop.Redis')"


def test_settings__overridden__read_again_and_back():
    first = conf.read()
    assert conf.read() is first
    with override_settings(NEURON_EVALS={"OUTPUTS": []}):
        assert conf.read().outputs == ()
    assert conf.read() == first


def test_settings__other_setting_overridden__not_read_again():
    first = conf.read()
    with override_settings(USE_TZ=False):
        assert conf.read() is first


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"ASSERTION": {}},
            "NEURON_EVALS: there is no setting 'ASSERTION'. Did you mean \"ASSERTIONS\"? The valid keys are "
            "PROVIDERS, AGENTS, TOOLS, PRICES, ASSERTIONS, SUITE_IMPORTS, SUITE_DEFAULTS, BINDINGS, CONTAINER, RUNNER, "
            "OUTPUTS, CACHE, LAUNCHER, LIMITS.",
        ),
        (
            {"outputs": []},
            "NEURON_EVALS: there is no setting 'outputs'. Did you mean \"OUTPUTS\"? The valid keys are PROVIDERS, "
            "AGENTS, TOOLS, PRICES, ASSERTIONS, SUITE_IMPORTS, SUITE_DEFAULTS, BINDINGS, CONTAINER, RUNNER, OUTPUTS, "
            "CACHE, LAUNCHER, LIMITS.",
        ),
        (
            {"RUNNER": {"THREADS": 3}},
            "NEURON_EVALS[\"RUNNER\"]: there is no setting 'THREADS'. The valid keys are CONCURRENCY, BEFORE_CHILD, "
            "AFTER_CHILD.",
        ),
        (
            {"SUITE_DEFAULTS": {"MODLE": "m"}},
            'NEURON_EVALS["SUITE_DEFAULTS"]: there is no setting \'MODLE\'. Did you mean "MODEL"? The valid keys are '
            "MODEL, INSTRUCTIONS, MODEL_SETTINGS, TIMEOUT, RETRIES.",
        ),
        (
            {"SUITE_DEFAULTS": {"MODEL_SETTINGS": {"temprature": 1}}},
            'NEURON_EVALS["SUITE_DEFAULTS"]["MODEL_SETTINGS"]: there is no setting \'temprature\'. Did you mean '
            '"temperature"? The valid keys are temperature, top_p, max_tokens, seed.',
        ),
        (
            {"OUTPUTS": ["console", {"BACKEND": "json", "OPTION": {"path": "x"}}]},
            'NEURON_EVALS["OUTPUTS"][1]: there is no setting \'OPTION\'. Did you mean "OPTIONS"? The valid keys are '
            "BACKEND, OPTIONS.",
        ),
    ],
)
def test_unknown_key__refused_with_the_valid_ones(settings: dict[str, Any], expected: str) -> None:
    assert problems(**settings) == [("E001", expected)]


@pytest.mark.parametrize(
    ("settings", "place", "got", "valid"),
    [
        ({"RUNNER": []}, '["RUNNER"]', "list", "Use a dict with some of the keys"),
        ({"RUNNER": {"CONCURRENCY": 0}}, '["RUNNER"]["CONCURRENCY"]', "0", "1 or more"),
        ({"RUNNER": {"CONCURRENCY": True}}, '["RUNNER"]["CONCURRENCY"]', "True", "1 or more"),
        ({"RUNNER": {"CONCURRENCY": "4"}}, '["RUNNER"]["CONCURRENCY"]', "'4'", "1 or more"),
        ({"RUNNER": {"CONCURRENCY": 2.0}}, '["RUNNER"]["CONCURRENCY"]', "2.0", "1 or more"),
        ({"RUNNER": {"BEFORE_CHILD": 1}}, '["RUNNER"]["BEFORE_CHILD"]', "1", "or None"),
        ({"RUNNER": {"AFTER_CHILD": "after"}}, '["RUNNER"]["AFTER_CHILD"]', "'after'", "its dotted path"),
        ({"CONTAINER": None}, '["CONTAINER"]', "None", "a callable"),
        ({"CONTAINER": "make"}, '["CONTAINER"]', "'make'", "its dotted path"),
        ({"CONTAINER": "shop..make"}, '["CONTAINER"]', "'shop..make'", "its dotted path"),
        ({"OUTPUTS": "console"}, '["OUTPUTS"]', "'console'", '["console"]'),
        ({"OUTPUTS": [None]}, '["OUTPUTS"][0]', "None", '"console"'),
        ({"OUTPUTS": ["console", {}]}, '["OUTPUTS"][1]["BACKEND"]', "None", '"json"'),
        ({"OUTPUTS": [{"BACKEND": "json", "OPTIONS": "x"}]}, '["OUTPUTS"][0]["OPTIONS"]', "'x'", "option names"),
        ({"OUTPUTS": [{"BACKEND": "json", "OPTIONS": {1: 2}}]}, '["OUTPUTS"][0]["OPTIONS"]', "dict", "option names"),
        ({"LIMITS": []}, '["LIMITS"]', "list", "Use a dict with some of the keys DATASET_ITEMS,"),
        ({"LIMITS": {"STORED_BYTES": 999}}, '["LIMITS"]["STORED_BYTES"]', "999", "from 1,000 to 1,000,000"),
        ({"LIMITS": {"DATASET_ITEMS": True}}, '["LIMITS"]["DATASET_ITEMS"]', "True", "from 1 to 10,000,000"),
        ({"LIMITS": {"DATASET_BYTES": 5e5}}, '["LIMITS"]["DATASET_BYTES"]', "500000.0", "from 1 to 4,000,000"),
        ({"CACHE": "redis://me:secret@host"}, '["CACHE"]', "str", '{"BACKEND": "file"'),
        ({"CACHE": None}, '["CACHE"]', "NoneType", '{"BACKEND": "file"'),
        ({"CACHE": {"BACKEND": 3}}, '["CACHE"]["BACKEND"]', "3", '"file"'),
        ({"CACHE": {"OPTIONS": "x"}}, '["CACHE"]["OPTIONS"]', "str", "option names"),
        ({"LAUNCHER": "redis://me:secret@host"}, '["LAUNCHER"]', "str", '{"BACKEND": "process"'),
        ({"LAUNCHER": {"BACKEND": 3}}, '["LAUNCHER"]["BACKEND"]', "3", '"process"'),
        ({"LAUNCHER": {"OPTIONS": "x"}}, '["LAUNCHER"]["OPTIONS"]', "str", "option names"),
        ({"PROVIDERS": "openai"}, '["PROVIDERS"]', "str", '{"openai": {"BACKEND": "openai"'),
        ({"PROVIDERS": {3: {"BACKEND": "openai"}}}, '["PROVIDERS"]', "3", "text without a colon"),
        ({"PROVIDERS": {"a:b": {"BACKEND": "openai"}}}, '["PROVIDERS"]', "'a:b'", "text without a colon"),
        ({"PROVIDERS": {"a": "openai"}}, '["PROVIDERS"]["a"]', "str", '{"BACKEND": "openai"'),
        ({"PROVIDERS": {"a": {}}}, '["PROVIDERS"]["a"]["BACKEND"]', "None", '"openai"'),
        (
            {"PROVIDERS": {"a": {"BACKEND": "openai", "OPTIONS": "x"}}},
            '["PROVIDERS"]["a"]["OPTIONS"]',
            "str",
            "option names",
        ),
        ({"AGENTS": {"a": "SupportAgent"}}, '["AGENTS"]["a"]', "'SupportAgent'", "dotted path"),
        ({"AGENTS": ["shop.agents.SupportAgent"]}, '["AGENTS"]', "list", "shop.agents.SupportAgent"),
        ({"TOOLS": {"a": print}}, '["TOOLS"]["a"]', "builtin_function_or_method", "dotted path"),
        ({"TOOLS": None}, '["TOOLS"]', "None", "shop.tools.refund_order"),
        ({"PRICES": {3: {}}}, '["PRICES"]', "dict", '{"qwen3": {"input": 1, "output": 4}}'),
        ({"ASSERTIONS": ["x"]}, '["ASSERTIONS"]', "list", "shop.evals.Sentiment"),
        ({"ASSERTIONS": {"x": 3}}, '["ASSERTIONS"]["x"]', "3", "dotted path"),
        ({"ASSERTIONS": {3: "a.B"}}, '["ASSERTIONS"]', "3", "shop.evals.Sentiment"),
        ({"SUITE_IMPORTS": "shop.evals"}, '["SUITE_IMPORTS"]', "'shop.evals'", '["shop.evals"]'),
        ({"SUITE_IMPORTS": ["shop", "a:b"]}, '["SUITE_IMPORTS"][1]', "'a:b'", '["shop.evals"]'),
        ({"SUITE_IMPORTS": [""]}, '["SUITE_IMPORTS"][0]', "''", '["shop.evals"]'),
        ({"SUITE_DEFAULTS": []}, '["SUITE_DEFAULTS"]', "list", "Use a dict with some of the keys MODEL,"),
        ({"SUITE_DEFAULTS": {"MODEL": " "}}, '["SUITE_DEFAULTS"]["MODEL"]', "' '", "Use text"),
        ({"SUITE_DEFAULTS": {"INSTRUCTIONS": 3}}, '["SUITE_DEFAULTS"]["INSTRUCTIONS"]', "3", "Use text"),
        ({"SUITE_DEFAULTS": {"TIMEOUT": 0}}, '["SUITE_DEFAULTS"]["TIMEOUT"]', "0", "a number of seconds above 0"),
        ({"SUITE_DEFAULTS": {"TIMEOUT": True}}, '["SUITE_DEFAULTS"]["TIMEOUT"]', "True", "seconds above 0"),
        ({"SUITE_DEFAULTS": {"RETRIES": -1}}, '["SUITE_DEFAULTS"]["RETRIES"]', "-1", "a whole number from 0 to 1000"),
        (
            {"SUITE_DEFAULTS": {"MODEL_SETTINGS": "hot"}},
            '["SUITE_DEFAULTS"]["MODEL_SETTINGS"]',
            "'hot'",
            "some of the keys temperature,",
        ),
        (
            {"SUITE_DEFAULTS": {"MODEL_SETTINGS": {"top_p": 3}}},
            '["SUITE_DEFAULTS"]["MODEL_SETTINGS"]["top_p"]',
            "3",
            "Use a number from 0 to 1.",
        ),
        ({"BINDINGS": None}, '["BINDINGS"]', "None", "shop.mail.FakeMailer"),
        ({"BINDINGS": {"Mailer": "shop.mail.FakeMailer"}}, '["BINDINGS"]', "'Mailer'", "dotted path of a class"),
        ({"BINDINGS": {"shop.mail.Mailer": dict}}, '["BINDINGS"]["shop.mail.Mailer"]', "type", "dotted path"),
    ],
)
def test_wrong_type__names_key_what_was_got_and_what_is_valid(
    settings: dict[str, Any], place: str, got: str, valid: str
) -> None:
    [(code, text)] = problems(**settings)
    assert code == "E002"
    assert text.startswith(f"NEURON_EVALS{place}: got {got}. ")
    assert valid in text


@pytest.mark.parametrize("name", ["Sentiment", "has-dash", "two words", "", "_hidden", "9lives", "größe"])
def test_assertion_name__not_snake_case__refused(name: str) -> None:
    [(code, text)] = problems(ASSERTIONS={name: "shop.evals.Sentiment"})
    assert code == "E008"
    assert f'"{name}"' in text
    assert "snake case" in text


@pytest.mark.parametrize("raw", [None, [], "console"])
def test_whole_setting__no_dict__refused(raw: object) -> None:
    with override_settings(NEURON_EVALS=raw):
        [problem] = conf.problems()
    assert problem.code == "E002"
    assert problem.message.startswith("NEURON_EVALS: got ")


def test_option_values__never_shown():
    [(_, text)] = problems(OUTPUTS=[{"BACKEND": "json", "OPTIONS": ["secret"]}])
    assert "secret" not in text


@pytest.mark.parametrize("providers", ["s3cret", {"a": "s3cret"}, {"a": {"BACKEND": "openai", "OPTIONS": "s3cret"}}])
def test_providers__what_may_be_a_key_is_never_shown(providers: object) -> None:
    [(_, text)] = problems(PROVIDERS=providers)
    assert "s3cret" not in text


def test_provider_entry__shows_no_options():
    assert repr(conf.ProviderEntry("openai", {"api_key": "s3cret"})) == "ProviderEntry(backend='openai')"


@pytest.mark.parametrize("price", [{}, {"input": 1}, {"input": -1, "output": 1}, {"input": "much", "output": 1}, 3])
def test_price__that_cannot_be_read__refused_naming_the_model_and_the_others_stay(price: object) -> None:
    with override_settings(NEURON_EVALS={"PRICES": {"a": price, "b": {"input": 1, "output": 2}}}):
        found, [problem] = conf.parsed()
    assert problem.code == "E002"
    assert problem.message.startswith('NEURON_EVALS["PRICES"]["a"]: the price of \'a\'')
    assert found.prices == {"b": {"input": 1, "output": 2}}


def test_several_problems__all_told_at_once_when_reading():
    with (
        override_settings(NEURON_EVALS={"RUNNER": {"CONCURRENCY": 0}, "OUTPUT": []}),
        pytest.raises(conf.SettingsError) as caught,
    ):
        conf.read()
    assert [problem.code for problem in caught.value.problems] == ["E001", "E002"]
    assert "CONCURRENCY" in str(caught.value)
    assert "'OUTPUT'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_error__is_caught_as_djangos_and_as_ours():
    assert issubclass(conf.SettingsError, ImproperlyConfigured)
    assert issubclass(conf.SettingsError, ConfigurationError)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a.B", True), ("a.b.C.D", True), ("a", False), ("", False), (".a", False), ("a.", False), ("a-b.C", False)],
)
def test_is_dotted_path(text: str, expected: bool) -> None:
    assert conf.is_dotted_path(text) is expected
