// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/comparison_model.h>
#include <gui/plot/plot_files.h>
#include <gui/plot/plot_tickers.h>
#include <gui/runs/compare_export.h>
#include <gui/runs/compare_plot.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/run_legend.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/check_chooser.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/archive/compare/run_comparison.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QXmlStreamReader>
#include <cmath>

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
    const auto ticker = view()->plot()->plot()->axisRect(0)->axis(QCPAxis::atBottom)->ticker();
    EXPECT_NE(dynamic_cast<ElapsedTicker*>(ticker.data()), nullptr) << "hours and minutes, not seconds";
    click(find<QCheckBox>("compareBands"));
    EXPECT_EQ(view()->plot()->curve_count(), panels * (1 + 3))
        << "a curve, and a band of two edges and a mean";
    click(find<QPushButton>("compareCopy"));
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(u"section,key,"_s));
    QTest::keyClick(view()->plot(), Qt::Key_Escape);
    EXPECT_TRUE(find<QTableView>("runsTable")->isVisible());
}

TEST_F(CompareRuns, ALogarithmicXAxisHasTheSameCurves) {
    open_compared();
    const int curves = view()->plot()->curve_count();
    auto* log = find<QToolButton>("compareXLog");
    const auto first_key = [&] { return view()->plot()->plot()->graph(0)->data()->at(0)->key; };
    const double first = first_key();
    QTest::keyClick(view()->plot(), Qt::Key_L, Qt::ShiftModifier);
    EXPECT_TRUE(log->isChecked());
    EXPECT_EQ(view()->plot()->curve_count(), curves);
    EXPECT_NEAR(first_key(), std::log10(std::max(first, 1.0)), 1e-9);
    EXPECT_LT(view()->plot()->x_range().upper, 6) << "decades";
    click(find<QCheckBox>("compareBands"));
    EXPECT_GT(view()->plot()->curve_count(), 0);
    QTemporaryDir folder;
    EXPECT_EQ(export_compare(*view()->plot(), PlotFormat::Svg, folder.filePath(u"log.svg"_s)), QString());
    click(log);
    EXPECT_FALSE(view()->plot()->x_log());
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

TEST_F(CompareRuns, CurvesAreWrittenAsPicturesAndAsATable) {
    open_compared();
    ComparePlot* plot = view()->plot();
    plot->set_metrics({"loss", "acc1"});
    const auto written = [&](PlotFormat format) {
        const QString path = folder_.filePath(u"curves."_s % plot_suffix(format));
        EXPECT_EQ(export_compare(*plot, format, path), QString());
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    };
    const QImage picture = QImage::fromData(written(PlotFormat::Png));
    EXPECT_GE(picture.width(), 2000);
    QXmlStreamReader svg(written(PlotFormat::Svg));
    QString words;
    while (!svg.atEnd()) {
        svg.readNext();
        words += svg.isCharacters() ? svg.text().toString() : QString();
    }
    EXPECT_FALSE(svg.hasError());
    EXPECT_TRUE(words.contains(u"b-1"_s)) << "which colour is which run: " << ss(words);
    EXPECT_TRUE(written(PlotFormat::Pdf).startsWith("%PDF"));
    plot->show_x({0, 3.5});
    const QString all = QString::fromUtf8(written(PlotFormat::Csv));
    const QStringList rows = all.split(u"\r\n"_s, Qt::SkipEmptyParts);
    ASSERT_GT(rows.size(), 2);
    EXPECT_EQ(rows[0].split(u',').size(), 2 + 3);
    EXPECT_TRUE(rows[0].startsWith(u"metric,step,"_s)) << ss(rows[0]);
    EXPECT_GE(rows.size(), 1 + 2 * 2) << ss(all);
    EXPECT_LE(rows.size(), 1 + 2 * 4) << "of each metric what is in view";
    plot->set_bands(true);
    const QString header = compare_table(*plot).section(u"\r\n"_s, 0, 0);
    EXPECT_TRUE(header.contains(u",\"seeds, mean\",\"seeds, deviation\""_s)) << ss(header);
    EXPECT_TRUE(header.contains(u",small"_s)) << ss(header);
}

TEST_F(CompareRuns, TheExportIsInTheBarAndInTheMenuOfThePlot) {
    open_compared();
    ComparePlot* plot = view()->plot();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(9, 9), plot->mapToGlobal(QPoint(9, 9)));
    QApplication::sendEvent(plot, &event);
    auto* menu = child<QMenu>(plot, "comparePlotMenu");
    EXPECT_EQ(menu->findChild<QMenu*>()->actions().size(), 4);
    menu->close();
    auto* button = find<QPushButton>("compareExport");
    QAction* csv = nullptr;
    for (QAction* action : button->menu()->actions()) {
        csv = action->objectName() == u"plotFile-csv"_s ? action : csv;
    }
    ASSERT_NE(csv, nullptr);
    csv->trigger();
    auto* question = static_cast<QFileDialog*>(wait_dialog("plotFileDialog"));
    ASSERT_NE(question, nullptr);
    const QString path = folder_.filePath(u"a.csv"_s);
    emit question->fileSelected(path);
    question->close();
    EXPECT_TRUE(QFile::exists(path));
    EXPECT_TRUE(find<NoticeBar>("compareWritten")->text().contains(path));
    emit plot->files()->exported(path, u"no room"_s);
    EXPECT_TRUE(find<NoticeBar>("compareFault")->text().contains(u"no room"_s));
}

