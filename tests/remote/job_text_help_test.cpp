// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_text_help.h>
#include <remote/desk/shared/yaml_cursor.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {
namespace {

/// The text without its '|', and where that was.
std::pair<std::string, std::size_t> marked(std::string text) {
    const std::size_t at = text.find('|');
    text.erase(at, 1);
    return {text, at};
}

TEST(YamlCursor, KnowsTheKeyAtAnyPosition) {
    struct Row {
        const char* text;
        const char* parents;
        const char* key;
        bool in_value;
    };
    const Row table[] = {
        {"|", "", "", false},
        {"na|me: x\n", "", "name", false},
        {"name: x|\n", "", "name", true},
        {"train:\n  epo|chs: 1\n", "train", "epochs", false},
        {"train:\n  epochs: |1\n", "train", "epochs", true},
        {"train:\n  optimizer:\n    lr: 1\n  |\n", "train", "", false},
        {"train:\n  optimizer:\n    lr: 1\n    |", "train.optimizer", "", false},
        {"train:\n  optimizer:\n    lr: 1\n|", "", "", false},
        {"train:\n  optimizer: { name: sgd, l|r: 1 }\n", "train.optimizer", "lr", false},
        {"train:\n  optimizer: { name: s|gd, lr: 1 }\n", "train.optimizer", "name", true},
        {"o: { a: 1,\n  b: |2 }\n", "o", "b", true},
        {"o: { a: 1 }\np|: 1\n", "", "p", false},
        {"nodes: [node1, n|ode2]\n", "", "nodes", true},
        {"nodes:\n- node1\n- n|ode2\n", "", "nodes", true},
        {"nodes:\n  - n|\n", "", "nodes", true},
        {"'name': \"a: b\"\nm|: 1\n", "", "m", false},
        {"env: { A: 'x}', B|: 1 }\n", "env", "B", false},
        {"train: # why: not\n  e|: 1\n", "train", "e", false},
    };
    for (const Row& row : table) {
        const auto [text, at] = marked(row.text);
        const YamlCursor found = cursor_in_yaml(text, at);
        EXPECT_EQ(joined_path(found.parents), row.parents) << row.text;
        EXPECT_EQ(found.key, row.key) << row.text;
        EXPECT_EQ(found.in_value, row.in_value) << row.text;
        EXPECT_FALSE(found.nowhere) << row.text;
    }
    for (const char* text : {"a: 1 # co|mment\n", "# |\na: 1", "a: >\n  some te|xt\nb: 1\n"}) {
        const auto [yaml, at] = marked(text);
        EXPECT_TRUE(cursor_in_yaml(yaml, at).nowhere) << text;
    }
}

std::vector<std::string> offered(const std::string& text) {
    const auto [yaml, at] = marked(text);
    std::vector<std::string> words;
    for (const JobSuggestion& one : job_suggestions(yaml, at, {"node1", "node2"})) {
        words.push_back(one.text);
    }
    return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(JobTextHelp, OffersTheKeysAndValuesThatMayStandThere) {
    const auto top = offered("name: x\n|");
    EXPECT_TRUE(has(top, "master_port: "));
    EXPECT_TRUE(has(top, "train: "));
    EXPECT_FALSE(has(top, "name: ")) << "it is there already";
    EXPECT_TRUE(has(offered("train:\n  optimizer:\n    |"), "weight_decay: "));
    EXPECT_EQ(offered("train: { optimizer: { name: | } }"),
              (std::vector<std::string>{"sgd", "adam", "adamw"}));
    EXPECT_TRUE(has(offered("train:\n  model: |\n"), "resnet50")) << "the short form";
    EXPECT_EQ(offered("train:\n  sync_bn: |\n"), (std::vector<std::string>{"true", "false"}));
    EXPECT_TRUE(has(offered("nodes: [node1, |]\n"), "node2"));
    EXPECT_TRUE(offered("a: 1 # |\n").empty());
}

TEST(JobTextHelp, EveryKeyOfTheTableIsOfferedAndExplained) {
    for (const config::KeyInfo& info : all_job_keys()) {
        std::string yaml;
        std::string indent;
        std::string rest = info.path;
        for (auto dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
            yaml += indent + rest.substr(0, dot) + ":\n";
            indent += "  ";
            rest.erase(0, dot + 1);
        }
        EXPECT_TRUE(has(offered(yaml + indent + "|"), rest + ": ")) << info.path;
        const auto [text, at] = marked(yaml + indent + rest + "|: 1\n");
        EXPECT_TRUE(job_help_at(text, at).starts_with(info.path + ": ")) << info.path;
    }
}

TEST(JobEdit, WhatIsWrongAndWasNotChangedStays) {
    const std::string yaml = "name: x\nnodes: [local]\nmaster_port: 70000  # too many\ncommand: [a]\n";
    const Job before = parse_job(yaml, "j.yaml").job;
    Job after = before;
    after.name = "two";
    EXPECT_EQ(*with_changes(yaml, before, after),
              "name: two\nnodes: [local]\nmaster_port: 70000  # too many\ncommand: [a]\n");
    EXPECT_EQ(*without_keys(yaml, parse_job(yaml, "j.yaml").faults),
              "name: x\nnodes: [local]\ncommand: [a]\n");
}

}  // namespace
}  // namespace rankscope
