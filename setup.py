"""The one part that is compiled; everything else about the package is in pyproject.toml.

Without a compiler it is left out, and rows are read in Python. ``TOOLCANON_PURE=1`` leaves it out
as well, for a wheel that fits every platform.
"""

import os

from setuptools import Extension, setup

FOLDER = "src/toolcanon/bulk"
HEADERS = ["_text.h", "_table.h", "_row.h"]
TEMPLATES = Extension(
    "toolcanon.bulk._templates",
    [f"{FOLDER}/_templates.c"],
    depends=[f"{FOLDER}/{name}" for name in HEADERS],
    optional=True,
)

setup(ext_modules=[] if os.environ.get("TOOLCANON_PURE") == "1" else [TEMPLATES])
