// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/store/sqlite.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;
using test::wait_until;

// What the pump's hooks received, from its thread.
class Heard {
public:
    EventPump::Hooks hooks() {
        EventPump::Hooks hooks;
        hooks.events = [this](const Event& event) { add(events_, event); };
        hooks.plan = [this](const LaunchPlan& plan) { add(plans_, plan.world_size); };
        hooks.failed = [this](const std::string& cause, int /*attempt*/) { add(causes_, cause); };
        hooks.all_ended = [this] { add(ends_, 1); };
        return hooks;
    }
    std::vector<Event> events() const { return copy(events_); }
    std::vector<int> plans() const { return copy(plans_); }
    std::vector<std::string> causes() const { return copy(causes_); }
    std::vector<int> ends() const { return copy(ends_); }

private:
    template <typename T>
    void add(std::vector<T>& list, const T& value) {
        const std::lock_guard lock(mutex_);
        list.push_back(value);
    }
    template <typename T>
    std::vector<T> copy(const std::vector<T>& list) const {
        const std::lock_guard lock(mutex_);
        return list;
    }

    mutable std::mutex mutex_;
    std::vector<Event> events_;
    std::vector<int> plans_;
    std::vector<std::string> causes_;
    std::vector<int> ends_;
};

Event step_event(std::uint64_t seq, const std::string& node, int rank) {
    return make_event(MetricEvent{static_cast<std::int64_t>(seq), 1, {{"loss", 1}}, {}}, seq, node, rank);
}

class EventPumpTest : public ::testing::Test {
protected:
    EventPumpTest() {
        auto store = RunStore::open(folder_ / "runs.sqlite");
        EXPECT_TRUE(store);
        store_ = *store;
        RunRecord record;
        record.run_id = "run-1";
        record.plan = plan_of(2, 1);
        EXPECT_TRUE(store_->create_run(record));
    }
    std::vector<Event> stored() const {
        std::vector<Event> events;
        EXPECT_TRUE(store_->replay("run-1", [&](const Event& event) {
            events.push_back(event);
            return true;
        }));
        return events;
    }
    static std::vector<std::string> described(const std::vector<Event>& events) {
        std::vector<std::string> all;
        for (const auto& event : events) {
            all.push_back(test::describe(event));
        }
        return all;
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
    Heard heard_;
};

TEST_F(EventPumpTest, OneOrderForSinkAndStore) {
    {
        EventPump pump("run-1", store_, heard_.hooks());
        pump.set_plan(plan_of(2, 1));
        std::vector<std::thread> posters;
        for (int node = 0; node < 2; ++node) {
            posters.emplace_back([&pump, node] {
                for (std::uint64_t seq = 1; seq <= 200; seq += 4) {
                    std::vector<Event> batch;
                    for (std::uint64_t i = seq; i < seq + 4; ++i) {
                        batch.push_back(step_event(i, "node" + std::to_string(node + 1), node));
                    }
                    pump.post(std::move(batch));
                    pump.post(desk_stage(StageName::Note, StageStatus::Progress, "n"));
                }
            });
        }
        for (auto& poster : posters) {
            poster.join();
        }
    }  // close delivers what is waiting
    const auto events = heard_.events();
    EXPECT_EQ(described(stored()), described(events));
    std::map<std::string, std::uint64_t> last;
    for (const auto& event : events) {
        EXPECT_EQ(event.seq, ++last[event.node]) << "no gap, none twice, in order: " << test::describe(event);
        EXPECT_NE(event.t_us, 0);
    }
    EXPECT_EQ(last["node1"], 200U);
    EXPECT_EQ(last["node2"], 200U);
    EXPECT_GE(last[""], 100U + 3U) << "the posted notes, and what the tracker concluded";
    EXPECT_EQ(heard_.plans(), std::vector<int>{2});
}

TEST_F(EventPumpTest, AFailureAndTheEndAreReportedOnce) {
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(2, 1));
    ExitEvent exit;
    exit.code = 3;
    EndEvent end;
    end.outcome = Outcome::Failed;
    for (int node = 0; node < 2; ++node) {
        const std::string name = "node" + std::to_string(node + 1);
        pump.post(make_event(exit, 1, name, node));
        pump.post(make_event(end, 2, name, -1));
    }
    ASSERT_TRUE(wait_until([&] { return heard_.ends().size() == 1; }));
    pump.finish({});
    pump.finish({true});
    pump.post(step_event(3, "node1", 0));
    pump.close();
    EXPECT_EQ(heard_.causes().size(), 1U);
    const auto events = heard_.events();
    const auto* last = events.back().as<EndEvent>();
    ASSERT_NE(last, nullptr) << "nothing follows the end";
    EXPECT_TRUE(events.back().node.empty());
    EXPECT_EQ(last->culprit.rank, 0);
    EXPECT_EQ(store_->run("run-1")->outcome, Outcome::Failed);
    EXPECT_EQ(described(stored()), described(events));
}

