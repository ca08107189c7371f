// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/run/unwatched_runs.h>
#include <remote/desk/runs/store/run_store.h>

#include <vector>

namespace rankscope::gui {

class Workspace;

/// "2 runs ended while you were away: ddp done in 1 min 34 s, long4 failed: …": asks the nodes once, when the program has
/// started, and reads what has ended into the store.
class AwayBar : public NoticeBar {
    Q_OBJECT

public:
    explicit AwayBar(Workspace* workspace, QWidget* parent = nullptr);

    /// These have not ended as far as the store knows. Only the first call asks; nothing is asked without any.
    void ask(std::vector<RunRecord> unfinished);
    /// Their nodes have not all answered yet.
    bool asking() const { return asking_; }

signals:
    /// The nodes have answered, or the time for that is over.
    void asked();
    /// The store has the end of at least one more run.
    void settled();
    void showRequested(const rankscope::RunRecord& run);
    /// Several: the user chooses.
    void listRequested();

private:
    static QString run_text(const RunRecord& run);
    void begin();
    void settle(const std::vector<AskedRun>& asked);
    void show_ended(std::vector<RunRecord> ended);

    Workspace* workspace_;
    BackgroundJob job_;
    bool begun_ = false;
    bool asking_ = false;
    std::vector<RunRecord> unfinished_;
    std::vector<RunRecord> ended_;
};

}  // namespace rankscope::gui
