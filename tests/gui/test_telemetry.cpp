// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the GPUs of a run report, as rows and as squares.

#include <gui/data/gpu_samples.h>
#include <gui/live/gpu_squares.h>
#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/live/telemetry_strip.h>
#include <gui/models/gpu_texts.h>
#include <gui/models/node_samples_model.h>
#include <gui/widgets/elided_label.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <cmath>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kStart = 1'760'000'000'000'000;
using Values = std::vector<std::pair<std::string, double>>;

void sample(LiveData& data, const std::string& node, std::int64_t t_us, const Values& values) {
    SampleEvent event;
    event.values = values;
    data.apply(Event{0, t_us, node, -1, event});
}

NodeSamples samples_of(const Values& values, std::int64_t t_us = kStart) {
    LiveData data;
    sample(data, "node1", t_us, values);
    return data.state.samples.at("node1");
}

TEST(GpuSamples, AbsentIsNotZero) {
    const auto gpus = gpu_samples(samples_of({{"gpu.0.util", 0},
                                              {"gpu.0.mem_used", 5e9},
                                              {"gpu.10.util", 0.5},
                                              {"gpu.10.ecc", 3},
                                              {"gpu.10.rank.7.mem_used", 1e9},
                                              {"gpu.10.rank.3.mem_used", 1e9}}),
                                  kSecond);
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[0][GpuFigure::Use], 0);
    EXPECT_FALSE(gpus[0].has(GpuFigure::Ecc));
    EXPECT_FALSE(gpus[0].has(GpuFigure::Power));
    EXPECT_TRUE(gpus[0].ranks.empty());
    EXPECT_EQ(gpus[1].index, 10);
    EXPECT_EQ(gpus[1].ranks, (std::vector<int>{3, 7}));
    EXPECT_TRUE(is_faulty(gpus[1]));
    EXPECT_FALSE(is_faulty(gpus[0]));
}

TEST(GpuSamples, OddKeysAreNoGpus) {
    EXPECT_TRUE(gpu_samples(samples_of({{"gpu.unavailable", 1},
                                        {"gpu.", 1},
                                        {"gpu.-1.util", 1},
                                        {"gpu.x.util", 1},
                                        {"gpu.99999999999.util", 1},
                                        {"gpu.4096.util", 1},
                                        {"gpu.3", 1},
                                        {"gpux.3.util", 1}}),
                            kSecond)
                    .empty());
    const auto gpus = gpu_samples(
        samples_of({{"gpu.0.rank.x.mem_used", 1}, {"gpu.0.rank.1.other", 1}, {"gpu.0.novelty", 1}}), kSecond);
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_TRUE(gpus[0].ranks.empty());
}

TEST(GpuSamples, AFigureThatIsNoLongerReportedIsAbsent) {
    LiveData data;
    sample(data, "node1", kStart, {{"gpu.0.util", 0.9}, {"gpu.0.temp", 60}});
    sample(data, "node1", kStart + 30 * kSecond, {{"gpu.0.temp", 61}});
    const auto gpus = gpu_samples(data.state.samples.at("node1"), 5 * kSecond);
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_FALSE(gpus[0].has(GpuFigure::Use));
    EXPECT_EQ(gpus[0].last_reported_us(GpuFigure::Use), kStart);
    EXPECT_EQ(gpus[0][GpuFigure::Temperature], 61);
    EXPECT_TRUE(why_absent(gpus[0], GpuFigure::Use).contains(u"has not reported it since"_s));
    EXPECT_TRUE(why_absent(gpus[0], GpuFigure::Power).contains(u"does not report it"_s));
    EXPECT_TRUE(why_absent(gpus[0], GpuFigure::Ecc).contains(u"no ECC"_s));
}

