// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/run/log_diagnosis.h>
#include <remote/desk/runs/run/stored_causes.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/diagnosis/verdict_source.h>
#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
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

// torchrun says in the log of rank 0 that rank 1 was killed.
TEST(LogFindingsTest, ALogThatRanksShareDoesNotAccuseItsRank) {
    auto logs = findings();
    logs.verdicts = {verdict_of("killed-external", 0, 0.8, kFromLogs)};
    EXPECT_EQ(combined({verdict_of("killed-external", 1, 1)}, logs).size(), 2U);
    logs.shared = {0};
    const auto all = combined({verdict_of("killed-external", 1, 1)}, logs);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].rank, 1);
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

class LogDiagnosisTest : public ::testing::Test {
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

class LookedAtTest : public ::testing::Test {
protected:
    std::shared_ptr<const ReadingSnapshot> look() {
        std::promise<std::shared_ptr<const ReadingSnapshot>> answer;
        auto looked = answer.get_future();
        EXPECT_TRUE(reading_.look([&](auto snapshot) { answer.set_value(std::move(snapshot)); }));
        return looked.get();
    }
    LogFindings concluded() {
        std::promise<LogFindings> found;
        reading_.conclude([&](LogFindings findings) { found.set_value(std::move(findings)); });
        return found.get_future().get();
    }

    LogDiagnosis reading_{"run-1", [](const Event&) {}, ReadingDepth::All};
};

TEST_F(LookedAtTest, CausesAndSnapshotsAreOfOneReading) {
    EXPECT_EQ(look()->lines_read, 0U);
    reading_.observe(output(1, std::string("begin\n") + kNoRoute));
    const auto before = look();
    EXPECT_EQ(before->lines_read, 2U);
    EXPECT_FALSE(before->complete);
    EXPECT_EQ(look(), before) << "nothing is new";
    reading_.ignore_further();
    reading_.observe(
        output(0, "[rank0]: RuntimeError: CUDA error: an illegal memory access was encountered\n"));
    const auto found = concluded();
    ASSERT_EQ(found.verdicts.size(), 1U);
    EXPECT_EQ(found.verdicts[0].id, FailureId::from("nccl-ports-icmp-reject"));
    auto end = verdict_of("killed-external", 0, 1);
    end.phase = VerdictPhase::End;
    reading_.observe(make_event(end, 3, "", -1));
    reading_.observe(make_event(EndEvent{}, 4, "", -1));
    const auto whole = look();
    EXPECT_TRUE(whole->complete);
    EXPECT_EQ(whole->lines_read, 3U) << "what comes after a stop is shown, too";
    EXPECT_TRUE(std::any_of(whole->verdicts.begin(), whole->verdicts.end(), [](const Verdict& verdict) {
        return verdict.id == FailureId::from("killed-external");
    }));
    EXPECT_EQ(look(), whole);
}

TEST_F(LookedAtTest, FactsAreOfTheLastAttempt) {
    const auto restart = [](std::uint64_t seq, const char* node) {
        return make_event(StageEvent{StageName::Restart, StageStatus::Done, "", -1}, seq, node, -1);
    };
    reading_.observe(output(1, "host:1:1 [0] NCCL INFO NCCL version 2.18.1+cuda12.1\n"));
    EXPECT_EQ(look()->facts.nccl_lines, 1U);
    reading_.observe(restart(2, "node1"));
    reading_.observe(output(1, "host:1:1 [0] NCCL INFO late\n"));  // node2 has not started again yet
    reading_.observe(restart(2, "node2"));
    reading_.observe(output(1, "host:2:2 [0] NCCL INFO one\nhost:2:2 [0] NCCL INFO two\n"));
    EXPECT_EQ(look()->facts.nccl_lines, 2U);
}

TEST_F(LookedAtTest, ALookThatWaitsIsAnsweredAtTheEnd) {
    std::atomic<int> answers = 0;
    for (int i = 0; i < 20; ++i) {
        reading_.observe(output(1, "one\n"));
        EXPECT_TRUE(reading_.look([&](const auto& snapshot) { answers += snapshot ? 1 : 0; }));
    }
    reading_.close();
    EXPECT_EQ(answers, 20);
}

TEST_F(LookedAtTest, NobodyLooksAtWhatIsClosed) {
    reading_.observe(output(1, "one\n"));
    reading_.close();
    EXPECT_FALSE(reading_.look([](const auto&) { FAIL(); }));
}

TEST_F(LogDiagnosisTest, NobodyLooksWhereOnlyCausesAreRead) {
    EXPECT_FALSE(diagnosis_.look([](const auto&) { FAIL(); }));
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

// A stored run as `diagnose RUN` reads it: through the store, its lines, steps, exits and ends.
class StoredRunTest : public ::testing::Test {
protected:
    StoredRunTest() {
        auto opened = RunStore::open(folder_ / "runs.sqlite");
        EXPECT_TRUE(opened);
        store_ = *opened;
        RunRecord record;
        record.run_id = "run-1";
        record.plan = plan_of(2, 2);
        EXPECT_TRUE(store_->create_run(record));
    }
    void add(EventBody body, double at_s, int rank) {
        const auto node = rank < 0 ? std::string() : "node" + std::to_string(rank / 2 + 1);
        Event event = make_event(std::move(body), ++seq_, node, rank);
        event.t_us = static_cast<std::int64_t>(at_s * 1e6);
        events_.push_back(std::move(event));
    }
    void print(double at_s, int rank, const std::string& line) {
        add(LogEvent{true, line + '\n', 0}, at_s, rank);
    }
    void exit(double at_s, int rank, int code, int signal = 0, const std::string& oom = "") {
        ExitEvent exit;
        exit.code = code;
        exit.signal = signal;
        exit.oom = oom;
        add(exit, at_s, rank);
    }
    void end(Outcome outcome) {
        EndEvent end;
        end.outcome = outcome;
        add(end, 2000, -1);
    }
    logs::DiagnosisResult diagnosed() {
        EXPECT_TRUE(store_->append("run-1", events_));
        static const auto set = logs::load_rules(logs::usual_rule_folders());
        EXPECT_FALSE(set.rules.empty());
        logs::Diagnosis diagnosis(set.rules);
        StoredCauses causes;
        const RunSink sink{
            .line = [&](const logs::LogLine& line) { diagnosis.take(line); },
            .step = [&](const logs::ReportedStep& step) { diagnosis.take(step); },
            .exit = [&](logs::ProcessExit exit) { diagnosis.take(std::move(exit)); },
            .event = [&](const RunRecord& record, const Event& event) { causes.observe(record, event); }};
        auto read = read_run_lines(*store_, "run-1", 0, sink, {});
        EXPECT_TRUE(read);
        auto found = diagnosis.finish(read->sources);
        causes.add_to(found.verdicts, std::move(read->verdicts), true);
        return found;
    }

    const test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
    std::vector<Event> events_;
    std::uint64_t seq_ = 0;
};

TEST_F(StoredRunTest, ExitsSayWhatNoLineDoes) {
    print(1000, 0, "[rank0]: RuntimeError: Connection closed by peer [10.0.0.2]:33484");
    exit(1000.5, 3, -1, 9, "cgroup");
    exit(1001, 0, 1);
    end(Outcome::Failed);
    const auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "host-oom");
    EXPECT_EQ(found.verdicts.front().rank, 3);
    EXPECT_EQ(found.verdicts.front().node, "node2");
    std::vector<int> ended;
    for (const auto& entry : found.timeline) {
        if (entry.kind == logs::TimelineKind::Exit) {
            ended.push_back(entry.rank);
            EXPECT_NE(entry.text.find(entry.rank == 3 ? "signal 9" : "code 1"), std::string::npos)
                << entry.text;
        }
    }
    EXPECT_EQ(ended, (std::vector<int>{3, 0}));
}

TEST_F(StoredRunTest, MeasuredVerdictsAreKept) {
    auto measured = verdict_of("rank-hang", 1, 0.9);
    exit(1000, 3, -1, 9);
    add(measured, 1001, -1);
    end(Outcome::Failed);
    const auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(ids(found.verdicts), std::vector<std::string>{"rank-hang"});
}

TEST_F(StoredRunTest, ExitsNameTheFirstOfThoseThatFailAlike) {
    // Within a moment: the lines do not say who was the first.
    print(1000.1, 2, "[rank2]: ValueError: the label 1000 is out of range");
    print(1000.2, 1, "[rank1]: ValueError: the label 1000 is out of range");
    exit(1000.3, 1, 1);
    exit(1000.4, 2, 1);
    end(Outcome::Failed);
    const auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "rank-exception");
    EXPECT_EQ(found.verdicts.front().rank, 1);
    EXPECT_EQ(found.verdicts.front().node, "node1");
}

