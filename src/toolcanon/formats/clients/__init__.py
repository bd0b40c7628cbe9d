"""Clients: one file for each application that restricts the tools of a protocol.

Each module has a ``CLIENT``, a dialect whose id begins with the format it restricts. What is
unknown about a client is as the format has it.
"""
