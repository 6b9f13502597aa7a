"""Peak memory of a whole process, in units of 10**6 bytes: peak_memory.py (import | stream | count | run) PATH."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, JsonLinesDataset, StringContains
from neuron_evals.core.runner import Listener

HOW, PATH = sys.argv[1:]


class Long(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return JsonLinesDataset(PATH)

    def run(self, item: Mapping[str, Any]) -> str:
        return f"the answer to {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        self.check(StringContains(item["reference"]), output)


if HOW == "stream":
    passed = sum(result.passed for result in EvaluatorRunner().stream(Long()))
elif HOW == "count":
    passed = EvaluatorRunner().prepare_run([Long()]).execute(Listener(), keep_results=False).passed_count
elif HOW == "run":
    passed = EvaluatorRunner().run(Long()).passed_count
else:
    passed = 0
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(json.dumps({"megabytes": peak, "passed": passed}))
