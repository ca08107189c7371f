// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/live_data.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/store/run_store.h>

#include <QElapsedTimer>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

class LivePage;
class NoticeBar;
class RunOpener;
class RunSession;
class RunTabBar;
class Workspace;

/// The runs that are open in this window, a tab each; Live shows the one that is chosen. Out of sight with fewer than
/// two. Those that are followed keep their data, and are painted only while they are chosen; of stored ones only the
/// one that Live shows is in memory.
class RunTabs : public QWidget {
    Q_OBJECT

public:
    RunTabs(Workspace* workspace, LivePage* live, QWidget* parent);

    RunTabBar* bar() const { return bar_; }
    int count() const { return int(tabs_.size()); }
    /// Shows a stored run in its tab, or in a new one.
    void show_stored(LiveData run);
    /// A stored run was deleted.
    void forget(const std::string& run_id);
    /// The tab so many places to the right of the chosen one; round the ends.
    void step(int by);
    /// Asks first where its run is in progress.
    void close_shown();
    /// Why the shown run cannot move to a window of its own; empty: it can.
    QString why_not_moved() const;
    void move_shown();

    // For the next start.
    QStringList run_ids() const;
    QString shown_run_id() const;
    /// Opens tabs of stored runs that are over, and shows one unless there is a run on view. Once the store is open.
    void restore(const QStringList& run_ids, const QString& shown);

signals:
    /// Live shows another run, or none.
    void shownChanged();
    /// The user leaves a run that is in progress.
    void left(const QString& run_id);
    /// The run has left this window, for one of its own.
    void windowRequested(const rankscope::RunRecord& run);

private:
    struct Tab {
        RunSession* session = nullptr;  ///< null: stored
        std::string run_id = {};
        QString name = {};
        Outcome outcome = Outcome::Running;
        int sign = -1;  ///< of the icon that it has
    };

    void connect_parts();
    void watch(RunSession* session);
    void sync();
    void adopt(RunSession* session);
    void refresh_signs();
    void refresh_sign(int index);
    void choose(int index);
    void show_current();
    void begin_showing();
    void close(int index);
    void remove(int index);
    void move(int index);
    void show_menu(int index, const QPoint& at);
    QString why_not_moved(int index) const;
    int shown_index() const;
    int index_of(const RunSession* session) const;
    int index_of(const std::string& run_id) const;
    void read_records(const QStringList& run_ids, const QString& shown);

    Workspace* workspace_;
    LivePage* live_;
    RunTabBar* bar_;
    NoticeBar* progress_;
    NoticeBar* fault_;
    RunOpener* opener_;
    BackgroundJob records_job_;
    QTimer clock_;
    QElapsedTimer reading_since_;
    std::vector<Tab> tabs_;           ///< in the order of the bar
    std::string wanted_;              ///< id of the stored run that is being read
    std::set<RunSession*> stopping_;  ///< close when their run is over
};

}  // namespace rankscope::gui
