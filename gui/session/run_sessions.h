// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/run_session.h>

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The runs that this window follows or has followed, a RunSession each. A session stays for the next run when its run
/// is closed, so that pointers to it and its model hold as long as the window. The window's thread only.
class RunSessions : public QObject {
    Q_OBJECT

public:
    explicit RunSessions(QThreadPool* pool, QObject* parent = nullptr);
    ~RunSessions() override;

    const std::vector<std::unique_ptr<RunSession>>& all() const { return sessions_; }
    /// The one that Live shows, or showed last. Never null.
    RunSession* front() const { return front_; }
    void bring_to_front(RunSession* session);
    /// One without a run; made where all have one.
    RunSession* free_session();
    /// The one with this run, in progress or over; null: none.
    RunSession* find(const std::string& run_id) const;
    /// Those with a run in progress, oldest first.
    std::vector<RunSession*> live() const;
    bool attaching() const;
    /// Leaves its run to the nodes and forgets it here.
    void close(RunSession* session);
    /// Leaves all runs to their nodes.
    void detach();
    void set_refresh_ms(int milliseconds);

signals:
    void added(rankscope::gui::RunSession* session);
    void frontChanged();
    // Of any session.
    void started(rankscope::gui::RunSession* session);
    void attached(rankscope::gui::RunSession* session);
    void attachProgress(qint64 events);
    void attachFailed(const rankscope::Failure& failure);
    void changed(rankscope::gui::RunSession* session);
    void ended(rankscope::gui::RunSession* session);

private:
    RunSession* add();

    QThreadPool* pool_;
    int refresh_ms_ = 0;  ///< 0: the default
    std::vector<std::unique_ptr<RunSession>> sessions_;
    RunSession* front_;
};

/// The id of the run that a session has, in progress or over.
std::string run_id_of(const RunSession& session);

}  // namespace rankscope::gui
