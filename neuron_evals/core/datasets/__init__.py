"""Datasets: what an evaluator is run over, from code and from files, and the identity of their items."""

from __future__ import annotations

from neuron_evals.core.datasets.array import ArrayDataset, IterableDataset, as_dataset
from neuron_evals.core.datasets.contract import Dataset, Record
from neuron_evals.core.datasets.csv import CsvDataset
from neuron_evals.core.datasets.identity import Entry, identified, item_key
from neuron_evals.core.datasets.json import JsonDataset
from neuron_evals.core.datasets.lines import JsonLinesDataset

__all__ = [
    "ArrayDataset",
    "CsvDataset",
    "Dataset",
    "Entry",
    "IterableDataset",
    "JsonDataset",
    "JsonLinesDataset",
    "Record",
    "as_dataset",
    "identified",
    "item_key",
]
