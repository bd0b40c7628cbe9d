"""Many rows: files of millions, and batches that libraries map over.

Everything here is an optional front end of ``convert``: what it does not know it leaves to that.
"""
