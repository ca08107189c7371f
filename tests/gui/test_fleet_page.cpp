// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/device_slots.h>
#include <gui/fleet/batch_node_dialog.h>
#include <gui/fleet/slots_delegate.h>
#include <gui/models/clock_text.h>
#include <gui/models/fleet_model.h>
#include <gui/models/node_use.h>
#include <gui/session/terminal.h>
#include <gui/session/workspace.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QDateTime>
#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTableView>

namespace rankscope::gui::testing {
namespace {

using State = DeviceSlot::State;
constexpr double kGib = 1024.0 * 1024 * 1024;

NodeFacts eight_gpus() {
    NodeFacts facts = synthetic_facts("node1", 8);
    facts.probed_us = 1'700'000'000'000'000;
    for (int gpu = 0; gpu < 8; ++gpu) {
        const std::string key = "gpu." + std::to_string(gpu) + '.';
        facts.sample[key + "util"] = 0;
        facts.sample[key + "mem_used"] = 0.5 * kGib;
        facts.sample[key + "mem_total"] = 80 * kGib;
        facts.sample[key + "temp"] = 40 + gpu;
    }
    facts.sample["gpu.2.util"] = 0.9;
    facts.sample["gpu.3.mem_used"] = 40 * kGib;
    facts.sample["gpu.4.ecc"] = 2;
    facts.sample["gpu.5.throttle"] = 0x40;
    return facts;
}

TEST(DeviceSlots, AGpuIsFreeUsedFaultyOrLeftOut) {
    NodeSpec spec = node_called("node1");
    const NodeFacts facts = eight_gpus();
    std::vector<DeviceSlot> devices = device_slots(spec, &facts, {}, facts.sample);
    ASSERT_EQ(devices.size(), 8U);
    EXPECT_EQ(devices[0].state, State::Free);
    EXPECT_EQ(devices[2].state, State::Used) << "by its use";
    EXPECT_EQ(devices[3].state, State::Used) << "by its memory";
    EXPECT_EQ(devices[4].state, State::Faulty) << "memory errors";
    EXPECT_EQ(devices[5].state, State::Faulty) << "slowed down by heat";
    spec.gpus_auto = false;
    spec.gpus = {0, 1};
    devices = device_slots(spec, &facts, {}, facts.sample);
    EXPECT_EQ(devices[1].state, State::Free);
    EXPECT_EQ(devices[2].state, State::LeftOut);
    EXPECT_EQ(device_slots(spec, &facts, {}, {})[0].state, State::Unknown) << "no figures";
    EXPECT_EQ(device_slots(spec, nullptr, {}, {}).size(), 2U) << "what the inventory names";
}

TEST(DeviceSlots, RanksOfTheLiveRunAreOnTheirDevices) {
    RunState state;
    state.ranks.resize(3);
    for (int rank = 0; rank < 3; ++rank) {
        RankState& each = state.ranks[std::size_t(rank)];
        each.rank = rank;
        each.local_rank = rank;
        each.node = "node1";
        each.device = "cuda:" + std::to_string(rank + 1);
        each.phase = RankPhase::Training;
    }
    state.ranks[2].phase = RankPhase::Done;
    const auto nodes = run_on_nodes(state);
    ASSERT_TRUE(nodes.contains("node1"));
    ASSERT_EQ(nodes.at("node1").ranks.size(), 2U) << "a rank that is done holds no device";
    const NodeFacts facts = eight_gpus();
    const auto devices = device_slots(node_called("node1"), &facts, nodes.at("node1").ranks, facts.sample);
    EXPECT_EQ(devices[0].state, State::Free);
    EXPECT_EQ(devices[1].state, State::Rank);
    EXPECT_EQ(devices[2].state, State::Rank);
    EXPECT_EQ(devices[2].rank->rank, 1);
    EXPECT_TRUE(slot_text(devices[2]).startsWith(u"GPU 2: rank 1, training, 90 %"_s))
        << ss(slot_text(devices[2]));
    EXPECT_EQ(devices[3].state, State::Used);
}

TEST(DeviceSlots, ANodeWithoutGpusHasItsCpuSlots) {
    NodeSpec spec = node_called("node1");
    spec.cpu_slots = 4;
    const NodeFacts facts = synthetic_facts("node1", 0);
    RankOnDevice rank;
    rank.rank = 7;
    rank.local_rank = 1;
    const auto devices = device_slots(spec, &facts, {rank}, {});
    ASSERT_EQ(devices.size(), 4U);
    EXPECT_EQ(devices[0].state, State::Free);
    EXPECT_EQ(devices[1].state, State::Rank);
    EXPECT_FALSE(devices[1].gpu);
    rank.local_rank = 2'000'000'000;
    EXPECT_LE(device_slots(spec, &facts, {rank}, {}).size(), 1024U) << "a hostile number of slots is bounded";
    EXPECT_TRUE(device_slots(node_called("node1"), nullptr, {}, {}).empty()) << "nothing is known";
}

TEST(SlotSquares, AllFitOrAsManyAsThereIsRoomFor) {
    const QRectF cell(10, 20, 150, 20);
    for (const int count : {1, 8, 16, 64, 120}) {
        const auto squares = slot_squares(cell, count);
        ASSERT_EQ(int(squares.size()), count);
        for (const QRectF& square : squares) {
            EXPECT_TRUE(cell.adjusted(-1, -1, 1, 1).contains(square)) << count;
        }
        for (std::size_t i = 1; i < squares.size(); ++i) {
            EXPECT_FALSE(squares[i].intersects(squares[i - 1])) << count;
        }
    }
    EXPECT_GT(slot_squares(cell, 8)[0].width(), slot_squares(cell, 64)[0].width());
    EXPECT_LT(slot_squares(cell, 5000).size(), 5000U);
    EXPECT_TRUE(slot_squares(QRectF(0, 0, 2, 2), 8).empty());
    EXPECT_TRUE(slot_squares(cell, 0).empty());
}

TEST(FleetModel, FiguresComeFromTheRunThenFromTheProbeAndAge) {
    FleetModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_nodes({node_called("node1")});
    EXPECT_EQ(model.index(1, FleetModel::Use).data().toString(), QString());
    NodeFacts facts = eight_gpus();
    model.set_ready("node1", facts);
    model.refresh(facts.probed_us + 2'000'000);
    EXPECT_EQ(model.index(1, FleetModel::Use).data().toString(), u"11 %, 47 °C"_s);
    EXPECT_FALSE(model.index(1, FleetModel::Use).data(FleetModel::AgedRole).toBool());
    EXPECT_EQ(
        model.index(1, FleetModel::Slots).data(FleetModel::SlotsRole).value<std::vector<DeviceSlot>>().size(),
        8U);
    model.refresh(facts.probed_us + 60'000'000);
    EXPECT_TRUE(model.index(1, FleetModel::Use).data(FleetModel::AgedRole).toBool());
    EXPECT_TRUE(model.index(1, FleetModel::Use).data(Qt::ToolTipRole).toString().contains(u"1 min 00 s"_s))
        << ss(model.index(1, FleetModel::Use).data(Qt::ToolTipRole).toString());

    RunOnNode run;
    run.sample = {{"gpu.0.util", 1.0}, {"gpu.0.temp", 70}};
    run.sample_us = facts.probed_us + 60'000'000;
    model.refresh(run.sample_us + 1'000'000, {{"node1", run}});
    EXPECT_EQ(model.index(1, FleetModel::Use).data().toString(), u"100 %, 70 °C"_s);
    EXPECT_FALSE(model.index(1, FleetModel::Use).data(FleetModel::AgedRole).toBool());
    model.refresh(run.sample_us + 2'000'000);
    EXPECT_EQ(model.index(1, FleetModel::Use).data().toString(), u"11 %, 47 °C"_s) << "the run is over";
}

TEST(FleetModel, AClockIsAsPreciseAsTheRoundTrip) {
    NodeFacts facts;
    facts.round_trip_s = 0.107;
    facts.clock_offset_s = 0.049;
    EXPECT_EQ(clock_text(facts), u"in step"_s) << "within half the round trip";
    facts.clock_offset_s = -0.0005;
    facts.round_trip_s = 0.0001;
    EXPECT_EQ(clock_text(facts), u"in step"_s);
    facts.clock_offset_s = 0.049;
    facts.round_trip_s = 0.004;
    EXPECT_EQ(clock_text(facts), u"+49 ms ± 2.0 ms"_s);
}

TEST(FleetModel, TheCourseOfTheUseHasNoGap) {
    FleetModel model;
    model.set_nodes({node_called("node1"), node_called("node2")});
    model.set_ready("node1", eight_gpus());
    const auto course = [&](int row) {
        return model.index(row, FleetModel::Use).data(FleetModel::CourseRole).value<QList<float>>();
    };
    std::int64_t now_us = 1'760'000'000'000'000;
    const auto figures = [&](std::map<std::string, double> sample) {
        RunOnNode run;
        run.sample = std::move(sample);
        run.sample_us = now_us += 1'000'000;
        model.refresh(now_us, {{"node1", run}});
    };
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    figures({{"gpu.0.util", 0.5}, {"gpu.1.util", 1.0}, {"cpu", 0.1}});
    EXPECT_EQ(course(1), QList<float>{0.75F});
    model.refresh(now_us);
    EXPECT_EQ(course(1).size(), 1) << "no figures are newer";
    figures({{"cpu", 0.25}});
    EXPECT_EQ(course(1), (QList<float>{0.75F, 0.25F})) << "without GPUs the processor's";
    EXPECT_EQ(changed.size(), 3) << "two new figures, and the end of a run between them";
    for (int i = 0; i < 100; ++i) {
        figures({{"cpu", i / 100.0}});
    }
    EXPECT_EQ(course(1).size(), qsizetype(FleetNode::kCourse));
    EXPECT_FLOAT_EQ(course(1).back(), 0.99F);
    EXPECT_TRUE(course(2).isEmpty());
    now_us += 120'000'000;
    figures({{"cpu", 0.5}});
    EXPECT_EQ(course(1), QList<float>{0.5F}) << "what was before the gap is another time";
    figures({{"memory.used", 1e9}});
    EXPECT_TRUE(course(1).isEmpty());
}

TEST_F(Pages, TheCourseOfTheUseIsDrawnBesideItsFigure) {
    open();
    FleetModel* model = window_->workspace()->fleet()->model();
    auto* table = find<QTableView>("fleetTable");
    const auto cell = [&] {
        const QRect rect = table->visualRect(model->index(0, FleetModel::Use));
        return table->viewport()->grab(rect).toImage();
    };
    std::int64_t now_us = QDateTime::currentMSecsSinceEpoch() * 1000;
    RunOnNode run;
    const auto figures = [&](double use) {
        run.sample = {{"cpu", use}};
        run.sample_us = now_us += 1000;
        model->refresh(now_us, {{"local", run}});
    };
    figures(0.5);
    const QImage one = cell();
    for (int i = 0; i < 40; ++i) {
        figures(i % 2);
    }
    figures(0.5);
    const QImage many = cell();
    ASSERT_EQ(one.size(), many.size());
    const int right = many.width() * 3 / 5;
    EXPECT_EQ(one.copy(0, 0, right / 4, one.height()), many.copy(0, 0, right / 4, many.height()))
        << "the figure is the same";
    EXPECT_NE(one.copy(right, 0, many.width() - right, one.height()),
              many.copy(right, 0, many.width() - right, many.height()));
}

TEST(BatchNodeDialog, OnlyTickedFieldsChange) {
    NodeSpec one = node_called("node1");
    one.user = "trainer";
    one.port = 2222;
    NodeSpec two = node_called("node2");
    two.user = "trainer";
    two.cpu_slots = 4;
    BatchNodeDialog dialog({one, two}, nullptr);
    dialog.show();
    auto* ok = child<QPushButton>(&dialog, "batchOk");
    EXPECT_FALSE(ok->isEnabled()) << "nothing changes";
    EXPECT_EQ(child<QLineEdit>(&dialog, "batchUser")->text(), u"trainer"_s);
    EXPECT_EQ(child<QLineEdit>(&dialog, "batchPort")->text(), QString()) << "different values";
    type_into(child<QLineEdit>(&dialog, "batchUser"), u"research"_s);
    EXPECT_TRUE(child<QCheckBox>(&dialog, "batchUserChange")->isChecked());
    EXPECT_TRUE(ok->isEnabled());
    type_into(child<QLineEdit>(&dialog, "batchPort"), u"70000"_s);
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(&dialog, "batchPort"), u"22022"_s);
    type_into(child<QLineEdit>(&dialog, "batchGpus"), u"0, x"_s);
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(&dialog, "batchGpus"), u"0, 2"_s);
    ASSERT_TRUE(ok->isEnabled());
    const auto nodes = dialog.nodes();
    EXPECT_EQ(nodes[0].user, "research");
    EXPECT_EQ(nodes[1].user, "research");
    EXPECT_EQ(nodes[0].port, 22022);
    EXPECT_EQ(nodes[1].gpus, (std::vector<int>{0, 2}));
    EXPECT_EQ(nodes[0].cpu_slots, 0) << "not ticked";
    EXPECT_EQ(nodes[1].cpu_slots, 4);
}

