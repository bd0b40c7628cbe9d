"""The commands of ``toolwatch``, one file each."""
