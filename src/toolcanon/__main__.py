"""``python -m toolcanon`` runs the ``toolcanon`` command."""

from toolcanon.cli import toolcanon

if __name__ == "__main__":
    toolcanon(prog_name="toolcanon")
