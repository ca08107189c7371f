// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_choice.h>
#include <gui/data/metric_format.h>
#include <gui/live/metric_chooser.h>
#include <gui/models/rank_table_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>
#include <QFrame>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui::testing {
namespace {

using Names = std::vector<std::string>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A run whose ranks report exactly these values at steps 1 … 20.
LiveData run_of(const std::vector<std::pair<std::string, double>>& values, int ranks = 2) {
    LiveData data;
    data.state.name = "metric-test";
    data.set_plan(synthetic_plan({.ranks = ranks}));
    for (int step = 1; step <= 20; ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            MetricEvent metric{step, 1, values, {}};
            for (auto& [name, value] : metric.values) {
                value += 0.01 * step;
            }
            data.apply({0, step * 1'000'000, "node1", rank, metric});
        }
    }
    return data;
}

class MetricPlots : public ::testing::Test {
protected:
    void SetUp() override { QSettings().remove(u"live/metrics"_s); }

    void show(LiveData data) {
        live_.reset(std::move(data));
        plot_.resize(1200, 260);
        plot_.set_live(&live_);
        plot_.show();
        MetricChoice choice;
        choice.set_job(live_.state().name);
        plot_.set_metrics(choice.shown(live_.data()));
    }
    const MetricPanel* panel(const std::string& name) const {
        const auto at = std::find_if(plot_.panels().begin(), plot_.panels().end(),
                                     [&](const auto& each) { return each->name() == name; });
        return at == plot_.panels().end() ? nullptr : at->get();
    }

    LiveModel live_;
    MetricPlot plot_;
};

TEST_F(MetricPlots, EveryReportedMetricIsDrawn) {
    show(run_of({{"loss", 1}, {"margin", 0.3}}));
    EXPECT_EQ(plot_.shown_metrics(), (Names{"loss", "margin"}));
    plot_.set_metrics({"margin", "loss", "lr"});
    EXPECT_EQ(plot_.shown_metrics(), (Names{"margin", "loss"}))
        << "in the chosen order, the absent folds away";
    live_.apply({Event{0, 1, "node1", 0, MetricEvent{21, 1, {{"lr", 1e-4}}, {}}}});
    plot_.refresh();
    EXPECT_EQ(plot_.shown_metrics(), (Names{"margin", "loss", "lr"})) << "until it is reported";
}

TEST_F(MetricPlots, TheDefaultIsLossAccuracyAndThroughputWhereTheyAreReported) {
    EXPECT_EQ(default_metrics(run_of({{"lr", 1}, {"images_per_s", 1}, {"acc1", 0}, {"loss", 1}})),
              (Names{"loss", "acc1", "images_per_s"}));
    EXPECT_EQ(default_metrics(run_of({{"lr", 1}, {"grad_norm", 1}})), (Names{"lr", "grad_norm"}))
        << "a run without them shows what there is";
}

TEST_F(MetricPlots, AnEmptyPlotShowsTheReason) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    show(std::move(data));
    EXPECT_TRUE(plot_.panels().empty()) << "no axes behind the sentence";
    EXPECT_TRUE(plot_.message().contains(u"No measurements yet"_s));
    live_.apply({Event{0, 1, "", -1, EndEvent{Outcome::Failed, 1, "", false, {}, {}}}});
    plot_.refresh();
    EXPECT_EQ(plot_.message(), u"This run reported no measurements."_s);

    show(run_of({{"loss", 1}}));
    EXPECT_TRUE(plot_.message().isEmpty());
    plot_.set_metrics({});
    EXPECT_TRUE(plot_.message().contains(u"No metrics are chosen"_s));
}

TEST_F(MetricPlots, AnEmptyPanelShowsItInItsOwnPlace) {
    LiveData data = run_of({{"loss", 1}});
    for (int step = 1; step <= 20; ++step) {
        data.apply({0, 1, "node1", 0, MetricEvent{step, 1, {{"margin", kNan}}, {}}});
    }
    show(std::move(data));
    const MetricPanel* margin = panel("margin");
    ASSERT_NE(margin, nullptr);
    EXPECT_EQ(margin->note(), u"All values here are NaN or infinite."_s);
    EXPECT_TRUE(panel("loss")->note().isEmpty());
    // Visible: the picture changes inside of this panel when the note goes.
    const QRect box = margin->rect()->rect();
    QCPItemText* note = nullptr;
    for (int i = 0; i < plot_.plot()->itemCount(); ++i) {
        auto* text = qobject_cast<QCPItemText*>(plot_.plot()->item(i));
        note = text != nullptr && text->visible() ? text : note;
    }
    ASSERT_NE(note, nullptr);
    plot_.plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QImage with = plot_.plot()->toPixmap().toImage().copy(box);
    note->setVisible(false);
    plot_.plot()->replot(QCustomPlot::rpImmediateRefresh);
    EXPECT_NE(with, plot_.plot()->toPixmap().toImage().copy(box));
}

