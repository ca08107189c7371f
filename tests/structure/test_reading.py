#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Foreign JSON and YAML pass one reader with limits, and no number of the product follows the desktop's locale."""
import re
import unittest

from test_layers import REPOSITORY, sources

# A literal, a comment or a raw string is no call.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"', re.DOTALL)
BANNED = {
    "read_json() and read_ordered_json() of base/json_text.h have limits": (
        re.compile(r"\b(?:json|Json|ordered_json|basic_json)::(?:parse|accept|from_cbor|from_msgpack|from_ubjson|from_bson)\("),
        {"base/json_text.cpp"}),
    "load_yaml() of base/foreign_yaml.h has limits": (
        re.compile(r"\bYAML::(?:Load|LoadAll|LoadFile|LoadAllFromFile|Parser)\b"), {"base/foreign_yaml.cpp"}),
    "take_number(), parse_number() and std::from_chars() know no locale": (
        re.compile(r"\b(?:strtod|strtof|strtold|atof|stod|stof|stold)\b"), set()),
    "number_text.h and std::to_chars() know no locale": (
        re.compile(r"\bstd::to_string\((?:static_cast<(?:double|float)>|[\w.>()-]+ \* 1e|[\w.>()-]+ / 1e|\d+\.\d)"), set()),
    "the locale of the desktop is for the window's words": (
        re.compile(r"\bsetlocale\((?!LC_NUMERIC, \"C\")|std::locale\(\"|\blocale::global\("), set()),
}
FLOAT = re.compile(r'%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?L?[aAeEfFgG](?![A-Za-z])')
PRINTS = re.compile(r"\b(?:std::)?v?(?:f|s|sn|d|as)?(?:printf|scanf)\s*\(")


def arguments(text: str, at: int) -> str:
    """What is between the brackets that begin at `at`."""
    depth = 0
    end = at
    while end < len(text):
        if text[end] == '"':
            end += 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
        elif text[end] == "'" and re.match(r"'(?:\\.|[^\\'])'", text[end:]):
            end += len(re.match(r"'(?:\\.|[^\\'])'", text[end:]).group(0)) - 1
        elif text[end] == "(":
            depth += 1
        elif text[end] == ")":
            depth -= 1
            if depth == 0:
                return text[at + 1:end]
        end += 1
    return text[at + 1:]


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.code = {name: NO_CODE.sub('""', (REPOSITORY / name).read_text(encoding="utf-8", errors="replace"))
                    for name in sources() if not name.startswith("tests/")}

    def test_one_way_for_each_thing(self):
        for reason, (pattern, exempt) in BANNED.items():
            wrong = [f"{name}: {found.group(0)}" for name, text in self.code.items() if name not in exempt
                     for found in pattern.finditer(text)]
            with self.subTest(reason):
                self.assertEqual(wrong, [])

    def test_no_float_is_printed_or_scanned(self):
        """Formats as literals of the call; a format that comes from elsewhere is not allowed at all where a double may follow."""
        wrong = []
        for name, text in self.code.items():
            for call in PRINTS.finditer(text):
                inside = arguments(text, call.end() - 1)
                literals = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', inside))
                if FLOAT.search(literals.replace("%%", "")):
                    wrong.append(f"{name}: {' '.join(inside.split())[:100]}")
        self.assertEqual(wrong, [])

    def test_no_name_is_markup(self):
        """Tool tips and message boxes guess whether a text is HTML: names get there through plain_text() or wrapped_tip()."""
        wrong = []
        for name, text in self.code.items():
            if not name.startswith("gui/"):
                continue
            for call in re.finditer(r"(?:\bsetToolTip|\bQToolTip::showText|\bsetInformativeText|\bnew QMessageBox)\s*\(", text):
                inside = arguments(text, call.end() - 1)
                safe = re.search(r"\b(?:plain_text|wrapped_tip|toHtmlEscaped)\(", inside)
                if not safe and re.search(r"\bqs\(|\bnames\b|\btexts\[", inside):
                    wrong.append(f"{name}: {' '.join(inside.split())[:100]}")
        self.assertEqual(wrong, [])

    def test_every_format_is_a_literal(self):
        wrong = []
        for name, text in self.code.items():
            for call in re.finditer(r"\bstd::(printf|fprintf|snprintf)\s*\(", text):
                inside = arguments(text, call.end() - 1)
                before = {"printf": 0, "fprintf": 1, "snprintf": 2}[call.group(1)]
                parts = re.split(r",(?![^()]*\))", inside)
                if len(parts) > before and '"' not in parts[before]:
                    wrong.append(f"{name}: {' '.join(inside.split())[:100]}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
