"""``python -m toolcanon`` is the command."""

from toolcanon.cli import toolcanon

if __name__ == "__main__":
    toolcanon(prog_name="toolcanon")
