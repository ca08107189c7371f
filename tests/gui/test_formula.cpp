// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula.h>
#include <gui/data/formula_series.h>
#include <gui/data/formula_work.h>
#include <gui/live/formula_dialog.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_export.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <cmath>
#include <memory>

namespace rankscope::gui::testing {
namespace {

double number_of(std::string_view text, const std::vector<double>& values = {}) {
    const auto formula = Formula::parse(text);
    return formula ? formula->compute(values, 8) : -12345;
}

FormulaError error_of(std::string_view text) {
    FormulaError error;
    EXPECT_FALSE(Formula::parse(text, &error).has_value()) << text;
    return error;
}

TEST(Formula, ComputesAsOneWritesIt) {
    EXPECT_EQ(number_of("1 + 2 * 3 - 4 / 2"), 5);
    EXPECT_EQ(number_of("(1 + 2) * -(3 - 5)"), 6);
    EXPECT_EQ(number_of("--2"), 2);
    EXPECT_EQ(number_of("10 - 3 - 2"), 5);
    EXPECT_EQ(number_of("16 / 4 / 2"), 2);
    EXPECT_EQ(number_of("1.5e2 + .5"), 150.5);
    EXPECT_NEAR(number_of("log(2.718281828459045)"), 1, 1e-12);
    EXPECT_EQ(number_of("mean(1, 2, 6) + min(4, 3) + max(1, 9) + median(7, 1, 2) + median(1, 3)"),
              3 + 3 + 9 + 2 + 2);
    EXPECT_EQ(number_of("sum(1, 2, 6) - sum(2, 2)"), 5);
    EXPECT_EQ(number_of("400 / world_size"), 50);
    EXPECT_EQ(number_of("a - b", {5, 3}), 2);
    EXPECT_TRUE(std::isnan(number_of("log(-1)")));
    EXPECT_TRUE(std::isnan(number_of("0 / 0")));
    EXPECT_TRUE(std::isnan(number_of("min(1, log(0))")));
    EXPECT_TRUE(std::isinf(number_of("1 / 0")));
}

TEST(Formula, NamesMetricsOfRanksAndOfAll) {
    const auto formula =
        Formula::parse("loss@rank3 - loss@mean + \"train/loss x\" + median(loss) + loss@rank3");
    ASSERT_TRUE(formula.has_value());
    const std::vector<FormulaOperand> expected{{"loss", Whose::Rank, 3},
                                               {"loss", Whose::Mean, -1},
                                               {"train/loss x", Whose::Each, -1},
                                               {"loss", Whose::Median, -1}};
    EXPECT_EQ(formula->operands(), expected);
    EXPECT_FALSE(formula->is_single());
    EXPECT_TRUE(Formula::parse("max(loss) - loss@min")->is_single());
    const std::vector<FormulaOperand> sums{{"rate", Whose::Sum, -1}};
    EXPECT_EQ(Formula::parse("rate@sum + sum(rate)")->operands(), sums);
    EXPECT_EQ(Formula::parse("loss + mean(loss)")->operands().size(), 2U);
}

TEST(Formula, AnErrorHasItsPlace) {
    using What = FormulaError::What;
    const auto expect = [](std::string_view text, What what, std::size_t position) {
        const FormulaError error = error_of(text);
        EXPECT_EQ(error.what, what) << text;
        EXPECT_EQ(error.position, position) << text;
        EXPECT_FALSE(formula_error_text(error).isEmpty());
    };
    expect("", What::Empty, 0);
    expect("loss -", What::NumberMissing, 6);
    expect("(1 + 2", What::ParenthesisOpen, 0);
    expect("1 + $", What::UnknownSign, 4);
    expect("loss loss", What::Trailing, 5);
    expect("loss@rnk3", What::UnknownWord, 5);
    expect("loss@rank", What::UnknownWord, 5);
    expect("loss@rank99999999999", What::UnknownWord, 5);
    expect("1 + sin(2)", What::UnknownWord, 4);
    expect("log(1, 2)", What::Arguments, 0);
    expect("mean(1)", What::Arguments, 0);
    expect("1 + \"loss", What::QuoteOpen, 4);
    expect("1e999", What::BadNumber, 0);
    EXPECT_TRUE(formula_error_text(error_of("loss -")).contains(u"column 7"_s));
}

TEST(Formula, IsBounded) {
    using What = FormulaError::What;
    EXPECT_EQ(error_of(std::string(2000, '1')).what, What::TooLong);
    EXPECT_EQ(error_of(std::string(500, '(')).what, What::TooDeep);
    std::string many = "1";
    for (int i = 0; i < 300; ++i) {
        many += "+1";
    }
    EXPECT_EQ(error_of(many).what, What::TooMany);
    EXPECT_EQ(number_of(std::string(900, '-') + "1"), 1);
}

/// Rank r reports loss = step + r at steps 1 … 50.
LiveData steps_and_ranks(int ranks) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = ranks}));
    for (int step = 1; step <= 50; ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            data.apply(
                {0, 1, "node1", rank, MetricEvent{step, 1, {{"loss", step + rank}, {"rate", 100.0}}, {}}});
        }
    }
    return data;
}

