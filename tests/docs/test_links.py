#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every relative link and image of README and docs leads to a file, and every page of docs/ is linked from docs/README.md."""
import re
import unittest

from pages import REPOSITORY, pages


class Links(unittest.TestCase):
    def test_links_lead_to_files(self):
        broken = []
        for page in pages():
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                if "://" not in target and not (page.parent / target).exists():
                    broken.append(f"{page.relative_to(REPOSITORY)}: {target}")
        self.assertEqual(broken, [])

    def test_every_page_is_listed(self):
        index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
        missing = [page.name for page in (REPOSITORY / "docs").glob("*.md") if page.name != "README.md" and f"({page.name})" not in index]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
