// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace rankscope {
namespace {

std::string repeated_text(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

std::optional<YamlExcess::Kind> excess(const std::string& text) {
    try {
        load_yaml(text);
    } catch (const YamlExcess& found) {
        return found.kind;
    } catch (const YAML::Exception&) {
    }
    return std::nullopt;
}

long most_memory_kib() {
    struct rusage used {};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

TEST(ForeignYaml, ReadsWhatIsWithinTheLimits) {
    EXPECT_EQ(load_yaml("a: [1, 2, {b: c}]\n")["a"][2]["b"].Scalar(), "c");
    EXPECT_EQ(load_yaml("a: &x {b: 1}\nc: [*x, *x]\n")["c"][1]["b"].Scalar(), "1");
    EXPECT_TRUE(load_yaml("").IsNull());
    EXPECT_TRUE(load_yaml("a: '" + repeated_text("[", 1000) + "'  # {{{{\n").IsMap())
        << "brackets of a text nest nothing";
    EXPECT_EQ(load_yaml("[" + repeated_text("0, ", 90'000) + "0]").size(), 90'001U);
    EXPECT_FALSE(excess(repeated_text("[", 64) + repeated_text("]", 64)));
}

TEST(ForeignYaml, RefusesALongText) {
    EXPECT_EQ(excess("a: [" + repeated_text("0,", 30'000'000) + "0]"), YamlExcess::Kind::Bytes);
}

TEST(ForeignYaml, RefusesManyValuesBeforeTheyCostMemory) {
    const long before = most_memory_kib();
    EXPECT_EQ(excess("a: [" + repeated_text("0,", 400'000) + "0]"), YamlExcess::Kind::Values);
    EXPECT_EQ(excess(repeated_text("a: 0\n", 150'000)), YamlExcess::Kind::Values);
    EXPECT_EQ(excess(repeated_text("- 0\n", 200'000)), YamlExcess::Kind::Values);
    EXPECT_EQ(excess("[" + repeated_text("[],", 300'000) + "[]]"), YamlExcess::Kind::Values);
    EXPECT_EQ(excess("{" + repeated_text("? ,", 300'000) + "}"), YamlExcess::Kind::Values);
    EXPECT_LT(most_memory_kib() - before, 400 * 1024);
}

TEST(ForeignYaml, RefusesAliasesThatMultiply) {
    std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
                  repeated_text(", " + before, 9) + "]\n";
    }
    EXPECT_EQ(excess(laughs), YamlExcess::Kind::Values);
    std::string deep = "a0: &a0 [x]\n";
    for (int i = 1; i < 100; ++i) {
        deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    }
    EXPECT_EQ(excess(deep), YamlExcess::Kind::Depth) << "no line of it is deep";
    EXPECT_EQ(excess("a: &a [1, *a]\n"), YamlExcess::Kind::Depth) << "it contains itself";
    EXPECT_EQ(excess("&a {b: *a}\n"), YamlExcess::Kind::Depth);
    EXPECT_EQ(excess("&a {*a : 1}\n"), YamlExcess::Kind::Depth);
}

TEST(ForeignYaml, RefusesDeepNesting) {
    EXPECT_EQ(excess(repeated_text("[", 500'000)), YamlExcess::Kind::Depth);
    EXPECT_EQ(excess(repeated_text("{", 500'000)), YamlExcess::Kind::Depth);
    EXPECT_EQ(excess(repeated_text("- ", 300'000)), YamlExcess::Kind::Depth);
    EXPECT_EQ(excess(repeated_text("? ", 300'000)), YamlExcess::Kind::Depth);
    std::string stairs;
    for (std::size_t i = 0; i < 1000; ++i) {
        stairs += std::string(i, ' ') + "a:\n";
    }
    EXPECT_EQ(excess(stairs), YamlExcess::Kind::Depth);
}

}  // namespace
}  // namespace rankscope
