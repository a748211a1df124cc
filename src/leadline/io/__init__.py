"""Data in and out: runs and qrels from files, dictionaries and tables.

Importing this does not import numpy: reading can begin before it (:func:`start_read`).
"""

from leadline.io.columns import Columns, from_columns
from leadline.io.read import Pending, read_files, start_read
from leadline.io.reading import Reading

__all__ = ["Columns", "Pending", "Reading", "from_columns", "read_files", "start_read"]
