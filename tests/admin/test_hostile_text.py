"""Text from models, datasets, tools and people on every page: data, and nothing else."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.urls import reverse

import neuron_evals
from neuron_evals.models import EvalRun, EvalSuite
from tests.admin.pages import address, make_rows, url_names

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</textarea><svg onload=alert(1)>",
    "</script><script>alert(1)</script>",
    "</pre></td></table><iframe srcdoc=x>",
    "\"'><b onmouseover=alert(1) autofocus>",
    '<a href="javascript:alert(1)">x</a>',
    "--><!-- ]]>",
    "{{7*7}}{% load x %}${7*7}#{7*7}%s%(x)s{0}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
TEXT = " ".join(PAYLOADS)
# What hides, reorders or ends a line; text columns hold no NUL.
INVISIBLE = "\u202e\u2066\u200b\u2028\ufeff\x1b\x07"
ESCAPED = (
    *(f"agentdefinition_{page}" for page in ("change", "changelist", "delete", "history")),
    *(f"evalrun_{page}" for page in ("change", "delete", "history")),
    *("evalsuite_change", "evalrunitem_change", "evalrunshard_change", "cachedoutput_change"),
)
_EDITED = re.compile(r"<textarea.*?</textarea>|<input[^>]*>", re.DOTALL)


class _Tags(HTMLParser):
    """Collects tags, attributes that run code, and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on") or name in ("srcdoc", "style")}
        self.addresses |= {value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")}


def _pages(rows):
    names = [name for name in url_names() if not name.endswith(("_run", "_cancel"))]
    yield from ((name, address(name, rows)) for name in names)
    yield "evalreview_add", f"{address('evalreview_add', rows)}?item={rows['evalrunitem'].pk}"
    for column in ("item", "note", "verdict"):
        yield "evalreview_add", f"{address('evalreview_add', rows)}?{column}=%3Cscript%3Ealert(1)%3C/script%3E"
    for name in ("evalrun_changelist", "evalrunitem_changelist", "evalsuite_changelist"):
        yield name, f"{address(name, rows)}?q=%3Cscript%3Ealert(1)%3C/script%3E"
    yield "evalrunitem_changelist", f"{address('evalrunitem_changelist', rows)}?run=%3Cscript%3Ealert(1)%3C/script%3E"


def _assert_harmless(text: str, where: str) -> None:
    for payload in PAYLOADS:
        assert "<" not in payload or payload not in text, (where, payload)
    found = _Tags(text)
    assert not found.tags & {"iframe", "object", "embed"}, where
    assert not found.handlers, (where, found.handlers)
    assert not [address for address in found.addresses if not re.match(r"[/?#.]|$", address)], where


@pytest.mark.django_db
@pytest.mark.parametrize("as_value", [None, {TEXT: [TEXT, {TEXT: TEXT}]}], ids=["text", "keys and nesting"])
def test_corpus_in_every_column__on_every_page__is_shown_as_text(as_value, root):
    rows = make_rows(TEXT, as_value)
    shown = 0
    for name, page in _pages(rows):
        response = root.get(page)
        text = response.content.decode()
        if response.status_code == 200:
            _assert_harmless(text, name)
            shown += 1
    assert shown > 20


@pytest.mark.django_db
def test_corpus__before_one_who_may_only_look__is_shown_as_text(signed_in):
    rows = make_rows(TEXT, {TEXT: [TEXT]})
    client = signed_in(*(f"view_{model}" for model in rows))
    for model in rows:
        response = client.get(address(f"{model}_change", rows))
        assert response.status_code == 200
        _assert_harmless(response.content.decode(), model)


@pytest.mark.django_db
def test_page_of_a_result__holds_each_text_to_the_letter(root):
    rows = make_rows(TEXT)
    text = root.get(address("evalrunitem_change", rows)).content.decode()
    for written in (f"found {TEXT}", f"because {TEXT}", f"User: {TEXT}", f"Tool result ({_json(TEXT)}): {TEXT}"):
        assert html.escape(written) in text, written
    assert "49" not in re.findall(r">\s*(\d+)\s*<", text)


def _json(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


@pytest.mark.django_db
def test_what_hides_or_reorders__is_visible_on_every_page_but_where_it_is_edited(root):
    rows = make_rows(f"abc{INVISIBLE}def")
    for name, page in _pages(rows):
        text = _EDITED.sub("", root.get(page).content.decode())
        assert not set(INVISIBLE) & set(text), name
        if name in ESCAPED:
            assert r"\u202e" in text, name


@pytest.mark.django_db
def test_message_about_a_suite_with_an_older_name__has_it_with_escapes(root):
    rows = make_rows()
    EvalSuite.objects.filter(pk=rows["evalsuite"].pk).update(name=f"abc{INVISIBLE}def", dataset=[{"input": "x"}])
    for address_of in ("evalsuite_run", "evalsuite_delete"):
        response = root.post(address(address_of, rows), {"post": "yes"}, follow=True)
        text = _EDITED.sub("", response.content.decode())
        assert not set(INVISIBLE) & set(text), address_of
        assert r"\x1b" in text, address_of


@pytest.mark.django_db
def test_problems_of_a_run__with_the_corpus_in_them__are_messages_of_plain_text(root):
    rows = make_rows()
    EvalSuite.objects.filter(pk=rows["evalsuite"].pk).update(dataset=[{"id": TEXT, "input": "x", TEXT: TEXT}])
    response = root.post(address("evalsuite_run", rows), follow=True)
    text = response.content.decode()
    assert "was not run" in text
    assert "&lt;script&gt;" in text
    _assert_harmless(text, "messages")
    assert EvalRun.objects.count() == 1


@pytest.mark.django_db
def test_dataset_that_is_refused__with_the_corpus_in_it__is_given_back_as_text(root):
    rows = make_rows()
    form = {"name": "x", "agent": rows["agentdefinition"].pk, "dataset": f'[{{"input": {_json(TEXT)}, "odd": 1}}]'}
    response = root.post(reverse("admin:neuron_evals_evalsuite_add"), form)
    text = response.content.decode()
    assert "item 0, odd" in text
    _assert_harmless(text, "form")


def test_templates_and_pages__mark_nothing_as_safe():
    package = Path(neuron_evals.__file__).parent
    files = [*(package / "templates").rglob("*.html"), *(package / "admin").glob("*.py")]
    assert len(files) > 10
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"mark_safe|SafeString\(|\|\s*safe|autoescape|__html__|<script|style=|\son\w+=", text), (
            file
        )
