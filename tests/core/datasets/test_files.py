from __future__ import annotations

import os

import pytest

from neuron_evals.core.datasets import CsvDataset, JsonDataset, JsonLinesDataset
from neuron_evals.core.exceptions import DatasetError, DatasetProblem, InvalidArgument

KINDS = [JsonDataset, JsonLinesDataset, CsvDataset]
TEXTS = {
    JsonDataset: '[{"input": "hi"}]',
    JsonLinesDataset: '{"input": "hi"}',
    CsvDataset: "input\nhi",
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_path_is_relative_to_the_working_directory(kind, tmp_path, monkeypatch):
    (tmp_path / "data").write_text(TEXTS[kind])
    monkeypatch.chdir(tmp_path)
    dataset = kind("data")
    monkeypatch.chdir("/")
    assert list(dataset) == list(dataset) == [{"input": "hi"}]
    assert dataset.rereadable
    assert dataset.source == "data"


@pytest.mark.parametrize("kind", KINDS)
def test_two_paths_are_relative_to_the_folder_of_the_first(kind, tmp_path):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "data").write_text(TEXTS[kind])
    (tmp_path / "support.py").touch()
    for origin in (tmp_path / "support.py", str(tmp_path / "support.py"), tmp_path):
        assert list(kind(origin, "datasets/data")) == [{"input": "hi"}]
    assert list(kind(__file__, tmp_path / "datasets" / "data")) == [{"input": "hi"}]


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file_is_an_error_where_the_dataset_is_built_with_the_whole_path(kind, tmp_path):
    with pytest.raises(DatasetError) as caught:
        kind(tmp_path / "evaluators.py", "datasets/none.json")
    assert str(caught.value) == f"none.json: no such file: {tmp_path / 'datasets' / 'none.json'}"


def test_a_relative_path_that_is_missing_is_shown_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=str(tmp_path / "none.json")):
        JsonDataset("none.json")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_or_a_pipe_is_no_file(kind, tmp_path):
    with pytest.raises(DatasetError, match=f"a folder, a dataset is one file: {tmp_path}"):
        kind(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DatasetError, match="not a regular file"):
        kind(tmp_path / "pipe")


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5000])
def test_a_path_that_no_file_can_have_is_an_error(path):
    with pytest.raises(DatasetError, match="cannot be opened"):
        JsonDataset(path)


@pytest.mark.parametrize("path", [(), ("a", "b", "c"), (None,), ([{"input": "hi"}],), (b"a",)])
def test_anything_but_one_or_two_paths_is_refused(path):
    with pytest.raises(
        InvalidArgument, match="JsonDataset takes one path, or a file and a path relative to its folder"
    ):
        JsonDataset(*path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_gone_when_it_is_read_is_a_problem(kind, tmp_path):
    path = tmp_path / "data"
    path.write_text(TEXTS[kind])
    dataset = kind(path)
    path.unlink()
    with pytest.raises(DatasetError, match="data: cannot be read: No such file"):
        list(dataset)


@pytest.mark.parametrize(
    ("kind", "content", "place"),
    [
        (JsonDataset, b'[\r\n  {"input": "\xc3\xa9 \xff"}]', "line 2, column 16"),
        (JsonLinesDataset, b'{"input": "a"}\n{"input": "\xc3\xa9 \xff"}\n', "line 2, column 14"),
        (CsvDataset, b"input\r\xc3\xa9 \xff\r", "line 2, column 3"),
        (JsonDataset, '[{"input": "hi"}]'.encode("utf-16"), "line 1, column 1"),
    ],
)
def test_bytes_that_are_no_utf8_are_a_problem_with_their_place(kind, content, place, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=rf"^data, {place}: the byte 0xff is no UTF-8; save the file as UTF-8$"):
        list(kind(path))


def test_a_line_that_is_no_utf8_does_not_hide_the_rest(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b'{"input": "a"}\n\xff\n{"input": "b"}\n')
    problems: list[DatasetProblem] = []
    assert [record.index for record in JsonLinesDataset(path).records(problems.append)] == [0, 2]
    assert [record.index for record in JsonDataset(path).records(problems.append)] == []
    assert [problem.line for problem in problems] == [2, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "end"])
def test_byte_order_mark_and_line_ends_do_not_change_the_items(end, bom, last, tmp_path):
    closing = end if last else ""
    texts = {
        JsonDataset: ["", "[", '  {"input": "hi"},', "", '  {"input": "ho"}', "]"],
        JsonLinesDataset: ["", '{"input": "hi"}', "  ", '{"input": "ho"}'],
        CsvDataset: ["", "input", "hi", "  ", "ho"],
    }
    lines = {JsonDataset: [3, 5], JsonLinesDataset: [2, 4], CsvDataset: [3, 5]}
    for kind, text in texts.items():
        path = tmp_path / "data"
        path.write_bytes((bom + end.join(text) + closing).encode())
        records = list(kind(path).records())
        assert [record.item for record in records] == [{"input": "hi"}, {"input": "ho"}]
        assert [record.line for record in records] == lines[kind]
