"""Fault localization as an experiment: metrics, compared methods, statistics, tables, figures."""
