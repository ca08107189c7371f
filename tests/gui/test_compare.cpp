// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/comparison_model.h>
#include <gui/runs/compare_plot.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/compare/run_comparison.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class CompareRuns : public Pages {
protected:
    void open_compared() {
        fill_store({{.name = "small", .id = "a-1", .ranks = 2, .steps_per_epoch = 20},
                    {.name = "seeds", .id = "b-1", .ranks = 4, .steps_per_epoch = 30},
                    {.name = "seeds", .id = "b-2", .ranks = 4, .steps_per_epoch = 40}});
        open();
        click(find<QToolButton>("navRuns"));
        auto* table = find<QTableView>("runsTable");
        ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 3; }));
        EXPECT_FALSE(find<QPushButton>("compareRuns")->isEnabled()) << "one run";
        table->selectAll();
        click(find<QPushButton>("compareRuns"));
        ASSERT_TRUE(wait_until([&] { return view()->comparison() != nullptr; }));
    }
    CompareView* view() { return window_->runs_page()->compare_view(); }
    QStringList keys(const char* table) {
        const QAbstractItemModel* model = find<QTableView>(table)->model();
        QStringList all;
        for (int row = 0; row < model->rowCount(); ++row) {
            all += model->index(row, ComparisonModel::Key).data().toString();
        }
        return all;
    }
};

TEST_F(CompareRuns, ASingleValueIsInSightAndAShareStaysAboutTheWhole) {
    fill_store({{.name = "short", .id = "a-1", .ranks = 2, .epochs = 1, .steps_per_epoch = 20},
                {.name = "short", .id = "a-2", .ranks = 2, .epochs = 1, .steps_per_epoch = 20}});
    open();
    window_->show_page(MainWindow::Page::Runs);
    window_->runs_page()->compare({"a-1", "a-2"});
    ASSERT_TRUE(wait_until([&] { return view()->comparison() != nullptr; }));
    view()->plot()->set_metrics({"val_loss", "val_acc1"});
    const QCustomPlot* plot = view()->plot()->plot();
    ASSERT_EQ(plot->axisRectCount(), 2);
    for (int i = 0; i < 2; ++i) {
        const QCPGraph* graph = plot->axisRect(i)->graphs().value(0);
        ASSERT_NE(graph, nullptr) << i;
        ASSERT_EQ(graph->dataCount(), 1);
        const QCPRange x = graph->keyAxis()->range();
        const QCPRange y = graph->valueAxis()->range();
        EXPECT_LT(x.lower, graph->dataMainKey(0));
        EXPECT_GT(x.upper, graph->dataMainKey(0)) << "not on the border";
        EXPECT_TRUE(y.contains(graph->dataMainValue(0)));
        EXPECT_LT(y.size(), std::abs(graph->dataMainValue(0))) << "a few per cent beside it";
    }
    EXPECT_LE(plot->axisRect(1)->axis(QCPAxis::atLeft)->range().upper, 1.05) << "of a whole";
}

TEST_F(CompareRuns, CurvesDifferencesAndStatistics) {
    open_compared();
    const QAbstractItemModelTester values(find<QTableView>("compareValues")->model());
    const QAbstractItemModelTester statistics(find<QTableView>("compareStatistics")->model());
    EXPECT_TRUE(view()->isVisible());
    const auto panels = view()->plot()->plot()->axisRectCount();
    EXPECT_GT(panels, 1);
    EXPECT_EQ(view()->plot()->curve_count(), panels * 3);
    EXPECT_TRUE(keys("compareValues").contains(u"ranks"_s));
    EXPECT_FALSE(keys("compareValues").contains(u"outcome"_s)) << "they all ended alike";
    click(find<QCheckBox>("compareAll"));
    EXPECT_TRUE(keys("compareValues").contains(u"outcome"_s));
    EXPECT_TRUE(keys("compareStatistics").contains(u"best"_s));
    EXPECT_TRUE(keys("compareStatistics").filter(u"seeds"_s).size() > 0) << "mean and deviation of the group";
    find<QComboBox>("compareAxis")->setCurrentIndex(2);
    EXPECT_EQ(view()->plot()->curve_count(), panels * 3);
    click(find<QCheckBox>("compareBands"));
    EXPECT_EQ(view()->plot()->curve_count(), panels * (1 + 3))
        << "a curve, and a band of two edges and a mean";
    click(find<QPushButton>("compareCopy"));
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(u"section,key,"_s));
    QTest::keyClick(view()->plot(), Qt::Key_Escape);
    EXPECT_TRUE(find<QTableView>("runsTable")->isVisible());
}

TEST_F(CompareRuns, ATargetGivesTheTimeToIt) {
    open_compared();
    auto* target = find<QLineEdit>("compareTarget");
    type_into(target, u"loss"_s);
    QTest::keyClick(target, Qt::Key_Return);
    EXPECT_TRUE(find<NoticeBar>("compareFault")->text().contains(u"acc1=0.95"_s));
    type_into(target, u"loss=1000"_s);
    QTest::keyClick(target, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return keys("compareStatistics").contains(u"seconds to 1000"_s); }));
    EXPECT_FALSE(find<NoticeBar>("compareFault")->isVisible());
}

TEST_F(CompareRuns, ARunThatIsGoneIsNamedAndTheOthersAreShown) {
    open_compared();
    window_->runs_page()->compare({"a-1", "b-1", "gone"});
    ASSERT_TRUE(wait_until([&] { return view()->comparison() && view()->comparison()->runs.size() == 2; }));
    EXPECT_TRUE(find<NoticeBar>("compareFault")->text().contains(u"gone"_s));
    window_->runs_page()->compare({"gone", "also"});
    ASSERT_TRUE(
        wait_until([&] { return find<NoticeBar>("compareFault")->text().contains(u"could not be"_s); }));
    click(find<QPushButton>("compareBack"));
    EXPECT_TRUE(find<QTableView>("runsTable")->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
