// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/run_store.h>

#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

class Workspace;

/// "mnist of 03:36 continues: Attach": runs of the store that have not ended and that no window follows. On
/// view above every page until one is attached, all have ended, or the user dismisses it.
class AttachBar : public NoticeBar {
    Q_OBJECT

public:
    explicit AttachBar(Workspace* workspace, QWidget* parent = nullptr);

    /// Newest first.
    const std::vector<RunRecord>& continuing() const { return continuing_; }
    /// All runs of the store when it was last read, newest first.
    const std::vector<RunRecord>& known_runs() const { return runs_; }
    /// This run is not offered any more.
    void dismiss(const QString& run_id);
    /// The nodes are being asked whether these runs have ended: none is offered until then.
    void set_waiting(bool waiting);
    /// Reads the store.
    void refresh();

signals:
    /// The store was read.
    void refreshed();
    void attachRequested(const rankscope::RunRecord& run);
    /// Several continue: the user chooses.
    void listRequested();

private:
    void update_bar();

    Workspace* workspace_;
    BackgroundJob read_job_;
    std::vector<RunRecord> runs_;
    std::vector<RunRecord> continuing_;
    bool waiting_ = true;
    std::vector<std::string> dismissed_;  ///< ids
    std::set<std::string> measured_;      ///< ids of runs that a scaling run of this program has started
};

}  // namespace rankscope::gui