TEST_F(EventPumpTest, TheEndIsWhenTheLastNodeEndedHoweverLateItIsHeardOf) {
    const std::int64_t hour_ago = now_us() - std::int64_t{3600} * 1000000;
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(2, 1));
    EndEvent end;
    end.outcome = Outcome::Done;
    for (int node = 0; node < 2; ++node) {
        Event ended = make_event(end, 1, "node" + std::to_string(node + 1), -1);
        ended.t_us = hour_ago + node;
        pump.post(std::move(ended));
    }
    ASSERT_TRUE(wait_until([&] { return heard_.ends().size() == 1; }));
    pump.finish({});
    pump.close();
    EXPECT_EQ(store_->run("run-1")->ended_us, hour_ago + 1);
    EXPECT_EQ(heard_.events().back().t_us, hour_ago + 1);
    RunState state;
    for (const auto& event : stored()) {
        state.apply(event);
    }
    EXPECT_EQ(state.last_us, hour_ago + 1) << "what the desk did later is no part of the run";
}

TEST_F(EventPumpTest, ANodeThatIsPresumedLostSaysNothingAboutTheEnd) {
    const std::int64_t minute_ago = now_us() - 60000000;
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(2, 1));
    EndEvent failed;
    failed.outcome = Outcome::Failed;
    Event ended = make_event(failed, 1, "node1", -1);
    ended.t_us = minute_ago;
    pump.post(std::move(ended));
    EndEvent lost;
    lost.outcome = Outcome::Lost;
    lost.presumed = true;
    Event presumed = make_event(lost, 1, "node2", -1);
    presumed.t_us = 0;
    pump.post(std::move(presumed));
    pump.finish({});
    pump.close();
    EXPECT_EQ(store_->run("run-1")->ended_us, minute_ago);
}

TEST_F(EventPumpTest, AForcedEndIsTakenAsItIs) {
    EventPump pump("run-1", store_, heard_.hooks());
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 4;
    end.detail = "node2 could not be reached.";
    pump.finish({false, end});
    pump.close();
    ASSERT_EQ(heard_.events().size(), 1U);
    EXPECT_EQ(heard_.events()[0].as<EndEvent>()->exit_code, 4);
    EXPECT_EQ(store_->run("run-1")->exit_code, 4);
    EXPECT_EQ(store_->run("run-1")->summary, "node2 could not be reached.");
}

TEST_F(EventPumpTest, ARestoredRunContinuesWhereItWas) {
    {
        EventPump pump("run-1", store_, heard_.hooks());
        pump.set_plan(plan_of(1, 2));
        pump.post(desk_stage(StageName::Start, StageStatus::Done));
        pump.post(step_event(1, "node1", 0));
        pump.post(make_event(StageEvent{StageName::Note, StageStatus::Progress, "x", -1}, 2, "node1", -1));
    }
    const auto before = stored();
    std::uint64_t desk = 0;
    for (const auto& event : before) {
        desk = event.node.empty() ? event.seq : desk;
    }
    Heard again;
    EventPump pump("run-1", store_, again.hooks());
    {
        const EventPump::Restoring restoring(pump);
        restoring.plan(plan_of(1, 2));
        for (const auto& event : before) {
            restoring.event(event);
        }
    }
    pump.post(step_event(3, "node1", 1));
    pump.close();
    const auto events = again.events();
    ASSERT_GE(events.size(), 3U);
    EXPECT_EQ(events[1].as<StageEvent>()->name, StageName::Rendezvous);
    EXPECT_EQ(events[1].as<StageEvent>()->status, StageStatus::Done) << "the second of two ranks";
    EXPECT_EQ(events[1].seq, desk + 1);
    EXPECT_EQ(stored().size(), before.size() + events.size());
}