TEST_F(MetricPlots, NanIsAGapWithAMark) {
    LiveData data = run_of({{"loss", 1}}, 1);
    data.apply({0, 1, "node1", 0, MetricEvent{21, 1, {{"loss", kNan}}, {}}});
    data.apply({0, 1, "node1", 0, MetricEvent{22, 1, {{"loss", 1}}, {}}});
    show(std::move(data));
    const MetricPanel* loss = panel("loss");
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->values_at(21), QStringList{u"rank 0: NaN"_s});
    // A red mark at the upper edge, above step 21.
    const QImage picture = plot_.plot()->toPixmap().toImage();
    const int x = int(loss->x()->coordToPixel(21));
    const int top = loss->rect()->rect().top();
    int red = 0;
    for (int dx = -5; dx <= 5; ++dx) {
        for (int dy = 0; dy <= 10; ++dy) {
            const QColor at = picture.pixelColor(x + dx, top + dy);
            red += at.red() > at.green() + 60 && at.red() > at.blue() + 60 ? 1 : 0;
        }
    }
    EXPECT_GT(red, 4);
}

TEST_F(MetricPlots, SmoothingFadesTheValuesAndFitsTheAverage) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    for (int step = 1; step <= 200; ++step) {
        const double value = step % 50 == 0 ? 3500 : 1700 + step % 7;
        data.apply({0, 1, "node1", 0, MetricEvent{step, 1, {{"images_per_s", value}}, {}}});
    }
    show(std::move(data));
    plot_.plot()->replot(QCustomPlot::rpImmediateRefresh);  // lays out the panels
    EXPECT_GT(panel("images_per_s")->y()->range().upper, 3500);
    plot_.set_smoothing(0.95);
    EXPECT_LT(panel("images_per_s")->y()->range().upper, 2600) << "the axis fits what is drawn";
}

TEST_F(MetricPlots, PanelsShareRowsAsFarAsTheyAreWideEnough) {
    Names names;
    std::vector<std::pair<std::string, double>> values;
    for (int i = 0; i < 9; ++i) {
        names.push_back("m" + std::to_string(i));
        values.emplace_back(names.back(), i);
    }
    show(run_of(values));
    plot_.set_metrics(names);
    ASSERT_EQ(plot_.panels().size(), 9U);
    EXPECT_EQ(plot_.plot()->plotLayout()->columnCount(), 3) << "three rows of three, not four, four and one";
    EXPECT_EQ(plot_.plot()->plotLayout()->rowCount(), 6);
    plot_.set_metrics({"m1"});
    EXPECT_EQ(plot_.plot()->plotLayout()->columnCount(), 1) << "the others have folded away";
    plot_.set_metrics(names);
    plot_.resize(400, 260);
    EXPECT_TRUE(wait_until([&] { return plot_.plot()->plotLayout()->columnCount() == 1; }));
}

TEST(MetricFormat, NumbersAreWrittenByTheUnitOfTheirName) {
    EXPECT_EQ(metric_value_text("lr", 1e-4), u"1e-4"_s);
    EXPECT_EQ(metric_value_text("lr", 0.1), u"0.1000"_s);
    EXPECT_EQ(metric_value_text("acc1", 0.984), u"98.4 %"_s);
    EXPECT_EQ(metric_value_text("val_acc5", 0.5), u"50.0 %"_s);
    EXPECT_EQ(metric_value_text("accident_rate", 0.5), u"0.5000"_s);
    EXPECT_EQ(metric_value_text("t_step_ms", 12.3456), u"12.346 ms"_s);
    EXPECT_EQ(metric_value_text("images_per_s", 1449.7), count_text(1450));
    EXPECT_EQ(metric_value_text("samples", 12345678), count_text(12345678));
    EXPECT_EQ(metric_value_text("margin", kNan), u"NaN"_s);
    EXPECT_EQ(metric_value_text("margin", -INFINITY), u"-∞"_s);
    EXPECT_EQ(axis_text(metric_unit("lr"), 2.5e-4), u"2.5e-4"_s);
    EXPECT_EQ(axis_text(metric_unit("acc1"), 0.25), u"25 %"_s);
    EXPECT_EQ(axis_text(metric_unit("acc1"), 0.937384), u"93.7 %"_s);
    EXPECT_EQ(axis_text(metric_unit("acc1"), 0.0025, 4), u"0.25 %"_s);
    EXPECT_EQ(axis_text(metric_unit("loss"), 25000), u"25k"_s);
    EXPECT_EQ(metric_title("lr"), u"Learning rate"_s);
    EXPECT_EQ(metric_title("acc5"), u"Top-5 accuracy"_s);
    EXPECT_EQ(metric_title("my margin"), u"my margin"_s);
}

