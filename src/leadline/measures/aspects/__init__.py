"""Measures of several aspects at once: another measure, run on weights of label tuples or on each aspect."""
