// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The panes of Live: elsewhere, away, and back.

#include <gui/actions/action_registry.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/live/pane_title.h>
#include <gui/live/telemetry_strip.h>
#include <gui/logview/log_view.h>
#include <gui/plot/metric_plot.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QScreen>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <cstdlib>
#include <functional>

namespace rankscope::gui::testing {
namespace {

using Pane = LivePanes::Pane;
using Place = LivePanes::Place;

class Panes : public Pages {
protected:
    void SetUp() override {
        QSettings().remove(u"window"_s);
        QSettings().remove(u"live"_s);
        start();
    }
    void TearDown() override { QSettings().remove(u"window"_s); }
    /// As a start of the program does it, with a run in Live.
    void start() {
        window_.reset();
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->restore_state();
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
        window_->live_page()->show_stored(synthetic_data({.id = "a", .gpus = 0}));
        ASSERT_TRUE(wait_until([&] { return panes()->isVisible(); }));
        QCoreApplication::processEvents();
    }
    LivePanes* panes() { return window_->live_page()->panes(); }
    QRect place_of(Pane pane) {
        QWidget* dock = panes()->dock(pane);
        return {dock->mapTo(window_.get(), QPoint()), dock->size()};
    }
    QAction* action(const char* id) {
        for (QAction* each : window_->findChildren<QAction*>()) {
            if (each->objectName() == QString::fromLatin1(id)) {
                return each;
            }
        }
        ADD_FAILURE() << id;
        return nullptr;
    }
};

TEST_F(Panes, BeginWithCurvesAboveRanksAndLog) {
    const QRect curves = place_of(Pane::Curves);
    const QRect ranks = place_of(Pane::Ranks);
    const QRect log = place_of(Pane::Log);
    EXPECT_FALSE(panes()->is_shown(Pane::Nccl));
    EXPECT_EQ(curves.left(), ranks.left());
    EXPECT_EQ(curves.right(), log.right());
    EXPECT_LT(curves.bottom(), ranks.top());
    EXPECT_EQ(ranks.top(), log.top());
    EXPECT_LT(ranks.right(), log.left());
    const auto* lines = window_->live_page()->log()->view();
    const auto shown = [lines] {
        return lines->viewport()->height() / lines->row_rect(lines->first_visible_row()).height();
    };
    EXPECT_GE(shown(), 11) << "in a low window the log comes first";
    EXPECT_NEAR(double(ranks.width()) / (ranks.width() + log.width()), 0.573, 0.02);
    EXPECT_EQ(find<QWidget>("logView")->mapTo(panes()->dock(Pane::Log), QPoint()).x(), 0);
    EXPECT_FALSE(panes()->dock(Pane::Log)->titleBarWidget()->isVisible()) << "no bars";
    EXPECT_TRUE(panes()->state().isEmpty()) << "nothing to keep";
    window_->resize(1600, 1000);
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Curves).width() > curves.width() + 200; }));
    EXPECT_TRUE(wait_until([&] {
        return place_of(Pane::Curves).height() > place_of(Pane::Log).height() && shown() >= 12;
    })) << shown();
}

