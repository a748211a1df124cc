"""Measures of the truncation family, one file each."""
