"""The commands of pytest on the page about tests do what they say."""

from __future__ import annotations

import re
import shlex

from tests.markdown import blocks
from tests.plugin.running import ROOT

PAGE = ROOT / "docs" / "how-to" / "evaluate-inside-tests.md"
EXPECTED = ["2 skipped", "7 passed", "1 passed", "1 passed", "7 passed"]


def test_page__followed_to_the_letter__each_command_passes(folder):
    outcomes = []
    for block in blocks(PAGE):
        if block.mark == "file":
            file = folder.path / block.value
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        for line in block.text.splitlines():
            if line.startswith("pytest "):
                done = folder.pytest(*shlex.split(line, comments=True)[1:])
                assert done.status == 0, done.text
                outcomes += re.findall(r"\d+ (?:passed|failed|skipped|error)", done.text.splitlines()[-1])
    assert outcomes == EXPECTED