TEST(GpuSamples, TheMostSeriousReasonLimitsTheClock) {
    EXPECT_EQ(clock_limit(0), ClockLimit::None);
    EXPECT_EQ(clock_limit(0x1), ClockLimit::Idle);
    EXPECT_EQ(clock_limit(0x4 | 0x1), ClockLimit::PowerLimit);
    EXPECT_EQ(clock_limit(0x40 | 0x4), ClockLimit::Heat);
    EXPECT_EQ(clock_limit(0x80 | 0x8), ClockLimit::PowerSupply);
    EXPECT_EQ(clock_limit(0x200), ClockLimit::None) << "a bit that no driver of today sets";
    EXPECT_EQ(clock_limit(GpuSample::kAbsent), ClockLimit::Unknown);
    EXPECT_EQ(clock_limit(-1), ClockLimit::Unknown);
    EXPECT_EQ(clock_limit(1e300), ClockLimit::Unknown);
    EXPECT_FALSE(is_slowed_down(ClockLimit::PowerLimit)) << "the usual state of a busy GPU";
    EXPECT_TRUE(is_slowed_down(ClockLimit::Board));
}

TEST(GpuTexts, TheLinkIsNvlinkWhereThereIsOne) {
    const auto gpus = gpu_samples(samples_of({{"gpu.0.nvlink_tx", 100e9},
                                              {"gpu.0.nvlink_rx", 112e9},
                                              {"gpu.0.nvlink_errors", 4},
                                              {"gpu.0.pcie_gen", 5},
                                              {"gpu.0.pcie_width", 16},
                                              {"gpu.1.pcie_gen", 4},
                                              {"gpu.1.pcie_width", 8},
                                              {"gpu.1.pcie_tx", 3e9},
                                              {"gpu.2.util", 1}}),
                                  kSecond);
    ASSERT_EQ(gpus.size(), 3U);
    EXPECT_EQ(gpu_link_text(gpus[0]), u"NVLink 212 GB/s"_s);
    EXPECT_TRUE(gpu_link_tip(gpus[0]).contains(u"NVLink errors: 4"_s));
    EXPECT_TRUE(gpu_link_tip(gpus[0]).contains(u"PCIe 5 ×16"_s));
    EXPECT_EQ(gpu_link_text(gpus[1]), u"PCIe 4 ×8"_s);
    EXPECT_TRUE(gpu_link_tip(gpus[1]).contains(u"3.00 GB/s out, – in"_s))
        << qPrintable(gpu_link_tip(gpus[1]));
    EXPECT_EQ(gpu_link_text(gpus[2]), QString());
    EXPECT_TRUE(std::isnan(gpu_link_rate(gpus[2])));
}

/// A model that has seen one sample of node1.
class Samples : public ::testing::Test {
protected:
    void add(const Values& values, std::int64_t t_us = kStart, const std::string& node = "node1") {
        sample(data_, node, t_us, values);
    }
    void show() {
        model_.set_data(&data_);
        model_.refresh();
    }
    QModelIndex gpu(int row, int column) { return model_.index(row, column, model_.index(0, 0)); }
    static QString tip(const QModelIndex& index) { return index.data(Qt::ToolTipRole).toString(); }

    LiveData data_;
    NodeSamplesModel model_;
};

