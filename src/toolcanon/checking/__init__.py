"""Will it work there: conversations and tools, looked at before anything is sent."""
