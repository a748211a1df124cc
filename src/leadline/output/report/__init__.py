"""The one-page report: data collected in Python, drawn by a page that needs no network."""

from leadline.output.report.page import Report, report

__all__ = ["Report", "report"]
