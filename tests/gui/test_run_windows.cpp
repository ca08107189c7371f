// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Several runs at once: a window each.

#include <base/wake_fd.h>
#include <gui/app/run_window.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/fleet/node_runs_dialog.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/nodes/session/node_connection.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QSettings>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>

namespace rankscope::gui::testing {
namespace {

class RunWindows : public Pages {
protected:
    void SetUp() override {
        QSettings().clear();  // the order of the list is kept
        fill_store({{.name = "older", .id = "a"},
                    {.name = "killed",
                     .id = "b",
                     .until = 0.5,
                     .fate = Fate::Killed,
                     .start_us = 1'770'000'000'000'000}});
        open();
        window_->show_page(MainWindow::Page::Runs);
        auto* table = find<QTableView>("runsTable");
        ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    }
    /// Whatever the order; the list may be read again meanwhile.
    void select(const std::string& name) {
        auto* table = find<QTableView>("runsTable");
        ASSERT_TRUE(wait_until([&] {
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                table->selectRow(row);
                const RunRecord* run = window_->runs_page()->selected();
                if (run != nullptr && run->name == name) {
                    return true;
                }
            }
            return false;
        })) << name;
    }
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
    static bool shows(const MainWindow* window, const std::string& name) {
        return window->page() == MainWindow::Page::Live && window->live_page()->shown() &&
               window->live_page()->shown()->state().name == name;
    }

    void TearDown() override {
        for (MainWindow* window : others()) {
            window->close();
        }
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QSettings().clear();
    }
};

TEST_F(RunWindows, ARunOpensBesideTheOthersAndClosesAlone) {
    select("killed");
    window_->findChild<QAction*>(u"runs.window"_s)->trigger();
    ASSERT_TRUE(wait_until([&] { return others().size() == 1; })) << others().size();
    QPointer<MainWindow> second = others().front();
    ASSERT_TRUE(wait_until([&] { return shows(second, "killed"); }));
    EXPECT_EQ(window_->page(), MainWindow::Page::Runs) << "the first one stays where it is";

    select("older");
    emit window_->runs_page()->runs_table()->menuRequested(window_->mapToGlobal(QPoint(200, 200)));
    auto* entry = window_->findChild<QAction*>(u"runWindow"_s);
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->isEnabled());
    entry->trigger();
    find<QMenu>("runsMenu")->close();
    ASSERT_TRUE(wait_until([&] { return others().size() == 2; }));
    MainWindow* third = others()[0] == second ? others()[1] : others()[0];
    ASSERT_TRUE(wait_until([&] { return shows(third, "older"); }));
    EXPECT_TRUE(shows(second, "killed"));

    second->close();
    EXPECT_TRUE(wait_until([&] { return second.isNull(); })) << "it is gone with its threads";
    EXPECT_TRUE(window_->isVisible());
    EXPECT_TRUE(shows(third, "older"));
    window_->close();
    EXPECT_TRUE(third->isVisible()) << "the first one is not special";
    third->show_page(MainWindow::Page::Runs);
    EXPECT_TRUE(wait_until([&] { return child<QTableView>(third, "runsTable")->model()->rowCount() == 2; }));
}

TEST_F(RunWindows, ASettingChangedInOneReachesTheOthers) {
    select("killed");
    window_->findChild<QAction*>(u"runs.window"_s)->trigger();
    ASSERT_TRUE(wait_until([&] { return others().size() == 1; }));
    MainWindow* second = others().front();
    second->show_settings(SettingsPart::Appearance);
    auto* theme = child<QComboBox>(second, "settingsTheme");
    const Settings first = window_->workspace()->settings()->now();

    Settings changed = first;
    changed.look = {LookTheme::HighContrast, 15, RankColors::Tableau};
    changed.live_refresh_ms = 400;
    changed.runs_refresh_s = 30;
    changed.notifications.desktop = !changed.notifications.desktop;
    changed.shortcuts[u"run.stop"_s] = u"Ctrl+Alt+S"_s;
    window_->workspace()->settings()->set(changed);
    EXPECT_EQ(second->workspace()->settings()->now(), changed);
    EXPECT_EQ(second->theme(), LookTheme::HighContrast);
    EXPECT_EQ(second->font().pointSizeF(), 15);
    EXPECT_EQ(theme->currentData().toInt(), int(LookTheme::HighContrast)) << "its open dialog shows it";
    EXPECT_EQ(second->findChild<QAction*>(u"run.stop"_s)->shortcut(), QKeySequence(u"Ctrl+Alt+S"_s));

    theme->setCurrentIndex(theme->findData(int(LookTheme::Light)));
    EXPECT_EQ(window_->theme(), LookTheme::Light) << "and back";
    EXPECT_EQ(window_->workspace()->settings()->now(), second->workspace()->settings()->now());
    window_->workspace()->settings()->set(first);
    second->close();
    ASSERT_TRUE(wait_until([&] { return others().empty(); }));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    window_->workspace()->settings()->set(changed);
    window_->workspace()->settings()->set(first);
}

/// A run of this computer that waits for a file.
class LiveRunWindows : public RunWindows {
protected:
    void SetUp() override {
        qputenv("XDG_CACHE_HOME", (folder_.path() + u"/cache"_s).toUtf8());
        RunWindows::SetUp();
    }
    void TearDown() override {
        finish();
        for (MainWindow* window : others()) {
            EXPECT_TRUE(wait_until([&] { return !window->workspace()->session()->live(); }, kLongMs));
        }
        if (window_) {
            EXPECT_TRUE(wait_until([&] { return !session()->live(); }, kLongMs));
        }
        RunWindows::TearDown();
        window_.reset();
        qunsetenv("XDG_CACHE_HOME");
    }
    RunSession* session() { return window_->workspace()->session(); }
    void finish() { write(folder_.path() + u"/finish"_s, "now"); }
    /// As no other run of this account has it: tests beside this one start runs, too, and the node lists them all.
    std::string name() const { return "lasting-" + ss(QFileInfo(folder_.path()).fileName()); }
    void start() {
        const std::string wait = ss(folder_.path() + u"/finish"_s);
        window_->launch_page()->set_job_text(
            "name: " + name() +
                "\nnodes: [local]\nprocs_per_node: 1\nmaster_port: 0\npreflight: off\n"
                "command: [sh, -c, \"echo begun; while [ ! -e '" +
                wait + "' ]; do sleep 0.1; done; echo over\"]\n",
            "lasting.yaml");
        ASSERT_TRUE(wait_start_enabled());
        click(find<QPushButton>("startButton"));
        ASSERT_TRUE(wait_until([&] { return has_printed(window_.get(), "begun"); }, kLongMs))
            << (session()->model()->state().end ? session()->model()->state().end->detail : "no end");
    }
    static bool has_printed(const MainWindow* window, const std::string& text) {
        const LiveModel* run = window->workspace()->session()->model();
        return !run->empty() && run->data().log.find_output(0, text, 0).has_value();
    }
    static constexpr int kLongMs = 60000;
};

TEST_F(LiveRunWindows, TwoWindowsFollowOneRunAndAThirdIsNotOpened) {
    ASSERT_NO_FATAL_FAILURE(start());
    const std::string id = session()->run_id();
    EXPECT_EQ(follower_of(id), window_.get());
    auto second = std::make_unique<MainWindow>(options_in(folder_.path()));
    second->show();
    ASSERT_TRUE(wait_until([&] { return second->workspace()->store_settled(); }));
    auto* table = child<QTableView>(second.get(), "runsTable");
    second->show_page(MainWindow::Page::Runs);
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 3; }));
    second->runs_page()->select(id);
    ASSERT_TRUE(wait_until([&] {
        const RunRecord* run = second->runs_page()->selected();
        return run && run->run_id == id;
    }));
    const RunRecord record = *second->runs_page()->selected();
    click(child<QPushButton>(second.get(), "openRun"));
    ASSERT_TRUE(wait_until([&] { return has_printed(second.get(), "begun"); }, kLongMs));
    EXPECT_TRUE(second->workspace()->session()->live());
    EXPECT_TRUE(session()->live()) << "the first one follows it, too";

