// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/problems.h"

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/yaml_tree.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

namespace rankscope {
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

json values_of(const std::string& yaml) {
    config::ConfigProblems problems;
    const auto root = read_yaml(yaml, problems);
    EXPECT_TRUE(root) << yaml;
    return root ? config::to_json(*root) : json();
}

std::string changed(const std::string& yaml, const std::vector<std::string>& assignments) {
    const auto result = with_assignments(yaml, assignments);
    EXPECT_TRUE(result) << yaml << (result ? "" : result.failure().what);
    return result ? *result : std::string();
}

TEST(JobEdit, AnEmptySectionOfALauncherStays) {
    const std::string yaml = "launcher: slurm\nslurm: ";
    const Job job = parse_job(yaml, "j.yaml").job;
    const auto same = with_changes(yaml, job, job);
    ASSERT_TRUE(same);
    EXPECT_EQ(*same, yaml);
    Job other = job;
    other.launcher = "ssh";
    const auto edited = with_changes(yaml, job, other);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->find("slurm"), std::string::npos) << *edited;
}

TEST(JobEdit, OnlyTheLinesOfTheValueChange) {
    struct Row {
        const char* title;
        const char* before;
        const char* assignment;
        const char* after;
    };
    const std::vector<Row> table{
        {"a number", "a: 1  # one\nb: 2\n", "a=3", "a: 3  # one\nb: 2\n"},
        {"in quotes", "a: 'x y'  # why\n", "a=z", "a: z  # why\n"},
        {"in a flow mapping", "o: { lr: 0.1, name: sgd }  # it\n", "o.lr=0.01",
         "o: { lr: 0.01, name: sgd }  # it\n"},
        {"over lines", "o: {lr: 0.1, # rate\n    name: sgd}\n", "o.name=adam",
         "o: {lr: 0.1, # rate\n    name: adam}\n"},
        {"in a block", "t:\n  # first\n  e: 1\n\n  o:\n    lr: 1  # x\nz: 1\n", "t.o.lr=2",
         "t:\n  # first\n  e: 1\n\n  o:\n    lr: 2  # x\nz: 1\n"},
        {"a new key of a block", "t:\n  e: 1\n  # last\nz: 1\n", "t.f=2",
         "t:\n  e: 1\n  f: 2\n  # last\nz: 1\n"},
        {"a new key of a nested block", "t:\n  o:\n    lr: 1 # a\n\nz: 1\n", "t.o.m=0.9",
         "t:\n  o:\n    lr: 1 # a\n    m: 0.9\n\nz: 1\n"},
        {"a new key of a flow mapping", "t: {e: 1}\n", "t.f=2", "t: {e: 1, f: 2}\n"},
        {"a new key of an empty mapping", "t: {}  # none\n", "t.f=2", "t: { f: 2 }  # none\n"},
        {"a new section", "a: 1\n# end\n", "t.o.f=2", "a: 1\nt: { o: { f: 2 } }\n# end\n"},
        {"no newline at the end", "a: 1", "b=2", "a: 1\nb: 2"},
        {"a key without a value", "a:  # soon\nb: 1\n", "a=2", "a: 2  # soon\nb: 1\n"},
        {"a key taken out", "a: 1 # x\nb: 2\nc: 3\n", "b=", "a: 1 # x\nc: 3\n"},
        {"a block taken out", "a: 1\nb:\n  - x\n  - y\n# of c\nc: 3\n", "b=", "a: 1\n# of c\nc: 3\n"},
        {"a flow key taken out", "t: {e: 1, f: 2, g: 3}\n", "t.f=", "t: {e: 1, g: 3}\n"},
        {"the last flow key taken out", "t: {e: 1, f: 2}\n", "t.f=", "t: {e: 1}\n"},
        {"a list in the key's column", "c:\n- x\n- y\nd: 1\n", "c=[z]", "c: [z]\nd: 1\n"},
        {"a list below", "c: # words\n  - x\n  # why y\n  - y\nd: 1\n", "c=[z]", "c: [z] # words\nd: 1\n"},
        {"a text of lines", "a: |\n  one\n  # two\nb: 1\n", "a=x", "a: x\nb: 1\n"},
        {"a folded plain text", "a: one\n  two\nb: 1\n", "a=x", "a: x\nb: 1\n"},
        {"a hash in a text", "a: x#y # z\n", "a=w", "a: w # z\n"},
        {"a quoted key", "\"a\": 1\n'b': 2\n", "a=3", "\"a\": 3\n'b': 2\n"},
        {"quotes within", "a: 'it''s' # x\nb: \"c\\\"d\" # y\n", "b=1", "a: 'it''s' # x\nb: 1 # y\n"},
        {"windows lines", "a: 1\r\nb: 2 # x\r\n", "b=3", "a: 1\r\nb: 3 # x\r\n"},
        {"a new windows line", "a: 1\r\n", "b=3", "a: 1\r\nb: 3\r\n"},
        {"a byte order mark",
         "\xef\xbb\xbf"
         "a: 1\nb: 2\n",
         "a=3",
         "\xef\xbb\xbf"
         "a: 3\nb: 2\n"},
        {"a text with letters of two bytes", "ä: ü # ö\nb: 1\n", "b=2", "ä: ü # ö\nb: 2\n"},
        {"an anchor stays for others", "a: &x 1\nb: *x\nc: 3\n", "c=4", "a: &x 1\nb: *x\nc: 4\n"},
        {"an alias is replaced", "a: &x 1\nb: *x\n", "b=4", "a: &x 1\nb: 4\n"},
        {"a document's marks", "---\na: 1\n...\n", "a=2", "---\na: 2\n...\n"},
        {"a list of mappings", "l:\n  - n: 1\n  - n: 2\nb: 1\n", "b=2", "l:\n  - n: 1\n  - n: 2\nb: 2\n"},
    };
    for (const Row& row : table) {
        EXPECT_EQ(changed(row.before, {row.assignment}), row.after) << row.title;
    }
}

