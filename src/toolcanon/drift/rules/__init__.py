"""What can change in a tool, one family of rules a file."""
