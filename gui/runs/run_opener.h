// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/live_data.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace rankscope::gui {

/// Folds a stored run on a thread, so that it opens as it looked.
class RunOpener : public QObject {
    Q_OBJECT

public:
    explicit RunOpener(QThreadPool* pool, QObject* parent = nullptr)
        : QObject(parent), pool_(pool), job_(this, pool) {}

    /// Whether what is opened shows its NCCL at once: the lines are parsed while the run is read.
    void set_reads_lines(std::function<bool()> reads_lines) { reads_lines_ = std::move(reads_lines); }
    void open(const std::shared_ptr<RunStore>& store, const RunRecord& run);
    void cancel() { job_.cancel(); }
    bool running() const { return job_.running(); }
    /// `total` 0: not known.
    static QString progress_text(const QString& name, std::uint64_t events, std::uint64_t total);

signals:
    /// Empty: it is over.
    void progress(const QString& text);
    void opened(std::shared_ptr<rankscope::gui::LiveData> data);
    void failed(const QString& what, const rankscope::Failure& failure);

private:
    std::shared_ptr<LogDiagnosis> new_reading(const std::string& run_id) const;

    QThreadPool* pool_;
    std::function<bool()> reads_lines_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