TEST(JobEdit, WhatCannotBeChangedInPlaceIsWrittenAgain) {
    // The value behind an anchor that others use; a mapping that an alias stands for; a key of its own form.
    for (const auto& [before, assignment] :
         std::vector<std::pair<const char*, const char*>>{{"a: &x {p: 1}\nb: *x\nc: 1 # c\n", "b.p=2"},
                                                          {"a: &x {p: 1}\nb: *x\nc: 1 # c\n", "b.q=2"},
                                                          {"a: &x 1\nb: *x\nc: 1 # c\n", "a=2"},
                                                          {"? a\n: 1\nc: 1 # c\n", "a=2"}}) {
        const auto result = with_assignments(before, {assignment});
        if (!result) {
            continue;  // refused, never half done
        }
        json expected = values_of(before);
        const std::string path = std::string(assignment).substr(0, std::string(assignment).find('='));
        config::set_at(expected, path, 2);
        EXPECT_EQ(values_of(*result), expected) << before;
        EXPECT_NE(result->find("c: 1 # c\n"), std::string::npos) << *result;
    }
}

const std::vector<std::string>& corpus() {
    static const std::vector<std::string> files{
        R"(# The first run of the new data.
name: mnist-convnet            # shown in Runs
nodes: [node1, node2]          # or "all"
procs_per_node: auto

# Where the ranks meet.
master_port: 29500
interface: "auto"
env: { NCCL_DEBUG: INFO,       # loud
       OMP_NUM_THREADS: "2" }
on_failure:
  # seconds
  grace_s: 5
  peer_timeout_s: 10   # the switch is slow
my_notes: keep this            # not Rankscope's
train:                         # native engine
  model: convnet
  dataset: { name: mnist, root: ~/datasets/mnist }
  epochs: 2

  batch_size: 100              # per rank
  optimizer: { name: sgd, lr: 1.0e-4, momentum: 0 }
# The end.
)",
        R"(nodes:
- node1
- 'node 2'   # the new one
command:
  - python3
  - train.py   # ours
  - --lr
  - "0.1"
workdir: ~/proj
metrics: {lines: false, patterns: ['it {step} margin {margin}']}
venv: ~/venvs/torch
checkpoint:
    signal: USR1   # four columns
    wait_s: 45
team: &team {owner: me}
again: *team
)",
        R"(launcher: slurm
slurm: {login: login1, nodes: 4, partition: gpu, time: "1-00:00:00", extra: [--mem=64G]}
"train":
   "model": {name: resnet18, classes: 10}
   dataset:
      name: random   # made up
      shape: [3, 32, 32]
   schedule: {name: cos, warmup: {epochs: 5}}
   optimizer:
      name: adamw

      lr: 0.001
)"};
    return files;
}

