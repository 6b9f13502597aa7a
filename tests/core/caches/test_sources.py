"""Which edits of an evaluator change its keys, and which do not."""

from __future__ import annotations

import functools
import textwrap
from dataclasses import dataclass
from typing import Any

import pytest

from neuron_evals.core.caches import RunKeys, Uncacheable
from tests.core.samples import Echo

ITEM = {"input": "hours?"}
PLAIN = """
class Support(Base):
    def run(self, item):
        return self.prompt() + item["input"]

    def prompt(self):
        return "Be brief. "

    def unused(self):
        return 1

    def evaluate(self, output, item):
        self.unused()
"""
FAMILY = """
class Parent(Base):
    word = "hours"

    def run(self, item):
        return self.prompt(item)

    def prompt(self, item):
        return "parent"

    def other(self):
        return 1


class Support(Parent):
    def prompt(self, item):
        return super().prompt(item) + self.word
"""
KINDS = '''
import functools


def traced(function):
    def traced_call(*args):
        return function(*args)

    return traced_call


def wrapped(function):
    @functools.wraps(function)
    def wrapped_call(*args):
        return function(*args)

    return wrapped_call


class Support(Base):
    def run(self, item):
        """Ask."""
        self.calls = self.calls + 1
        texts = [self.inner(word) for word in (self.prop, self.cached, self.memo())]
        return texts, self.cls(), self.static(), self.traced(), self.wrapped(), self.partial(), self.__private()

    calls = 0
    temperature = 0.5

    def inner(self, word):
        return lambda: self.deep(word)

    def deep(self, word):
        return self.run if word == "deep" else self.deepest(word)

    def deepest(self, word):
        return self.temperature, "deepest"

    @property
    def prop(self):
        return "prop"

    @functools.cached_property
    def cached(self):
        return "cached"

    @functools.cache
    def memo(self):
        return "memo"

    @classmethod
    def cls(cls):
        return cls.of_class()

    @classmethod
    def of_class(cls, word="default"):
        return "of class"

    @staticmethod
    def static(*, word="default"):
        return "static"

    @traced
    def traced(self):
        return "traced"

    @wrapped
    def wrapped(self):
        return "wrapped"

    def for_partial(self, word):
        return "for partial" + word

    partial = functools.partialmethod(for_partial, "x")

    def __private(self):
        return "private"
'''
TEXTS = """
class Support(Base):
    def run(self, item):
        return '''
    indented
not indented'''
"""
CONSTANTS = """
class Support(Base):
    def run(self, item):
        return item["input"] in {"monday", "tuesday", "friday"}, (1, (2, "x"))
"""
NAMED = """
class Support(Base):
    def run(self, item):
        return self.ask(a=1, b=2)

    def ask(self, a, b):
        return a - b
"""
AWAITED = """
class Support(Base):
    async def run(self, item):
        return await self.ask(item)

    async def ask(self, item):
        return "asked"
"""


def key_of(evaluator: Any) -> str:
    return RunKeys(evaluator).of(ITEM)