TEST_F(StoredRunTest, RunThatFinishedHasNoCause) {
    print(1000, 1, "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    for (int rank = 0; rank < 4; ++rank) {
        exit(1100, rank, 0);
    }
    end(Outcome::Done);
    EXPECT_TRUE(diagnosed().verdicts.empty());
}

TEST_F(StoredRunTest, StepsAndExitsShowThatAnErrorWasHandled) {
    print(1000, 1, "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    for (int step = 1; step < 5; ++step) {
        add(MetricEvent{step, 1, {{"loss", 1.0}}, {}}, 1000.0 + step, 1);
    }
    print(1010, 1, "[rank1]: ValueError: the label 1000 is out of range");
    exit(1011, 1, 1);
    end(Outcome::Failed);
    auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "rank-exception");
}

TEST_F(StoredRunTest, WithoutProgressItIsTheCause) {
    add(MetricEvent{1, 1, {{"loss", 1.0}}, {}}, 990, 1);
    print(1000, 1, "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    exit(1001, 1, 1);
    const auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "gpu-oom");
    EXPECT_EQ(found.verdicts.front().rank, 1);
}

TEST_F(StoredRunTest, TimesAreThoseOfTheEvents) {
    // What a node prints is of its own clock and zone.
    print(1000, 2, "2026-01-02 03:04:05 IndexError: list index out of range");
    print(1010, 0, "1999-01-02 03:04:05 ValueError: x");
    const auto found = diagnosed();
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().rank, 2);
    EXPECT_NEAR(found.timeline.front().moment.time, 1000, 1e-3);
}

}  // namespace
}  // namespace rankscope
