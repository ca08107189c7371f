// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the nodes reported in a part of the run.

#include <gui/data/live_data.h>
#include <gui/data/sample_timeline.h>
#include <gui/live/telemetry_strip.h>
#include <gui/models/node_samples_model.h>

#include <tests/gui/gui_test.h>

#include <QAbstractItemModelTester>
#include <QTreeView>
#include <cmath>
#include <limits>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kStart = 1'760'000'000'000'000;

std::int64_t at(double seconds) {
    return kStart + std::int64_t(seconds * double(kSecond));
}

double value(const NodeSamples& samples, const std::string& key) {
    const auto found = samples.values.find(key);
    return found == samples.values.end() ? std::nan("") : found->second.last;
}

void put(SampleTimeline& timeline, int second,
         std::initializer_list<std::pair<const char*, double>> figures) {
    timeline.begin(at(second - 1), at(second));
    for (const auto& [key, figure] : figures) {
        timeline.put(key, figure);
    }
}

TEST(SampleTimeline, FiguresOfARangeAreMeansHighestOrAllBits) {
    SampleTimeline timeline;
    put(timeline, 1, {{"cpu", 0.2}, {"gpu.0.temp", 50}, {"gpu.0.throttle", 0x4}, {"gpu.0.ecc", 0}});
    put(timeline, 2, {{"cpu", 0.4}, {"gpu.0.temp", 80}, {"gpu.0.throttle", 0x20}, {"gpu.0.ecc", 3}});
    put(timeline, 3, {{"cpu", 0.9}, {"gpu.0.temp", 60}, {"gpu.0.throttle", 0}});
    const NodeSamples all = timeline.over({});
    EXPECT_NEAR(value(all, "cpu"), 0.5, 1e-6);
    EXPECT_EQ(value(all, "gpu.0.temp"), 80);
    EXPECT_EQ(value(all, "gpu.0.throttle"), 0x24);
    EXPECT_EQ(value(all, "gpu.0.ecc"), 3);
    put(timeline, 4, {{"gpu.0.pcie_gen", 5}, {"gpu.0.pcie_width", 16}});
    put(timeline, 5, {{"gpu.0.pcie_gen", 1}, {"gpu.0.pcie_width", 16}});
    EXPECT_EQ(value(timeline.over({}), "gpu.0.pcie_gen"), 5) << "there is no generation of 3";
    EXPECT_EQ(all.last_us, at(3));
    EXPECT_NEAR(value(timeline.over({at(1.2), at(1.8)}), "cpu"), 0.4, 1e-6) << "between two samples";
    EXPECT_NEAR(value(timeline.over({at(2.5), TimeSpan::kOpenEnd}), "cpu"), 0.9, 1e-6);
    EXPECT_TRUE(timeline.over({at(2.5), TimeSpan::kOpenEnd}).values.count("gpu.0.ecc") == 0);
    EXPECT_TRUE(timeline.over({at(10), at(20)}).values.empty());
    EXPECT_TRUE(timeline.over({TimeSpan::kOpenBegin, at(-5)}).values.empty());
}

