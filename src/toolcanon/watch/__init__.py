"""What is remembered of tools, and what is noticed when they change."""