CHANGES = [
    (PLAIN, 'item["input"]', 'item["id"]'),
    (PLAIN, "Be brief. ", "Be long. "),
    (PLAIN, "def run(self, item):\n", "def run(self, item, extra=None):\n"),
    (PLAIN, "def prompt(self):\n", "def prompt(self, word='changed'):\n"),
    (KINDS, 'def of_class(cls, word="default")', 'def of_class(cls, word="changed")'),
    (KINDS, 'def static(*, word="default")', 'def static(*, word="changed")'),
    (PLAIN, "class Support(Base)", "class Support2(Base)"),
    (FAMILY, '"parent"', '"changed"'),
    (FAMILY, "+ self.word", "+ self.word.upper()"),
    (FAMILY, 'word = "hours"', 'word = "days"'),
    (FAMILY, "return self.prompt(item)", "return self.prompt(item) * 2"),
    *[
        (KINDS, f'"{text}"', '"changed"')
        for text in ("deepest", "prop", "cached", "memo", "of class", "static", "traced", "wrapped", "for partial")
    ],
    (KINDS, '"private"', '"changed"'),
    (KINDS, "temperature = 0.5", "temperature = 0.7"),
    (KINDS, "temperature = 0.5", 'temperature = "0.5"'),
    (KINDS, "def wrapped_call(*args):\n        return", "def wrapped_call(*args):\n        print(1); return"),
    (KINDS, "def traced_call(*args):\n        return", "def traced_call(*args):\n        print(1); return"),
    (KINDS, '"""Ask."""', '"""Ask politely."""'),
    (TEXTS, "    indented", "     indented"),
    (CONSTANTS, '"tuesday"', '"wednesday"'),
    (CONSTANTS, '(2, "x")', '(2, "y")'),
    (CONSTANTS, '(2, "x")', '(2.0, "x")'),
    (NAMED, "ask(self, a, b):\n        return a - b", "ask(self, b, a):\n        return b - a"),
    (AWAITED, '"asked"', '"changed"'),
]
NO_CHANGES = [
    (PLAIN, "return 1", "return 2"),
    (PLAIN, "self.unused()\n", "self.unused()\n        return output\n"),
    (
        PLAIN,
        'return self.prompt() + item["input"]',
        "# Why\n        return (self.prompt()\n            + item['input'])",
    ),
    (PLAIN, "class Support(Base):", "# Longer\n\n\nclass Support(Base):\n    another = 1\n"),
    (FAMILY, "return 1", "return 2"),
    (KINDS, "calls = 0", "calls = 1"),
]


@pytest.mark.parametrize("way", ["load", "load_without_source"])
@pytest.mark.parametrize(("source", "old", "new"), CHANGES)
def test_edit_of_what_run_is_made_of__another_key(edited, way, source, old, new):
    assert source.count(old) == 1
    load = getattr(edited, way)
    before = key_of(load(source))
    after = key_of(load(source.replace(old, new), "Support2" if "Support2" in new else "Support"))
    assert before != after


@pytest.mark.parametrize("way", ["load", "load_without_source"])
@pytest.mark.parametrize(("source", "old", "new"), NO_CHANGES)
def test_edit_of_anything_else__the_same_key(edited, way, source, old, new):
    assert source.count(old) == 1
    load = getattr(edited, way)
    assert key_of(load(source)) == key_of(load(source.replace(old, new)))


@pytest.mark.parametrize("call", ["self.evaluate(1, item)", "super().evaluate(1, item)"])
def test_evaluate__never_matters_although_run_names_it(edited, call):
    source = f"""
class Parent(Base):
    def evaluate(self, output, item):
        return "parent"


class Support(Parent):
    def run(self, item):
        return {call}

    def evaluate(self, output, item):
        return "own"
"""
    keys = {
        key_of(edited.load(text)) for text in (source, source.replace('"own"', "1"), source.replace('"parent"', "2"))
    }
    assert len(keys) == 1


def test_first_parameter_of_another_name__is_followed_too(edited):
    source = PLAIN.replace("def run(self, item)", "def run(this, item)").replace("self.prompt()", "this.prompt()")
    assert key_of(edited.load(source)) != key_of(edited.load(source.replace("brief", "long")))


def test_run_inherited_twice_over__super_goes_on_behind_each_class(edited):
    source = """
class First(Base):
    def run(self, item):
        return "first"


class Second(First):
    def run(self, item):
        return super().run(item) + "second"


class Support(Second):
    def run(self, item):
        return super().run(item) + "third"
"""
    keys = {key_of(edited.load(source.replace(f'"{word}"', "''"))) for word in ("", "first", "second", "third")}
    assert len(keys) == 4


def test_lambdas_on_one_line__are_told_apart():
    one, two = (type("Same", (Echo,), {"run": run}) for run in (lambda self, item: 1, lambda self, item: 2))
    assert key_of(one()) != key_of(two())
    assert key_of(one()) == key_of(one())


def test_method_replaced_on_the_evaluator_itself__counts(monkeypatch):
    evaluator, other = Echo(), Echo()
    monkeypatch.setattr(other, "run", lambda item: "replaced")
    assert key_of(evaluator) != key_of(other)