/// Rank r reports loss = step + r and rate = 100 at steps 1 … `steps`, in columns that are made at once.
LiveData long_run(int ranks, int steps) {
    LiveData data = steps_and_ranks(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        for (int step = 51; step <= steps; ++step) {
            data.series[std::size_t(rank)].add(*data.state.metrics.find("loss"), step, float(step + rank));
            data.series[std::size_t(rank)].add(*data.state.metrics.find("rate"), step, 100);
        }
    }
    return data;
}

std::vector<QueuedItem> one_step(int ranks, int step) {
    std::vector<QueuedItem> items;
    for (int rank = 0; rank < ranks; ++rank) {
        items.emplace_back(
            Event{0, 1, "node1", rank, MetricEvent{step, 1, {{"loss", step + rank}, {"rate", 100.0}}, {}}});
    }
    return items;
}

class FormulaSeriesTest : public ::testing::Test {
protected:
    /// Until nothing is computed and nothing is left.
    static void finish(FormulaSeries& series) {
        series.update();
        ASSERT_TRUE(wait_until([&] {
            if (!series.computing()) {
                series.update();
            }
            return !series.computing();
        }));
    }
    /// loss - loss@mean of a run where they differ by rank alone.
    static void expect_distances(const FormulaSeries& series, int ranks, std::size_t steps) {
        ASSERT_EQ(series.values().ranks->size(), std::size_t(ranks));
        for (int rank = 0; rank < ranks; ++rank) {
            const MetricColumn& column = series.values().column(rank);
            ASSERT_EQ(column.size(), steps) << rank;
            for (const std::size_t i : {std::size_t(0), steps / 3, steps - 1}) {
                EXPECT_EQ(column.steps().at(i), std::int64_t(i) + 1);
                EXPECT_EQ(column.at(i), float(rank) - float(ranks - 1) / 2) << rank << " " << i;
            }
        }
    }

    QThreadPool pool_;
    LiveModel live_;
};

TEST_F(FormulaSeriesTest, FollowsTheRun) {
    live_.reset(steps_and_ranks(4));
    FormulaSeries series("loss - loss@mean", &live_, &pool_);
    series.update();
    EXPECT_FALSE(series.computing()) << "it is little";
    EXPECT_TRUE(series.problem().isEmpty());
    expect_distances(series, 4, 50);
    for (int rank = 0; rank < 4; ++rank) {
        live_.apply({Event{0, 1, "node1", rank, MetricEvent{51, 1, {{"loss", 10.0 * rank}}, {}}}});
    }
    series.update();
    EXPECT_EQ(series.values().column(3).at(50), 15);
    // A rank returns to an earlier step: what was computed from it is computed again.
    live_.apply({Event{0, 1, "node1", 0, MetricEvent{10, 1, {{"loss", 0.0}}, {}}}});
    series.update();
    EXPECT_EQ(series.values().column(0).size(), 10U);
}

TEST_F(FormulaSeriesTest, OfAllRanksIsOneCurve) {
    live_.reset(steps_and_ranks(4));
    FormulaSeries series("max(loss) - loss@rank1 + rate@min / world_size", &live_, &pool_);
    series.update();
    EXPECT_TRUE(series.values().single);
    ASSERT_EQ(series.values().column(0).size(), 50U);
    EXPECT_EQ(series.values().column(0).at(20), 2 + 25);
    EXPECT_EQ(series.done(), 1);
    FormulaSeries sum("rate@sum", &live_, &pool_);
    sum.update();
    EXPECT_EQ(sum.values().column(0).at(20), 400);
}

TEST_F(FormulaSeriesTest, RanksThatReportOtherStepsAreComputedOnce) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 2}));
    for (int step = 1; step <= 40'001; ++step) {
        data.apply({0, 1, "node1", step % 2, MetricEvent{step, 1, {{"loss", double(step % 2)}}, {}}});
    }
    live_.reset(std::move(data));
    FormulaSeries series("loss@mean", &live_, &pool_);
    finish(series);
    const std::uint64_t revision = *series.values().revision;
    series.update();
    EXPECT_FALSE(series.computing()) << "there is nothing more";
    EXPECT_EQ(*series.values().revision, revision);
    EXPECT_GE(series.values().column(0).size(), 20'000U);
}