TEST_F(Samples, ARowPerGpuHasClocksLimitErrorsAndLink) {
    using Model = NodeSamplesModel;
    const QAbstractItemModelTester tester(&model_, QAbstractItemModelTester::FailureReportingMode::Fatal);
    add({{"gpu.0.util", 0.97},
         {"gpu.0.sm_clock", 1.98e9},
         {"gpu.0.sm_clock_max", 1.98e9},
         {"gpu.0.throttle", 0x4},
         {"gpu.0.ecc", 0},
         {"gpu.0.ecc_corrected", 12},
         {"gpu.0.power", 690},
         {"gpu.0.power_limit", 700},
         {"gpu.1.util", 0.1},
         {"gpu.1.sm_clock", 0.345e9},
         {"gpu.1.throttle", 0x20},
         {"gpu.1.ecc", 2}});
    show();
    EXPECT_EQ(gpu(0, Model::Clock).data().toString(), u"1.98 GHz"_s);
    EXPECT_TRUE(tip(gpu(0, Model::Clock)).contains(u"1.98 GHz"_s));
    EXPECT_EQ(gpu(0, Model::LimitedBy).data().toString(), u"power limit"_s);
    EXPECT_FALSE(gpu(0, Model::LimitedBy).data(Model::FaultRole).toBool());
    EXPECT_EQ(gpu(0, Model::Ecc).data().toString(), u"0"_s) << "reported, and none";
    EXPECT_TRUE(tip(gpu(0, Model::Ecc)).contains(u"corrected: 12"_s));
    EXPECT_TRUE(tip(gpu(0, Model::Power)).contains(u"700 W"_s));
    EXPECT_EQ(gpu(1, Model::Clock).data().toString(), u"345 MHz"_s);
    EXPECT_EQ(gpu(1, Model::LimitedBy).data().toString(), u"heat"_s);
    EXPECT_TRUE(gpu(1, Model::LimitedBy).data(Model::FaultRole).toBool());
    EXPECT_TRUE(gpu(1, Model::Ecc).data(Model::FaultRole).toBool());
    EXPECT_EQ(gpu(1, Model::Power).data().toString(), u"–"_s);
    EXPECT_TRUE(tip(gpu(1, Model::Power)).startsWith(u"Not available"_s))
        << qPrintable(tip(gpu(1, Model::Power)));
    EXPECT_EQ(gpu(1, Model::Link).data().toString(), u"–"_s);
    EXPECT_TRUE(tip(gpu(1, Model::Link)).contains(u"neither NVLink nor PCIe"_s));
    const auto node = [&](int column) { return model_.index(0, column).data().toString(); };
    EXPECT_EQ(node(Model::Clock), u"345 MHz"_s) << "the slowest";
    EXPECT_EQ(node(Model::LimitedBy), u"heat"_s);
    EXPECT_EQ(node(Model::Ecc), u"2"_s);
    EXPECT_EQ(node(Model::Link), u"–"_s);
    EXPECT_TRUE(tip(model_.index(0, Model::Link)).contains(u"no GPU of this node"_s));
    EXPECT_EQ(node(Model::Cpu), u"–"_s);
    EXPECT_TRUE(tip(model_.index(0, Model::Cpu)).startsWith(u"Not available"_s));
}

TEST_F(Samples, ANodeWhoseDriverDoesNotAnswerSaysSo) {
    add({{"cpu", 0.2}, {"gpu.unavailable", 1}});
    show();
    EXPECT_TRUE(model_.has_gpus()) << "its columns are shown";
    const QModelIndex use = model_.index(0, NodeSamplesModel::GpuUse);
    EXPECT_EQ(use.data().toString(), u"–"_s);
    EXPECT_TRUE(tip(use).contains(u"does not answer"_s));
    EXPECT_EQ(model_.gpu_count(), 0);
}

TEST_F(Samples, AGpuThatFellOffItsBusKeepsItsRow) {
    add({{"cpu", 0.2}, {"gpu.0.util", 0.9}, {"gpu.1.util", 0.9}});
    add({{"cpu", 0.2}, {"gpu.0.util", 0.9}}, kStart + 60 * kSecond);
    add({{"cpu", 0.2}, {"gpu.0.util", 0.8}}, kStart + 61 * kSecond);
    data_.sample_history.clear();  // of a minute's pause
    show();
    ASSERT_EQ(model_.rowCount(model_.index(0, 0)), 2);
    EXPECT_EQ(gpu(1, NodeSamplesModel::GpuUse).data().toString(), u"–"_s);
    EXPECT_TRUE(tip(gpu(1, NodeSamplesModel::GpuUse)).contains(u"since"_s));
    EXPECT_EQ(model_.index(0, NodeSamplesModel::GpuUse).data().toString(), u"80 %"_s)
        << "of those that report";
}

TEST_F(Samples, RanksAreWhereTheSamplesSeeThemElseWhereThePlanSays) {
    data_.set_plan(synthetic_plan({.ranks = 65, .nodes = {"node1"}}));
    add({{"gpu.0.util", 0.9}, {"gpu.1.util", 0.9}, {"gpu.1.rank.0.mem_used", 1e9}});
    show();
    const auto ranks = [&](int row) {
        return gpu(row, 0).data(NodeSamplesModel::RanksRole).value<QList<int>>();
    };
    EXPECT_FALSE(ranks(0).contains(0)) << "the plan is not followed";
    EXPECT_TRUE(ranks(0).contains(8));
    EXPECT_TRUE(ranks(1).contains(0));
    EXPECT_TRUE(ranks(1).contains(1));
    EXPECT_TRUE(gpu(1, 0).data().toString().startsWith(u"GPU 1 · ranks 0, 1, 9"_s))
        << qPrintable(gpu(1, 0).data().toString());
    EXPECT_EQ(model_.index(0, 0).data(NodeSamplesModel::RanksRole).value<QList<int>>().size(), 65);
}

