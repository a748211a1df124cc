"""Measures of the usermodel family, one file each."""