def test_function_in_an_attribute_that_run_names__counts():
    class Asking(Echo):
        agent: Any

        def run(self, item):
            return self.agent(item["input"])

    def with_agent(agent):
        evaluator = Asking()
        evaluator.agent = agent
        return evaluator

    assert key_of(with_agent(lambda text: text)) != key_of(with_agent(lambda text: text + "!"))


def test_two_classes_with_the_same_inherited_run__have_different_keys(edited):
    source = FAMILY + "\n\nclass Support2(Parent):\n    pass\n\n\nclass Support3(Parent):\n    pass\n"
    assert key_of(edited.load(source, "Support2")) != key_of(edited.load(source, "Support3"))


def test_indentation_of_the_class__does_not_matter_but_that_inside_a_text_does(edited):
    def indented(source):
        return "if True:\n" + textwrap.indent(source, "    ")

    text = """
class Support(Base):
    def run(self, item):
        return '''
        a text
        '''
"""
    assert key_of(edited.load(PLAIN)) == key_of(edited.load(indented(PLAIN)))
    assert key_of(edited.load(text)) != key_of(edited.load(indented(text)))


def test_file_changed_since_it_was_imported__no_other_function_is_taken_for_run(edited, tmp_path):
    one, two = edited.load(PLAIN), edited.load(PLAIN.replace("Be brief", "Be long"))
    shifted = "\n".join(f"def other_{number}(self): pass" for number in range(100))
    for path in tmp_path.iterdir():
        path.write_text(shifted)
    assert key_of(one) != key_of(two)


def test_function_of_a_module_as_run__is_followed_as_a_method(edited):
    source = """
def ask(self, item):
    return self.prompt()


class Support(Base):
    run = ask

    def prompt(self):
        return "brief"
"""
    edits = ("brief", "brief"), ("brief", "long"), ("item):", "item, word=None):")
    assert len({key_of(edited.load(source.replace(old, new))) for old, new in edits}) == 3


def test_function_that_encloses_what_is_not_there_yet__has_a_key():
    def decorated(*, complete=False):
        def run(self, item):
            return helper(item)

        if complete:

            def helper(item):
                return item

        return run

    assert key_of(type("Early", (Echo,), {"run": decorated()})())


@pytest.mark.parametrize("run", [len, functools.partial(len), None, 7], ids=repr)
def test_run_that_is_no_python_function__has_no_key_and_says_why(run):
    cls = type("Foreign", (Echo,), {"run": run})
    with pytest.raises(Uncacheable, match=r"Foreign is no Python function"):
        key_of(cls())


@dataclass
class Configured(Echo):
    temperature: Any
    unread: Any = 0

    def run(self, item):
        return self.temperature


@pytest.mark.parametrize(("one", "two"), [(0.3, 0.7), (1, 1.0), (1, True), ("a", "b"), (("a", 1), ("a", 2)), (None, 0)])
def test_two_evaluators_of_one_class__with_different_settings__have_different_keys(one, two):
    assert key_of(Configured(one)) != key_of(Configured(two))
    assert key_of(Configured(one, 1)) == key_of(Configured(one, 2))


@pytest.mark.parametrize(("one", "two"), [([1], [2]), ({"a": 1}, {}), (([1],), ([2],)), (object(), object())])
def test_attribute_that_may_change_while_items_run__does_not_count(one, two):
    assert key_of(Configured(one)) == key_of(Configured(two))


def test_attribute_that_items_set__does_not_count():
    class Counting(Echo):
        calls = 0

        def run(self, item):
            self.calls += 1
            return self.calls

    evaluator = Counting()
    before = key_of(evaluator)
    evaluator.calls = 5
    assert key_of(evaluator) == before


def test_attribute_in_a_slot__counts():
    class Slotted(Echo):
        __slots__ = ("missing", "model")
        missing: Any
        model: Any

        def run(self, item):
            return self.model, self.missing

    one, two = Slotted(), Slotted()
    one.model, two.model = "a", "b"
    assert key_of(one) != key_of(two)


def test_no_property_is_computed_and_no_invented_attribute_asked_for():
    class Careful(Echo):
        @property
        def costly(self):
            raise AssertionError("computed")

        def __getattr__(self, name):
            raise AssertionError(f"asked for {name}")

        def run(self, item):
            return self.costly, self.unknown

    assert key_of(Careful()) == key_of(Careful())
