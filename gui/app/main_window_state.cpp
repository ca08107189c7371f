// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Size, place and layout of the window, and what it remembers.

#include <gui/app/main_window.h>
#include <gui/app/run_tabs.h>
#include <gui/app/window_state.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr QSize kFirstSize(1280, 800);
/// Title bar and borders, before the window manager reports them.
constexpr QSize kLikelyFrame(16, 40);
constexpr QSize kSmallest(640, 480);

}  // namespace

QSize first_window_size(QSize room) {
    return kFirstSize.boundedTo(room - kLikelyFrame).expandedTo(kSmallest.boundedTo(room));
}

void MainWindow::restore_state() {
    keeps_state_ = true;
    const QSettings file;
    for (int i = 0; i < pages_->count(); ++i) {
        restore_sizes(*page_widget(Page(i)));
    }
    restore_panes(*live_->panes());
    bool ok = false;
    const int last = file.value(u"window/page"_s).toInt(&ok);
    if (ok && last >= 0 && last < pages_->count() && !options_.quick_start && options_.job_file.empty()) {
        show_page(Page(last));
    }
    if (const QString run = file.value(u"window/run"_s).toString(); !run.isEmpty()) {
        runs_->select(ss(run));
    }
    tabs_->restore(file.value(u"window/tabs"_s).toStringList(), file.value(u"window/tab"_s).toString());
}

void MainWindow::take_layout(const MainWindow& from) {
    keeps_state_ = from.keeps_state_;
    for (int i = 0; i < pages_->count(); ++i) {
        copy_sizes(*from.page_widget(Page(i)), *page_widget(Page(i)));
    }
    live_->panes()->set_state(from.live_->panes()->state());
}

void MainWindow::save_state() {
    QSettings file;
    file.setValue(u"geometry"_s, saveGeometry());
    if (!keeps_state_) {
        return;
    }
    for (int i = 0; i < pages_->count(); ++i) {
        save_sizes(*page_widget(Page(i)));
    }
    save_panes(*live_->panes());
    file.setValue(u"window/page"_s, int(page()));
    const RunRecord* run = runs_->selected();
    file.setValue(u"window/run"_s, run ? qs(run->run_id) : QString());
    file.setValue(u"window/tabs"_s, tabs_->run_ids());
    file.setValue(u"window/tab"_s, tabs_->shown_run_id());
}

void MainWindow::restore_geometry() {
    const QSettings settings;
    if (!restoreGeometry(settings.value(u"geometry"_s).toByteArray()) && screen()) {
        const QRect room = screen()->availableGeometry();
        const QSize size = first_window_size(room.size());
        resize(size);
        move(room.topLeft() + QPoint((room.width() - size.width() - kLikelyFrame.width()) / 2,
                                     (room.height() - size.height() - kLikelyFrame.height()) / 2));
    }
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    // The real frame is known now; a window of an earlier session may come from a larger screen.
    QTimer::singleShot(0, this, &MainWindow::fit_screen);
}

void MainWindow::fit_screen() {
    if (!screen() || isMaximized() || isFullScreen()) {
        return;
    }
    const QRect room = screen()->availableGeometry();
    const QSize frame = frameGeometry().size() - size();
    resize(size().boundedTo(room.size() - frame));
    const QRect outer = frameGeometry();
    const QPoint inside(
        std::clamp(outer.left(), room.left(), std::max(room.left(), room.right() + 1 - outer.width())),
        std::clamp(outer.top(), room.top(), std::max(room.top(), room.bottom() + 1 - outer.height())));
    if (inside != outer.topLeft()) {
        move(inside);
    }
}

}  // namespace rankscope::gui
