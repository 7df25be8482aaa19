"""Results of runs: the event log, Parquet tables, PySpark jobs and reports."""
