// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/fleet_model.h>
#include <gui/models/plan_model.h>
#include <gui/models/runs_model.h>
#include <gui/texts.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>

namespace rankscope::gui::testing {
namespace {

using Tester = QAbstractItemModelTester;

NodeSpec named(const std::string& name) {
    NodeSpec node;
    node.name = name;
    node.host = name;
    node.user = "trainer";
    return node;
}

QString cell(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

TEST(FleetModel, ThisComputerIsAlwaysFirst) {
    FleetModel model;
    const Tester tester(&model, Tester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_EQ(cell(model, 0, FleetModel::Name), u"This computer"_s);
    model.set_nodes({named("node1"), named("node2")});
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(cell(model, 0, FleetModel::Name), u"This computer"_s);
    EXPECT_EQ(cell(model, 1, FleetModel::Address), u"trainer@node1"_s);
}

TEST(FleetModel, StatesAreShownInWords) {
    FleetModel model;
    const Tester tester(&model, Tester::FailureReportingMode::Fatal);
    model.set_nodes({named("node1")});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"not probed"_s);
    model.set_connecting("node1", "pushing agent 40 %");
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"pushing agent 40 %…"_s);
    model.set_failed("node1", {"ssh-refused", "node1", "Connection refused", "Start sshd.", "errno 111"});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"failed: Connection refused"_s);
    EXPECT_TRUE(
        model.index(1, FleetModel::State).data(Qt::ToolTipRole).toString().contains(u"Start sshd."_s));
    model.set_ready("node1", synthetic_facts("node1", 8));
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"ready"_s);
    EXPECT_EQ(cell(model, 1, FleetModel::Devices), u"8 × H100 80GB HBM3"_s);
    EXPECT_EQ(model.known_facts().count("node1"), 1U);
}

TEST(FleetModel, FactsStayWhenTheConnectionIsTheSame) {
    FleetModel model;
    model.set_nodes({named("node1"), named("node2")});
    model.set_ready("node1", synthetic_facts("node1", 1));
    model.set_ready("node2", synthetic_facts("node2", 1));
    NodeSpec moved = named("node2");
    moved.host = "elsewhere";
    NodeSpec slots_changed = named("node1");
    slots_changed.cpu_slots = 9;
    model.set_nodes({slots_changed, moved});
    EXPECT_EQ(model.find("node1")->state, ProbeState::Ready);
    EXPECT_EQ(model.find("node2")->state, ProbeState::NotProbed);
}

TEST(FleetModel, FactsHaveAnAgeAndALiveRunsLinkIsShown) {
    constexpr std::int64_t kMinute = 60'000'000;
    constexpr std::int64_t kNow = 1'700'000'000'000'000;
    FleetModel model;
    const Tester tester(&model, Tester::FailureReportingMode::Fatal);
    model.set_nodes({named("node1"), named("node2")});
    NodeFacts facts = synthetic_facts("node1", 8);
    facts.probed_us = kNow - 30'000'000;
    model.set_ready("node1", facts);
    facts.probed_us = kNow - 50 * 60 * kMinute;
    model.set_old_facts({{"node2", facts}});
    model.refresh(kNow, {});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"ready"_s);
    EXPECT_EQ(cell(model, 2, FleetModel::State), u"probed 2 days ago"_s);
    int changes = 0;
    QObject::connect(&model, &QAbstractItemModel::dataChanged, [&] { ++changes; });
    model.refresh(kNow + 1'000'000, {});
    EXPECT_EQ(changes, 0) << "the texts are the same";
    model.refresh(kNow + 3 * kMinute, {});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"ready, 3 min ago"_s);
    EXPECT_EQ(changes, 1);

    NodeLink link;
    link.state = LinkState::Retrying;
    link.last_seen_us = kNow + 3 * kMinute - 12'000'000;
    link.failure = "10.0.0.11:22 refuses the connection.";
    model.refresh(kNow + 3 * kMinute, {{"node1", RunOnNode{link, {}, {}, 0}}});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"no answer to the run for 12 s"_s);
    EXPECT_EQ(model.index(1, FleetModel::State).data(FleetModel::ProbeStateRole).toInt(),
              int(ProbeState::Failed));
    EXPECT_TRUE(model.index(1, FleetModel::State).data(Qt::ToolTipRole).toString().contains(u"refuses"_s));
    link.state = LinkState::Linked;
    model.refresh(kNow + 3 * kMinute, {{"node1", RunOnNode{link, {}, {}, 0}}});
    EXPECT_EQ(cell(model, 1, FleetModel::State), u"ready, 3 min ago"_s);
}