TEST_F(CompareRuns, EveryMetricOfTheRunsCanBeFoundAndChosen) {
    {
        auto store = *RunStore::open(options_in(folder_.path()).store_path());
        for (const char* id : {"many-1", "many-2"}) {
            RunRecord record;
            record.run_id = id;
            record.name = id;
            record.started_us = 1'750'000'000'000'000;
            record.plan.world_size = 1;
            ASSERT_TRUE(store->create_run(record));
            Event event;
            event.node = "node1";
            event.rank = 0;
            event.seq = 1;
            event.t_us = record.started_us + 1;
            MetricEvent values{1, -1, {}, {}};
            for (int i = 0; i < 120; ++i) {
                values.values.emplace_back("layer" + std::to_string(i) + "_norm", i);
            }
            event.body = values;
            ASSERT_TRUE(store->append(id, {event}));
            ASSERT_TRUE(store->finish_run(id, record.started_us + 9, EndEvent{}));
        }
    }
    open();
    window_->show_page(MainWindow::Page::Runs);
    window_->runs_page()->compare({"many-1", "many-2"});
    ASSERT_TRUE(wait_until([&] { return view()->comparison() != nullptr; }));
    auto* choose = find<CheckChooser>("compareMetrics");
    EXPECT_EQ(choose->list()->model()->rowCount(), 120);
    EXPECT_TRUE(choose->text().endsWith(u"2 of 120"_s)) << ss(choose->text());
    const int panels = view()->plot()->plot()->axisRectCount();
    click(choose);
    QTest::keyClicks(choose->search(), u"layer117"_s);
    EXPECT_EQ(choose->list()->model()->rowCount(), 1);
    QTest::keyClick(choose->search(), Qt::Key_Return);
    EXPECT_EQ(view()->plot()->plot()->axisRectCount(), panels + 1);
    EXPECT_EQ(view()->plot()->metrics().back(), "layer117_norm");
    QTest::keyClick(choose->search(), Qt::Key_Return);
    EXPECT_EQ(view()->plot()->plot()->axisRectCount(), panels);
}

TEST(RunLegend, RunsThatDoNotFitAreCountedAndListed) {
    RunLegend legend;
    QStringList titles;
    for (int i = 0; i < 40; ++i) {
        titles += u"a run with a name %1"_s.arg(i);
    }
    legend.set_titles(titles);
    legend.resize(600, legend.heightForWidth(600));
    legend.show();
    auto* more = child<QToolButton>(&legend, "runLegendMore");
    ASSERT_TRUE(more->isVisible());
    EXPECT_GT(legend.shown(), 3);
    EXPECT_LT(legend.shown(), 40);
    EXPECT_EQ(more->text(), u"and %1 more…"_s.arg(40 - legend.shown()));
    EXPECT_TRUE(legend.rect().contains(more->geometry()));
    click(more);
    auto* list = child<QMenu>(&legend, "runLegendList");
    ASSERT_EQ(list->actions().size(), 40 - legend.shown());
    EXPECT_EQ(list->actions().last()->text(), titles.last());
    list->close();
    legend.set_titles(titles.mid(0, 3));
    EXPECT_FALSE(more->isVisible());
    EXPECT_EQ(legend.shown(), 3);
}

}  // namespace
}  // namespace rankscope::gui::testing
