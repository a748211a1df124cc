"""Recipes of malformed files."""
