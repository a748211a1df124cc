"""Hypothesis draws the same examples on every run, and takes the time it needs."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("search", max_examples=500, deadline=None)  # pytest --hypothesis-profile search: look further
settings.load_profile("fixed")
