// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula.h>
#include <gui/data/formula_series.h>
#include <gui/live/formula_dialog.h>
#include <gui/plot/metric_plot.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <cmath>

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

TEST(FormulaSeries, FollowsTheRun) {
    LiveModel live;
    live.reset(steps_and_ranks(4));
    FormulaSeries series("loss - loss@mean", &live);
    while (!series.update(20)) {
    }
    EXPECT_TRUE(series.problem().isEmpty());
    ASSERT_EQ(series.values().ranks->size(), 4U);
    for (int rank = 0; rank < 4; ++rank) {
        const MetricColumn& column = series.values().column(rank);
        ASSERT_EQ(column.size(), 50U);
        EXPECT_EQ(column.at(30), float(rank) - 1.5F);
    }
    for (int rank = 0; rank < 4; ++rank) {
        live.apply({Event{0, 1, "node1", rank, MetricEvent{51, 1, {{"loss", 10.0 * rank}}, {}}}});
    }
    while (!series.update(20)) {
    }
    EXPECT_EQ(series.values().column(3).at(50), 15);
    // A rank returns to an earlier step: what was computed from it is computed again.
    live.apply({Event{0, 1, "node1", 0, MetricEvent{10, 1, {{"loss", 0.0}}, {}}}});
    while (!series.update(100)) {
    }
    EXPECT_EQ(series.values().column(0).size(), 10U);
}

TEST(FormulaSeries, OfAllRanksIsOneCurve) {
    LiveModel live;
    live.reset(steps_and_ranks(4));
    FormulaSeries series("max(loss) - loss@rank1 + rate@min / world_size", &live);
    while (!series.update(100)) {
    }
    EXPECT_TRUE(series.values().single);
    ASSERT_EQ(series.values().column(0).size(), 50U);
    EXPECT_EQ(series.values().column(0).at(20), 2 + 25);
    EXPECT_EQ(series.done(), 1);
}

TEST(FormulaSeries, ReportsWhatIsMissing) {
    LiveModel live;
    live.reset(steps_and_ranks(2));
    EXPECT_TRUE(FormulaSeries("los - 1", &live).problem().contains(u"los"_s));
    EXPECT_TRUE(FormulaSeries("loss@rank9", &live).problem().contains(u"no rank 9"_s));
    EXPECT_TRUE(FormulaSeries("loss -", &live).problem().contains(u"column 7"_s));
    EXPECT_FALSE(FormulaSeries("1 + 1", &live).problem().isEmpty());
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
    ASSERT_TRUE(wait_until([&] { return !plot.panels()[1]->computing(); }));
    EXPECT_EQ(plot.panels()[1]->title(), u"loss - loss@mean"_s);
    EXPECT_EQ(plot.panels()[1]->line_ranks().size(), 4U);
    EXPECT_EQ(plot.panels()[1]->values_at(20).first(), u"rank 0: -1.5000"_s);
    EXPECT_TRUE(plot.panels()[2]->note().contains(u"nothing"_s));
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
    EXPECT_EQ(dialog.formula(), u"loss - loss@mean"_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