    window_->show_page(MainWindow::Page::Fleet);
    second->activateWindow();
    const std::size_t open = others().size();
    MainWindow* shown = open_run_window(*second, record);
    EXPECT_EQ(others().size(), open) << "none was opened";
    EXPECT_TRUE(shown == window_.get() || shown == second.get());
    EXPECT_EQ(shown->page(), MainWindow::Page::Live);
    EXPECT_TRUE(wait_until([&] { return shown->isActiveWindow(); }));

    finish();
    for (MainWindow* window : {window_.get(), second.get()}) {
        EXPECT_TRUE(wait_until([&] { return !window->workspace()->session()->live(); }, kLongMs));
        EXPECT_TRUE(has_printed(window, "over"));
        EXPECT_EQ(window->workspace()->session()->model()->state().outcome, Outcome::Done);
    }
    second->close();
}

TEST_F(LiveRunWindows, TheMenuOfARunInProgressChangesWhatIsObservedOfNccl) {
    ASSERT_NO_FATAL_FAILURE(start());
    window_->show_page(MainWindow::Page::Runs);
    select(name());
    emit window_->runs_page()->runs_table()->menuRequested(window_->mapToGlobal(QPoint(200, 200)));
    auto* light = window_->findChild<QAction*>(u"ncclLevel1"_s);
    ASSERT_NE(light, nullptr);
    light->trigger();
    find<QMenu>("runsMenu")->close();
    auto* notice = find<NoticeBar>("runsNcclLevel");
    ASSERT_TRUE(wait_until([&] { return notice->text().contains(u"on 1 node"_s); }, kLongMs))
        << ss(notice->text());
    EXPECT_TRUE(notice->text().contains(u"Light"_s)) << ss(notice->text());
}

