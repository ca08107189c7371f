// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/runs/store/run_filter.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(RunLabelsTest, TagsAreSortedAndThereOnce) {
    RunLabels labels;
    for (const char* tag : {"b", "a", "", "b", "two\nlines"}) {
        labels.add_tag(tag);
    }
    EXPECT_EQ(labels.tags, (std::vector<std::string>{"a", "b"}));
    labels.remove_tag("a");
    labels.remove_tag("none");
    EXPECT_EQ(labels.tags, std::vector<std::string>{"b"});
}

TEST(RunLabelsTest, TheyAreKeptBesideTheRuns) {
    const test::TemporaryFolder folder;
    const auto path = folder / "runs.sqlite";
    const auto runs = RunStore::open(path);
    ASSERT_TRUE(runs);
    RunRecord record;
    record.run_id = "r1";
    record.plan = test::plan_of(1, 1);
    ASSERT_TRUE((*runs)->create_run(record));
    const RunLabels labels{true, "sweep", "two\nlines 中文", {"baseline", "with blank"}};
    {
        const auto store = RunLabelStore::open(path);
        ASSERT_TRUE(store);
        EXPECT_EQ((*store)->of("r1").value(), RunLabels());
        EXPECT_TRUE((*store)->set("r1", labels));
        EXPECT_TRUE((*store)->set("r1", labels)) << "a second time";
    }
    const auto store = RunLabelStore::open(path);
    ASSERT_TRUE(store);
    EXPECT_EQ((*store)->of("r1").value(), labels);
    EXPECT_EQ((*store)->all()->size(), 1U);
    EXPECT_TRUE(RunStore::open(path)) << "the run store opens as before";
    EXPECT_TRUE((*runs)->remove_run("r1"));
    EXPECT_EQ((*store)->of("r1").value(), labels) << "a removal can be undone";
}

TEST(RunLabelsTest, AChangeLeavesTheRest) {
    const RunLabels before{true, "sweep", "note", {"a", "b"}};
    EXPECT_EQ(LabelChange().applied_to(before), before);
    const LabelChange change{
        .starred = false, .group = "", .add_tags = {"c", "a"}, .remove_tags = {"b", "none"}};
    EXPECT_EQ(change.applied_to(before), (RunLabels{false, "", "note", {"a", "c"}}));
    const SharedTags tags = shared_tags({before, {false, "", "", {"b", "c"}}});
    EXPECT_EQ(tags.of_all, std::vector<std::string>{"b"});
    EXPECT_EQ(tags.of_some, (std::vector<std::string>{"a", "c"}));
    EXPECT_TRUE(shared_tags({}).of_all.empty());
}

TEST(RunLabelsTest, SeveralRunsAreChangedTogether) {
    const test::TemporaryFolder folder;
    const auto path = folder / "runs.sqlite";
    ASSERT_TRUE(RunStore::open(path));
    const auto store = RunLabelStore::open(path);
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->set("r1", {true, "old", "mine", {"x"}}));
    ASSERT_TRUE((*store)->change({"r1", "r2"}, {.group = "new", .add_tags = {"y"}}));
    EXPECT_EQ((*store)->of("r1").value(), (RunLabels{true, "new", "mine", {"x", "y"}}));
    EXPECT_EQ((*store)->of("r2").value(), (RunLabels{false, "new", "", {"y"}}));
    EXPECT_TRUE((*store)->change({}, {.starred = true}));
    EXPECT_EQ((*store)->all()->size(), 2U);
}

TEST(RunLabelsTest, AFileThatIsNoStoreIsReported) {
    const test::TemporaryFolder folder;
    test::write_text(folder / "runs.sqlite", std::string(4096, 'x'));
    const auto store = RunLabelStore::open(folder / "runs.sqlite");
    const auto stored = store ? (*store)->set("r1", {}) : Result<void>(store.failure());
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.failure().code.text(), "store-damaged");
}

TEST(RunFilterTest, WordsTagsGroupAndStarHaveToFit) {
    RunRecord run;
    run.run_id = "20261120-1";
    run.name = "ResNet on CIFAR";
    run.job_yaml = "train: {model: resnet18}\n";
    const RunLabels labels{true, "sweep", "first with warm-up", {"baseline", "paper"}};
    for (const char* line :
         {"", "resnet", "RESNET cifar", "tag:paper", "tag:paper tag:baseline group:sweep is:starred",
          "warm-up resnet18", "  20261120  ", "tag:"}) {
        const bool odd = std::string(line) == "tag:";  // no name: a word, which does not occur
        EXPECT_EQ(run_filter_of(line).fits(run, labels), !odd) << line;
    }
    for (const char* line : {"vgg", "tag:pap", "group:other", "resnet tag:none", "resnet vgg"}) {
        EXPECT_FALSE(run_filter_of(line).fits(run, labels)) << line;
    }
    EXPECT_FALSE(run_filter_of("is:starred").fits(run, {}));
}

}  // namespace
}  // namespace rankscope
