"""The draft MaxRecords of FetchRequest (KAFKA-19554): its readings, what a fetch returns under
each, and what holds under all.
"""
