// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/live_model.h>
#include <gui/nccl/nccl_range.h>
#include <gui/nccl/nccl_snapshot.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

class NcclReader;

/// What the NCCL pane shows, of one run or of logs from elsewhere. Lines are read on a thread of the pool; here only
/// whole snapshots arrive. Widgets keep the pointer as long as they show it.
class NcclData : public QObject {
    Q_OBJECT

public:
    static constexpr int kEveryMs = 500;  ///< a live run's snapshots, at most
    /// Bytes of a live run's output that wait for the reader; what comes faster is left out.
    static constexpr std::size_t kMostPending = std::size_t(64) << 20;

    explicit NcclData(QThreadPool* pool, QObject* parent = nullptr);
    ~NcclData() override;

    /// The run of a model in its current state, and what it prints from now on if it is live. `store`: has what was
    /// printed before; may be null. The model outlives this, or another show_…() comes first. A stored
    /// run is read when its pane is visible (set_looked_at()).
    void show_run(LiveModel* model, std::shared_ptr<RunStore> store, bool live);
    /// Logs from elsewhere (see logs::read_sources); names begin with `strip` no longer.
    void show_files(const std::vector<std::string>& paths, const std::string& strip = {});
    void clear();
    /// Whether the pane is visible; the run is read from the first time on.
    void set_looked_at(bool looked_at);
    /// What range() reports; a run that is shown begins with all times.
    void set_range(const TimeSpan& span) { range_.set_span(span); }
    /// Ends the reading of files: what was read is judged as it is.
    void cancel();

    /// Never null.
    const std::shared_ptr<const NcclSnapshot>& snapshot() const { return snapshot_; }
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
    void follow();
    void take_event(const Event& event);
    void read_stored(Stored stored);
    void read_pending();
    void arrived(const std::shared_ptr<const NcclSnapshot>& snapshot);

    std::shared_ptr<const NcclSnapshot> snapshot_ = std::make_shared<NcclSnapshot>();
    LiveModel* run_ = nullptr;
    std::shared_ptr<RunStore> store_;  ///< of the run
    bool looked_at_ = true;
    bool put_off_ = false;  ///< the run is read when the pane becomes visible
    bool live_ = false;
    bool reading_ = false;
    bool over_ = false;  ///< the run has ended, and its last snapshot was asked for
    std::shared_ptr<NcclReader> reader_;
    std::vector<Event> pending_;
    std::size_t pending_bytes_ = 0;
    std::uint64_t left_out_ = 0;
    std::stop_source stop_files_;
    QTimer timer_;
    QThreadPool* pool_;
    BackgroundJob job_;
    NcclRange range_;
};

}  // namespace rankscope::gui