TEST_F(Panes, TelemetryIsAboveAsHighAsItWantsUntilTheUserMovesTheBorder) {
    const QRect telemetry = place_of(Pane::Telemetry);
    EXPECT_EQ(telemetry.left(), place_of(Pane::Curves).left());
    EXPECT_EQ(telemetry.right(), place_of(Pane::Curves).right());
    EXPECT_LT(telemetry.bottom(), place_of(Pane::Curves).top());
    auto* strip = find<TelemetryStrip>("telemetryStrip");
    const auto fits = [&] {
        return std::abs(place_of(Pane::Telemetry).height() - strip->sizeHint().height()) <= 4;
    };
    EXPECT_TRUE(wait_until(fits));
    // Another run has more to show.
    window_->live_page()->show_stored(synthetic_data({.id = "g", .until = 0.2, .gpus = 4}));
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Telemetry).height() > telemetry.height() + 40; }));
    EXPECT_TRUE(wait_until(fits));
    EXPECT_TRUE(panes()->state().isEmpty());
    // The border is dragged: higher and lower than it wants to be, and it stays so.
    const auto drag = [&](int by, const std::function<bool()>& done) {
        const QPoint from(panes()->width() / 2, panes()->dock(Pane::Telemetry)->geometry().bottom() + 2);
        const QPoint to = from + QPoint(0, by);
        QTest::mousePress(panes(), Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), QPointF(panes()->mapToGlobal(to)), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(panes(), &move);
        EXPECT_TRUE(wait_until(done)) << by;
        QTest::mouseRelease(panes(), Qt::LeftButton, {}, to);
    };
    const int before = place_of(Pane::Telemetry).height();
    drag(60, [&] { return place_of(Pane::Telemetry).height() > before + 30; });
    drag(-200, [&] { return place_of(Pane::Telemetry).height() < before - 30; });
    auto* table = find<QTreeView>("telemetryTable");
    EXPECT_TRUE(wait_until([&] { return table->verticalScrollBar()->maximum() > 0; })) << "the rest scrolls";
    const int small = place_of(Pane::Telemetry).height();
    window_->live_page()->show_stored(synthetic_data({.id = "h", .until = 0.2, .gpus = 8}));
    EXPECT_EQ(place_of(Pane::Telemetry).height(), small);
    EXPECT_FALSE(panes()->state().isEmpty()) << "kept for the next start";
}

TEST_F(Panes, EventsAreATabOfTheLogAndStayForTheNextStart) {
    EXPECT_FALSE(panes()->is_shown(Pane::Events));
    action("pane.events")->trigger();
    EXPECT_TRUE(panes()->is_shown(Pane::Events));
    EXPECT_TRUE(panes()->tabifiedDockWidgets(panes()->dock(Pane::Events)).contains(panes()->dock(Pane::Log)));
    EXPECT_TRUE(wait_until([&] { return !find<QTableView>("eventsTable")->visibleRegion().isEmpty(); }));
    window_->close();
    start();
    EXPECT_TRUE(wait_until([&] { return panes()->is_shown(Pane::Events); }));
    action("pane.reset")->trigger();
    EXPECT_FALSE(panes()->is_shown(Pane::Events));
}

TEST_F(Panes, StartUpIsShownByItsButtonItsMenuAndWhileARunStarts) {
    auto* button = find<QToolButton>("showStart");
    EXPECT_FALSE(panes()->is_shown(Pane::Start));
    action("pane.start")->trigger();
    EXPECT_TRUE(panes()->is_shown(Pane::Start));
    EXPECT_TRUE(button->isChecked());
    EXPECT_TRUE(panes()->state().isEmpty()) << "still the default";
    EXPECT_TRUE(wait_until([&] {
        return place_of(Pane::Start).height() > 20 &&
               place_of(Pane::Start).bottom() < place_of(Pane::Telemetry).top();
    }));
    action("pane.reset")->trigger();
    EXPECT_FALSE(panes()->is_shown(Pane::Start));
    EXPECT_FALSE(button->isChecked());
    window_->live_page()->show_stored(starting_data({.ranks = 4}, {2}));
    EXPECT_TRUE(panes()->is_shown(Pane::Start)) << "by itself";
    EXPECT_TRUE(button->isChecked());
    action("pane.start")->trigger();
    EXPECT_FALSE(panes()->is_shown(Pane::Start)) << "the user does not want it";
    window_->live_page()->tick();
    EXPECT_FALSE(panes()->is_shown(Pane::Start));
    panes()->dock(Pane::Start)->setFloating(true);
    panes()->reset();
    EXPECT_FALSE(panes()->dock(Pane::Start)->isFloating());
}

