// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <remote/desk/run/event_pump.h>
#include <remote/desk/store/sqlite.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
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

class EventPumpTest : public testing::Test {
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
    pump.restore(plan_of(1, 2));
    for (const auto& event : before) {
        pump.restore(event);
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

TEST_F(EventPumpTest, AStoreThatFailsIsReportedOnceAndCatchesUp) {
    Database other;
    ASSERT_TRUE(other.open((folder_ / "runs.sqlite").string()));
    // A trigger that refuses stands for a full disk.
    ASSERT_TRUE(other.run(
        "CREATE TRIGGER full BEFORE INSERT ON metrics BEGIN SELECT RAISE(ABORT, 'disk full'); END"));
    EventPump pump("run-1", store_, heard_.hooks());
    pump.set_plan(plan_of(1, 1));
    const auto notes = [&] {
        std::size_t count = 0;
        for (const auto& event : heard_.events()) {
            const auto* stage = event.as<StageEvent>();
            count += stage != nullptr && stage->detail.find("disk full") != std::string::npos ? 1 : 0;
        }
        return count;
    };
    const auto has_heard = [&](std::uint64_t seq) {
        const auto events = heard_.events();
        return std::any_of(events.begin(), events.end(),
                           [seq](const Event& event) { return event.node == "node1" && event.seq == seq; });
    };
    for (std::uint64_t seq = 1; seq <= 20; ++seq) {
        pump.post(step_event(seq, "node1", 0));
        ASSERT_TRUE(wait_until([&] { return has_heard(seq); }));
    }
    ASSERT_TRUE(wait_until([&] { return notes() == 1; }));
    EXPECT_TRUE(stored().empty());
    ASSERT_TRUE(other.run("DROP TRIGGER full"));
    pump.close();  // no further event comes: the last chance
    std::uint64_t last = 0;
    for (const auto& event : stored()) {
        if (event.node == "node1") {
            EXPECT_EQ(event.seq, ++last);
        }
    }
    EXPECT_EQ(last, 20U) << "nothing was lost meanwhile";
    EXPECT_EQ(notes(), 1U) << "and it was said once";
}

TEST_F(EventPumpTest, WorksWithoutStoreAndHooks) {
    EventPump pump("run-1", nullptr, {});
    pump.set_plan(plan_of(1, 1));
    ExitEvent exit;
    exit.code = 1;
    pump.post(make_event(exit, 1, "node1", 0));
    pump.post(make_event(EndEvent{}, 2, "node1", -1));
    pump.finish({});
    pump.close();
    pump.close();
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
    EXPECT_LE(posted, 12) << "8 MB wait, not 64";
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