SyntheticRun large_run() {
    std::vector<std::string> nodes;
    for (int i = 0; i < 16; ++i) {
        nodes.push_back("node" + std::to_string(i + 1));
    }
    return {.ranks = 128, .nodes = nodes, .steps_per_epoch = 5, .fate = Fate::Running, .gpus = 8};
}

/// The strip by itself.
class Strip : public ::testing::Test {
protected:
    void show(LiveData data, double later_s = 0) {
        data_ = std::move(data);
        strip_.resize(1200, 100);
        strip_.set_data(&data_);
        strip_.show();
        strip_.refresh(true, data_.state.samples.begin()->second.last_us + std::int64_t(later_s * 1e6));
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&strip_));
        QCoreApplication::processEvents();
    }
    GpuSquares* squares() { return strip_.squares(); }

    LiveData data_;
    TelemetryStrip strip_;
};

TEST_F(Strip, ManyGpusAreSquaresAndAFewAreRows) {
    show(synthetic_data(large_run()));
    EXPECT_TRUE(strip_.is_squares());
    EXPECT_TRUE(squares()->isVisible());
    EXPECT_FALSE(child<QTreeView>(&strip_, "telemetryTable")->isVisible());
    const QString summary = child<ElidedLabel>(&strip_, "gpuSummary")->full_text();
    EXPECT_TRUE(summary.startsWith(u"128 GPUs · mean use "_s)) << qPrintable(summary);
    EXPECT_TRUE(summary.contains(u"lowest 12 %: GPU 3 on node1"_s)) << qPrintable(summary);
    EXPECT_TRUE(summary.contains(u"15 with memory errors"_s)) << "one node does not report them";
    EXPECT_TRUE(summary.contains(u"16 slowed down"_s)) << qPrintable(summary);
    EXPECT_EQ(squares()->accessibleName(), summary);
    EXPECT_LE(strip_.sizeHint().height(), 130);
    for (int gpu = 0; gpu < 128; ++gpu) {
        EXPECT_TRUE(squares()->rect().contains(squares()->square(gpu))) << gpu;
    }
    strip_.set_squares(false);
    EXPECT_TRUE(child<QTreeView>(&strip_, "telemetryTable")->isVisible());
    EXPECT_FALSE(squares()->isVisible());
}

TEST_F(Strip, AFewGpusAreRowsUntilTheUserWantsSquares) {
    show(synthetic_data({.until = 0.2, .fate = Fate::Running, .gpus = 4}));
    EXPECT_TRUE(strip_.can_be_squares());
    EXPECT_FALSE(strip_.is_squares());
    auto* table = child<QTreeView>(&strip_, "telemetryTable");
    EXPECT_TRUE(table->isExpanded(table->model()->index(1, 0))) << "a row per GPU";
    strip_.set_squares(true);
    EXPECT_TRUE(squares()->isVisible());
    show(synthetic_data({.until = 0.2, .fate = Fate::Running, .gpus = 0}));
    EXPECT_FALSE(strip_.can_be_squares());
    EXPECT_TRUE(table->isVisible());
}

