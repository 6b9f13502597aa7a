"""`--evals`: the tests that evaluator files and suite files hold."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

EVALUATOR = """
from pathlib import Path

from neuron_evals import BaseEvaluator, MaxCost, StringContains

HERE = Path(__file__).parent


class Support(BaseEvaluator):
    tags = ("smoke",)

    def get_dataset(self):
        return [
            {"id": "hours", "input": "9 to 5", "reference": "9"},
            {"id": "never", "input": "Never", "reference": "9", "tags": ["slow"]},
            {"id": "often", "input": "9", "reference": "9", "repeats": 2},
            {"id": "un::usual [id]", "input": "9", "reference": "9"},
            {"id": "broken", "input": None, "reference": "9"},
        ]

    def set_up(self):
        self.ready = True
        with (HERE / "log").open("a") as log:
            log.write("set up\\n")

    def tear_down(self):
        with (HERE / "log").open("a") as log:
            log.write("torn down\\n")

    def run(self, item):
        return item["input"].strip()

    def evaluate(self, output, item):
        assert self.ready
        self.check(StringContains(item["reference"]), output)


class Generated(Support):
    def get_dataset(self):
        yield {"id": "g", "input": "9", "reference": "9"}


class NeedsSetUp(Support):
    def get_dataset(self):
        return [{"id": str(self.ready), "input": "9", "reference": "9"}]


class Empty(Support):
    def get_dataset(self):
        return []


class Unjudged(Support):
    def get_dataset(self):
        return [{"input": "9"}]

    def evaluate(self, output, item):
        pass
"""
SUITE = """
name: basic_agent_tests
test_cases:
  - id: greeting
    input: Say hello
    expected: {contains_any: [hello, hi]}
    tags: [basic]
  - id: farewell
    input: Say goodbye
    expected: {contains_any: [bye]}
"""
AGENT = """
import pytest


@pytest.fixture
def evals_agent():
    return lambda text: "hello"
"""
MARKED = """
import pytest


@pytest.fixture
def paid():
    raise RuntimeError("paid")


@pytest.mark.evals
def test_marked(paid):
    pass


def test_ordinary():
    pass