TEST_F(Panes, ALayoutOfBeforeThereWereSomePanesIsTaken) {
    panes()->put(Pane::Log, Place::RightOf, Pane::Curves);
    panes()->set_shown(Pane::Ranks, false);
    for (const Pane pane : {Pane::Telemetry, Pane::Start, Pane::Events}) {
        panes()->removeDockWidget(panes()->dock(pane));
    }
    const QByteArray old = panes()->saveState(1);
    panes()->reset();
    panes()->set_state(old);
    EXPECT_FALSE(panes()->is_shown(Pane::Ranks));
    EXPECT_TRUE(wait_until([&] {
        return place_of(Pane::Log).left() > place_of(Pane::Curves).right() &&
               place_of(Pane::Telemetry).bottom() < place_of(Pane::Curves).top();
    })) << "telemetry where it was before";
    EXPECT_TRUE(panes()->is_shown(Pane::Telemetry));
    EXPECT_FALSE(panes()->is_shown(Pane::Start));
    EXPECT_FALSE(panes()->is_shown(Pane::Events));
    const int wanted = find<TelemetryStrip>("telemetryStrip")->sizeHint().height();
    EXPECT_TRUE(wait_until([&] { return std::abs(place_of(Pane::Telemetry).height() - wanted) < 20; }));
    panes()->set_shown(Pane::Events, true);
    EXPECT_TRUE(panes()->tabifiedDockWidgets(panes()->dock(Pane::Events)).contains(panes()->dock(Pane::Log)));
}

TEST_F(Panes, TheViewMenuHidesAndShowsThem) {
    ASSERT_NE(action("pane.ranks"), nullptr);
    action("pane.ranks")->trigger();
    EXPECT_FALSE(find<QTableView>("rankTable")->isVisible());
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Log).width() == panes()->width(); }))
        << "the log has its room";
    EXPECT_FALSE(panes()->is_shown(Pane::Ranks));
    window_->show_page(MainWindow::Page::Runs);
    window_->show_page(MainWindow::Page::Live);
    EXPECT_FALSE(panes()->is_shown(Pane::Ranks));
    EXPECT_TRUE(panes()->is_shown(Pane::Log)) << "another page hides no pane";
    action("pane.ranks")->trigger();
    EXPECT_TRUE(find<QTableView>("rankTable")->isVisible());
    action("pane.log")->trigger();
    action("pane.curves")->trigger();
    action("pane.reset")->trigger();
    EXPECT_TRUE(panes()->is_shown(Pane::Log));
    EXPECT_TRUE(panes()->is_shown(Pane::Curves));
    EXPECT_TRUE(panes()->state().isEmpty());
}

TEST_F(Panes, NcclIsATabOfTheCurves) {
    auto* button = find<QToolButton>("showNccl");
    click(button);
    EXPECT_TRUE(panes()->is_shown(Pane::Nccl));
    EXPECT_TRUE(
        panes()->tabifiedDockWidgets(panes()->dock(Pane::Nccl)).contains(panes()->dock(Pane::Curves)));
    EXPECT_TRUE(wait_until([&] { return window_->live_page()->plot()->plot()->visibleRegion().isEmpty(); }));
    EXPECT_TRUE(panes()->state().isEmpty()) << "still the default";
    action("pane.nccl")->trigger();
    EXPECT_FALSE(button->isChecked());
    EXPECT_TRUE(wait_until([&] { return !window_->live_page()->plot()->plot()->visibleRegion().isEmpty(); }));
}

TEST_F(Panes, AreMovedByKeysBesideEachOtherAndIntoTabs) {
    EXPECT_FALSE(panes()->movable());
    action("pane.move")->trigger();
    PaneTitle* title = qobject_cast<PaneTitle*>(panes()->dock(Pane::Log)->titleBarWidget());
    ASSERT_NE(title, nullptr);
    EXPECT_TRUE(wait_until([&] { return title->isVisible() && title->height() > 10; }));
    emit title->menu()->aboutToShow();
    EXPECT_EQ(title->menu()->actions().size(), 7);
    panes()->put(Pane::Log, Place::LeftOf, Pane::Curves);
    EXPECT_TRUE(wait_until([&] {
        return place_of(Pane::Log).right() < place_of(Pane::Curves).left() &&
               place_of(Pane::Log).top() == place_of(Pane::Curves).top();
    }));
    panes()->put(Pane::Log, Place::Below, Pane::Ranks);
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Log).top() > place_of(Pane::Ranks).bottom(); }));
    panes()->put(Pane::Log, Place::TabOf, Pane::Ranks);
    EXPECT_TRUE(
        wait_until([&] { return find<QTableView>("rankTable")->viewport()->visibleRegion().isEmpty(); }));
    panes()->bring(Pane::Ranks);
    EXPECT_TRUE(
        wait_until([&] { return !find<QTableView>("rankTable")->viewport()->visibleRegion().isEmpty(); }));
    panes()->put(Pane::Log, Place::RightOf, Pane::Log);
    EXPECT_TRUE(panes()->is_shown(Pane::Log)) << "beside itself is nowhere";
    action("pane.move")->trigger();
    EXPECT_FALSE(title->isVisible());
}

