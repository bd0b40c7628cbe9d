"""Schemas as sets of values: conjunction, overlap, containment, normal forms."""
