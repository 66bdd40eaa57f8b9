"""The experiment: hosts, benchmarks, runner, records and reports."""