TEST_F(Panes, FloatInAWindowOfTheirOwnAndComeBack) {
    QDockWidget* log = panes()->dock(Pane::Log);
    log->setFloating(true);
    EXPECT_TRUE(log->isWindow());
    EXPECT_TRUE(wait_until([&] { return log->titleBarWidget()->isVisible(); })) << "with a bar to move it";
    ASSERT_TRUE(wait_until([&] { return log->windowType() == Qt::Window; })) << "with a frame";
    for (const Qt::WindowType part : {Qt::WindowTitleHint, Qt::WindowMinimizeButtonHint,
                                      Qt::WindowMaximizeButtonHint, Qt::WindowCloseButtonHint}) {
        EXPECT_TRUE(log->windowFlags().testFlag(part)) << part;
    }
    EXPECT_FALSE(log->windowFlags().testFlag(Qt::FramelessWindowHint));
    EXPECT_TRUE(log->windowTitle().startsWith(u"Log"_s));
    const QSize screen = window_->screen()->availableSize();
    EXPECT_GE(log->width(), std::min(900, screen.width()));
    EXPECT_GE(log->height(), std::min(600, screen.height()));
    window_->show_page(MainWindow::Page::Runs);
    EXPECT_FALSE(log->isVisible()) << "it covers nothing of another page";
    EXPECT_TRUE(panes()->is_shown(Pane::Log)) << "the user has not hidden it";
    window_->show_page(MainWindow::Page::Live);
    EXPECT_TRUE(log->isVisible());
    click(child<QToolButton>(log->titleBarWidget(), "panePin"));
    window_->show_page(MainWindow::Page::Runs);
    EXPECT_TRUE(log->isVisible()) << "pinned";
    emit window_->live_page()->log()->view()->lineActivated(0);
    window_->show_page(MainWindow::Page::Live);
    panes()->set_has_run(false);
    EXPECT_FALSE(log->isVisible()) << "without a run there is nothing to show";
    panes()->set_has_run(true);
    EXPECT_TRUE(log->isVisible());
    action("pane.reset")->trigger();
    EXPECT_FALSE(log->isWindow());
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Log).left() > place_of(Pane::Ranks).right(); }));
}

TEST_F(Panes, AWindowOpensNextToTheOneItComesFrom) {
    const QRect screen(0, 0, 2560, 1440);
    const QRect right = pane_window_place({0, 100, 1280, 800}, {400, 200}, screen);
    EXPECT_EQ(right, QRect(1280, 100, 900, 600));
    const QRect left = pane_window_place({1200, 900, 1280, 800}, {400, 200}, screen);
    EXPECT_EQ(left.right(), 1199);
    EXPECT_TRUE(screen.contains(left)) << "also where the other reaches over its edge";
    const QRect tight = pane_window_place({100, 0, 1280, 800}, {400, 200}, {0, 0, 1400, 900});
    EXPECT_TRUE(QRect(0, 0, 1400, 900).contains(tight));
    EXPECT_EQ(pane_window_place({0, 0, 500, 400}, {400, 200}, {0, 0, 800, 500}).size(), QSize(800, 500));
}

TEST_F(Panes, AWindowIsGoneWithTheWindowItComesFrom) {
    QDockWidget* log = panes()->dock(Pane::Log);
    log->setFloating(true);
    ASSERT_TRUE(wait_until([&] { return log->windowType() == Qt::Window; }));
    child<QToolButton>(log->titleBarWidget(), "panePin")->setChecked(true);
    window_->hide();
    EXPECT_FALSE(log->isVisible()) << "pinned or not: nothing of the program stays open";
}