TEST_F(FormulaSeriesTest, ReportsWhatIsMissing) {
    live_.reset(steps_and_ranks(2));
    const auto problem = [&](const char* text) { return FormulaSeries(text, &live_, &pool_).problem(); };
    EXPECT_TRUE(problem("los - 1").contains(u"los"_s));
    EXPECT_TRUE(problem("loss@rank9").contains(u"no rank 9"_s));
    EXPECT_TRUE(problem("loss -").contains(u"column 7"_s));
    EXPECT_FALSE(problem("1 + 1").isEmpty());
}

TEST_F(FormulaSeriesTest, AWorkerComputesWhatTakesLong) {
    live_.reset(long_run(32, 4000));
    FormulaSeries series("loss - loss@mean", &live_, &pool_);
    QSignalSpy computed(&series, &FormulaSeries::computed);
    series.update();
    EXPECT_TRUE(series.computing());
    EXPECT_TRUE(series.values().column(0).empty());
    ASSERT_TRUE(wait_until([&] { return !series.computing(); }));
    EXPECT_EQ(computed.count(), 1) << "all at once";
    expect_distances(series, 32, 4000);
    live_.apply(one_step(32, 4001));
    series.update();
    EXPECT_FALSE(series.computing()) << "a step more is little";
    expect_distances(series, 32, 4001);
}

TEST_F(FormulaSeriesTest, TheRunContinuesWhileAWorkerComputes) {
    live_.reset(long_run(32, 4000));
    FormulaSeries series("loss - loss@mean", &live_, &pool_);
    series.update();
    int step = 4000;
    while (series.computing()) {
        live_.apply(one_step(32, ++step));
        QCoreApplication::processEvents();
    }
    live_.apply(one_step(32, ++step));
    finish(series);
    EXPECT_FALSE(series.computing());
    ASSERT_NO_FATAL_FAILURE(expect_distances(series, 32, std::size_t(step)));
}

TEST(FormulaWork, AMeanThatIsBehindTheRunIsNotReplacedByAnEarlierOne) {
    for (const bool ends : {false, true}) {
        LiveData run = long_run(4, 4000);
        const auto formula = Formula::parse("loss - loss@mean");
        ASSERT_TRUE(formula.has_value());
        const MetricId loss = *run.state.metrics.find("loss");
        FormulaWork work(*formula, std::vector<MetricId>(formula->operands().size(), loss));
        std::size_t count = 0;
        const auto add = [&](std::size_t rank, std::int64_t step, float value) {
            ++count;
            ASSERT_EQ(value, float(rank) - 1.5F) << "rank " << rank << " at step " << step;
        };
        // The means are complete, the differences are not: then the run gets far ahead.
        work.begin_pass();
        while (count == 0) {
            ASSERT_FALSE(work.compute(run, 1000, add));
        }
        for (int step = 4001; step <= 6000; ++step) {
            for (const QueuedItem& item : one_step(4, step)) {
                run.apply(std::get<Event>(item));
            }
        }
        if (ends) {
            run.apply(Event{0, 1, "", -1, EndEvent{Outcome::Done, 0, "", false, {}, {}}});
        }
        while (!work.compute(run, 1000, add)) {
        }
        EXPECT_EQ(count, 4U * 4000);
        EXPECT_GT(work.left(run), 0U);
        work.begin_pass();
        while (!work.compute(run, 1000, add)) {
        }
        EXPECT_EQ(count, 4U * 6000);
        EXPECT_EQ(work.left(run), 0U);
    }
}

TEST_F(FormulaSeriesTest, AReturnToAnEarlierStepDropsWhatAWorkerComputes) {
    live_.reset(long_run(32, 4000));
    FormulaSeries series("loss * 1", &live_, &pool_);
    series.update();
    ASSERT_TRUE(series.computing());
    live_.apply({Event{0, 1, "node1", 5, MetricEvent{100, 1, {{"loss", 7.0}}, {}}}});
    finish(series);
    ASSERT_EQ(series.values().column(5).size(), 100U);
    EXPECT_EQ(series.values().column(5).at(99), 7);
    EXPECT_EQ(series.values().column(4).size(), 4000U);
    // Another run: nothing of the old one arrives.
    live_.apply({Event{0, 1, "node1", 5, MetricEvent{90, 1, {{"loss", 7.0}}, {}}}});
    series.update();
    ASSERT_TRUE(series.computing());
    live_.reset(steps_and_ranks(2));
    finish(series);
    EXPECT_EQ(series.values().column(1).size(), 50U);
    EXPECT_TRUE(series.values().column(4).empty());
}

TEST_F(FormulaSeriesTest, EndsWithItsWorkerAtWork) {
    auto live = std::make_unique<LiveModel>();
    live->reset(long_run(64, 8000));
    auto series = std::make_unique<FormulaSeries>("loss / loss@median", live.get(), &pool_);
    series->update();
    EXPECT_TRUE(series->computing());
    series.reset();
    live.reset();
    EXPECT_TRUE(pool_.waitForDone(10000)) << "the worker stops when its run is gone";
}