TEST_F(LiveRunWindows, ARunThatAnotherComputerStartedIsWatchedAndStopped) {
    ASSERT_NO_FATAL_FAILURE(start());
    const std::string id = session()->run_id();
    const QTemporaryDir other;  // with a run store of its own
    auto second = std::make_unique<MainWindow>(options_in(other.path()));
    second->show();
    ASSERT_TRUE(wait_until(
        [&] { return second->workspace()->store_settled() && second->workspace()->fleet()->loaded(); }));
    second->show_page(MainWindow::Page::Fleet);
    const auto open_runs = [&] {
        second->findChild<QAction*>(u"nodes.runs"_s)->trigger();
        auto* dialog = second->findChild<NodeRunsDialog*>();
        EXPECT_TRUE(wait_until([&] { return !dialog->busy(); }, kLongMs));
        return dialog;
    };
    NodeRunsDialog* dialog = open_runs();
    auto* table = child<QTableWidget>(dialog, "nodeRunsTable");
    // Other Rankscopes of this account may run something here, too.
    const auto select_own = [&id](QTableWidget* rows) {
        const auto found = rows->findItems(qs(id), Qt::MatchExactly);
        EXPECT_EQ(found.size(), 1);
        const int row = found.isEmpty() ? 0 : found.front()->row();
        rows->selectRow(row);
        return row;
    };
    ASSERT_GE(table->rowCount(), 1) << ss(child<QLabel>(dialog, "nodeRunsProblem")->text());
    const int row = select_own(table);
    EXPECT_EQ(ss(table->item(row, 1)->text()), name());
    EXPECT_FALSE(table->item(row, 6)->text().isEmpty()) << "who started it";
    click(child<QPushButton>(dialog, "nodeRunsAttach"));
    ASSERT_TRUE(wait_until([&] { return has_printed(second.get(), "begun"); }, kLongMs))
        << ss(child<QLabel>(dialog, "nodeRunsProblem")->text());
    ASSERT_TRUE(wait_until([&] { return second->workspace()->session()->live(); }));
    EXPECT_EQ(second->workspace()->session()->run_id(), id);
    EXPECT_EQ(second->workspace()->session()->model()->state().ranks.size(), 1U);
    EXPECT_EQ(second->page(), MainWindow::Page::Live);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    second->show_page(MainWindow::Page::Fleet);
    dialog = open_runs();
    select_own(child<QTableWidget>(dialog, "nodeRunsTable"));
    click(child<QPushButton>(dialog, "nodeRunsStop"));
    EXPECT_TRUE(session()->live()) << "not before it is confirmed";
    click(child<QPushButton>(dialog, "nodeRunsConfirm"));
    for (MainWindow* window : {window_.get(), second.get()}) {
        EXPECT_TRUE(wait_until([&] { return !window->workspace()->session()->live(); }, kLongMs));
        EXPECT_NE(window->workspace()->session()->model()->state().outcome, Outcome::Done);
    }
    EXPECT_TRUE(wait_until([&] { return !dialog->busy(); }, kLongMs));
    EXPECT_TRUE(child<QLabel>(dialog, "nodeRunsState")->text().contains(qs(name())));
    click(child<QPushButton>(dialog, "nodeRunsAgain"));
    ASSERT_TRUE(wait_until([&] { return !dialog->busy(); }, kLongMs));
    select_own(child<QTableWidget>(dialog, "nodeRunsTable"));
    EXPECT_FALSE(child<QPushButton>(dialog, "nodeRunsStop")->isEnabled()) << "it is over";
    second->close();
}

