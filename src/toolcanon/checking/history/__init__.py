"""The checks of a conversation against the rules of a provider."""
