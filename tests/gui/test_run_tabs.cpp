// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Several runs at once: a tab each, in one window.

#include <gui/app/run_tab_bar.h>
#include <gui/app/run_tabs.h>
#include <gui/app/run_window.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_view.h>
#include <gui/plot/metric_plot.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/page_button.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QTableView>
#include <algorithm>

namespace rankscope::gui::testing {
namespace {

class RunTabsTest : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        for (MainWindow* window : others()) {
            window->close();
        }
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        window_.reset();
        QSettings().clear();
    }

    RunTabBar* bar() { return window_->tabs()->bar(); }
    RunSessions* runs() { return window_->workspace()->runs(); }
    std::string shown() {
        const LiveModel* run = window_->live_page()->shown();
        return run != nullptr && !run->empty() ? run->state().name : std::string();
    }
    void trigger(const char* action) { window_->findChild<QAction*>(QString::fromLatin1(action))->trigger(); }
    /// The windows beside the first one.
    std::vector<MainWindow*> others() {
        std::vector<MainWindow*> windows;
        for (QWidget* each : QApplication::topLevelWidgets()) {
            auto* window = qobject_cast<MainWindow*>(each);
            if (window && window != window_.get() && window->isVisible()) {
                windows.push_back(window);
            }
        }
        return windows;
    }
    /// As by a double click in Runs.
    void open_stored(const std::string& run_id) {
        const auto record = window_->workspace()->store()->run(run_id);
        ASSERT_TRUE(record.ok());
        window_->open_run(*record);
        ASSERT_TRUE(wait_until([&] {
            return window_->page() == MainWindow::Page::Live &&
                   window_->live_page()->shown()->state().run_id == run_id;
        })) << run_id;
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (int i = 0; i < bar()->count(); ++i) {
            names.push_back(ss(bar()->tabText(i)));
        }
        return names;
    }
};

using Names = std::vector<std::string>;

TEST_F(RunTabsTest, EachRunIsShownWhereTheUserLeftIt) {
    fill_store({{.name = "first", .id = "a"}, {.name = "second", .id = "b"}});
    open();
    open_stored("a");
    LivePage* live = window_->live_page();
    auto* table = find<QTableView>("rankTable");
    table->selectRow(1);
    const double last = live->shown()->data().last_step();
    live->plot()->show_x(last * 0.25, last * 0.5);
    const QCPRange x = live->plot()->x_range();
    const auto& times = live->shown()->data().step_times;
    const TimeSpan range{std::int64_t(times.at(last * 0.3) * 1e6), std::int64_t(times.at(last * 0.4) * 1e6)};
    live->range()->set(range);
    live->log()->show_rank(1);
    LogView* log = live->log()->view();
    ASSERT_TRUE(
        wait_until([&] { return !live->log()->rows()->pending() && live->log()->rows()->count() > 0; }));
    ASSERT_TRUE(log->show_line(live->log()->rows()->line(0)));
    const auto line = log->current_line();
    ASSERT_TRUE(line.has_value());
    ASSERT_FALSE(log->follows());

    open_stored("b");
    EXPECT_TRUE(live->plot()->following());
    EXPECT_FALSE(live->range()->is_set());
    EXPECT_TRUE(table->selectionModel()->selectedRows().isEmpty());
    EXPECT_EQ(live->log()->shown_rank(), -1);

    open_stored("a");
    EXPECT_FALSE(live->plot()->following());
    EXPECT_NEAR(live->plot()->x_range().lower, x.lower, 1e-6 * last);
    EXPECT_NEAR(live->plot()->x_range().upper, x.upper, 1e-6 * last);
    EXPECT_EQ(live->range()->span(), range);
    ASSERT_EQ(table->selectionModel()->selectedRows().size(), 1);
    EXPECT_EQ(table->selectionModel()->selectedRows().front().row(), 1);
    EXPECT_EQ(live->log()->shown_rank(), 1);
    EXPECT_TRUE(wait_until([&] { return log->current_line() == line; }));
    EXPECT_FALSE(log->follows());
}

