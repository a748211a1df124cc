"""leadline on Spark: runs that are many files or millions of topics, with the same measures and the same numbers.

::

    from leadline.integrations import spark as leadline_spark

    track = leadline_spark.read(session, "qrels.txt", "runs/")  # files, or a DataFrame with run, qid, docno, score
    scores = leadline_spark.evaluate(track, ["nDCG@10", "AP", "RBPU"])
    scores.rows.show()  # run, topic, measure, value
    scores.totals().show()  # what stands under topic `all`
    print(scores.findings())

Whole partitions go to the native reader (``mapInArrow``), never single topics. Nothing is computed before a result is
asked for. Workers need leadline installed and should use the Python of the driver (``PYSPARK_PYTHON``).
"""

from leadline.integrations.spark.results import Result, clear_errors, curve, evaluate, truncate
from leadline.integrations.spark.tracks import SparkTrack, read

__all__ = ["Result", "SparkTrack", "clear_errors", "curve", "evaluate", "read", "truncate"]
