// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/sqlite.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <thread>

namespace rankscope {
namespace {

using test::describe;
using test::make_event;
using test::plan_of;
using test::TemporaryFolder;

std::vector<std::string> replayed(const RunStore& store, const std::string& run_id) {
    std::vector<std::string> all;
    const auto result = store.replay(run_id, [&](const Event& event) {
        all.push_back(describe(event));
        return true;
    });
    EXPECT_TRUE(result) << (result ? "" : to_line(result.failure()));
    return all;
}

std::vector<std::string> described(const std::vector<Event>& events) {
    std::vector<std::string> all;
    for (const auto& event : events) {
        all.push_back(describe(event));
    }
    return all;
}

Event stored_step(std::uint64_t seq, const std::string& node = "node1", int rank = 0) {
    return make_event(
        MetricEvent{static_cast<std::int64_t>(seq), 1, {{"loss", 1.0 / static_cast<double>(seq)}}, {}}, seq,
        node, rank);
}

class RunStoreTest : public ::testing::Test {
protected:
    RunStoreTest() : store_(open()) {
        if (store_) {
            EXPECT_TRUE(store_->create_run(record("run-1", 100)));
        }
    }
    std::shared_ptr<RunStore> open() const {
        auto store = RunStore::open(file());
        EXPECT_TRUE(store) << (store ? "" : to_line(store.failure()));
        return store ? *store : nullptr;
    }
    std::filesystem::path file() const { return folder_ / "data/runs.sqlite"; }
    static RunRecord record(const std::string& id, std::int64_t started_us) {
        RunRecord record;
        record.run_id = id;
        record.name = "mnist";
        record.job_yaml = "name: mnist\n";
        record.plan = plan_of(2, 2);
        record.started_us = started_us;
        return record;
    }

    TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST_F(RunStoreTest, ReplayIsWhatWasAppendedInOrder) {
    std::vector<Event> all;
    std::map<std::string, std::uint64_t> seqs;
    for (int round = 0; round < 5; ++round) {
        std::vector<Event> batch;
        for (auto event : test::all_kinds()) {
            for (const char* node : {"node2", "", "node1"}) {
                event.node = node;
                event.seq = ++seqs[node];
                if (auto* metric = std::get_if<MetricEvent>(&event.body)) {
                    metric->step = static_cast<std::int64_t>(event.seq);  // of one step the last value counts
                }
                event.t_us += 1 - round;  // clocks may run backwards: the order of arrival counts
                batch.push_back(event);
            }
        }
        ASSERT_TRUE(store_->append("run-1", batch));
        all.insert(all.end(), batch.begin(), batch.end());
    }
    EXPECT_EQ(replayed(*store_, "run-1"), described(all));
    const auto last = store_->last_seqs("run-1");
    ASSERT_TRUE(last);
    EXPECT_EQ(*last, seqs);
    EXPECT_EQ(replayed(*open(), "run-1"), described(all)) << "and again from the file";
}

TEST_F(RunStoreTest, AnEventIsStoredOnceWhateverIsSentAgain) {
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 10; ++seq) {
        events.push_back(stored_step(seq));
    }
    ASSERT_TRUE(store_->append("run-1", {events.begin(), events.begin() + 6}));
    ASSERT_TRUE(store_->append("run-1", {events.begin() + 3, events.end()}));
    ASSERT_TRUE(store_->append("run-1", events));
    Event other = make_event(LogEvent{false, "other\n"}, 11);
    ASSERT_TRUE(store_->append("run-1", {other, other}));
    events.push_back(other);
    EXPECT_EQ(replayed(*store_, "run-1"), described(events));
}

TEST_F(RunStoreTest, RunsDoNotMix) {
    ASSERT_TRUE(store_->create_run(record("run-2", 200)));
    ASSERT_TRUE(store_->append("run-1", {stored_step(1)}));
    ASSERT_TRUE(store_->append("run-2", {stored_step(1), stored_step(2)}));
    EXPECT_EQ(replayed(*store_, "run-1").size(), 1U);
    EXPECT_EQ(replayed(*store_, "run-2").size(), 2U);
    ASSERT_TRUE(store_->remove_run("run-2"));
    EXPECT_TRUE(replayed(*store_, "run-2").empty());
    EXPECT_TRUE(store_->last_seqs("run-2")->empty());
    EXPECT_EQ(replayed(*store_, "run-1").size(), 1U);
    EXPECT_EQ(store_->run("run-2").failure().code, FailureId("no-such-run"));
    EXPECT_EQ(store_->runs()->size(), 1U);
    ASSERT_TRUE(store_->create_run(record("run-2", 300)));
    EXPECT_FALSE(store_->create_run(record("run-2", 300))) << "the id is taken";
}

TEST_F(RunStoreTest, RecordsComeBack) {
    ASSERT_TRUE(store_->create_run(record("run-2", 50)));
    auto runs = store_->runs();
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 2U);
    EXPECT_EQ((*runs)[0].run_id, "run-1") << "newest first";
    EXPECT_EQ((*runs)[0].outcome, Outcome::Running);
    EXPECT_EQ((*runs)[0].nodes, "node1,node2");
    EXPECT_EQ((*runs)[0].world_size, 4);
    EXPECT_EQ((*runs)[0].job_yaml, "name: mnist\n");
    EXPECT_TRUE((*runs)[0].plan.ranks.empty()) << "a list has no plans";
    EXPECT_EQ(to_text(store_->run("run-1")->plan), to_text(plan_of(2, 2)));
    EXPECT_EQ(store_->runs(1)->size(), 1U);
    ASSERT_TRUE(store_->set_plan("run-1", plan_of(1, 3)));
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 1;
    end.detail = "Rank 2 …";
    ASSERT_TRUE(store_->finish_run("run-1", 777, end));
    const auto run = store_->run("run-1");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->world_size, 3);
    EXPECT_EQ(run->nodes, "node1");
    EXPECT_EQ(run->ended_us, 777);
    EXPECT_EQ(run->outcome, Outcome::Failed);
    EXPECT_EQ(run->exit_code, 1);
    EXPECT_EQ(run->summary, "Rank 2 …");
}

TEST_F(RunStoreTest, MetricsCanBeAskedBySql) {
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 4; ++seq) {
        MetricEvent metric{static_cast<std::int64_t>(seq * 10),
                           1,
                           {{"lr", 0.1}, {"loss", static_cast<double>(seq)}, {"mine", 5}},
                           {}};
        if (seq == 4) {
            metric.values[1].second = std::nan("");
        }
        events.push_back(make_event(metric, seq, "node1", static_cast<int>(seq % 2)));
    }
    ASSERT_TRUE(store_->append("run-1", events));
    Database database;
    ASSERT_TRUE(database.open(file().string()));
    Statement select(
        database,
        "SELECT COUNT(*), AVG(loss), MAX(step), SUM(lr), COUNT(acc1), SUM(json_extract(more, '$.mine')) "
        "FROM metrics WHERE run_id = ?");
    select.bind(1, std::string("run-1"));
    ASSERT_EQ(select.step(), Statement::Step::Row) << database.message();
    EXPECT_EQ(select.whole(0), 4);
    EXPECT_DOUBLE_EQ(select.number(1), 2.0) << "NaN is no number to SQL";
    EXPECT_EQ(select.whole(2), 40);
    EXPECT_DOUBLE_EQ(select.number(3), 0.4);
    EXPECT_EQ(select.whole(4), 0);
    EXPECT_EQ(select.whole(5), 20);
}

