# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation and their code blocks."""
from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def pages() -> list[Path]:
    return [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted((REPOSITORY / "docs").rglob("*.md"))


@dataclass
class Block:
    page: Path
    line: int  # of the first line of its text
    language: str
    text: str

    def where(self, offset: int = 0) -> str:
        return f"{self.page.relative_to(REPOSITORY)}:{self.line + offset}"

    def file_name(self) -> str | None:
        """`# NAME` or `// NAME` in the first line: the block is that file."""
        found = re.match(r"(?:#|//) ([\w.-]+\.\w+)\n", self.text)
        return found.group(1) if found else None


def blocks(page: Path) -> list[Block]:
    found, opened = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"( *)```(\w*)$", line)
        if not fence:
            if opened is not None:
                opened[2].append(line[len(opened[3]):])
        elif opened is None:
            opened = (number + 1, fence.group(2), [], fence.group(1))
        else:
            found.append(Block(page, opened[0], opened[1], "\n".join(opened[2]) + "\n"))
            opened = None
    if opened is not None:
        raise ValueError(f"{page}: a code block is never closed")
    return found