// As a faulty rule of the user's, which is reported as soon as the first output is recalled.
TEST_F(EventPumpTest, NotesOfTheDeskWaitForTheStoredOnes) {
    {
        EventPump pump("run-1", store_, heard_.hooks());
        pump.set_plan(plan_of(1, 1));
        for (const char* text : {"one", "two", "three"}) {
            pump.post(desk_stage(StageName::Note, StageStatus::Progress, text));
        }
    }
    const auto before = stored();
    Heard again;
    EventPump pump("run-1", store_, again.hooks());
    {
        const EventPump::Restoring restoring(pump);
        restoring.plan(plan_of(1, 1));
        std::thread other([&] { pump.post(desk_stage(StageName::Note, StageStatus::Failed, "early")); });
        other.join();
        for (const auto& event : before) {
            EXPECT_TRUE(again.events().empty());
            restoring.event(event);
        }
    }
    pump.close();
    const auto all = stored();
    ASSERT_EQ(all.size(), before.size() + 1) << "no number is used twice";
    EXPECT_EQ(all.back().as<StageEvent>()->detail, "early");
    EXPECT_GT(all.back().seq, before.back().seq);
}

// A trigger that refuses stands for a full disk.
class RefusingStoreTest : public EventPumpTest {
protected:
    RefusingStoreTest() { EXPECT_TRUE(other_.open((folder_ / "runs.sqlite").string())); }
    void refuse() {
        for (const char* table : {"metrics", "events"}) {
            ASSERT_TRUE(other_.run((std::string("CREATE TRIGGER full_") + table + " BEFORE INSERT ON " +
                                    table + " BEGIN SELECT RAISE(ABORT, 'disk full'); END")
                                       .c_str()));
        }
    }
    void accept() { ASSERT_TRUE(other_.run("DROP TRIGGER full_metrics; DROP TRIGGER full_events")); }
    // Notices with this id, as the sink got them.
    std::size_t notices(FailureId id) const {
        const auto events = heard_.events();
        return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [id](const Event& event) {
            const auto* notice = event.as<NoticeEvent>();
            return notice != nullptr && notice->id == id && event.node.empty();
        }));
    }
    bool has_heard(const std::string& node, std::uint64_t seq) const {
        const auto events = heard_.events();
        return std::any_of(events.begin(), events.end(),
                           [&](const Event& event) { return event.node == node && event.seq == seq; });
    }
    // The numbers stored of a node, in their order.
    std::vector<std::uint64_t> numbers(const std::string& node) const {
        std::vector<std::uint64_t> all;
        for (const auto& event : stored()) {
            if (event.node == node) {
                all.push_back(event.seq);
            }
        }
        return all;
    }

    Database other_;
};

TEST_F(RefusingStoreTest, AStoreThatFailsIsReportedOnceAndCatchesUp) {
    refuse();
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(1, 1));
    for (std::uint64_t seq = 1; seq <= 20; ++seq) {
        pump.post(step_event(seq, "node1", 0));
        ASSERT_TRUE(wait_until([&] { return has_heard("node1", seq); }));
    }
    ASSERT_TRUE(wait_until([&] { return notices("store") == 1; }));
    const auto events = heard_.events();
    const auto notice = std::find_if(events.begin(), events.end(),
                                     [](const Event& event) { return event.as<NoticeEvent>() != nullptr; });
    const auto& evidence = notice->as<NoticeEvent>()->evidence;
    EXPECT_NE(std::find(evidence.begin(), evidence.end(), "disk full"), evidence.end());
    EXPECT_FALSE(notice->as<NoticeEvent>()->fix.empty());
    EXPECT_TRUE(stored().empty());
    accept();
    pump.close();  // no further event comes: the last chance
    std::vector<std::uint64_t> all(20);
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(numbers("node1"), all) << "nothing was lost meanwhile";
    EXPECT_EQ(notices("store"), 1U) << "and it was said once";
    EXPECT_EQ(notices("store-recovered"), 1U);
}