TEST_F(RunTabsTest, StoredRunsOpenInTabsAndOneIsInMemory) {
    fill_store({{.name = "first", .id = "a"},
                {.name = "second", .id = "b", .until = 0.5, .fate = Fate::Killed},
                {.name = "third & last", .id = "c"}});
    open();
    EXPECT_FALSE(bar()->isVisible());
    open_stored("a");
    EXPECT_FALSE(bar()->isVisible()) << "one run needs no tabs";
    open_stored("b");
    open_stored("c");
    ASSERT_TRUE(bar()->isVisible());
    EXPECT_EQ(names(), (Names{"first", "second", "third && last"}));
    EXPECT_EQ(bar()->currentIndex(), 2);
    EXPECT_EQ(window_->windowTitle(), u"third & last: done — Rankscope"_s);
    EXPECT_TRUE(bar()->tabToolTip(1).contains(u"failed"_s)) << ss(bar()->tabToolTip(1));
    EXPECT_TRUE(bar()->tabToolTip(1).contains(u"Run b"_s)) << ss(bar()->tabToolTip(1));

    QTest::mouseClick(bar(), Qt::LeftButton, {}, bar()->tabRect(1).center());
    ASSERT_TRUE(wait_until([&] { return shown() == "second"; }));
    EXPECT_EQ(window_->windowTitle(), u"second: failed — Rankscope"_s);
    trigger("tab.next");
    ASSERT_TRUE(wait_until([&] { return shown() == "third & last"; }));
    trigger("tab.next");
    ASSERT_TRUE(wait_until([&] { return shown() == "first"; })) << "round the end";
    trigger("tab.previous");
    ASSERT_TRUE(wait_until([&] { return shown() == "third & last"; }));

    open_stored("a");
    EXPECT_EQ(bar()->count(), 3) << "its tab comes to the front";
    EXPECT_EQ(bar()->currentIndex(), 0);
    window_->show_page(MainWindow::Page::Runs);
    EXPECT_FALSE(bar()->isVisible());
    window_->show_page(MainWindow::Page::Live);
    EXPECT_TRUE(bar()->isVisible());
}

TEST_F(RunTabsTest, TabsCloseByButtonMiddleClickKeyAndMenu) {
    fill_store({{.name = "first", .id = "a"},
                {.name = "second", .id = "b"},
                {.name = "third", .id = "c"},
                {.name = "fourth", .id = "d"}});
    open();
    for (const char* id : {"a", "b", "c", "d"}) {
        open_stored(id);
    }
    QTest::mouseClick(bar(), Qt::MiddleButton, {}, bar()->tabRect(0).center());
    EXPECT_EQ(names(), (Names{"second", "third", "fourth"}));
    EXPECT_EQ(shown(), "fourth");
    auto* button = bar()->tabButton(2, QTabBar::RightSide);
    EXPECT_EQ(button->accessibleName(), u"Close fourth"_s);
    click(button);
    EXPECT_EQ(names(), (Names{"second", "third"}));
    ASSERT_TRUE(wait_until([&] { return shown() == "third"; }));

    emit bar()->menuRequested(0, window_->mapToGlobal(QPoint(100, 100)));
    auto* menu = window_->findChild<QMenu*>(u"tabMenu"_s);
    ASSERT_NE(menu, nullptr);
    window_->findChild<QAction*>(u"tabCloseOthers"_s)->trigger();
    menu->close();
    EXPECT_EQ(window_->tabs()->run_ids(), QStringList{u"b"_s});
    EXPECT_FALSE(bar()->isVisible());
    ASSERT_TRUE(wait_until([&] { return shown() == "second"; }));
    trigger("tab.close");
    EXPECT_EQ(shown(), "");
    EXPECT_EQ(window_->windowTitle(), u"Rankscope"_s);
    trigger("tab.close");
    EXPECT_TRUE(find<QWidget>("windowMessage")->isVisible()) << "there is none to close";
}

TEST_F(RunTabsTest, AMovedTabKeepsItsRun) {
    fill_store({{.name = "first", .id = "a"}, {.name = "second", .id = "b"}, {.name = "third", .id = "c"}});
    open();
    for (const char* id : {"a", "b", "c"}) {
        open_stored(id);
    }
    bar()->moveTab(2, 0);
    EXPECT_EQ(window_->tabs()->run_ids(), (QStringList{u"c"_s, u"a"_s, u"b"_s}));
    EXPECT_EQ(window_->tabs()->shown_run_id(), u"c"_s);
    bar()->setCurrentIndex(2);
    ASSERT_TRUE(wait_until([&] { return shown() == "second"; }));
}

