// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/models/runs_model.h>

#include <QElapsedTimer>
#include <QObject>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Reads the summaries of runs on a thread: each once, of a running one again from time to time.
class SummaryLoader : public QObject {
    Q_OBJECT

public:
    explicit SummaryLoader(QThreadPool* pool, QObject* parent = nullptr);

    /// Begins with what is missing; nothing happens while it reads.
    void update(const std::shared_ptr<RunStore>& store, const std::vector<RunRecord>& runs);
    bool loading() const { return job_.running(); }
    int done() const { return done_; }
    int total() const { return total_; }

signals:
    void loaded(const rankscope::gui::RunSummaries& summaries);
    void finished();

private:
    bool wanted(const RunRecord& run) const;

    BackgroundJob job_;
    /// What was known of a run when its summary was read.
    struct Known {
        std::int64_t ended_us = 0;
        qint64 at_ms = 0;
    };
    std::map<std::string, Known> known_;
    QElapsedTimer clock_;
    qint64 began_ms_ = 0;
    qint64 pause_ms_ = 0;  ///< before running ones are read again: the longer, the longer reading takes
    int done_ = 0;
    int total_ = 0;
};

}  // namespace rankscope::gui
