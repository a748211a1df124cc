"""Measures of the classic family, one file each."""