TEST_F(RunTabsTest, ADeletedRunLosesItsTab) {
    fill_store({{.name = "first", .id = "a"}, {.name = "second", .id = "b"}});
    open();
    open_stored("a");
    open_stored("b");
    emit window_->runs_page()->deleted(u"b"_s);
    EXPECT_EQ(window_->tabs()->run_ids(), QStringList{u"a"_s});
    ASSERT_TRUE(wait_until([&] { return shown() == "first"; }));
}

TEST_F(RunTabsTest, ARunThatCannotBeReadLeavesTheShownOne) {
    fill_store({{.name = "first", .id = "a"}, {.name = "second", .id = "b"}});
    open();
    open_stored("a");
    open_stored("b");
    ASSERT_TRUE(window_->workspace()->store()->remove_run("a").ok());
    bar()->setCurrentIndex(0);
    ASSERT_TRUE(wait_until([&] { return find<QWidget>("tabFault")->isVisible(); }));
    EXPECT_EQ(shown(), "second");
    EXPECT_EQ(bar()->currentIndex(), 1);
}

TEST_F(RunTabsTest, OpenTabsAreThereAfterARestart) {
    fill_store({{.name = "first", .id = "a"},
                {.name = "second", .id = "b"},
                {.name = "continues", .id = "c", .until = 0.5, .fate = Fate::Running}});
    open();
    window_->restore_state();
    open_stored("a");
    open_stored("b");
    bar()->setCurrentIndex(0);
    ASSERT_TRUE(wait_until([&] { return shown() == "first"; }));
    window_->close();
    QStringList ids = QSettings().value(u"window/tabs"_s).toStringList();
    EXPECT_EQ(ids, (QStringList{u"a"_s, u"b"_s}));
    QSettings().setValue(u"window/tabs"_s, ids << u"c"_s << u"gone"_s);

    open();
    window_->restore_state();
    ASSERT_TRUE(wait_until([&] { return shown() == "first"; }));
    EXPECT_EQ(names(), (Names{"first", "second"})) << "one in progress is offered, one that is gone is not";
    ASSERT_TRUE(wait_until([&] { return find<QWidget>("attachBar")->isVisible(); }));
    EXPECT_EQ(window_->page(), MainWindow::Page::Live);
    bar()->setCurrentIndex(1);
    EXPECT_TRUE(wait_until([&] { return shown() == "second"; }));
}

TEST_F(RunTabsTest, AnotherWindowHasTheSameLayoutAndAJobOfItsOwn) {
    fill_store({{.name = "first", .id = "a"}});
    open();
    open_stored("a");
    LivePanes* panes = window_->live_page()->panes();
    panes->put(LivePanes::Pane::Log, LivePanes::Place::LeftOf, LivePanes::Pane::Curves);
    type_into(find<QLineEdit>("launchName"), u"of-the-first"_s);
    const QString draft = folder_.path() + u"/launch-draft.json"_s;
    const auto text_of = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    // A draft of the first letters may be there before.
    ASSERT_TRUE(wait_until([&] { return text_of(draft).contains("of-the-first"); }));

    trigger("file.new_window");
    ASSERT_TRUE(wait_until([&] { return others().size() == 1; }));
    QPointer<MainWindow> second = others().front();
    EXPECT_EQ(second->live_page()->panes()->state(), panes->state());
    auto* name = child<QLineEdit>(second, "launchName");
    type_into(name, u"of-the-second"_s);
    const QString other = folder_.path() + u"/launch-draft-2.json"_s;
    ASSERT_TRUE(wait_until([&] { return text_of(other).contains("of-the-second"); }));
    EXPECT_TRUE(text_of(draft).contains("of-the-first")) << "nothing is lost";
    second->close();
    ASSERT_TRUE(wait_until([&] { return second.isNull(); }));
    window_.reset();

    open();
    name = find<QLineEdit>("launchName");
    EXPECT_TRUE(wait_until([&] { return name->text() == u"of-the-first"_s; }));
    trigger("file.new_window");
    ASSERT_TRUE(wait_until([&] { return others().size() == 1; }));
    name = child<QLineEdit>(others().front(), "launchName");
    EXPECT_TRUE(wait_until([&] { return name->text() == u"of-the-second"_s; }));
}