TEST_F(Strip, ASquareChoosesItsRankByMouseAndKeyboard) {
    show(synthetic_data(large_run()));
    QSignalSpy chosen(&strip_, &TelemetryStrip::ranksChosen);
    const auto last = [&] { return chosen.last().at(0).value<std::vector<int>>(); };
    QTest::mouseClick(squares(), Qt::LeftButton, {}, squares()->square(77).center());
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(last(), std::vector<int>{77});
    QTest::mouseClick(squares(), Qt::LeftButton, {}, QPoint(squares()->width() - 1, 1));
    EXPECT_EQ(chosen.size(), 1) << "beside the squares";
    squares()->setFocus();
    QTest::keyClick(squares(), Qt::Key_Right);
    QTest::keyClick(squares(), Qt::Key_Return);
    EXPECT_EQ(last(), std::vector<int>{78});
    QTest::keyClick(squares(), Qt::Key_Home);
    QTest::keyClick(squares(), Qt::Key_Left);
    QTest::keyClick(squares(), Qt::Key_Space);
    EXPECT_EQ(last(), std::vector<int>{0});
    QTest::keyClick(squares(), Qt::Key_End);
    QTest::keyClick(squares(), Qt::Key_Down);
    QTest::keyClick(squares(), Qt::Key_Space);
    EXPECT_EQ(last(), std::vector<int>{127});
    const QString tip = squares()->tip(77);
    EXPECT_TRUE(tip.startsWith(u"GPU 5 on node10, rank 77\n"_s)) << qPrintable(tip);
    EXPECT_TRUE(tip.contains(u"Uncorrected memory errors: 2"_s)) << qPrintable(tip);
    EXPECT_TRUE(tip.contains(u"W"_s));
    EXPECT_EQ(squares()->tip(128), QString());
    EXPECT_EQ(squares()->tip(-1), QString());
}

TEST_F(Strip, SilentNodesAreCountedAndTheirSquaresSayTheAge) {
    show(synthetic_data(large_run()), 40);
    const QString summary = squares()->summary();
    EXPECT_TRUE(summary.contains(u"on silent nodes"_s)) << qPrintable(summary);
    EXPECT_TRUE(squares()->tip(0).contains(u"as of 40 s ago"_s)) << qPrintable(squares()->tip(0));
}

TEST_F(Strip, ColumnsLeaveANarrowWindow) {
    show(synthetic_data({.until = 0.2, .fate = Fate::Running, .gpus = 4}));
    auto* table = child<QTreeView>(&strip_, "telemetryTable");
    EXPECT_TRUE(table->isColumnHidden(NodeSamplesModel::Disk));
    strip_.resize(1000, strip_.height());
    QCoreApplication::processEvents();
    EXPECT_TRUE(table->isColumnHidden(NodeSamplesModel::NetIn));
    EXPECT_FALSE(table->isColumnHidden(NodeSamplesModel::Link));
    strip_.resize(1500, strip_.height());
    QCoreApplication::processEvents();
    EXPECT_FALSE(table->isColumnHidden(NodeSamplesModel::Disk));
}

TEST_F(Pages, AGpuSelectsItsRankEverywhere) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    live->show_stored(synthetic_data(large_run()));
    auto* squares = find<GpuSquares>("gpuSquares");
    auto* toggle = find<QToolButton>("gpuSquaresShown");
    EXPECT_TRUE(toggle->isVisible() && toggle->isChecked());
    QTest::mouseClick(squares, Qt::LeftButton, {}, squares->square(40).center());
    EXPECT_EQ(find<RankSquares>("rankSquares")->selected(), std::vector<int>{40});
    auto* ranks = find<QTableView>("rankTable");
    EXPECT_EQ(ranks->selectionModel()->selectedRows().size(), 1);
    click(toggle);
    auto* table = find<QTreeView>("telemetryTable");
    ASSERT_TRUE(table->isVisible());
    const QModelIndex node = table->model()->index(5, 0);
    EXPECT_TRUE(table->selectionModel()->isSelected(table->model()->index(0, 0, node))) << "rank 40";
    // A node's row selects all ranks of the node.
    const QModelIndex first = table->model()->index(0, 0);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(first).center());
    EXPECT_EQ(find<RankSquares>("rankSquares")->selected(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_TRUE(table->selectionModel()->isSelected(first)) << "what was clicked stays selected";
    ranks->selectRow(12);
    EXPECT_TRUE(
        table->selectionModel()->isSelected(table->model()->index(4, 0, table->model()->index(1, 0))));
    live->show_stored(synthetic_data({.id = "cpu", .until = 0.2, .gpus = 0}));
    EXPECT_FALSE(toggle->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
