// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A rank that is chosen in one pane of Live is marked in all of them.

#include <gui/live/legend_strip.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/live/rank_strip.h>
#include <gui/live/start_waterfall.h>
#include <gui/logview/log_view.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/style/theme.h>
#include <remote/desk/runs/reading/run_reading.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_activity.h>

#include <QContextMenuEvent>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class Selection : public Pages {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        open();
        window_->show_page(MainWindow::Page::Live);
        page()->show_stored(synthetic_data({.until = 0.2, .fate = Fate::Running, .gpus = 0}));
        ASSERT_TRUE(wait_until([&] { return log()->rows()->count() > 0; }));
    }
    LivePage* page() { return window_->live_page(); }
    LogPane* log() { return page()->log(); }
    std::vector<int> selected() { return find<RankSquares>("rankSquares")->selected(); }
};

TEST_F(Selection, ReachesTimelineStartUpAndLog) {
    click(find<QToolButton>("showStart"));
    find<QTableView>("rankTable")->selectRow(2);
    EXPECT_EQ(selected(), std::vector<int>{2});
    EXPECT_EQ(child<CollectiveTimeline>(page(), "collectiveTimeline")->selected(), std::vector<int>{2});
    const auto* bars = find<StartBars>("startBars");
    for (const StartRow& row : bars->rows()) {
        EXPECT_EQ(bars->is_selected(row), row.ranks == std::vector<int>{2});
    }
    const LogView* view = log()->view();
    int marked = 0;
    for (std::uint32_t line = 0; line < log()->rows()->store().size(); ++line) {
        EXPECT_EQ(view->is_of_selected_rank(line), log()->rows()->store().rank(line) == 2) << line;
        marked += view->is_of_selected_rank(line) ? 1 : 0;
    }
    EXPECT_GT(marked, 0);
    find<QTableView>("rankTable")->clearSelection();
    EXPECT_FALSE(bars->is_selected(bars->rows().front()));
    EXPECT_TRUE(child<CollectiveTimeline>(page(), "collectiveTimeline")->selected().empty());
}

TEST_F(Selection, TintsTheRankColumnOfTheLog) {
    LogView* view = log()->view();
    const auto pixels = [&] {
        const QColor tint = theme_colors(view->palette()).selection;
        const QImage picture = view->viewport()->grab().toImage();
        int found = 0;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width() / 3; ++x) {
                found += picture.pixelColor(x, y) == tint ? 1 : 0;
            }
        }
        return found;
    };
    EXPECT_EQ(pixels(), 0);
    find<QTableView>("rankTable")->selectRow(1);
    EXPECT_GT(pixels(), 100);
    log()->set_folded(true);
    ASSERT_TRUE(wait_until([&] { return log()->rows()->folded(); }));
    EXPECT_GT(pixels(), 100) << "also of lines that several ranks printed";
    log()->set_folded(false);
}

TEST_F(Selection, ComesFromTheMenuOfALine) {
    std::uint32_t line = 0;
    while (log()->rows()->store().rank(line) != 3) {
        ++line;
    }
    LogView* view = log()->view();
    ASSERT_TRUE(wait_until([&] { return view->show_line(line); }));
    QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, view->mapToGlobal(QPoint(1, 1)));
    QCoreApplication::sendEvent(view, &event);
    auto* menu = child<QMenu>(view, "logMenu");
    auto* select = child<QAction>(menu, "logSelectRank");
    EXPECT_EQ(select->text(), u"Se&lect rank 3"_s);
    select->trigger();
    menu->close();
    EXPECT_EQ(selected(), std::vector<int>{3});
}

TEST_F(Selection, ComesFromTheLegend) {
    auto* legend = find<LegendStrip>("legendStrip");
    const QRect entry = legend->entry_of(2);
    ASSERT_FALSE(entry.isEmpty());
    EXPECT_EQ(legend->rank_at(entry.center()), 2);
    QTest::mouseClick(legend, Qt::LeftButton, {}, entry.center());
    EXPECT_EQ(selected(), std::vector<int>{2});
    EXPECT_EQ(legend->rank_at(QPoint(legend->width() - 1, 2)), -1) << "beside the entries";
    EXPECT_TRUE(legend->entry_of(77).isEmpty());
}

TEST_F(Selection, ComesFromTheTimelineOfNccl) {
    emit child<CollectiveTimeline>(page(), "collectiveTimeline")->rankChosen(1);
    EXPECT_EQ(selected(), std::vector<int>{1});
}

TEST(SelectionInTheTimeline, ARowIsChosenByAClickAndTinted) {
    RunReading reader("run");
    for (const Event& event : activity_events({})) {
        reader.take(event);
    }
    CollectivesTab tab;
    tab.resize(1280, 620);
    tab.set_snapshot(reader.snapshot());
    tab.show();
    CollectiveTimeline* timeline = tab.timeline();
    ASSERT_TRUE(wait_until([&] { return timeline->isVisible() && !timeline->row_of(2).isNull(); }));
    const QSignalSpy chosen(&tab, &NcclTab::rankChosen);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, timeline->row_of(2).center());
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen.front().front().toInt(), 2);
    const QPoint beside(2, timeline->row_of(2).center().y());
    const QColor plain = timeline->grab().toImage().pixelColor(beside);
    tab.set_selected({2});
    const QColor tinted = timeline->grab().toImage().pixelColor(beside);
    EXPECT_NE(plain, tinted);
    EXPECT_EQ(tinted, theme_colors(timeline->palette()).selection);
}

}  // namespace
}  // namespace rankscope::gui::testing