TEST_F(RunTabsTest, ADraftKeepsTheRunThatItComesFrom) {
    open();
    window_->launch_page()->set_job_again(
        u"mnist"_s, "name: mnist\nnodes: [local]\nprocs_per_node: 1\ncommand: [\"true\"]\n", "run-7");
    const QString draft = folder_.path() + u"/launch-draft.json"_s;
    ASSERT_TRUE(wait_until([&] {
        QFile file(draft);
        return file.open(QIODevice::ReadOnly) && file.readAll().contains("run-7");
    }));
    window_.reset();
    open();
    std::string parent;
    window_->launch_page()->disconnect(window_.get());  // the run itself need not start
    QObject::connect(window_->launch_page(), &LaunchPage::startRequested, window_->launch_page(),
                     [&](const RunRequest& request) { parent = request.parent; });
    ASSERT_TRUE(wait_until([&] { return find<QLineEdit>("launchName")->text() == u"mnist"_s; }));
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_start_enabled());
    click(find<QPushButton>("startButton"));
    EXPECT_EQ(parent, "run-7");
}

/// Runs of this computer that say what they are asked to.
class LiveTabs : public RunTabsTest {
protected:
    void SetUp() override {
        qputenv("XDG_CACHE_HOME", (folder_.path() + u"/cache"_s).toUtf8());
        RunTabsTest::SetUp();
        open();
    }
    void TearDown() override {
        for (const char* name : {"one", "two", "three"}) {
            tell(name, "more");
            tell(name, "finish");
        }
        std::vector<MainWindow*> windows = others();
        windows.push_back(window_.get());
        for (MainWindow* window : windows) {
            if (window != nullptr) {
                EXPECT_TRUE(wait_until([&] { return window->workspace()->runs()->live().empty(); }, kLongMs));
            }
        }
        RunTabsTest::TearDown();
        qunsetenv("XDG_CACHE_HOME");
    }

    QString sign(const std::string& run, const char* word) {
        return folder_.path() + u'/' + qs(run) + u'-' + QString::fromLatin1(word);
    }
    void tell(const std::string& run, const char* word) { write(sign(run, word), "now"); }
    void set_job(const std::string& name, int port = 0) {
        const auto wait = [&](const char* word) {
            return "while [ ! -e '" + ss(sign(name, word)) + "' ]; do sleep 0.05; done; ";
        };
        window_->launch_page()->set_job_text(
            "name: " + name + "\nnodes: [local]\nprocs_per_node: 1\nmaster_port: " + std::to_string(port) +
                "\npreflight: off\ncommand: [sh, -c, \"echo begun; " + wait("more") + "echo more; " +
                wait("finish") + "echo over\"]\n",
            name + ".yaml");
        window_->show_page(MainWindow::Page::Launch);
    }
    RunSession* start(const std::string& name, int port = 0) {
        set_job(name, port);
        EXPECT_TRUE(wait_start_enabled()) << ss(find<QLabel>("startReason")->text());
        click(find<QPushButton>("startButton"));
        RunSession* session = runs()->front();
        EXPECT_TRUE(
            wait_until([&] { return has_printed(session, "begun") && session->runs_on_nodes(); }, kLongMs))
            << name;
        EXPECT_EQ(shown(), name);
        return session;
    }
    static bool has_printed(const RunSession* run, const std::string& text) {
        return !run->model()->empty() && run->model()->data().log.find_output(0, text, 0).has_value();
    }
    static constexpr int kLongMs = 60000;
};

