// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/app/run_window.h>
#include <gui/live/live_page.h>
#include <gui/session/workspace.h>

#include <QApplication>
#include <memory>

namespace rankscope::gui {

namespace {

constexpr QPoint kBeside(32, 32);  ///< from the window it was opened from

/// An attachment needs the store and the machines.
void open_when_ready(MainWindow* window, const RunRecord& run) {
    Workspace* workspace = window->workspace();
    const auto waits = std::make_shared<bool>(true);
    const auto look = [window, workspace, run, waits] {
        if (*waits && workspace->store_settled() && workspace->fleet()->loaded()) {
            *waits = false;
            window->open_run(run);
        }
    };
    QObject::connect(workspace, &Workspace::storeSettled, window, look);
    QObject::connect(workspace->fleet(), &Fleet::changed, window, look);
    QObject::connect(workspace->fleet(), &Fleet::problemsChanged, window, look);
    look();
}

}  // namespace

MainWindow* follower_of(const std::string& run_id) {
    for (QWidget* each : QApplication::topLevelWidgets()) {
        auto* window = qobject_cast<MainWindow*>(each);
        if (window && window->isVisible()) {
            const RunSession* session = window->workspace()->runs()->find(run_id);
            if (session != nullptr && session->live()) {
                return window;
            }
        }
    }
    return nullptr;
}

MainWindow* open_window(const MainWindow& from) {
    Options options = from.workspace()->options();
    options.job_file.clear();
    options.quick_start = false;
    options.bundles.clear();
    auto made = std::make_unique<MainWindow>(options, from.system_is_dark());
    made->setAttribute(Qt::WA_DeleteOnClose);
    MainWindow* window = made.release();  // its attribute: Qt deletes it
    window->resize(from.size());
    window->move(from.pos() + kBeside);
    window->take_layout(from);
    window->show();
    return window;
}

MainWindow* open_run_window(const MainWindow& from, const RunRecord& run) {
    if (MainWindow* follower = follower_of(run.run_id)) {
        RunSessions* runs = follower->workspace()->runs();
        runs->bring_to_front(runs->find(run.run_id));
        if (!follower->live_page()->showing_session()) {
            follower->live_page()->show_session();
        }
        follower->show_page(MainWindow::Page::Live);
        follower->raise();
        follower->activateWindow();
        return follower;
    }
    MainWindow* window = open_window(from);
    open_when_ready(window, run);
    return window;
}

}  // namespace rankscope::gui