TEST(FleetModel, ACancelledProbeIsAsBefore) {
    FleetModel model;
    model.set_connecting("local", "");
    model.set_cancelled("local");
    EXPECT_EQ(model.find("local")->state, ProbeState::NotProbed);
    model.set_ready("local", synthetic_facts("desk", 0));
    model.set_connecting("local", "");
    model.set_cancelled("local");
    EXPECT_EQ(model.find("local")->state, ProbeState::Ready);
}

TEST(PlanModel, ShowsRankNodeDeviceAndMaster) {
    PlanModel model;
    const Tester tester(&model, Tester::FailureReportingMode::Fatal);
    model.set_plan(synthetic_plan({.ranks = 4}));
    ASSERT_EQ(model.rowCount(), 4);
    EXPECT_EQ(cell(model, 3, PlanModel::Node), u"node2"_s);
    EXPECT_EQ(cell(model, 3, PlanModel::LocalRank), u"1"_s);
    EXPECT_EQ(cell(model, 0, PlanModel::Master), u"10.0.0.11:29500"_s);
    EXPECT_TRUE(model.rank_text(3).contains(u"RANK=3"_s));
    EXPECT_TRUE(model.rank_text(3).startsWith(u"{worker} --config {config}"_s));
    EXPECT_EQ(model.rank_text(99), QString());
    model.clear();
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(RunsModel, ShowsRunsAndKeepsRowsOnARefresh) {
    RunsModel model;
    const Tester tester(&model, Tester::FailureReportingMode::Fatal);
    RunRecord a = synthetic_record({.id = "a"});
    RunRecord b = synthetic_record({.name = "other", .id = "b"});
    a.outcome = Outcome::Done;
    a.ended_us = a.started_us + 75'000'000;
    model.set_runs({a, b});
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(cell(model, 0, RunsModel::Duration), u"1 min 15 s"_s);
    EXPECT_EQ(cell(model, 1, RunsModel::State), u"running"_s);
    model.set_now(b.started_us + 5'000'000);
    EXPECT_EQ(cell(model, 1, RunsModel::Duration), u"5.0 s"_s);
    EXPECT_EQ(model.row_of("b"), 1);
    model.set_now(b.started_us + 5'000'000'000);
    EXPECT_EQ(cell(model, 1, RunsModel::Duration), u"at least 0 ms"_s) << "nobody has heard of it since";
    model.set_heard({{"b", b.started_us + 65'000'000}}, {});
    EXPECT_EQ(cell(model, 1, RunsModel::Duration), u"at least 1 min 05 s"_s);
    EXPECT_TRUE(model.index(1, RunsModel::Duration).data(Qt::ToolTipRole).toString().contains(u"as of"_s));
    model.set_heard({{"b", b.started_us + 4'990'000'000}}, {});
    EXPECT_EQ(cell(model, 1, RunsModel::Duration), u"1 h 23 min"_s) << "another program watches it";
    model.set_heard({{"b", b.started_us + 65'000'000}}, {"b"});
    EXPECT_EQ(cell(model, 1, RunsModel::Duration), u"1 h 23 min"_s) << "this window watches it";
    b.outcome = Outcome::Failed;
    model.set_runs({a, b});
    EXPECT_EQ(cell(model, 1, RunsModel::State), u"failed"_s);
    model.set_runs({b});
    EXPECT_EQ(model.rowCount(), 1);
}

TEST(Texts, ReadNaturally) {
    EXPECT_EQ(duration_text(0.015), u"15 ms"_s);
    EXPECT_EQ(duration_text(0.42), u"0.4 s"_s);
    EXPECT_EQ(duration_text(59.4), u"59 s"_s);
    EXPECT_EQ(duration_text(185), u"3 min 05 s"_s);
    EXPECT_EQ(duration_text(7800), u"2 h 10 min"_s);
    EXPECT_EQ(duration_text(-1), QString());
    EXPECT_EQ(short_time_text(0.00042), u"420 µs"_s);
    EXPECT_EQ(short_time_text(0.0021, true), u"+2.1 ms"_s);
    EXPECT_EQ(short_time_text(-0.25, true), u"-250 ms"_s);
    EXPECT_EQ(count_text(1234567).remove(QChar(0x2009)), u"1234567"_s);
    EXPECT_EQ(count_text(-123), u"-123"_s);
    EXPECT_EQ(percent_text(0.9845, 2), u"98.45 %"_s);
    EXPECT_EQ(exit_text(-1, 9), u"signal 9 (SIGKILL)"_s);
    EXPECT_EQ(exit_text(3, 0), u"exit code 3"_s);
    EXPECT_EQ(culprit_text({1, "node2", 3, 0, "", {}}), u"Rank 1 on node2 ended with exit code 3"_s);
    EXPECT_EQ(culprit_text({1, "node2", -1, 19, "", {}, "T"}),
              u"Rank 1 on node2 stopped answering: its process is stopped (state T)"_s)
        << "no signal has killed it";
}

}  // namespace
}  // namespace rankscope::gui::testing
