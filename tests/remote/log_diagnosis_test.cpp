// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/wait_until.h"

#include <remote/desk/run/event_pump.h>
#include <remote/desk/run/log_diagnosis.h>
#include <remote/desk/store/run_lines.h>
#include <remote/diagnosis/verdict_source.h>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;
using test::wait_until;

constexpr const char* kNoRoute =
    "host-b:7:7 [0] misc/socket.cc:456 NCCL WARN Net : Connect to 10.0.0.1<45903> failed : No route to "
    "host\n";

Verdict verdict_of(const char* id, int rank, double confidence, const char* reason = "") {
    Verdict verdict;
    verdict.id = FailureId::from(id);
    verdict.title = std::string("It is ") + id + '.';
    verdict.rank = rank;
    verdict.ranks = {rank};
    verdict.confidence = confidence;
    verdict.reason = reason;
    return verdict;
}

std::vector<std::string> ids(const std::vector<Verdict>& verdicts) {
    std::vector<std::string> all;
    for (const auto& verdict : verdicts) {
        all.push_back(verdict.id.str());
    }
    return all;
}

Event output(int rank, std::string text, bool is_stderr = true) {
    return make_event(LogEvent{is_stderr, std::move(text), 0}, 1, "node" + std::to_string(rank + 1), rank);
}

Event live(Verdict verdict, VerdictPhase phase = VerdictPhase::Live) {
    verdict.phase = phase;
    return make_event(std::move(verdict), 1, "", -1);
}

LogFindings findings() {
    LogFindings logs;
    logs.explains = {{"nccl-ports-dropped", {"peer-lost", "nccl-*"}},
                     {"killed-external", {"rank-exception"}}};
    return logs;
}

TEST(LogFindingsTest, OnlyLikelyCausesAreSaid) {
    const auto found =
        likely_causes({verdict_of("gpu-oom", 1, 0.9), verdict_of("nccl-remote-closed", 2, 0.9, "victim"),
                       verdict_of("host-oom", 1, 0.49), verdict_of("disk-full", 1, 0.6, "not-excluded")},
                      {});
    ASSERT_EQ(ids(found.verdicts), std::vector<std::string>{"gpu-oom"});
    EXPECT_TRUE(is_from_logs(found.verdicts[0]));
}

TEST(LogFindingsTest, WhatExplainsAMeasuredVerdictIsTheFirst) {
    auto logs = findings();
    logs.verdicts = {verdict_of("nccl-ports-dropped", -1, 0.8, kFromLogs)};
    EXPECT_EQ(ids(combined({verdict_of("peer-lost", 0, 1)}, logs)),
              (std::vector<std::string>{"nccl-ports-dropped", "peer-lost"}));
}

TEST(LogFindingsTest, AnotherCauseDoesNotDisplaceAMeasuredOne) {
    auto logs = findings();
    logs.verdicts = {verdict_of("disk-full", 2, 0.9, kFromLogs)};
    EXPECT_EQ(ids(combined({verdict_of("gpu-oom", 1, 0.6)}, logs)),
              (std::vector<std::string>{"gpu-oom", "disk-full"}));
}

TEST(LogFindingsTest, WhatAMeasuredVerdictExplainsIsNotSaid) {
    auto logs = findings();
    logs.verdicts = {verdict_of("rank-exception", 2, 0.9, kFromLogs)};
    const auto all = combined({verdict_of("killed-external", 1, 1)}, logs);
    ASSERT_EQ(ids(all), std::vector<std::string>{"killed-external"});
    EXPECT_EQ(all[0].waiting, std::vector<int>{2});
}

TEST(LogFindingsTest, ACauseOfBothIsSaidOnceWithItsLines) {
    auto logs = findings();
    auto shown = verdict_of("module-missing", 1, 0.97, kFromLogs);
    shown.evidence = {{"run/rank1", 12, "No module named 'apex'"}};
    logs.verdicts = {shown};
    auto measured = verdict_of("module-missing", 1, 0.9);
    measured.evidence = {{.text = "before"}, {.text = "No module named 'apex'"}};
    const auto all = combined({measured}, logs);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FALSE(is_from_logs(all[0]));
    EXPECT_EQ(all[0].confidence, 0.97);
    ASSERT_EQ(all[0].evidence.size(), 2U);
    EXPECT_EQ(all[0].evidence[0], shown.evidence[0]);
}

TEST(RunOutputTest, BothStreamsOfARankCountTheSameLines) {
    std::vector<std::string> seen;
    RunOutput lines("run", 4, [&](const logs::LogLine& line) {
        seen.push_back(std::to_string(line.place.file) + ':' + std::to_string(line.place.line) + ' ' +
                       std::string(line.host) + ' ' + std::string(line.text));
    });
    lines.take(output(0, "one\nbegin of ", false));
    lines.take(output(0, "two\n"));
    lines.take(output(0, "three\n", false));
    lines.take(output(1, "host-b:7:7 [0] NCCL INFO x\n"));
    lines.skip(0, 10);
    lines.take(output(0, "last", false));
    lines.finish();
    EXPECT_EQ(seen, (std::vector<std::string>{"4:1 node1 one", "4:2 node1 two", "4:3 node1 begin of three",
                                              "5:1 host-b host-b:7:7 [0] NCCL INFO x", "4:14 node1 last"}));
    EXPECT_EQ(lines.sources(), (std::vector<std::string>{"run/rank0", "run/rank1"}));
    Verdict verdict;
    verdict.node = "host-b";
    lines.names().replace_in(verdict);
    EXPECT_EQ(verdict.node, "node2");
}

