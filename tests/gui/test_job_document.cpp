// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The text of a job while it is edited, without widgets.

#include <gui/launch/job_document.h>
#include <gui/launch/job_draft.h>
#include <gui/strings.h>

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

constexpr const char* kJob = "# Mine.\nname: one\nnodes: [local]   # here\nown_key: 1\ncommand: [a]\n";

JobDocument opened(const std::string& yaml) {
    JobDocument document;
    document.open({yaml, "job.yaml", u"job.yaml"_s, yaml, true}, read_job_text(yaml, "job.yaml"));
    return document;
}

bool rename(JobDocument& document, const std::string& name, JobDocument::Clock::time_point now = {}) {
    Job after = document.job();
    after.name = name;
    return document.change(document.job(), after, "name", now);
}

void type(JobDocument& document, const std::string& text) {
    document.type(text, JobDocument::Clock::time_point{});
    document.take(read_job_text(text, "job.yaml"));
}

TEST(JobDocument, AFieldChangesItsValueInTheTextAndCanBeUndone) {
    JobDocument document = opened(kJob);
    EXPECT_FALSE(document.can_undo());
    const auto start = JobDocument::Clock::now();
    EXPECT_TRUE(rename(document, "t", start));
    EXPECT_TRUE(rename(document, "tw", start + std::chrono::milliseconds(300)));
    EXPECT_TRUE(rename(document, "two", start + std::chrono::milliseconds(600)));
    EXPECT_EQ(document.text(), "# Mine.\nname: two\nnodes: [local]   # here\nown_key: 1\ncommand: [a]\n");
    EXPECT_TRUE(document.source().is_draft());
    document.undo();
    EXPECT_EQ(document.text(), kJob) << "letters typed one after the other are one step";
    EXPECT_EQ(document.job().name, "one");
    EXPECT_FALSE(document.can_undo());
    document.redo();
    EXPECT_EQ(document.job().name, "two");
    EXPECT_TRUE(rename(document, "three", start + std::chrono::seconds(5)));
    document.undo();
    EXPECT_EQ(document.job().name, "two");
    EXPECT_FALSE(rename(document, "two")) << "nothing is different";
}

TEST(JobDocument, ATextThatCannotBeReadKeepsTheLastGoodValues) {
    JobDocument document = opened(kJob);
    type(document, "name: [\nnodes: [local]\n");
    EXPECT_FALSE(document.readable());
    ASSERT_FALSE(document.faults().empty());
    EXPECT_GT(document.faults().front().line, 0);
    EXPECT_EQ(document.job().name, "one");
    EXPECT_FALSE(rename(document, "two")) << "the form cannot write into it";
    EXPECT_EQ(document.text(), "name: [\nnodes: [local]\n");
    document.undo();
    EXPECT_TRUE(document.readable());
    EXPECT_EQ(document.text(), kJob);
}

TEST(JobDocument, AWrongValueKeepsTheLastGoodOneAndIsNotOverwritten) {
    JobDocument document = opened("name: one\nnodes: [local]\nmaster_port: 1234\ncommand: [a]\n");
    type(document, "name: one\nnodes: [local]\nmaster_port: 99999999\ncommand: [a]\n");
    EXPECT_TRUE(document.readable());
    ASSERT_EQ(document.faults().size(), 1U);
    EXPECT_EQ(document.faults().front().line, 3);
    EXPECT_EQ(document.job().master_port, 1234);
    EXPECT_TRUE(rename(document, "two"));
    EXPECT_EQ(document.text(), "name: two\nnodes: [local]\nmaster_port: 99999999\ncommand: [a]\n");
    EXPECT_TRUE(document.remove_wrong_keys());
    EXPECT_EQ(document.text(), "name: two\nnodes: [local]\ncommand: [a]\n");
    EXPECT_EQ(document.job().master_port, Job{}.master_port);
    document.undo();
    EXPECT_EQ(document.faults().size(), 1U);
}

TEST(JobDocument, OpeningAnotherJobAndDiscardingCanBeUndone) {
    JobDocument document = opened(kJob);
    EXPECT_TRUE(rename(document, "two"));
    const std::string other = "name: other\nnodes: [local]\ncommand: [b]\n";
    document.open({other, "other.yaml", u"other.yaml"_s, other, true}, read_job_text(other, "other.yaml"));
    EXPECT_FALSE(document.source().is_draft());
    document.undo();
    EXPECT_EQ(document.source().title, u"job.yaml"_s);
    EXPECT_EQ(document.job().name, "two");
    document.discard_draft();
    EXPECT_EQ(document.text(), kJob);
    document.undo();
    EXPECT_EQ(document.job().name, "two");
}

TEST(JobDocument, StepsAndTextsHaveBounds) {
    JobDocument document = opened(kJob);
    auto now = JobDocument::Clock::now();
    for (int i = 0; i < 1000; ++i) {
        now += std::chrono::seconds(2);
        ASSERT_TRUE(rename(document, "n" + std::to_string(i), now));
    }
    int steps = 0;
    for (; document.can_undo(); ++steps) {
        document.undo();
    }
    EXPECT_EQ(steps, 500);
    const std::string large = "name: x\n" + std::string(kMostJobText, '#');
    const JobReading reading = read_job_text(large, "job.yaml");
    EXPECT_FALSE(reading.readable);
    EXPECT_EQ(reading.read.faults.size(), 1U);
}

TEST(JobDraft, IsReadAsItWasWritten) {
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(ss(folder.path())) / "deep" / "draft.json";
    EXPECT_FALSE(read_job_draft(file));
    const JobSource source{
        "name: \"\xc3\xbc\"\n# \xe2\x80\x94\n", "/tmp/j.yaml", u"j.yaml"_s, "name: x\n", false, "run-7"};
    ASSERT_TRUE(write_job_draft(file, source).ok());
    const auto again = read_job_draft(file);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, source);
    EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::group_read,
              std::filesystem::perms::none);
}

TEST(JobDraft, AnUnchangedFileIsReadAgain) {
    const QTemporaryDir folder;
    const std::filesystem::path root(ss(folder.path()));
    std::ofstream(root / "j.yaml") << "name: new\n";
    for (const bool changed : {false, true}) {
        const JobSource source{changed ? "name: mine\n" : "name: old\n", root / "j.yaml", u"j.yaml"_s,
                               "name: old\n", true};
        ASSERT_TRUE(write_job_draft(root / "draft.json", source).ok());
        EXPECT_EQ(read_job_draft(root / "draft.json")->text, changed ? "name: mine\n" : "name: new\n");
    }
}

TEST(JobDraft, OtherContentIsNoDraft) {
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(ss(folder.path())) / "draft.json";
    for (const char* content :
         {"", "{", "[]", "{\"version\":2,\"text\":\"a\"}", "{\"version\":1}", "{\"version\":1,\"text\":7}",
          "\xff\xfe", "{\"version\":\"1\",\"text\":\"a\"}"}) {
        std::ofstream(file) << content;
        EXPECT_FALSE(read_job_draft(file)) << content;
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