TEST_F(LiveRunWindows, ALiveRunOfAnotherCacheFolderIsNoLeftover) {
    ASSERT_NO_FATAL_FAILURE(start());
    const std::string id = session()->run_id();
    const QTemporaryDir other;
    qputenv("XDG_CACHE_HOME", other.path().toUtf8());
    auto store = RunStore::open(ss(other.path() + u"/runs.sqlite"_s));
    ASSERT_TRUE(store);
    LeftoversDialog dialog(local_node(), 0, {}, nullptr, nullptr);
    dialog.set_store(*store, {local_node()});
    dialog.show();
    auto* table = child<QTableWidget>(&dialog, "leftoversTable");
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, kLongMs));
    const auto title = table->findItems(qs(name() + ", "), Qt::MatchStartsWith);
    ASSERT_EQ(title.size(), 1) << ss(child<QLabel>(&dialog, "leftoversProblem")->text());
    EXPECT_TRUE(title.front()->text().contains(u"another Rankscope of yours"_s)) << ss(title.front()->text());
    const int row = title.front()->row();
    EXPECT_EQ(table->item(row + 1, 6)->text(), u"In use by the run: kept"_s);
    table->selectRow(row + 1);
    EXPECT_FALSE(child<QPushButton>(&dialog, "leftoversEnd")->isEnabled());
    click(child<QPushButton>(&dialog, "leftoversClean"));
    auto* box = child<QMessageBox>(&dialog, "cleanDialog");
    EXPECT_FALSE(box->informativeText().contains(table->item(row + 1, 1)->text()))
        << "what lives is not counted";
    box->reject();
    QString attached;
    QObject::connect(&dialog, &LeftoversDialog::attachRequested,
                     [&attached](const QString& run_id) { attached = run_id; });
    table->selectRow(row);
    click(child<QPushButton>(&dialog, "leftoversAttach"));
    ASSERT_TRUE(wait_until([&] { return !attached.isEmpty(); }, kLongMs))
        << ss(child<QLabel>(&dialog, "leftoversProblem")->text());
    EXPECT_EQ(attached, qs(id));
    EXPECT_EQ((*store)->run(id)->name, name());
    qputenv("XDG_CACHE_HOME", (folder_.path() + u"/cache"_s).toUtf8());
}

TEST_F(LiveRunWindows, ARunThatEndedWhileNobodyWatchedIsReportedAtTheNextStart) {
    ASSERT_NO_FATAL_FAILURE(start());
    const std::string id = session()->run_id();
    session()->detach();
    window_.reset();
    finish();
    const WakeFd wake;
    auto node = connect_node(local_node(), Prompter{}, wake, {}, {}, nullptr);
    ASSERT_TRUE(node);
    ASSERT_TRUE(wait_until(
        [&] {
            const auto run = run_on_node(*node->link, "local", id);
            return run && run->state == Outcome::Done;
        },
        kLongMs));
    auto again = std::make_unique<MainWindow>(options_in(folder_.path()));
    again->show();
    auto* bar = child<NoticeBar>(again.get(), "awayBar");
    ASSERT_TRUE(wait_until([&] { return bar->isVisible(); }, kLongMs));
    EXPECT_TRUE(bar->text().startsWith(u"A run ended while you were away: "_s % qs(name()) % u" done in "_s))
        << ss(bar->text());
    EXPECT_FALSE(child<QWidget>(again.get(), "attachBar")->isVisible());
    click(child<QPushButton>(bar, "awayBarAction"));
    EXPECT_TRUE(wait_until([&] { return shows(again.get(), name()); }, kLongMs));
    EXPECT_FALSE(bar->isVisible());
    again->close();
}

TEST_F(RunWindows, WithoutASelectedRunThereIsAReason) {
    find<QTableView>("runsTable")->clearSelection();
    window_->findChild<QAction*>(u"runs.window"_s)->trigger();
    EXPECT_TRUE(others().empty());
}

}  // namespace
}  // namespace rankscope::gui::testing