TEST_F(RefusingStoreTest, CatchesUpByItselfWhenNoFurtherEventComes) {
    refuse();
    EventPump pump("run-1", store_, heard_.hooks());
    pump.post(step_event(1, "node1", 0));
    ASSERT_TRUE(wait_until([&] { return notices("store") == 1; }));
    accept();
    ASSERT_TRUE(wait_until([&] { return notices("store-recovered") == 1; }));
    ASSERT_TRUE(wait_until([&] { return numbers("node1").size() == 1; }));
}

TEST_F(RefusingStoreTest, BeyondTheBoundANodeIsCutOffAndReadAgainAtTheNextAttach) {
    constexpr std::uint64_t kCount = 200;  // 100 MB
    const auto text_event = [](std::uint64_t seq) {
        return make_event(LogEvent{false, std::string((512U << 10U) - 1, 'y') + '\n'}, seq, "node1", 0);
    };
    {
        EventPump pump("run-1", store_, heard_.hooks());
        pump.set_plan(plan_of(2, 1));
        for (std::uint64_t seq = 1; seq <= 3; ++seq) {
            pump.post(text_event(seq));
        }
        ASSERT_TRUE(wait_until([&] { return numbers("node1").size() == 3; }));
        refuse();
        pump.post(step_event(1, "node2", 1));
        for (std::uint64_t seq = 4; seq <= kCount; ++seq) {
            pump.post(text_event(seq));
        }
        ASSERT_TRUE(wait_until([&] { return has_heard("node1", kCount); })) << "Live has all of them";
        EXPECT_EQ(notices("store-gap"), 1U) << "one node only";
        accept();
        ASSERT_TRUE(wait_until([&] { return notices("store-recovered") == 1; }));
        pump.post(step_event(2, "node2", 1));
        pump.post(text_event(kCount + 1));
        pump.finish({});
        pump.close();
    }
    EXPECT_EQ(numbers("node2"), (std::vector<std::uint64_t>{1, 2})) << "the other node is complete";
    const auto last = store_->last_seqs("run-1");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->at("node1"), 3U) << "where the next attach begins to read";
    EXPECT_EQ(store_->run("run-1")->outcome, Outcome::Running) << "its end is not known without them";

    const auto before = stored();
    EventPump attached("run-1", store_, {});
    {
        const EventPump::Restoring restoring(attached);
        restoring.plan(plan_of(2, 1));
        for (const auto& event : before) {
            restoring.event(event);
        }
    }
    for (std::uint64_t seq = last->at("node1") + 1; seq <= kCount; ++seq) {
        attached.post(text_event(seq));
    }
    EndEvent end;
    attached.post(make_event(end, kCount + 1, "node1", -1));
    attached.post(make_event(end, 3, "node2", -1));
    attached.finish({});
    attached.close();
    std::vector<std::uint64_t> all(kCount + 1);
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(numbers("node1"), all) << "no gap is left";
    EXPECT_NE(store_->run("run-1")->outcome, Outcome::Running);
}

TEST_F(RefusingStoreTest, TheBacklogWaitsBetweenAttemptsAndCountsItsBytes) {
    refuse();
    StoreBacklog backlog("run-1", store_);
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 5000; ++seq) {
        events.push_back(step_event(seq, "node1", 0));
    }
    const auto failed = backlog.store(events);
    EXPECT_TRUE(failed.failed);
    EXPECT_TRUE(events.empty());
    const std::size_t bytes = backlog.bytes();
    EXPECT_GT(bytes, 5000U * sizeof(Event));
    ASSERT_TRUE(backlog.next_try());
    EXPECT_GT(*backlog.next_try(), std::chrono::steady_clock::now());
    for (int i = 0; i < 8; ++i) {  // the next attempt is half a minute away then
        const auto still = backlog.store(events, StoreBacklog::When::Now);
        EXPECT_FALSE(still.failed) << "reported already";
    }
    EXPECT_EQ(backlog.bytes(), bytes);
    accept();
    EXPECT_FALSE(backlog.store(events).recovered) << "not before its time";
    EXPECT_EQ(backlog.bytes(), bytes);
    EXPECT_TRUE(backlog.store(events, StoreBacklog::When::Now).recovered);
    EXPECT_TRUE(backlog.empty());
    EXPECT_EQ(backlog.bytes(), 0U);
    EXPECT_FALSE(backlog.next_try());
    EXPECT_EQ(numbers("node1").size(), 5000U) << "in pieces, each once";
}

