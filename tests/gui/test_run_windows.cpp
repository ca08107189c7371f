// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Several runs at once: a window each.

#include <gui/live/live_page.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QTableView>

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

TEST_F(RunWindows, WithoutASelectedRunThereIsAReason) {
    find<QTableView>("runsTable")->clearSelection();
    window_->findChild<QAction*>(u"runs.window"_s)->trigger();
    EXPECT_TRUE(others().empty());
}

}  // namespace
}  // namespace rankscope::gui::testing
