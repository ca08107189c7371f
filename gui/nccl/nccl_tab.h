// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <remote/desk/runs/reading/reading_snapshot.h>

#include <QString>
#include <QWidget>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

class LiveModel;

/// A tab of the NCCL pane.
class NcclTab : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// Another state of what is shown; never null. Called also while the tab is hidden: keep the pointer, and draw when
    /// it is visible. Long work belongs into the reader or on a thread.
    virtual void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) = 0;
    /// The run whose events the tab may show, or null: logs from elsewhere.
    virtual void set_run(const LiveModel* run) { (void)run; }
    /// The times that Live shows, and what the collectives took then; all: TimeSpan() and null. Null with a range: it
    /// is being read.
    virtual void set_range(const TimeSpan& span, const std::shared_ptr<const CollectiveReport>& report) {
        (void)span;
        (void)report;
    }
    /// The ranks that are selected in Live, to be marked.
    virtual void set_selected(const std::vector<int>& ranks) { (void)ranks; }
    /// Whether the tab has something to show without a line of NCCL.
    virtual bool has_content() const { return false; }
    /// Whether this run has what the tab is about.
    virtual bool is_wanted() const { return true; }

signals:
    /// The user wants to see a line: ReadingSnapshot::sources[file], from 1.
    void lineRequested(quint32 file, quint64 line);
    /// The user wants these keys in the job.
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// The user chose a rank.
    void rankChosen(int rank);
    /// The user chose these times.
    void rangeChosen(const rankscope::gui::TimeSpan& span);
};

}  // namespace rankscope::gui