class LogDiagnosisTest : public testing::Test {
protected:
    std::vector<Event> posted() {
        const std::lock_guard lock(mutex_);
        return posted_;
    }
    std::vector<Verdict> posted_in(VerdictPhase phase) {
        std::vector<Verdict> all;
        for (const auto& event : posted()) {
            if (const auto* verdict = event.as<DiagnosisEvent>();
                verdict != nullptr && verdict->phase == phase) {
                all.push_back(*verdict);
            }
        }
        return all;
    }
    LogFindings concluded() {
        std::atomic<bool> done = false;
        LogFindings found;
        diagnosis_.conclude([&](LogFindings findings) {
            found = std::move(findings);
            done = true;
        });
        EXPECT_TRUE(wait_until([&] { return done.load(); }));
        return found;
    }

    std::mutex mutex_;
    std::vector<Event> posted_;
    LogDiagnosis diagnosis_{"run-1", [this](Event event) {
                                const std::lock_guard lock(mutex_);
                                posted_.push_back(std::move(event));
                            }};
};

TEST_F(LogDiagnosisTest, NamesTheCauseWithFileAndLine) {
    diagnosis_.set_plan(plan_of(2, 1));
    diagnosis_.observe(output(1, std::string("begin\n") + kNoRoute));
    diagnosis_.observe(
        output(0, "[rank0]: ncclRemoteError: A call failed possibly due to a network error\n"));
    const auto found = concluded();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts[0].id, FailureId::from("nccl-ports-icmp-reject"));
    ASSERT_FALSE(found.verdicts[0].evidence.empty());
    EXPECT_EQ(found.verdicts[0].evidence[0].file, "run-1/rank1");
    EXPECT_EQ(found.verdicts[0].evidence[0].line, 2);
    EXPECT_EQ(found.verdicts[0].node, "node1") << "the address of the plan";
    EXPECT_TRUE(posted().empty()) << "nothing is said while the run makes progress";
}

TEST_F(LogDiagnosisTest, WithoutOutputNothingIsSaid) {
    EXPECT_TRUE(concluded().verdicts.empty());
}

TEST_F(LogDiagnosisTest, WhatRanksPrintAfterAStopIsNoCause) {
    diagnosis_.observe(output(0, "step 1\n"));
    diagnosis_.ignore_further();
    diagnosis_.observe(output(1, kNoRoute));
    EXPECT_TRUE(concluded().verdicts.empty());
}

TEST_F(LogDiagnosisTest, AnEarlierAttemptIsNoCause) {
    diagnosis_.observe(output(1, kNoRoute));
    diagnosis_.observe(make_event(StageEvent{StageName::Restart, StageStatus::Done, "", -1}, 2, "node1", -1));
    diagnosis_.observe(output(1, kNoRoute));  // node2 has not started again yet
    diagnosis_.observe(make_event(StageEvent{StageName::Restart, StageStatus::Done, "", -1}, 2, "node2", -1));
    diagnosis_.observe(
        output(1, "[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered\n"));
    const auto found = concluded();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts[0].id, FailureId::from("gpu-mmu-fault"));
    EXPECT_EQ(found.verdicts[0].evidence[0].line, 3) << "lines of the earlier attempt count";
}

TEST_F(LogDiagnosisTest, AHangIsExplainedWhileItLasts) {
    diagnosis_.observe(
        output(1, "kernel: NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.\n"));
    auto hang = verdict_of("rank-hang", 1, 0.97);
    hang.waiting = {0, 2};
    diagnosis_.observe(live(hang));
    ASSERT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Live).size() == 1; }));
    const auto shown = posted_in(VerdictPhase::Live)[0];
    EXPECT_EQ(shown.id, FailureId::from("gpu-fell-off-bus"));
    EXPECT_EQ(shown.node, "node2");
    EXPECT_EQ(shown.waiting, hang.waiting);
    EXPECT_GE(shown.confidence, hang.confidence) << "the hang is its consequence";
    EXPECT_EQ(shown.evidence[0].file, "run-1/rank1");
    EXPECT_GT(shown.since_us, 0);
    diagnosis_.observe(live(shown));  // its own verdict comes back in the stream
    diagnosis_.observe(live(hang, VerdictPhase::Over));
    ASSERT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Over).size() == 1; }));
    EXPECT_EQ(posted_in(VerdictPhase::Over)[0].id, shown.id);
    EXPECT_EQ(posted_in(VerdictPhase::Live).size(), 1U);
}