TEST_F(RunStoreTest, NotANumberAndBothInfinitiesComeBackAsTheyWere) {
    MetricEvent metric{
        1, 2, {{"loss", std::nan("")}, {"acc1", INFINITY}, {"lr", -INFINITY}, {"other", -INFINITY}}, {}};
    ASSERT_TRUE(store_->append("run-1", {make_event(metric)}));
    MetricEvent back;
    ASSERT_TRUE(store_->replay("run-1", [&](const Event& event) {
        back = *event.as<MetricEvent>();
        return true;
    }));
    EXPECT_TRUE(back.has("loss") && std::isnan(back.value("loss")));
    EXPECT_EQ(back.value("acc1"), INFINITY);
    EXPECT_EQ(back.value("lr"), -INFINITY);
    EXPECT_EQ(back.value("other"), -INFINITY);
    EXPECT_FALSE(back.has("images_per_s"));
    EXPECT_TRUE(back.texts.empty());
}

TEST_F(RunStoreTest, WhateverANodeSendsCanBeReplayed) {
    MetricEvent odd{-1,
                    -1,
                    {{"step", std::nan("")}, {"epoch", 3}, {"", 1}, {"loss", 2}, {"loss", 3}},
                    {{"step", "x"}, {"loss", "text"}}};
    StageEvent stage{StageName::Note, StageStatus::Done, std::string("zero\0byte", 9), std::nan("")};
    std::vector<Event> events{make_event(odd, 1), make_event(stage, 2),
                              make_event(LogEvent{true, "\x80\xff"}, 3), stored_step(4)};
    events[0].rank = -5;
    events[1].t_us = -1;
    ASSERT_TRUE(store_->append("run-1", events));
    EXPECT_EQ(replayed(*store_, "run-1").size(), 4U);
    EXPECT_EQ(replayed(*store_, "run-1")[3], describe(events[3]));
}

TEST_F(RunStoreTest, NoNameIsPartOfAStatement) {
    ASSERT_TRUE(store_->append("run-1", {stored_step(1)}));
    for (const std::string attack : {"x'; DROP TABLE runs; --", "x\"; DELETE FROM events; --", "' OR '1'='1",
                                     "%", "run-_", "x\\' UNION SELECT 1"}) {
        RunRecord odd = record(attack, 200);
        odd.name = odd.summary = odd.nodes = attack;
        ASSERT_TRUE(store_->create_run(odd)) << attack;
        ASSERT_TRUE(store_->append(attack, {make_event(MetricEvent{1, 1, {{attack, 1}}, {}}, 1, attack, 0)}));
        EXPECT_EQ(replayed(*store_, attack).size(), 1U) << attack;
        EXPECT_EQ(store_->run(attack)->name, attack);
    }
    EXPECT_EQ(replayed(*store_, "run-1").size(), 1U);
    EXPECT_EQ(store_->runs()->size(), 7U);
}

TEST_F(RunStoreTest, OneUnreadableEventDoesNotHideTheOthers) {
    ASSERT_TRUE(
        store_->append("run-1", {stored_step(1), make_event(LogEvent{false, "a\n"}, 2), stored_step(3)}));
    Database database;
    ASSERT_TRUE(database.open(file().string()));
    ASSERT_TRUE(database.run("UPDATE events SET body = '{broken'"));
    const auto all = replayed(*store_, "run-1");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[2], describe(stored_step(3)));
    EXPECT_NE(all[1].find("note"), std::string::npos) << "its place in the sequence is kept";
}

TEST_F(RunStoreTest, ReplayEndsWhenTheSinkSaysSo) {
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 5000; ++seq) {
        events.push_back(seq % 2 == 0 ? stored_step(seq)
                                      : make_event(LogEvent{false, std::to_string(seq) + '\n'}, seq));
    }
    ASSERT_TRUE(store_->append("run-1", events));
    EXPECT_EQ(replayed(*store_, "run-1"), described(events)) << "over several pages";
    int count = 0;
    ASSERT_TRUE(store_->replay("run-1", [&](const Event&) { return ++count < 2500; }));
    EXPECT_EQ(count, 2500);
}

