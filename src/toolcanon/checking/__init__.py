"""Checks of tools and conversations against targets, before anything is sent."""
