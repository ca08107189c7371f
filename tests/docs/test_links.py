#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every relative link and image of README and docs leads to a file, every picture is shown, every page of docs/ is linked from
docs/README.md, every job that the pages train names a rate of its own, and every attack of the security tests names tests that are there."""
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

    def test_attacks_have_their_tests(self):
        tests = REPOSITORY / "tests"
        known = {f"fuzz: {folder.name}" for folder in (tests / "fuzz" / "corpus").iterdir()}
        for file in tests.rglob("*.cpp"):
            known |= {".".join(found) for found in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", file.read_text(encoding="utf-8"), re.MULTILINE)}
        for file in tests.rglob("*.py"):
            known |= {f"{file.name}: {name}" for name in re.findall(r"^    def (test_\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE)}
        rows = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", (REPOSITORY / "docs" / "security-tests.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual([int(number) for number, _ in rows], list(range(1, len(rows) + 1)))
        self.assertGreaterEqual(len(rows), 60)
        named = {number: re.findall(r"`([^`]+)`", names) for number, names in rows}
        self.assertEqual([number for number, names in named.items() if not names], [])
        self.assertEqual([f"{number}: {name}" for number, names in named.items() for name in names if name not in known], [])


if __name__ == "__main__":
    unittest.main()
