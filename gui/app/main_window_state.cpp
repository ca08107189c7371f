// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Size, place and layout of the window, and what it remembers.

#include <gui/app/main_window.h>
#include <gui/app/run_tabs.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <QHeaderView>
#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <map>

namespace rankscope::gui {

namespace {

constexpr QSize kFirstSize(1280, 800);
/// Title bar and borders, before the window manager reports them.
constexpr QSize kLikelyFrame(16, 40);
constexpr QSize kSmallest(640, 480);

const QString kPanesKey = QStringLiteral("window/livePage/panes");

/// A splitter by its name, or its place in the page, and its parts, so that another layout gets no sizes of this one.
QString splitter_key(const QWidget& page, int number, const QSplitter& splitter) {
    const QString name =
        splitter.objectName().isEmpty() ? u"splitter"_s + QString::number(number) : splitter.objectName();
    return u"window/%1/%2-%3"_s.arg(page.objectName(), name).arg(splitter.count());
}

QString columns_key(const QWidget& page, const QTableView& table) {
    return u"window/%1/%2-%3"_s.arg(page.objectName(), table.objectName()).arg(table.model()->columnCount());
}

bool is_kept(const QTableView& table) {
    return !table.objectName().isEmpty() && table.model() != nullptr && table.model()->columnCount() > 0;
}

/// Keeps the sizes that the user gave to the splitters and to the columns of the named tables of a page. A page whose
/// parts are others by now has its own sizes.
void save_sizes(const QWidget& page) {
    QSettings file;
    int number = 0;
    for (const QSplitter* splitter : page.findChildren<QSplitter*>()) {
        file.setValue(splitter_key(page, number++, *splitter), splitter->saveState());
    }
    for (const QTableView* table : page.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            file.setValue(columns_key(page, *table), table->horizontalHeader()->saveState());
        }
    }
}

void restore_sizes(QWidget& page) {
    const QSettings file;
    int number = 0;
    for (QSplitter* splitter : page.findChildren<QSplitter*>()) {
        splitter->restoreState(file.value(splitter_key(page, number++, *splitter)).toByteArray());
    }
    for (QTableView* table : page.findChildren<QTableView*>()) {
        const QByteArray state =
            is_kept(*table) ? file.value(columns_key(page, *table)).toByteArray() : QByteArray();
        if (!state.isEmpty()) {
            table->horizontalHeader()->restoreState(state);
        }
    }
}

/// From the same page of another window.
void copy_sizes(const QWidget& from, QWidget& to) {
    std::map<QString, QByteArray> states;
    int number = 0;
    for (const QSplitter* splitter : from.findChildren<QSplitter*>()) {
        states[splitter_key(from, number++, *splitter)] = splitter->saveState();
    }
    for (const QTableView* table : from.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            states[columns_key(from, *table)] = table->horizontalHeader()->saveState();
        }
    }
    number = 0;
    for (QSplitter* splitter : to.findChildren<QSplitter*>()) {
        splitter->restoreState(states[splitter_key(to, number++, *splitter)]);
    }
    for (QTableView* table : to.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            table->horizontalHeader()->restoreState(states[columns_key(to, *table)]);
        }
    }
}

/// Where the panes of Live are.
void save_panes(const LivePanes& panes) {
    QSettings file;
    const QByteArray state = panes.state();
    if (state.isEmpty()) {
        file.remove(kPanesKey);
    } else {
        file.setValue(kPanesKey, state);
    }
}

void restore_panes(LivePanes& panes) {
    panes.set_state(QSettings().value(kPanesKey).toByteArray());
}

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