TEST_F(RunStoreTest, ActivityOfAPartIsWhatOverlapsWithIt) {
    std::vector<Event> events;
    // Every page of the replay has rows of other kinds.
    for (std::uint64_t seq = 1; seq <= 6000; ++seq) {
        NcclEvent activity;
        activity.seconds = 1;
        Event event = seq % 3 == 0 ? make_event(activity, seq) : make_event(LogEvent{false, "x\n", 0}, seq);
        event.t_us = static_cast<std::int64_t>(seq) * 1'000'000;
        events.push_back(event);
    }
    ASSERT_TRUE(store_->append("run-1", events));
    const auto found = [&](double from_s, double until_s) {
        std::vector<std::uint64_t> numbers;
        EXPECT_TRUE(store_->replay_activity("run-1", std::llround(from_s * 1e6), std::llround(until_s * 1e6),
                                            [&](const Event& event) {
                                                numbers.push_back(event.seq);
                                                return numbers.size() < 100;
                                            }));
        return numbers;
    };
    EXPECT_EQ(found(3000.5, 3006.5), (std::vector<std::uint64_t>{3003, 3006}));
    EXPECT_EQ(found(3003, 3004.9), (std::vector<std::uint64_t>{3003})) << "both ends are included";
    EXPECT_EQ(found(3003, 3005), (std::vector<std::uint64_t>{3003, 3006}));
    EXPECT_EQ(found(5999.5, 1e9), (std::vector<std::uint64_t>{6000}));
    EXPECT_TRUE(found(7000, 8000).empty());
    EXPECT_EQ(found(0, 1e9).size(), 100U) << "ends when the sink says so";
    EXPECT_TRUE(store_->replay_activity("no-such-run", 0, 1, [](const Event&) { return true; }));
}

TEST_F(RunStoreTest, AStoreOfANewerVersionIsLeftAlone) {
    ASSERT_TRUE(store_->append("run-1", {stored_step(1)}));
    store_.reset();
    Database database;
    ASSERT_TRUE(database.open(file().string()));
    ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
    const auto store = RunStore::open(file());
    ASSERT_FALSE(store);
    EXPECT_EQ(store.failure().code, FailureId("store-newer"));
    EXPECT_NE(store.failure().remedy.find("Update"), std::string::npos);
    Statement version(database, "PRAGMA user_version");
    ASSERT_EQ(version.step(), Statement::Step::Row);
    EXPECT_EQ(version.whole(0), 99);
}

TEST_F(RunStoreTest, WhatIsNoStoreIsRefused) {
    test::write_text(folder_ / "text", std::string(5000, 'x'));
    EXPECT_FALSE(RunStore::open(folder_ / "text"));
    EXPECT_FALSE(RunStore::open(folder_.path()));
    EXPECT_FALSE(RunStore::open(folder_ / "text/below/runs.sqlite"));
    const auto failure = RunStore::open(folder_ / "text/below/runs.sqlite").failure();
    EXPECT_FALSE(failure.detail.empty());
    EXPECT_FALSE(failure.remedy.empty());
}

TEST_F(RunStoreTest, TwoStoresOnOneFile) {
    const auto second = open();
    ASSERT_TRUE(store_->append("run-1", {stored_step(1, "node1")}));
    ASSERT_TRUE(second->append("run-1", {stored_step(1, "node2"), stored_step(1, "node1")}));
    ASSERT_TRUE(store_->append("run-1", {stored_step(2, "node1")}));
    EXPECT_EQ(replayed(*store_, "run-1").size(), 3U);
    EXPECT_EQ(replayed(*store_, "run-1"), replayed(*second, "run-1"));
}