"""


def test_evaluator_file__each_item_and_repeat_is_a_test(folder):
    done = folder.write(evaluators__support_py=EVALUATOR).pytest("--evals", "-v")
    assert done.outcomes() == {
        "evaluators/support.py::Empty": "FAILED",
        "evaluators/support.py::Generated": "PASSED",
        "evaluators/support.py::NeedsSetUp": "PASSED",
        "evaluators/support.py::Support[hours]": "PASSED",
        "evaluators/support.py::Support[never]": "FAILED",
        "evaluators/support.py::Support[often-repeat1]": "PASSED",
        "evaluators/support.py::Support[often-repeat2]": "PASSED",
        "evaluators/support.py::Support[un::usual [id]]": "PASSED",
        "evaluators/support.py::Support[broken]": "FAILED",
        **{name: "FAILED" for name in done.outcomes() if "Unjudged" in name},
    }, done.text
    assert done.text.count("Unjudged[") > 0
    assert '"Never" does not contain "9"' in done.text
    assert "AttributeError: 'NoneType' object has no attribute 'strip'" in done.text
    assert "the dataset is empty" in done.text
    log = (folder.path / "evaluators" / "log").read_text().splitlines()
    assert log == ["set up", "torn down"] * 10


def test_suite_file__its_agent_is_a_fixture(folder):
    folder.write(suites__basic_yaml=SUITE, suites__conftest_py=AGENT, suites__data__more_yaml="no: suite")
    done = folder.pytest("--evals", "-v")
    assert done.outcomes() == {
        "suites/basic.yaml::suite[greeting]": "PASSED",
        "suites/basic.yaml::suite[farewell]": "FAILED",
    }, done.text
    assert '"hello" contains none of "bye"' in done.text


def test_suite_without_an_agent__says_what_to_give(folder):
    done = folder.write(suites__basic_yaml=SUITE).pytest("--evals")
    assert (done.status, "there is no agent" in done.text) == (1, True), done.text


def test_tests__found_by_id_tag_and_mark(folder):
    folder.write(
        evaluators__support_py=EVALUATOR, elsewhere__basic_yaml=SUITE, elsewhere__conftest_py=AGENT, test_m_py=MARKED
    )
    by_id = folder.pytest(
        "--evals", "-v", "evaluators/support.py::Support[un::usual [id]]", "elsewhere/basic.yaml::suite[greeting]"
    )
    assert list(by_id.outcomes().values()) == ["PASSED", "PASSED"], by_id.text
    by_tag = folder.pytest("--evals", "-v", "-k", "slow")
    assert list(by_tag.outcomes()) == ["evaluators/support.py::Support[never]"]
    by_mark = folder.pytest("--evals", "-v", "-m", "not evals")
    assert by_mark.outcomes() == {"test_m.py::test_ordinary": "PASSED"}


def test_marked_test__skipped_before_its_fixtures_unless_asked_for(folder):
    folder.write(test_m_py=MARKED)
    assert folder.pytest("-v").outcomes() == {"test_m.py::test_marked": "SKIPPED", "test_m.py::test_ordinary": "PASSED"}
    done = folder.pytest("--evals")
    assert (done.status, "RuntimeError: paid" in done.text) == (1, True)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"evaluators__broken_py": "import nothing_of_that_name\n"}, "ModuleNotFoundError"),
        ({"evaluators__broken_py": "raise ImportError('no \\x1b[2J')\n"}, "ImportError: no \\x1b[2J"),
        ({"suites__broken_yaml": "name: a\nname: !x b\n"}, "line 2, column 1: (file): the key 'name' stands twice"),
        ({"suites__broken_yaml": "test_cases:\n  - input: q\n    eval_type: contians\n"}, 'did you mean "contains"'),
    ],
)
def test_file_that_cannot_be_read__is_an_error_of_the_run(folder, files, said):
    done = folder.write(**files, test_m_py=MARKED).pytest("--evals")
    assert (done.status, said in done.text) == (2, True), done.text
    assert "\x1b" not in done.text


def test_folders_of_ones_own__by_name_and_path(folder):
    folder.write(
        pytest_ini="[pytest]\nevals_evaluators = checks shop/*/evals\nevals_suites =\n",
        shop__checks__a_py=EVALUATOR,
        shop__support__evals__b_py=EVALUATOR,
        evaluators__c_py=EVALUATOR,
        suites__basic_yaml=SUITE,
    )
    found = folder.pytest("--evals", "--collect-only", "-q").text
    assert {line.partition("::")[0] for line in found.splitlines() if "::" in line} == {
        "shop/checks/a.py",
        "shop/support/evals/b.py",
    }


def test_run_in_several_processes__each_test_once_and_the_report_has_scores(folder):
    folder.write(evaluators__support_py=EVALUATOR, suites__basic_yaml=SUITE, suites__conftest_py=AGENT)
    done = folder.pytest("--evals", "-v", "-n", "2", "--junit-xml=junit.xml")
    outcomes = list(done.outcomes().values())
    assert (outcomes.count("PASSED"), outcomes.count("FAILED")) == (7, 5), done.text
    cases = ET.parse(folder.path / "junit.xml").getroot().iter("testcase")  # noqa: S314  (written a moment ago)
    scores = {
        case.get("name"): [node.get("value") for node in case.iter("property") if node.get("name") == "evals_score"]
        for case in cases
    }
    assert (scores["Support[hours]"], scores["Support[never]"], scores["Support[broken]"]) == (["1.0"], ["0.0"], [])


MARKS = """
import pytest

from neuron_evals import BaseEvaluator, Equals

pytestmark = pytest.mark.skipif(SKIPPED, reason="no key")


class Plain(BaseEvaluator):
    def get_dataset(self):
        return [{"id": "a"}]

    def run(self, item):
        return "x"

    def evaluate(self, output, item):
        self.check(Equals("x"), output)


@pytest.mark.skip(reason="not today")
class Skipped(Plain):
    pass


@pytest.mark.xfail(run=False, reason="known")
class Expected(Plain):
    pass


Made = type("Made", (Plain,), {"__module__": __name__, "pytestmark": [pytest.mark.skip(reason="made by a call")]})
"""


@pytest.mark.parametrize("all_skipped", [True, False])
def test_marks_of_an_evaluator__each_skips_its_own_tests_and_names_their_place(folder, all_skipped):
    folder.write(evaluators__marks_py=MARKS.replace("SKIPPED", str(all_skipped)))
    done = folder.pytest("--evals", "-rs")
    assert done.status == 0, done.text
    if all_skipped:
        assert "no key" in done.text
        return
    assert "1 passed, 2 skipped, 1 xfailed" in done.text
    place = MARKS.splitlines().index("class Skipped(Plain):")  # its decorator stands above, and lines count from 1
    assert f"evaluators/marks.py:{place}: not today" in done.text
    assert "evaluators/marks.py:1: made by a call" in done.text


def test_failure__is_told_once_and_not_as_what_came_of_another(folder):
    done = folder.write(evaluators__support_py=EVALUATOR, suites__basic_yaml=SUITE).pytest("--evals")
    assert done.status == 1
    assert "During handling of the above exception" not in done.text
