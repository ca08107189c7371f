// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope::test {

/// One fault of a file as a table row: where ("job.yaml:3"; no ":0" for the whole file), and what must be
/// said.
struct ExpectedProblem {
    const char* title;
    std::string yaml;
    std::string where;
    std::string what;    ///< part of it; begins with the key
    std::string remedy;  ///< part of it
};

inline std::string all_of(const std::vector<Failure>& problems) {
    std::string all;
    for (const auto& problem : problems) {
        all += to_line(problem) + '\n';
    }
    return all;
}

inline void expect_problem(const std::vector<Failure>& problems, const ExpectedProblem& expected) {
    ASSERT_EQ(problems.size(), 1U) << expected.title << ": one fault, one message\n" << all_of(problems);
    EXPECT_EQ(problems[0].where, expected.where) << expected.title << '\n' << all_of(problems);
    EXPECT_NE(statement(problems[0]).find(expected.what), std::string::npos) << expected.title << '\n'
                                                                             << all_of(problems);
    EXPECT_NE((problems[0].what + problems[0].remedy).find(expected.remedy), std::string::npos)
        << expected.title << '\n'
        << all_of(problems);
    EXPECT_EQ(problems[0].code, FailureId("bad-file"));
}

}  // namespace rankscope::test