TEST(FormulaPanel, IsDrawnLikeAMetric) {
    LiveModel live;
    live.reset(steps_and_ranks(4));
    MetricPlot plot;
    plot.resize(900, 300);
    plot.set_live(&live);
    plot.set_metrics({"loss", "=loss - loss@mean", "=nothing + 1"});
    plot.show();
    ASSERT_EQ(plot.panels().size(), 3U);
    EXPECT_EQ(plot.panels()[1]->title(), u"loss - loss@mean"_s);
    EXPECT_EQ(plot.panels()[1]->line_ranks().size(), 4U);
    EXPECT_EQ(plot.panels()[1]->values_at(20).first(), u"rank 0: -1.5000"_s);
    EXPECT_TRUE(plot.panels()[2]->note().contains(u"nothing"_s));
    PanelSettings look;
    look.title = "Distance";
    look.unit = MetricUnit::Milliseconds;
    plot.set_settings("=loss - loss@mean", look);
    EXPECT_EQ(plot.panels()[1]->title(), u"Distance"_s);
    plot.plot()->replot(QCustomPlot::rpImmediateRefresh);  // lays out the title
    EXPECT_EQ(plot.panels()[1]->values_at(20).first(), u"rank 0: -1.5 ms"_s);
    const QPoint title = plot.panels()[1]->title_rect().center();
    EXPECT_TRUE(plot.panels()[1]->texts_at(title).contains(u"loss - loss@mean"_s));
}

TEST(FormulaPanel, AloneIsDrawnAgainWhenItsWorkerIsDone) {
    LiveModel live;
    live.reset(long_run(32, 8000));
    MetricPlot plot;
    plot.resize(900, 300);
    plot.set_live(&live);
    plot.show();
    plot.set_metrics({"loss"});
    ASSERT_TRUE(wait_until([&] { return !plot.panels()[0]->busy(); }));
    plot.set_metrics({"loss", "=loss - loss@mean"});
    const MetricPanel& formula = *plot.panels()[1];
    ASSERT_TRUE(formula.computing());
    EXPECT_TRUE(formula.note().contains(u"Computing"_s));
    const QTemporaryDir folder;
    const QString refused =
        export_plot(plot, formula.name(), PlotFormat::Csv, folder.filePath(u"formula.csv"_s));
    EXPECT_TRUE(refused.contains(u"still being computed"_s)) << ss(refused);
    QSignalSpy drawn(plot.plot(), &QCustomPlot::afterReplot);
    ASSERT_TRUE(wait_until([&] { return !formula.computing() && !formula.busy(); }));
    EXPECT_TRUE(formula.note().isEmpty());
    EXPECT_TRUE(formula.draws_band());
    EXPECT_LT(drawn.count(), 20) << "not for each part";
    // Panels that are made again, as for another width, do not compute it again.
    plot.set_metrics({"=loss - loss@mean"});
    EXPECT_FALSE(plot.panels()[0]->computing());
    EXPECT_FALSE(plot.panels()[0]->values().column(0).empty());
    plot.set_metrics({"loss"});
    plot.set_metrics({"=loss - loss@mean"});
    EXPECT_TRUE(plot.panels()[0]->computing()) << "a panel that is removed gives back its values";
}

TEST(FormulaDialog, ShowsAnErrorWhileOneTypes) {
    const LiveData run = steps_and_ranks(2);
    FormulaDialog dialog(run, {}, nullptr);
    dialog.show();
    auto* text = child<QLineEdit>(&dialog, "formulaText");
    auto* accept = child<QPushButton>(&dialog, "formulaAccept");
    EXPECT_FALSE(accept->isEnabled());
    QTest::keyClicks(text, u"loss - "_s);
    EXPECT_FALSE(accept->isEnabled());
    EXPECT_TRUE(child<QLabel>(&dialog, "formulaError")->text().contains(u"column 8"_s));
    QTest::keyClicks(text, u"loss@mean"_s);
    EXPECT_TRUE(accept->isEnabled());
    EXPECT_FALSE(child<QLabel>(&dialog, "formulaError")->isVisible()) << "no gap where nothing is wrong";
    EXPECT_EQ(dialog.formula(), u"loss - loss@mean"_s);
    EXPECT_EQ(dialog.look({}), PanelSettings());
    PanelSettings look;
    look.title = "Distance";
    look.unit = MetricUnit::Share;
    dialog.set_look(look);
    EXPECT_EQ(child<QLineEdit>(&dialog, "formulaTitle")->text(), u"Distance"_s);
    EXPECT_EQ(dialog.look({}), look);
}

}  // namespace
}  // namespace rankscope::gui::testing