TEST_F(RunStoreTest, OpensAndReadsWhileAnotherWrites) {
    Database writer;
    ASSERT_TRUE(writer.open(file().string()));
    ASSERT_TRUE(writer.run("BEGIN IMMEDIATE"));
    const auto reader = open();
    ASSERT_NE(reader, nullptr);
    const auto runs = reader->runs();
    ASSERT_TRUE(runs);
    EXPECT_EQ(runs->size(), 1U);
    EXPECT_TRUE(writer.run("COMMIT"));
}

TEST_F(RunStoreTest, AppendsAndReplaysOfManyThreads) {
    const auto other = open();
    constexpr std::uint64_t kEach = 200;
    std::atomic<int> writing{3};
    std::vector<std::thread> threads;
    for (const char* node : {"node1", "node2", ""}) {
        threads.emplace_back([&, node, store = node[0] == '\0' ? other : store_] {
            for (std::uint64_t seq = 1; seq <= kEach; seq += 5) {
                std::vector<Event> batch;
                for (std::uint64_t i = seq; i < seq + 5; ++i) {
                    batch.push_back(stored_step(i, node));
                }
                EXPECT_TRUE(store->append("run-1", batch));
            }
            --writing;
        });
    }
    // A reader at any time sees each node's events in order and without gaps.
    do {
        std::map<std::string, std::uint64_t> last;
        ASSERT_TRUE(store_->replay("run-1", [&](const Event& event) {
            EXPECT_EQ(event.seq, ++last[event.node]);
            return true;
        }));
    } while (writing > 0);
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(replayed(*store_, "run-1").size(), 3 * kEach);
}

TEST_F(RunStoreTest, FactsAreTheLastOnes) {
    NodeFacts facts;
    facts.hostname = "old";
    ASSERT_TRUE(store_->save_facts("node1", facts, 1));
    facts.hostname = "new";
    facts.gpus = {{0, "H100", 5}};
    ASSERT_TRUE(store_->save_facts("node1", facts, 2));
    ASSERT_TRUE(store_->save_facts("node2", NodeFacts(), 2));
    const auto known = open()->facts();
    ASSERT_TRUE(known);
    EXPECT_EQ(known->size(), 2U);
    EXPECT_EQ(known->at("node1").hostname, "new");
    EXPECT_EQ(known->at("node1").gpus.at(0).name, "H100");
    facts.versions = {{"python", "3.11.2"}};
    ASSERT_TRUE(store_->save_facts("node1", facts, 3));
    ASSERT_TRUE(store_->save_facts("node1", NodeFacts(), 4));
    EXPECT_EQ(open()->facts()->at("node1").versions.at("python"), "3.11.2") << "of the look that read them";
    NodeFacts bytes;
    bytes.cpu_model = "caf\xe9";
    EXPECT_TRUE(store_->save_facts("node3", bytes, 3)) << "bytes that are no text are replaced";
    Database database;
    ASSERT_TRUE(database.open(file().string()));
    ASSERT_TRUE(database.run("UPDATE node_facts SET facts = '[broken' WHERE node = 'node1'"));
    EXPECT_TRUE(store_->facts());
}

TEST_F(RunStoreTest, OnlyTheUserMayReadIt) {
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(file()).permissions() & (perms::group_all | perms::others_all),
              perms::none);
    EXPECT_EQ(std::filesystem::status(folder_ / "data").permissions(), perms::owner_all);
    const test::ScopedEnvironment data("XDG_DATA_HOME", "/data");
    EXPECT_EQ(RunStore::default_path(), "/data/rankscope/runs.sqlite");
}

