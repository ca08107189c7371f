// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/rules/version_range.h>
#include <remote/logs/verdicts/rule_check.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rankscope::logs {
namespace {

std::string text_of(const std::vector<RuleProblem>& problems) {
    std::string all;
    for (const auto& problem : problems) {
        all += problem.file + ':' + std::to_string(problem.line) + ": " + problem.message + '\n';
    }
    return all;
}

std::vector<RuleProblem> problems_of(const std::string& text) {
    std::vector<RuleProblem> problems;
    static_cast<void>(parse_rules(text, "r.yaml", problems));
    return problems;
}

TEST(LogRules, RulesOfTheProgramAreValidAndTheirTestsPass) {
    const auto set = load_rules({RANKSCOPE_RULES});
    EXPECT_EQ(text_of(set.problems), "");
    EXPECT_GT(set.rules.size(), 80U);
    const auto check = check_rules(set.rules);
    EXPECT_EQ(text_of(check.problems), "");
    EXPECT_GT(check.tests, 60U);
}

TEST(LogRules, ProblemsHaveTheirLine) {
    const auto problem = [](const std::string& text) {
        const auto all = problems_of(text);
        return all.empty() ? std::string("none") : std::to_string(all[0].line) + ": " + all[0].message;
    };
    EXPECT_EQ(problem("- id: a\n  title: t\n  signatures: [some text]\n"), "none");
    EXPECT_EQ(problem("- id: a\n  title: t\n  colour: red\n  signatures: [some text]\n"),
              "3: unknown key \"colour\" of a rule");
    EXPECT_EQ(problem("- id: a\n  title: t\n  signatures:\n    - 'some (text'\n"),
              "4: the pattern is not valid: missing ): some (text");
    EXPECT_EQ(problem("- id: a\n  title: t\n  signatures:\n    - 'a|b'\n"),
              "4: no text of 4 letters is in every match: list such texts as `anchors`");
    EXPECT_EQ(problem("- id: a\n  title: t\n  confidence: 2\n  signatures: [some text]\n"),
              "3: confidence is between 0 and 1");
    EXPECT_EQ(problem("- id: a\n  title: t\n  when:\n    - {nccl: new}\n  signatures: [some text]\n"),
              "4: versions are written as \">=2.16 <2.24\"");
    EXPECT_EQ(problem("- id: A b\n  title: t\n  signatures: [some text]\n"),
              "1: a rule needs an `id` of small letters, digits and '-'");
    EXPECT_EQ(problem("- id: a\n  role: context\n  signatures: [{fact: channel}]\n"), "none");
    EXPECT_EQ(problem("- id: a\n  role: context\n  signatures: [{fact: colour}]\n"),
              "3: unknown fact \"colour\"");
    EXPECT_EQ(problem("- id: a\n  role: context\n  signatures: [{name: n}]\n"),
              "3: a signature needs a `pattern`, a `fact` or an `error`");
    std::string groups = "some text";
    for (int i = 0; i < 17; ++i) {
        groups += "(x)";
    }
    EXPECT_EQ(problem("- id: a\n  title: t\n  signatures: ['" + groups + "']\n"),
              "3: a pattern has at most 16 groups");
    EXPECT_NE(problem("- id: [\n"), "none");
    EXPECT_NE(problem("text"), "none");
    EXPECT_EQ(problem(""), "none");
}

TEST(LogRules, RuleOfTheDocumentationWorks) {
    std::ifstream stream(std::string(RANKSCOPE_DOCS) + "/log-rules.md");
    std::ostringstream page;
    page << stream.rdbuf();
    const auto begin = page.str().find("```yaml\n") + 8;
    const auto rule = page.str().substr(begin, page.str().find("```", begin) - begin);
    auto set = load_rules({RANKSCOPE_RULES});
    std::vector<RuleProblem> problems;
    auto own = parse_rules(rule, "log-rules.md", problems);
    ASSERT_EQ(text_of(problems), "");
    ASSERT_EQ(own.size(), 1U);
    EXPECT_LE(std::count(rule.begin(), rule.end(), '\n'), 20);
    set.rules.push_back(own.front());
    EXPECT_EQ(text_of(check_rules(set.rules).problems), "");
}

TEST(LogRules, VersionRanges) {
    const auto range = VersionRange::parse(">=2.16 <2.24");
    ASSERT_TRUE(range.has_value());
    EXPECT_TRUE(range->contains({2, 16, 0}));
    EXPECT_TRUE(range->contains({2, 23, 9}));
    EXPECT_FALSE(range->contains({2, 24, 0}));
    EXPECT_FALSE(VersionRange::parse("").has_value());
    EXPECT_FALSE(VersionRange::parse("~2.3").has_value());
    EXPECT_EQ(parse_version("2.27.7+cuda13.0"), (std::array<int, 3>{2, 27, 7}));
    EXPECT_EQ(parse_version("x"), std::nullopt);
}

}  // namespace
}  // namespace rankscope::logs