TEST_F(RefusingStoreTest, APlanThatTheStoreRefusesIsStoredLater) {
    ASSERT_TRUE(other_.run(
        "CREATE TRIGGER full_runs BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'disk full'); END"));
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(4, 2));
    pump.post(step_event(1, "node1", 0));
    ASSERT_TRUE(wait_until([&] { return notices("store") == 1; }));
    ASSERT_TRUE(other_.run("DROP TRIGGER full_runs"));
    ASSERT_TRUE(wait_until([&] { return store_->run("run-1")->world_size == 8; }));
}

TEST_F(EventPumpTest, WorksWithoutStoreAndHooks) {
    EventPump pump("run-1", nullptr, {});
    pump.set_plan(plan_of(1, 1));
    ExitEvent exit;
    exit.code = 1;
    pump.post(make_event(exit, 1, "node1", 0));
    pump.post(make_event(EndEvent{}, 2, "node1", -1));
    std::atomic<int> worked = 0;
    pump.run_later([&] { ++worked; });
    pump.finish({});
    pump.run_later([&] { ++worked; });
    pump.close();
    pump.close();
    EXPECT_EQ(worked, 2) << "what is posted before and after the end is taken";
}

TEST_F(EventPumpTest, AFloodOfLogsIsThinnedAndSaysSo) {
    constexpr std::uint64_t kLimit = 100000;
    constexpr std::uint64_t kEach = 1000;
    constexpr std::uint64_t kCount = 1000;
    {
        EventPump pump("run-1", store_, heard_.hooks(), kLimit);
        pump.set_plan(plan_of(2, 1));
        for (std::uint64_t i = 1; i <= kCount; ++i) {
            pump.post(make_event(LogEvent{false, std::string(kEach - 1, 'y') + '\n'}, 2 * i, "node1", 0));
            pump.post(step_event(2 * i + 1, "node1", 0));
        }
        pump.finish({});
    }
    std::uint64_t kept = 0;
    std::uint64_t dropped = 0;
    std::size_t metrics = 0;
    for (const auto& event : stored()) {
        if (const auto* log = event.as<LogEvent>()) {
            kept += log->text.size();
            dropped += log->dropped_bytes;
        }
        metrics += event.as<MetricEvent>() != nullptr ? 1 : 0;
    }
    EXPECT_LE(kept, kLimit + 3 * 2048) << "the limit, and a few lines per second";
    EXPECT_EQ(kept + dropped, kCount * kEach) << "every byte is accounted for";
    EXPECT_EQ(metrics, kCount) << "nothing but logs gives way";
}

TEST_F(EventPumpTest, WhoPostsWaitsWhereTheSinkIsSlower) {
    std::atomic<bool> let_go{false};
    EventPump::Hooks hooks;
    hooks.events = [&](const Event&) {
        while (!let_go) {
            std::this_thread::yield();
        }
    };
    EventPump pump("run-1", store_, std::move(hooks));
    std::atomic<int> posted{0};
    std::thread poster([&] {
        for (int i = 0; i < 64; ++i) {
            pump.post(
                make_event(LogEvent{false, std::string(1U << 20U, 'y')}, static_cast<std::uint64_t>(i) + 1));
            ++posted;
        }
    });
    ASSERT_TRUE(wait_until([&] { return posted >= 8; }));
    // A batch of 8 MB that the sink holds, as much behind it, and the one that waits.
    EXPECT_LE(posted, 17) << "not 64";
    let_go = true;
    poster.join();
    EXPECT_EQ(posted, 64);
}

TEST_F(EventPumpTest, AnEndNamesWhoHasNotConfirmedIt) {
    {
        EventPump pump("run-1", store_, heard_.hooks());
        pump.set_plan(plan_of(2, 1));
        pump.finish({true, std::nullopt, {"node2"}, "node2 has not confirmed the end."});
    }
    const auto events = heard_.events();
    ASSERT_FALSE(events.empty());
    const auto* end = events.back().as<EndEvent>();
    ASSERT_NE(end, nullptr);
    EXPECT_EQ(end->outcome, Outcome::Stopped);
    EXPECT_EQ(end->unconfirmed, std::vector<std::string>{"node2"});
    EXPECT_EQ(end->detail, "Stopped by the user. node2 has not confirmed the end.");
}

}  // namespace
}  // namespace rankscope