using Fleets = Pages;

TEST_F(Fleets, SeveralNodesAreEditedAndRemovedTogether) {
    write(inventory_file(), "nodes:\n  - name: node1\n  - name: node2\n  - name: node3\n");
    open();
    window_->show_page(MainWindow::Page::Fleet);
    auto* table = find<QTableView>("fleetTable");
    table->setFocus();
    table->selectRow(1);
    EXPECT_TRUE(find<QPushButton>("openShell")->isEnabled());
    QTest::keyClick(table, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_TRUE(find<QLabel>("fleetSummary")->text().contains(u"2 selected"_s));
    EXPECT_FALSE(find<QPushButton>("openShell")->isEnabled()) << "one at a time";
    click(find<QPushButton>("editNode"));
    auto* dialog = wait_dialog("batchNodeDialog");
    ASSERT_NE(dialog, nullptr);
    type_into(child<QLineEdit>(dialog, "batchUser"), u"research"_s);
    click(child<QPushButton>(dialog, "batchOk"));
    Fleet* fleet = window_->workspace()->fleet();
    ASSERT_TRUE(
        wait_until([&] { return !fleet->busy() && fleet->inventory().find("node2")->user == "research"; }));
    EXPECT_EQ(fleet->inventory().find("node1")->user, "research");
    EXPECT_EQ(fleet->inventory().find("node3")->user, "");

    table->setFocus();
    table->selectRow(2);
    QTest::keyClick(table, Qt::Key_Down, Qt::ShiftModifier);
    click(find<QPushButton>("removeNode"));
    ASSERT_NE(wait_dialog("removeDialog"), nullptr);
    click(find<QPushButton>("removeConfirm"));
    ASSERT_TRUE(wait_until([&] { return !fleet->busy() && fleet->inventory().nodes.size() == 1; }));
    EXPECT_EQ(fleet->inventory().nodes[0].name, "node1");
}

TEST_F(Fleets, AShellOpensInTheUsersTerminal) {
    write(inventory_file(), "nodes:\n  - {name: node1, host: 10.0.0.11, port: 2222, user: trainer}\n");
    const QString terminal = folder_.path() + u"/my terminal"_s;
    const QString words = folder_.path() + u"/words"_s;
    write(terminal, "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + ss(words) + ".new'\nmv '" + ss(words) +
                        ".new' '" + ss(words) + "'\n");
    QFile::setPermissions(terminal, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QByteArray before = qgetenv("TERMINAL");
    qputenv("TERMINAL", u"\"%1\" --hold"_s.arg(terminal).toUtf8());
    open();
    window_->show_page(MainWindow::Page::Fleet);
    find<QTableView>("fleetTable")->selectRow(1);
    click(find<QPushButton>("openShell"));
    EXPECT_TRUE(wait_until([&] { return QFile::exists(words); }));
    qputenv("TERMINAL", before);
    QFile file(words);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString given = QString::fromUtf8(file.readAll());
    EXPECT_TRUE(given.startsWith(u"--hold\n-e\nssh\n"_s)) << ss(given);
    EXPECT_TRUE(given.contains(u"-p\n2222\n-l\ntrainer\n"_s)) << ss(given);
    EXPECT_TRUE(given.endsWith(u"--\n10.0.0.11\n"_s)) << ss(given);
}

TEST_F(Fleets, WithoutATerminalTheCommandIsShown) {
    write(inventory_file(), "nodes:\n  - {name: node1, host: 10.0.0.11}\n");
    open();
    window_->show_page(MainWindow::Page::Fleet);
    find<QTableView>("fleetTable")->selectRow(1);
    const QByteArray path = qgetenv("PATH");
    const QByteArray terminal = qgetenv("TERMINAL");
    qputenv("PATH", folder_.path().toUtf8());
    qunsetenv("TERMINAL");
    click(find<QPushButton>("openShell"));
    auto* box = qobject_cast<QMessageBox*>(wait_dialog("noTerminal"));
    qputenv("PATH", path);
    if (!terminal.isEmpty()) {
        qputenv("TERMINAL", terminal);
    }
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->informativeText().contains(u"10.0.0.11"_s));
    box->close();
}

}  // namespace
}  // namespace rankscope::gui::testing