TEST(SampleTimeline, ALongRunStaysWithinItsMemoryAndIsCoveredWhole) {
    SampleTimeline timeline;
    std::vector<std::string> keys;
    for (int gpu = 0; gpu < 8; ++gpu) {
        for (const char* figure : {"util", "mem_used", "power", "temp", "sm_clock", "throttle", "ecc"}) {
            keys.push_back("gpu." + std::to_string(gpu) + "." + figure);
        }
    }
    constexpr int kSamples = 100'000;
    for (int i = 1; i <= kSamples; ++i) {
        timeline.begin(at(i - 1), at(i));
        for (const std::string& key : keys) {
            timeline.put(key, i);
        }
    }
    EXPECT_LE(timeline.bytes(), SampleTimeline::kMostBytes);
    EXPECT_GT(timeline.bytes(), SampleTimeline::kMostBytes / 3);
    EXPECT_NEAR(value(timeline.over({}), "gpu.7.util"), (kSamples + 1) / 2.0, 1);
    EXPECT_EQ(value(timeline.over({}), "gpu.7.temp"), kSamples);
    const double length = double(kSamples) / double(timeline.pieces());
    EXPECT_NEAR(value(timeline.over({at(20'000), at(30'000)}), "gpu.3.power"), 25'000, 2 * length);
    const std::vector<float> course = timeline.course("gpu.0.util", {}, 60);
    ASSERT_EQ(course.size(), 60U);
    EXPECT_TRUE(std::is_sorted(course.begin(), course.end()));
    EXPECT_LT(course.front(), kSamples / 50);
    EXPECT_GT(course.back(), kSamples / 60 * 58);
}

TEST(SampleTimeline, StrangeSamplesNeitherGrowNorBreakIt) {
    SampleTimeline timeline;
    timeline.put("cpu", 1);
    EXPECT_TRUE(timeline.over({}).values.empty()) << "no sample was begun";
    for (int i = 1; i <= 3000; ++i) {
        timeline.begin(at(i - 1), at(i % 2 == 0 ? i : i - 500));  // a clock that jumps
        timeline.put("cpu", i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.5);
        timeline.put("gpu.0.throttle", i % 2 == 0 ? -1 : 1e300);
        timeline.put("odd." + std::to_string(i), 1);
    }
    EXPECT_NEAR(value(timeline.over({}), "cpu"), 0.5, 1e-6);
    EXPECT_LE(timeline.over({}).values.size(), SampleTimeline::kMostKeys);
    EXPECT_LE(timeline.pieces(), SampleTimeline::kMostPieces);
    EXPECT_TRUE(timeline.course("none", {}, 60).empty());
    EXPECT_TRUE(timeline.course("cpu", {}, 0).empty());
}

/// Two nodes with a GPU each: the use falls, and from second 60 on the second node's GPU reports nothing.
class SamplesInRange : public ::testing::Test {
protected:
    SamplesInRange() {
        for (int i = 1; i <= 100; ++i) {
            add("node1", i, {{"cpu", 0.1}, {"gpu.0.util", 1 - i / 100.0}, {"gpu.0.temp", 40 + i / 2.0}});
            if (i < 60) {
                add("node2", i, {{"cpu", 0.3}, {"gpu.0.util", 0.5}});
            } else {
                add("node2", i, {{"cpu", 0.3}});
            }
        }
        model_.set_data(&data_);
        model_.refresh(at(300));
    }
    void add(const std::string& node, int second, std::vector<std::pair<std::string, double>> values) {
        SampleEvent event;
        event.values = std::move(values);
        data_.apply(Event{0, at(second), node, -1, event});
    }
    QString gpu(int node, int column) {
        return model_.index(0, column, model_.index(node, 0)).data().toString();
    }

    LiveData data_;
    NodeSamplesModel model_;
};

TEST_F(SamplesInRange, RowsShowTheChosenTimesAndTheNewestAfterwards) {
    using Model = NodeSamplesModel;
    const QAbstractItemModelTester tester(&model_, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QString newest = model_.index(0, Model::GpuUse).data().toString();
    EXPECT_EQ(newest, u"0 %"_s);
    EXPECT_TRUE(model_.index(0, 0).data(Model::StaleRole).toBool());
    model_.set_range({at(20), at(30)});
    EXPECT_EQ(gpu(0, Model::GpuUse), u"75 %"_s);
    EXPECT_EQ(gpu(0, Model::Temperature), u"55 °C"_s) << "the highest";
    EXPECT_EQ(gpu(1, Model::GpuUse), u"50 %"_s);
    EXPECT_FALSE(model_.index(0, 0).data(Model::StaleRole).toBool());
    EXPECT_EQ(model_.index(0, 0).data().toString(), u"node1"_s);
    const QModelIndex use = model_.index(0, Model::GpuUse, model_.index(0, 0));
    EXPECT_TRUE(use.data(Qt::ToolTipRole).toString().contains(u"range"_s));
    const auto course = use.data(Model::HistoryRole).value<QList<float>>();
    EXPECT_GE(course.size(), 10);
    EXPECT_LE(course.size(), 12);

    model_.set_range({at(70), at(80)});
    EXPECT_EQ(gpu(1, Model::GpuUse), u"–"_s);
    EXPECT_EQ(model_.rowCount(model_.index(1, 0)), 1) << "the GPU keeps its row";
    EXPECT_TRUE(model_.index(0, Model::GpuUse, model_.index(1, 0))
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(u"Not sampled in the chosen range"_s));
    model_.set_range({});
    EXPECT_EQ(model_.index(0, Model::GpuUse).data().toString(), newest);
}

TEST_F(SamplesInRange, NewSamplesChangeOnlyARangeThatIsOpen) {
    model_.set_range({at(90), TimeSpan::kOpenEnd});
    const QString before = gpu(0, NodeSamplesModel::GpuUse);
    for (int i = 101; i <= 140; ++i) {
        add("node1", i, {{"gpu.0.util", 1}});
    }
    model_.refresh(at(141));
    EXPECT_NE(gpu(0, NodeSamplesModel::GpuUse), before);
    model_.set_range({at(20), at(30)});
    add("node1", 141, {{"gpu.0.util", 0}});
    model_.refresh(at(142));
    EXPECT_EQ(gpu(0, NodeSamplesModel::GpuUse), u"75 %"_s);
}

TEST_F(SamplesInRange, AnotherRunIsShownFromItsOwnSamples) {
    model_.set_range({at(20), at(30)});
    LiveData other;
    SampleEvent event;
    event.values = {{"cpu", 0.9}};
    other.apply(Event{0, at(25), "node1", -1, event});
    model_.set_data(&other);
    EXPECT_EQ(model_.index(0, NodeSamplesModel::Cpu).data().toString(), u"90 %"_s);
    model_.set_data(nullptr);
    EXPECT_EQ(model_.rowCount(), 0);
}

}  // namespace
}  // namespace rankscope::gui::testing
