// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/notices.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/verdict.h>
#include <remote/observe/metric_lines/unread_lines.h>

#include <gtest/gtest.h>

#include <cstdlib>

namespace rankscope {
namespace {

TEST(FailureCatalogue, EveryIdHasATitleAndItsRow) {
    for (const auto& entry : failure_catalogue()) {
        EXPECT_NE(*entry.title, '\0') << entry.id;
        EXPECT_EQ(catalogue_entry(entry.id), &entry) << entry.id;
        EXPECT_EQ(FailureId::from(entry.id.text()), entry.id);
    }
    EXPECT_EQ(catalogue_entry(FailureId::from("a-rule-of-the-user")), nullptr);
}

TEST(FailureCatalogue, ExitCodesFollowTheClass) {
    EXPECT_EQ(exit_code_of("cancelled"), 130);
    EXPECT_EQ(exit_code_of("port-in-use"), 3);
    EXPECT_EQ(exit_code_of("slurm-refused"), 2);
    EXPECT_EQ(exit_code_of("unknown-node"), 2);
    EXPECT_EQ(exit_code_of("slurm-time-limit"), 1);
    EXPECT_EQ(exit_code_of("slurm-silent"), 4);
    EXPECT_EQ(exit_code_of("ssh-refused"), 4);
    EXPECT_EQ(exit_code_of(FailureId::from("of-the-future")), 4);
}

TEST(FailureCatalogue, PlacesAreFilled) {
    const CatalogueArguments arguments{
        .node = "node2", .rank = 3, .detail = "python3 {1}", .args = {"7", "33554432"}};
    EXPECT_EQ(fill_places("{node} {rank} {1} {MB2} MB {detail} {3}", arguments),
              "node2 3 7 34 MB python3 {1} ?");
    EXPECT_EQ(fill_places("{{rank}} in the name, {open", arguments), "{rank} in the name, {open");
    EXPECT_EQ(fill_places("{unknown}", arguments), "{unknown}");
    EXPECT_EQ(without_places("Port {1} is in use by {detail}."), "Port … is in use by ….");
}

TEST(FailureId, NamesOfOthersAreKeptWithinLimits) {
    EXPECT_EQ(FailureId::from("a-rule-of-mine").text(), "a-rule-of-mine");
    EXPECT_EQ(FailureId::from("a-rule-of-mine"), FailureId::from(std::string("a-rule-of-mine")));
    EXPECT_TRUE(FailureId::from("").empty());
    EXPECT_EQ(FailureId::from("Not\x1b[2J an id").text(), "unknown-failure");
    EXPECT_EQ(FailureId::from(std::string(65, 'a')).text(), "unknown-failure");
}

TEST(Verdict, AFailureBecomesOne) {
    const Failure failure{.code = "bad-file",
                          .where = "job.yaml:3",
                          .what = "\"x\" is not a number",
                          .remedy = "Give a number.",
                          .detail = "epochs: x",
                          .key = "train.epochs",
                          .file = "job.yaml",
                          .line = 3};
    const Verdict verdict = verdict_of(failure);
    EXPECT_EQ(verdict.id, FailureId("bad-file"));
    EXPECT_EQ(verdict.title, "job.yaml:3: train.epochs: \"x\" is not a number");
    ASSERT_EQ(verdict.evidence.size(), 1U);
    EXPECT_EQ(verdict.evidence[0], (Evidence{.file = "job.yaml", .line = 3, .text = "epochs: x"}));
    EXPECT_EQ(verdict.fix, std::vector<std::string>{"Give a number."});
    EXPECT_EQ(verdict_of(failure, "node1").nodes, std::vector<std::string>{"node1"});
}

Event notice(FailureId id, std::vector<std::string> args) {
    Event event;
    event.node = "node2";
    event.rank = 3;
    event.body = NoticeEvent{.id = id, .args = std::move(args)};
    describe_notice(event);
    return event;
}

TEST(Notices, TextsComeFromTheCatalogue) {
    const Event stopped = notice("rank-stopped", {"4711", "19 (SIGSTOP)"});
    const auto& text = *stopped.as<NoticeEvent>();
    EXPECT_EQ(text.title, "Rank 3 on node2 was stopped by signal 19 (SIGSTOP). Ranks that need it wait.");
    EXPECT_EQ(text.evidence, std::vector<std::string>{"pid 4711"});
    EXPECT_EQ(text.fix, std::vector<std::string>{"On node2: `kill -CONT 4711` continues it."});
    EXPECT_EQ(notice("spool-thinned", {"120", "33554432"}).as<NoticeEvent>()->title,
              "The spool of node2 was full: the oldest 120 parts of logs and NCCL records (34 MB) of this "
              "run were removed.");
    EXPECT_EQ(notice("restart-impossible", {"node4"}).as<NoticeEvent>()->evidence,
              std::vector<std::string>{"node4 is lost"});
    const metric_lines::UnreadNotice lines{
        "r {step} -> {v}", {"r 1 -> 0.5", "r 2 -> 0.4"}, {"step=2", "v=0.4"}};
    const Event said = notice(metric_lines::UnreadNotice::id(), lines.args());
    const auto& unread = *said.as<NoticeEvent>();
    EXPECT_EQ(unread.title, "No steps are read from what rank 3 prints.");
    EXPECT_EQ(unread.evidence, lines.examples);
    EXPECT_EQ(unread.fix, std::vector<std::string>{
                              "rankscopectl metrics learn --line 'r 2 -> 0.4' --field step=2 --field v=0.4"});
    EXPECT_EQ(notice(FailureId::from("of-the-future"), {"x"}).as<NoticeEvent>()->title, "of-the-future");
    EXPECT_EQ(notice("rank-continued", {}).as<NoticeEvent>()->evidence, std::vector<std::string>{"pid ?"});
}

TEST(Notices, EveryNoticeHasItsTextWhateverTheNodeSends) {
    for (const auto& entry : failure_catalogue()) {
        for (const std::vector<std::string>& args : {std::vector<std::string>{}, {"", ""}, {"a", "b", "c"}}) {
            const Event event = notice(entry.id, args);
            EXPECT_FALSE(event.as<NoticeEvent>()->title.empty()) << entry.id;
        }
    }
}

TEST(FailureCatalogue, ThePageListsIt) {
    const std::string page = RANKSCOPE_DOCS "/failures.md";
    if (std::getenv("RANKSCOPE_UPDATE_DOCS") != nullptr) {
        ASSERT_EQ(write_file_atomically(page, failures_markdown()), 0);
    }
    EXPECT_EQ(read_file(page).value_or(""), failures_markdown())
        << "set RANKSCOPE_UPDATE_DOCS=1 and run this test again";
}

}  // namespace
}  // namespace rankscope
