#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every relative link and image of README and docs leads to a file, every picture is shown, every page of docs/ is linked from
docs/README.md, and every job that the pages train names a rate of its own."""
import re
import unittest

from pages import REPOSITORY, blocks, pages


class Links(unittest.TestCase):
    def test_links_lead_to_files(self):
        broken = []
        for page in pages():
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                if "://" not in target and not (page.parent / target).exists():
                    broken.append(f"{page.relative_to(REPOSITORY)}: {target}")
        self.assertEqual(broken, [])

    def test_every_picture_is_shown(self):
        text = "".join(page.read_text(encoding="utf-8") for page in pages())
        unused = [picture.name for picture in (REPOSITORY / "docs" / "images").glob("*.png") if f"images/{picture.name})" not in text]
        self.assertEqual(unused, [])

    def test_every_page_is_listed(self):
        index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
        missing = [page.name for page in (REPOSITORY / "docs").glob("*.md") if page.name != "README.md" and f"({page.name})" not in index]
        self.assertEqual(missing, [])

    def test_jobs_of_the_pages_learn(self):
        """At the engine's default rate, 0.0001, a first job of a few hundred steps ends at chance."""
        silent = [
            block.where()
            for page in pages()
            for block in blocks(page)
            if block.language == "yaml" and re.search(r"^train:", block.text, re.MULTILINE) and not re.search(r"\blr: ", block.text)
        ]
        self.assertEqual(silent, [])


if __name__ == "__main__":
    unittest.main()