TEST_F(Panes, AreDraggedByTheirBars) {
    panes()->set_movable(true);
    QWidget* title = panes()->dock(Pane::Log)->titleBarWidget();
    ASSERT_TRUE(wait_until([&] { return title->height() > 10; }));
    EXPECT_FALSE(child<QLabel>(panes()->dock(Pane::Log), "paneName")->isVisible()) << "one name is enough";
    const QPoint from(40, title->height() / 2);
    QTest::mousePress(title, Qt::LeftButton, {}, from);
    for (int y = 10; y <= 200; y += 10) {
        QTest::mouseMove(title, from - QPoint(0, y));
    }
    EXPECT_TRUE(wait_until([&] { return panes()->dock(Pane::Log)->isFloating(); }));
    QTest::mouseRelease(title, Qt::LeftButton, {}, from);
    panes()->reset();
    EXPECT_FALSE(panes()->dock(Pane::Log)->isFloating());
    panes()->set_movable(false);
    EXPECT_TRUE(child<QLabel>(panes()->dock(Pane::Log), "paneName")->isVisible());
}

TEST_F(Panes, TheLayoutSurvivesARestart) {
    panes()->put(Pane::Log, Place::RightOf, Pane::Curves);
    panes()->set_shown(Pane::Ranks, false);
    ASSERT_TRUE(wait_until([&] { return place_of(Pane::Log).top() == place_of(Pane::Curves).top(); }));
    const int width = place_of(Pane::Log).width();
    window_->close();
    start();
    EXPECT_TRUE(wait_until([&] { return !panes()->is_shown(Pane::Ranks); }));
    EXPECT_TRUE(wait_until([&] { return place_of(Pane::Log).top() == place_of(Pane::Curves).top(); }));
    EXPECT_NEAR(place_of(Pane::Log).width(), width, 4);
    action("pane.reset")->trigger();
    window_->close();
    start();
    EXPECT_TRUE(panes()->is_shown(Pane::Ranks)) << "the default is not kept as a layout";
}

TEST_F(Panes, ALayoutThatIsKeptWithoutBeingShown) {
    panes()->set_shown(Pane::Ranks, false);
    window_->close();
    window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
    window_->restore_state();
    window_->show();
    window_->close();  // Live was never shown
    start();
    EXPECT_TRUE(wait_until([&] { return !panes()->is_shown(Pane::Ranks); }));
}

TEST_F(Panes, ABrokenLayoutGivesWayToTheDefault) {
    panes()->put(Pane::Log, Place::RightOf, Pane::Curves);
    const QByteArray good = panes()->state();
    ASSERT_FALSE(good.isEmpty());
    for (const QByteArray& broken :
         {QByteArray("nonsense"), good.left(good.size() / 2),
          QByteArray(good).replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\xff"), QByteArray(1000, '\0')}) {
        panes()->set_state(broken);
        EXPECT_TRUE(panes()->is_shown(Pane::Curves));
        EXPECT_TRUE(panes()->is_shown(Pane::Ranks));
        EXPECT_TRUE(panes()->is_shown(Pane::Log));
        EXPECT_TRUE(wait_until([&] { return place_of(Pane::Log).top() == place_of(Pane::Ranks).top(); }));
    }
    for (const Pane pane : LivePanes::kAll) {
        panes()->set_shown(pane, false);
    }
    const QByteArray empty = panes()->state();
    panes()->reset();
    panes()->set_state(empty);
    EXPECT_TRUE(panes()->is_shown(Pane::Curves)) << "a page without panes is no layout";
}

TEST_F(Panes, WhatIsAskedForComesToTheFront) {
    panes()->set_shown(Pane::Log, false);
    panes()->set_shown(Pane::Curves, false);
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(panes()->is_shown(Pane::Log)) << "search";
    emit window_->live_page()->log()->momentRequested(window_->live_page()->shown()->state().last_us, 0);
    EXPECT_TRUE(panes()->is_shown(Pane::Curves));
}

}  // namespace
}  // namespace rankscope::gui::testing