// tqdm: `update` draws the new count with the values of the step before, `set_postfix` draws it again.
TEST_F(RunStoreTest, TheLastValueOfAStepCounts) {
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 5000; ++seq) {
        const auto step = static_cast<std::int64_t>((seq + 1) / 2);
        const double value = static_cast<double>(seq);
        MetricEvent metric{step, 1, {{"loss", value}}, {}};
        if (seq % 2 == 1) {
            metric.values.emplace_back("lr", value);
        }
        events.push_back(make_event(metric, seq, "node1", 0));
    }
    ASSERT_TRUE(store_->append("run-1", events));
    std::map<std::int64_t, std::vector<double>> losses;
    std::size_t rates = 0;
    ASSERT_TRUE(store_->replay("run-1", [&](const Event& event) {
        const auto* metric = event.as<MetricEvent>();
        for (const auto& [name, value] : metric->values) {
            if (name == "loss") {
                losses[metric->step].push_back(value);
            } else {
                ++rates;
            }
        }
        return true;
    }));
    ASSERT_EQ(losses.size(), 2500U);
    for (const auto& [step, values] : losses) {
        EXPECT_EQ(values, std::vector<double>{static_cast<double>(2 * step)}) << step;
    }
    EXPECT_EQ(rates, 2500U) << "what the later line does not have stays";
}

TEST(Sqlite, BindsAndReadsEveryKind) {
    Database database;
    ASSERT_TRUE(database.open(":memory:"));
    ASSERT_TRUE(database.run("CREATE TABLE t (a, b, c, d)"));
    Statement insert(database, "INSERT INTO t VALUES (?, ?, ?, ?)");
    const std::string bytes("a\0b\xff", 4);
    insert.bind(1, std::int64_t{-5}).bind(2, 0.5).bind(3, bytes).bind_null(4);
    EXPECT_EQ(insert.step(), Statement::Step::Done);
    insert.reset();
    EXPECT_EQ(insert.step(), Statement::Step::Done) << "bindings are cleared";
    Statement select(database, "SELECT * FROM t");
    ASSERT_EQ(select.step(), Statement::Step::Row);
    EXPECT_EQ(select.whole(0), -5);
    EXPECT_EQ(select.number(1), 0.5);
    EXPECT_EQ(select.text(2), bytes);
    EXPECT_TRUE(select.is_null(3));
    ASSERT_EQ(select.step(), Statement::Step::Row);
    EXPECT_TRUE(select.is_null(0));
    EXPECT_EQ(select.text(2), "");
    EXPECT_EQ(select.step(), Statement::Step::Done);
}

TEST(Sqlite, ErrorsAreValues) {
    Database closed;
    EXPECT_EQ(closed.message(), "not open");
    EXPECT_FALSE(closed.run("SELECT 1"));
    Database database;
    EXPECT_FALSE(database.open("/nowhere/at/all.sqlite"));
    ASSERT_TRUE(database.open(":memory:"));
    EXPECT_FALSE(database.run("NONSENSE"));
    EXPECT_NE(database.message().find("syntax error"), std::string::npos);
    Statement broken(database, "SELECT FROM nothing");
    broken.bind(1, std::int64_t{1}).bind_null(2);
    EXPECT_EQ(broken.step(), Statement::Step::Error);
    broken.reset();
}

TEST_F(RunStoreTest, AStopIsKeptUntilItIsDelivered) {
    StopOrder order{"run-1", "node2", "ssh", StopKind::Graceful, true, "stopped by the user", 5};
    ASSERT_TRUE(store_->record_stop(order));
    order.kind = StopKind::Force;
    ASSERT_TRUE(store_->record_stop(order)) << "the later one of the same run and node counts";
    order.node = "node1";
    ASSERT_TRUE(store_->record_stop(order));
    const auto pending = store_->pending_stops("node2");
    ASSERT_TRUE(pending);
    ASSERT_EQ(pending->size(), 1U);
    EXPECT_EQ(pending->front().kind, StopKind::Force);
    EXPECT_TRUE(pending->front().by_user);
    EXPECT_EQ(pending->front().cause, "stopped by the user");
    ASSERT_TRUE(store_->stop_delivered("run-1", "node2"));
    EXPECT_TRUE(store_->pending_stops("node2")->empty());
    EXPECT_EQ(store_->pending_stops()->size(), 1U);
}

}  // namespace
}  // namespace rankscope
