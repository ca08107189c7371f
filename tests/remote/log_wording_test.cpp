// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The verdicts on single messages, in the wordings of many versions and programs (tests/data/logs/wordings.txt), and
// the silence on the harmless lines of healthy runs (healthy.txt).

#include "support/shipped_rules.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace rankscope::logs {
namespace {

constexpr double kSure = 0.5;

struct Part {
    std::string head = {};
    std::string lines = {};
};

// The parts of a file that begin with `mark`.
std::vector<Part> parts_of(const std::string& file, const std::string& mark) {
    std::ifstream stream(std::string(RANKSCOPE_LOG_DATA) + '/' + file);
    std::vector<Part> parts;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(mark)) {
            parts.push_back({.head = line.substr(mark.size())});
        } else if (!parts.empty()) {
            parts.back().lines += line + '\n';
        }
    }
    return parts;
}

std::string said(const std::string& lines) {
    const auto verdicts = diagnose_text(rules(), lines, "log").verdicts;
    return verdicts.empty() || verdicts.front().confidence < kSure ? std::string()
                                                                   : verdicts.front().id.str();
}

TEST(LogWordings, FaultsAreRecognised) {
    const auto parts = parts_of("wordings.txt", "@ ");
    EXPECT_GT(parts.size(), 200U);
    for (const auto& part : parts) {
        const auto verdicts = diagnose_text(rules(), part.lines, "log").verdicts;
        std::istringstream head(part.head);
        std::string word;
        head >> word;
        ASSERT_FALSE(verdicts.empty()) << part.head << '\n' << part.lines;
        const auto& first = verdicts.front();
        EXPECT_EQ(first.id.text(), word) << part.lines;
        while (head >> word) {
            const auto value = word.substr(word.find('=') + 1);
            EXPECT_EQ(word.starts_with("rank=") ? std::to_string(first.rank) : first.node, value)
                << part.lines;
        }
    }
}

TEST(LogWordings, HealthyRunsHaveNoVerdict) {
    const auto parts = parts_of("healthy.txt", "== ");
    EXPECT_GT(parts.size(), 10U);
    for (const auto& part : parts) {
        EXPECT_EQ(said(part.lines), "") << part.head;
    }
}

TEST(LogWordings, HarmlessLinesAloneHaveNoVerdict) {
    for (const auto& part : parts_of("healthy.txt", "== ")) {
        std::istringstream lines(part.lines);
        for (std::string line; std::getline(lines, line);) {
            EXPECT_EQ(said(line + '\n'), "") << line;
        }
    }
}

}  // namespace
}  // namespace rankscope::logs
