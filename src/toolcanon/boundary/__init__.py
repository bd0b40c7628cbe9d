"""Adapters inside the official clients: requests and answers are rewritten in flight.

An application registers its tools under their own names and schemas, as its SDK wants them. A
request's tools, history and tool choice are lowered and renamed for the provider; calls in the
answer get the tools' own names and arguments before the application sees them. Nothing else
changes, nothing is logged, and headers stay as they are.

There is one file for each SDK; ``rewriter`` works on bytes and knows none of them.
"""
