"""Print what the installed engines make of each keyword and shape."""

from __future__ import annotations

from tests.engines.judges import ENGINES
from tests.engines.keyword_probes import FORMATS, KEYWORDS, OTHERS
from tests.engines.probes import measured
from tests.engines.shape_probes import SHAPES

for title, probes in (
    ("keywords", {**KEYWORDS, **OTHERS}),
    ("formats", FORMATS),
    ("shapes", SHAPES),
):
    installed = [engine for engine in ENGINES if engine.is_installed]
    found = [dict(measured(engine, probes)) for engine in installed]
    print(f"{title:46}", *(f"{e.package} {e.version}".ljust(22) for e in installed))  # noqa: T201
    for name in probes:
        print(f"  {name:44}", *(column[name].ljust(22) for column in found))  # noqa: T201
