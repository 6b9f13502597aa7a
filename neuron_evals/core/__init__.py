"""The evaluation engine: datasets, assertions, execution, reports. It knows no Django."""