TEST_F(LiveTabs, TwoRunsAreFollowedAtOnceAndTheShownOneIsStopped) {
    RunSession* one = start("one");
    EXPECT_EQ(window_->windowTitle(), u"one — Rankscope"_s);
    EXPECT_FALSE(bar()->isVisible());
    set_job("two");
    ASSERT_TRUE(wait_start_enabled());
    EXPECT_TRUE(find<QLabel>("startReason")->text().contains(u"beside one"_s))
        << ss(find<QLabel>("startReason")->text());
    RunSession* two = start("two");
    ASSERT_NE(one, two);
    EXPECT_TRUE(one->live());
    EXPECT_TRUE(two->live());
    EXPECT_EQ(names(), (Names{"one", "two"}));
    EXPECT_EQ(bar()->currentIndex(), 1);
    EXPECT_EQ(window_->windowTitle(), u"two and 1 more in progress — Rankscope"_s);

    tell("one", "more");
    EXPECT_TRUE(wait_until([&] { return has_printed(one, "more"); }, kLongMs)) << "though it is hidden";
    EXPECT_EQ(shown(), "two");
    bar()->setCurrentIndex(0);
    EXPECT_EQ(shown(), "one");
    EXPECT_TRUE(window_->live_page()->showing_session());
    EXPECT_EQ(window_->windowTitle(), u"one and 1 more in progress — Rankscope"_s);

    auto* stop = find<QPushButton>("stopButton");
    ASSERT_TRUE(wait_until([&] { return stop->isEnabled() && stop->isVisible(); }));
    click(stop);
    EXPECT_TRUE(one->stopping());
    EXPECT_FALSE(two->stopping());
    ASSERT_TRUE(wait_until([&] { return !one->live(); }, kLongMs));
    EXPECT_TRUE(two->live());
    EXPECT_TRUE(wait_until([&] { return bar()->tabToolTip(0).contains(u"stopped"_s); }))
        << ss(bar()->tabToolTip(0));
    EXPECT_EQ(window_->windowTitle(), u"one: stopped and 1 more in progress — Rankscope"_s);

    RunSession* three = start("three");
    EXPECT_EQ(three, one) << "a run that is over makes room";
    EXPECT_EQ(names(), (Names{"three", "two"}));
    const auto record = window_->workspace()->store()->run(run_id_of(*two));
    ASSERT_TRUE(record.ok());
    window_->open_run(*record);
    EXPECT_EQ(shown(), "two") << "its tab comes to the front";
    EXPECT_EQ(bar()->count(), 2);
}

TEST_F(LiveTabs, APortOfARunInProgressIsRefusedWithItsName) {
    constexpr int kPort = 29517;
    start("one", kPort);
    set_job("two", kPort);
    auto* reason = find<QLabel>("startReason");
    ASSERT_TRUE(wait_until([&] { return reason->text().contains(u"The run one uses port 29517"_s); }))
        << ss(reason->text());
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());
    set_job("two", kPort + 1);
    EXPECT_TRUE(wait_start_enabled());
    tell("one", "more");
    tell("one", "finish");
    ASSERT_TRUE(wait_until([&] { return runs()->live().empty(); }, kLongMs));
    set_job("two", kPort);
    EXPECT_TRUE(wait_start_enabled()) << "it is free again";
}

TEST_F(LiveTabs, ClosingATabLeavesOrStopsItsRun) {
    RunSession* one = start("one");
    RunSession* two = start("two");
    const std::string id = run_id_of(*two);
    click(bar()->tabButton(1, QTabBar::RightSide));
    QDialog* ask = wait_dialog("closeTabDialog");
    click(child<QPushButton>(ask, "closeLeave"));
    ASSERT_TRUE(wait_until([&] { return window_->tabs()->count() == 1; }));
    EXPECT_EQ(shown(), "one");
    EXPECT_FALSE(two->live());
    EXPECT_FALSE(find<QWidget>("attachBar")->isVisible()) << "the user has just left it";
    EXPECT_EQ(window_->windowTitle(), u"one — Rankscope"_s);

    const auto record = window_->workspace()->store()->run(id);
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->outcome, Outcome::Running);
    window_->open_run(*record);
    ASSERT_TRUE(wait_until([&] { return shown() == "two"; }, kLongMs)) << "beside the one in progress";
    EXPECT_EQ(runs()->live().size(), 2U);
    EXPECT_EQ(names(), (Names{"one", "two"}));
    tell("two", "more");
    EXPECT_TRUE(wait_until([&] { return has_printed(runs()->front(), "more"); }, kLongMs));

    trigger("tab.close");
    ask = wait_dialog("closeTabDialog");
    click(child<QPushButton>(ask, "closeStop"));
    ASSERT_TRUE(wait_until([&] { return window_->tabs()->count() == 1; }, kLongMs));
    EXPECT_TRUE(wait_until([&] {
        const auto stored = window_->workspace()->store()->run(id);
        return stored.ok() && stored->outcome == Outcome::Stopped;
    }));
    EXPECT_TRUE(one->live());
    EXPECT_EQ(shown(), "one");
}