TEST_F(LogDiagnosisTest, ALineAfterTheVerdictExplainsTheHang) {
    diagnosis_.observe(output(0, "step 1\n"));
    diagnosis_.observe(make_event(NoticeEvent{.id = "look-unavailable", .title = "It hangs."}, 3, "", -1));
    diagnosis_.observe(
        output(0, "[rank0]: RuntimeError: CUDA error: an illegal memory access was encountered\n"));
    ASSERT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Live).size() == 1; }));
    diagnosis_.observe(make_event(MetricEvent{2, 1, {{"loss", 1}}, {}}, 4, "node1", 0));
    EXPECT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Over).size() == 1; }));
}

TEST_F(LogDiagnosisTest, WithoutProgressASureCauseIsSaid) {
    diagnosis_.set_hang_after(0.2);
    diagnosis_.observe(make_event(MetricEvent{1, 1, {{"loss", 1}}, {}}, 4, "node1", 0));
    diagnosis_.observe(
        output(1, "kernel: NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.\n"));
    ASSERT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Live).size() == 1; }));
    diagnosis_.observe(make_event(MetricEvent{2, 1, {{"loss", 1}}, {}}, 5, "node1", 0));
    EXPECT_TRUE(wait_until([&] { return posted_in(VerdictPhase::Over).size() == 1; }));
}

TEST_F(LogDiagnosisTest, AFloodIsLeftOutAndItsLinesCount) {
    std::string block;
    std::int64_t lines = 0;
    for (; block.size() < 1U << 20U; ++lines) {
        block += "host-a:7:7 [0] NCCL INFO Channel 00/02 : 0 1\n";
    }
    constexpr int kBlocks = 24;
    for (int i = 0; i < kBlocks; ++i) {
        diagnosis_.observe(output(0, block));  // returns, however far the reader is
    }
    static_cast<void>(concluded());  // there is room again
    diagnosis_.observe(output(0, kNoRoute));
    const auto found = concluded();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts[0].evidence[0].line, kBlocks * lines + 1);
}

TEST_F(LogDiagnosisTest, ClosingDeliversTheConclusion) {
    std::string block;
    while (block.size() < 4U << 20U) {
        block += "host-a:7:7 [0] NCCL INFO Channel 00/02 : 0 1\n";
    }
    diagnosis_.observe(output(0, block));
    int done = 0;
    diagnosis_.conclude([&](const LogFindings&) { ++done; });
    diagnosis_.close();
    EXPECT_EQ(done, 1);
    diagnosis_.conclude([&](const LogFindings&) { ++done; });
    EXPECT_EQ(done, 2);
}

// The end of a run as the pump delivers it.
std::vector<Event> end_of(EventPump::Ending ending, int code, const LogFindings& logs) {
    std::mutex mutex;
    std::vector<Event> events;
    EventPump::Hooks hooks;
    hooks.events = [&](const Event& event) {
        const std::lock_guard lock(mutex);
        events.push_back(event);
    };
    hooks.logs = [&](const std::function<void(LogFindings)>& done) { done(logs); };
    EventPump pump("run-1", nullptr, std::move(hooks));
    pump.set_plan(plan_of(1, 1));
    ExitEvent exit;
    exit.code = code;
    EndEvent end;
    end.outcome = code == 0 ? Outcome::Done : Outcome::Failed;
    pump.post(make_event(exit, 1, "node1", 0));
    pump.post(make_event(end, 2, "node1", -1));
    pump.finish(std::move(ending));
    pump.close();
    return events;
}

std::vector<std::string> verdicts_in(const std::vector<Event>& events) {
    std::vector<std::string> all;
    for (const auto& event : events) {
        if (const auto* verdict = event.as<DiagnosisEvent>()) {
            all.push_back(verdict->id.str());
        }
    }
    return all;
}

TEST(LogsAtTheEnd, AreSaidOfARunThatFailed) {
    LogFindings logs = findings();
    logs.verdicts = {verdict_of("disk-full", 0, 0.9, kFromLogs)};
    const auto events = end_of({}, 1, logs);
    EXPECT_EQ(verdicts_in(events), std::vector<std::string>{"disk-full"});
    const auto* end = events.back().as<EndEvent>();
    ASSERT_NE(end, nullptr);
    EXPECT_NE(end->detail.find("It is disk-full."), std::string::npos) << end->detail;
}

TEST(LogsAtTheEnd, AreNotSaidOfARunThatFinished) {
    LogFindings logs = findings();
    logs.verdicts = {verdict_of("disk-full", 0, 0.9, kFromLogs)};
    EXPECT_EQ(verdicts_in(end_of({}, 0, logs)), std::vector<std::string>{});
}

TEST(LogsAtTheEnd, AreNotSaidOfARunThatCouldNotStart) {
    LogFindings logs = findings();
    logs.verdicts = {verdict_of("disk-full", 0, 0.9, kFromLogs)};
    EndEvent end;
    end.outcome = Outcome::Failed;
    EXPECT_EQ(verdicts_in(end_of({false, end}, 1, logs)), std::vector<std::string>{});
}

}  // namespace
}  // namespace rankscope
