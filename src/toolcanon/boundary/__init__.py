"""Adapters inside the official clients: requests and answers are rewritten in flight.

An application registers its tools under their own names and schemas, as its SDK wants them. On the
way out they are lowered and renamed for the provider, history and choice with them; on the way back
calls get the tools' own names and arguments before the application sees them. Nothing else changes,
nothing is logged, and headers stay as they are.

One file for each SDK; ``rewriter`` works on bytes and knows none of them.
"""