TEST_F(LiveTabs, ClosingTheWindowStopsAllRuns) {
    start("one");
    start("two");
    window_->close();
    EXPECT_TRUE(window_->isVisible());
    QDialog* ask = wait_dialog("closeDialog");
    click(child<QPushButton>(ask, "closeStop"));
    ASSERT_TRUE(wait_until([&] { return !window_->isVisible(); }, kLongMs));
    EXPECT_TRUE(wait_until([&] {
        const auto stored = window_->workspace()->store()->runs();
        return stored.ok() && std::count_if(stored->begin(), stored->end(), [](const RunRecord& run) {
                                  return run.outcome == Outcome::Stopped;
                              }) == 2;
    }));
}

TEST_F(LiveTabs, AHiddenRunThatEndsIsReported) {
    const QString file = folder_.path() + u"/alerts"_s;
    Settings settings = window_->workspace()->settings()->now();
    settings.notifications.desktop = settings.notifications.sound = false;
    settings.notifications.command = u"sh -c 'echo $RANKSCOPE_ALERT_NAME >> "_s + file + u"'"_s;
    window_->workspace()->settings()->set(settings);
    start("one");
    RunSession* two = start("two");
    tell("one", "more");
    tell("one", "finish");
    const auto alerts = [&] {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    };
    EXPECT_TRUE(wait_until([&] { return alerts() == "one\n"; }, kLongMs)) << alerts().toStdString();
    EXPECT_TRUE(two->live());
    EXPECT_EQ(shown(), "two");
    EXPECT_TRUE(wait_until([&] { return bar()->tabToolTip(0).contains(u"done"_s); }));
    window_->show_page(MainWindow::Page::Runs);
    tell("two", "more");
    tell("two", "finish");
    auto* button = find<PageButton>("navLive");
    ASSERT_TRUE(wait_until([&] { return button->mark() == PageButton::Mark::Done; }, kLongMs));
    EXPECT_TRUE(button->accessibleDescription().contains(u"two: done"_s));
    EXPECT_TRUE(wait_until([&] { return alerts() == "one\ntwo\n"; }, kLongMs)) << alerts().toStdString();
}

TEST_F(LiveTabs, ATabMovesToAWindowOfItsOwn) {
    RunSession* one = start("one");
    EXPECT_FALSE(window_->tabs()->why_not_moved().isEmpty()) << "a window with nothing would stay";
    RunSession* two = start("two");
    const std::string id = run_id_of(*two);
    ASSERT_TRUE(wait_until([&] { return window_->tabs()->why_not_moved().isEmpty(); }, kLongMs));
    trigger("tab.window");
    ASSERT_TRUE(wait_until([&] { return others().size() == 1; }));
    MainWindow* second = others().front();
    ASSERT_TRUE(wait_until([&] { return follower_of(id) == second; }, kLongMs));
    EXPECT_EQ(window_->tabs()->count(), 1);
    EXPECT_EQ(shown(), "one");
    EXPECT_TRUE(one->live());
    EXPECT_FALSE(find<QWidget>("attachBar")->isVisible());
    RunSession* moved = second->workspace()->runs()->front();
    ASSERT_TRUE(wait_until([&] { return has_printed(moved, "begun"); }, kLongMs)) << "from its first line";
    tell("two", "more");
    EXPECT_TRUE(wait_until([&] { return has_printed(moved, "more"); }, kLongMs));
}

}  // namespace
}  // namespace rankscope::gui::testing
