"""The one part that is compiled; everything else about the package is in pyproject.toml.

Without a compiler it is left out, and rows are read in Python.
"""

from setuptools import Extension, setup

FOLDER = "src/toolcanon/bulk"
HEADERS = ["_text.h", "_table.h", "_row.h"]

setup(
    ext_modules=[
        Extension(
            "toolcanon.bulk._templates",
            [f"{FOLDER}/_templates.c"],
            depends=[f"{FOLDER}/{name}" for name in HEADERS],
            optional=True,
        )
    ]
)