TEST(MetricChoice, IsRememberedByTheNameOfTheJob) {
    QSettings().remove(u"live/metrics"_s);
    const LiveData data = run_of({{"loss", 1}, {"lr", 1}});
    MetricChoice choice;
    choice.set_job("team/job 1");
    EXPECT_TRUE(choice.is_default());
    choice.choose(Names{"lr"});
    choice.set_job("another");
    EXPECT_EQ(choice.shown(data), Names{"loss"});
    choice.set_job("team/job 1");
    EXPECT_EQ(choice.shown(data), Names{"lr"});
    choice.choose({});
    choice.set_job("team/job 1");
    EXPECT_TRUE(choice.is_default());
}

TEST(MetricChooser, ListsEveryNameWithItsRanksAndIsUsedFromTheKeyboard) {
    LiveData data = run_of({{"loss", 1}, {"lr", 1}});
    data.apply({0, 1, "node1", 0, MetricEvent{20, 1, {{"loss_all", 1}}, {}}});
    MetricChooser chooser;
    chooser.set_metrics(data, {"loss"}, true);
    chooser.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&chooser));
    chooser.setFocus();
    QTest::keyClick(&chooser, Qt::Key_Space);
    ASSERT_TRUE(wait_until([&] { return chooser.popup()->isVisible(); }));
    const QAbstractItemModel* model = chooser.list()->model();
    ASSERT_EQ(model->rowCount(), 3);
    EXPECT_TRUE(model->index(0, 0).data().toString().contains(u"all ranks"_s));
    EXPECT_TRUE(model->index(2, 0).data().toString().contains(u"rank 0"_s));
    EXPECT_FALSE(chooser.search()->isVisible()) << "short lists need none";
    const int rows = 3 * chooser.list()->sizeHintForRow(0);
    EXPECT_GE(chooser.list()->viewport()->height(), rows);
    EXPECT_LE(chooser.list()->viewport()->height(), rows + 4) << "no empty space below the last";
    EXPECT_EQ(chooser.popup()->height(), chooser.popup()->sizeHint().height());
    QSignalSpy chosen(&chooser, &MetricChooser::chosen);
    QTest::keyClick(chooser.list(), Qt::Key_Down);
    QTest::keyClick(chooser.list(), Qt::Key_Space);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen.front().front().value<Names>(), (Names{"loss", "lr"}));
    QTest::keyClick(chooser.list(), Qt::Key_Escape);
    EXPECT_TRUE(wait_until([&] { return !chooser.popup()->isVisible(); }));
}

TEST(MetricChooser, ALongListIsSearched) {
    std::vector<std::pair<std::string, double>> values;
    for (int i = 0; i < 30; ++i) {
        values.emplace_back("metric_" + std::to_string(i), i);
    }
    values.emplace_back("grad_norm", 1);
    const LiveData data = run_of(values);
    MetricChooser chooser;
    chooser.set_metrics(data, {}, false);
    chooser.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&chooser));
    click(&chooser);
    ASSERT_TRUE(wait_until([&] { return chooser.popup()->isVisible(); }));
    ASSERT_TRUE(chooser.search()->isVisible());
    QTest::keyClicks(chooser.search(), u"gradient"_s);
    EXPECT_EQ(chooser.list()->model()->rowCount(), 1) << "by its title";
    QSignalSpy chosen(&chooser, &MetricChooser::chosen);
    QTest::keyClick(chooser.search(), Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen.front().front().value<Names>(), Names{"grad_norm"});
    chooser.popup()->hide();
}

TEST(RankTable, HasAColumnForEachChosenMetric) {
    LiveModel live;
    live.reset(run_of({{"loss", 1}, {"margin", 0.25}}));
    RankTableModel table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    table.set_live(&live);
    table.set_metrics({"loss", "margin", "lr"});
    ASSERT_EQ(table.columnCount(), RankTableModel::FIRST_METRIC + 3) << "loss, margin, exit";
    const int margin = table.column_of("margin");
    EXPECT_EQ(table.headerData(margin, Qt::Horizontal).toString(), u"margin"_s);
    EXPECT_EQ(table.index(1, margin).data().toString(), u"0.4500"_s);
    EXPECT_EQ(table.column_of("lr"), -1);
    table.set_metrics({"margin"});
    EXPECT_EQ(table.column_of("margin"), int(RankTableModel::FIRST_METRIC));
    EXPECT_EQ(table.headerData(table.exit_column(), Qt::Horizontal).toString(), u"Exit"_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
