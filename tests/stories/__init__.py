"""Histories that are known to the last word: which result answers which call, with which texts.

`story` makes them up, `wires` writes them as a provider's request, in shapes that its clients send
and in others, `dumps` as the objects of its SDK dump themselves. `laws` is what must hold when such
a history goes anywhere, its own provider included.
"""
