"""One client, one file: what an application that opens a protocol's envelope makes of it.

Each module holds a ``CLIENT``, a dialect whose id begins with the format it opens. What is not
known of a client is left as the format has it.
"""
