// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/live_model.h>
#include <gui/nccl/nccl_range.h>
#include <remote/desk/runs/reading/reading_snapshot.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/logs/read/sources.h>

#include <QObject>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What the NCCL pane shows, of one run or of logs from elsewhere. Lines are read on a thread of the pool; here only
/// whole snapshots arrive. Widgets keep the pointer as long as they show it.
class NcclData : public QObject {
    Q_OBJECT

public:
    static constexpr int kEveryMs = 500;  ///< a live run's snapshots, at most

    /// Asks the one reading of a run that is followed (see RunSession::look()). False: there is none.
    using LookAtRun = std::function<bool(std::function<void(std::shared_ptr<const ReadingSnapshot>)>)>;

    explicit NcclData(QThreadPool* pool, QObject* parent = nullptr);
    ~NcclData() override;

    /// The run of a model, which outlives this, or another show_…() comes first. `look`: of a run that is followed; of
    /// others, `store` has what was printed (may be null). Nothing is asked or read until the pane is visible
    /// (set_looked_at()).
    void show_run(LiveModel* model, std::shared_ptr<RunStore> store, LookAtRun look = {});
    /// Logs from elsewhere (see logs::read_raw_lines); removes the prefix `strip` from names. `lines` gets what is read,
    /// too, on the reading thread.
    void show_files(const std::vector<std::string>& paths, const std::string& strip = {},
                    const logs::RawSink& lines = {});
    void clear();
    /// Whether the pane is visible; the run is read from the first time on.
    void set_looked_at(bool looked_at);
    /// What range() reports; a run that is shown begins with all times.
    void set_range(const TimeSpan& span) { range_.set_span(span); }
    /// Ends the reading of files: what was read is judged as it is.
    void cancel();

    /// Never null.
    const std::shared_ptr<const ReadingSnapshot>& snapshot() const { return snapshot_; }
    const NcclRange& range() const { return range_; }
    /// The run, or null: files or nothing.
    const LiveModel* run() const { return run_; }
    QThreadPool* pool() const { return pool_; }
    /// Files, or what the store has, are being read.
    bool reading() const { return reading_; }

signals:
    /// Another snapshot, another report of the range, or the reading has begun or ended.
    void changed();
    /// Bytes of the files; `total` 0: not known.
    void progress(qint64 done, qint64 total);

private:
    struct Stored {
        std::shared_ptr<RunStore> store;
        std::string run_id;
    };

    void start_over();
    void begin();
    void ask();
    void read_stored(Stored stored);
    void arrived(const std::shared_ptr<const ReadingSnapshot>& snapshot);

    std::shared_ptr<const ReadingSnapshot> snapshot_ = std::make_shared<ReadingSnapshot>();
    LiveModel* run_ = nullptr;
    std::shared_ptr<RunStore> store_;  ///< of the run
    bool looked_at_ = true;
    bool put_off_ = false;  ///< the run is read when the pane becomes visible
    bool reading_ = false;
    LookAtRun look_;
    std::shared_ptr<int> asked_;  ///< a look that is not answered yet; another one makes it void
    std::stop_source stop_files_;
    QTimer timer_;
    QThreadPool* pool_;
    BackgroundJob job_;
    NcclRange range_;
};

}  // namespace rankscope::gui
