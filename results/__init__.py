"""What came of a run: the event log, Parquet tables, PySpark jobs and reports."""