/// Another value for one of the keys that the job is for.
bool change_one(Job& job, std::mt19937& random) {
    const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    const auto& keys = job_keys().keys;
    const auto& key = keys[static_cast<std::size_t>(pick(static_cast<int>(keys.size())))];
    const config::KeyInfo& info = key.info;
    json value;
    if (info.kind == config::KeyKind::Whole || info.kind == config::KeyKind::Number) {
        value = info.range.min + 1 + pick(50);
    } else if (info.kind == config::KeyKind::Flag) {
        value = pick(2) == 0;
    } else if (info.kind == config::KeyKind::Choice && info.path != "launcher") {
        value = info.choices[static_cast<std::size_t>(pick(static_cast<int>(info.choices.size())))];
    } else if (info.path == "name" || info.path == "workdir" || info.path == "interface") {
        value = "it's: \"new\" #" + std::to_string(pick(9));
    } else if (info.path == "env") {
        value = json{{"A", "1"}, {"B", std::to_string(pick(9))}};
    } else if (info.path == "train" && job.train) {
        value = *job.train;
        const char* paths[] = {"epochs", "optimizer.lr", "seed", "checkpoint.folder"};
        const int at = pick(4);
        config::set_at(value, paths[at], at == 3 ? json("./c k") : json(1 + pick(9)));
    } else {
        return false;
    }
    if (!applies(info, job)) {
        return false;
    }
    config::ConfigProblems problems;
    const auto node = config::from_json(value);
    key.read({node, info, info.path, true, problems}, job);
    return problems.empty();
}

TEST(JobEdit, RandomEditsChangeTheJobAndNoOtherLine) {
    std::mt19937 random(7);
    int edits = 0;
    for (int round = 0; round < 400; ++round) {
        std::string yaml = corpus()[static_cast<std::size_t>(round) % corpus().size()];
        for (int step = 0; step < 4; ++step) {
            const Job before = parse_job(yaml, "j.yaml").job;
            Job job = before;
            if (!change_one(job, random)) {
                continue;
            }
            ++edits;
            const auto edited = with_job(yaml, job);
            ASSERT_TRUE(edited) << yaml;
            const Job again = parse_job(*edited, "j.yaml").job;
            EXPECT_EQ(to_yaml(again), to_yaml(job)) << yaml << "---\n" << *edited;
            // One value: at most one place differs, and what stands before and behind it is the same.
            const auto old_lines = lines_of(yaml);
            const auto new_lines = lines_of(*edited);
            const std::size_t least = std::min(old_lines.size(), new_lines.size());
            std::size_t same = 0;
            while (same < least && old_lines[same] == new_lines[same]) {
                ++same;
            }
            std::size_t tail = 0;
            while (tail < least - same &&
                   old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
                ++tail;
            }
            EXPECT_LE(new_lines.size() - same - tail, 1U) << yaml << "---\n" << *edited;
            EXPECT_LE(old_lines.size() - same - tail, 2U) << yaml << "---\n" << *edited;
            for (const char* kept : {"# The end.", "my_notes: keep this", "team: &team {owner: me}"}) {
                EXPECT_EQ(yaml.find(kept) == std::string::npos, edited->find(kept) == std::string::npos);
            }
            yaml = *edited;
        }
    }
    EXPECT_GT(edits, 300);
}

TEST(JobEdit, AnUnchangedJobChangesNoByte) {
    for (const std::string& yaml : corpus()) {
        const auto edited = with_job(yaml, parse_job(yaml, "j.yaml").job);
        ASSERT_TRUE(edited);
        EXPECT_EQ(*edited, yaml);
    }
}

TEST(JobEdit, AnotherLauncherTakesItsSectionOut) {
    const std::string yaml = corpus()[2];
    Job job = parse_job(yaml, "j.yaml").job;
    choose_launcher(job, "ssh");
    job.nodes = {"a"};
    const auto edited = with_job(yaml, job);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->find("login1"), std::string::npos) << *edited;
    EXPECT_TRUE(parse_job(*edited, "j.yaml").problems.empty()) << *edited;
}

TEST(JobKeys, EveryKeyIsDocumentedAndHasItsDefault) {
    std::set<std::string> seen;
    for (const auto& info : all_job_keys()) {
        EXPECT_TRUE(seen.insert(info.path).second) << info.path;
        EXPECT_STRNE(info.group, "") << info.path;
        EXPECT_TRUE(*info.help != '\0' || *info.label != '\0') << info.path;
        if (info.kind == config::KeyKind::Whole || info.kind == config::KeyKind::Number) {
            EXPECT_NE(info.range, config::Range()) << info.path << " accepts every number";
        }
    }
    EXPECT_TRUE(seen.contains("on_failure.peer_timeout_s"));
    EXPECT_TRUE(seen.contains("train.dataset.normalize"));
    EXPECT_NE(job_keys_markdown().find("| `on_failure.peer_timeout_s` |"), std::string::npos);
    EXPECT_EQ(job_keys_json()["keys"].size(), all_job_keys().size());
    EXPECT_NE(job_keys_text().find("on_failure.peer_timeout_s  (a number from 0 to 86400"),
              std::string::npos);
}

}  // namespace
}  // namespace rankscope
