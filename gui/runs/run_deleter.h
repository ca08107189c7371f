// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

class NoticeBar;

/// Deletes runs so that it can be undone: they disappear at once, in every program, and stay in the store's trash for
/// kTrashDays (remote/desk/runs/store/run_trash.h). A notice offers to undo the last deletion for a while.
class RunDeleter : public QObject {
    Q_OBJECT

public:
    /// `notice` shows what was deleted, with the action Undo.
    RunDeleter(QThreadPool* pool, NoticeBar* notice, QObject* parent = nullptr);

    /// For how long the notice stays.
    void set_undo_time(int ms) { timer_.setInterval(ms); }
    void remove(const std::shared_ptr<RunStore>& store, const std::vector<RunRecord>& runs);
    void undo();
    /// The deletion is not undone from the notice any more.
    void hide_notice();
    /// Removes for good what was deleted longer than kTrashDays ago.
    void remove_expired(const std::shared_ptr<RunStore>& store);

signals:
    /// The list has changed.
    void changed();
    void deleted(const QString& run_id);
    void restored(const QString& run_id);
    void failed(const QString& what, const rankscope::Failure& failure);

private:
    QThreadPool* pool_;
    NoticeBar* notice_;
    BackgroundJob job_;
    QTimer timer_;
    std::shared_ptr<RunStore> store_;
    std::vector<std::string> last_;  ///< deleted last, while the notice offers to undo it
};

}  // namespace rankscope::gui
