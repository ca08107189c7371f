// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/archive/import/run_import.h>

#include <QObject>
#include <QStringList>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Adds the runs of failure bundles, TensorBoard folders and logs to the run store, one after the other, on a thread.
class BundleOpener : public QObject {
    Q_OBJECT

public:
    explicit BundleOpener(QThreadPool* pool, QObject* parent = nullptr);
    ~BundleOpener() override;

    void open(const std::shared_ptr<RunStore>& store, const QStringList& files);
    /// The file that is read is not added, and those after it are not read.
    void cancel();
    bool busy() const { return job_.running(); }

signals:
    /// Bytes of the file; `total` 0: not known.
    void progress(const QString& file, quint64 done, quint64 total);
    void added(const QString& run_id);
    /// `run_id`: the run is in the store already; else empty.
    void failed(const QString& file, const rankscope::Failure& failure, const QString& run_id);
    /// All files are read, or it was cancelled.
    void finished();

private:
    struct Opened {
        Result<std::vector<std::string>> ids;
        std::string existing;  ///< the run of a bundle that is there already
    };
    static Opened read(RunStore& store, const std::string& file, const ImportProgress& progress,
                       const std::stop_token& stop);
    void next();

    std::shared_ptr<RunStore> store_;
    QStringList files_;
    std::stop_source stop_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
