// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/live_model.h>
#include <gui/data/run_moment.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/observe/nccl_activity/collective_report.h>

#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// What the collectives of a run took in a part of its time. Agents report them by the second: every second with a part
/// in the range counts. Earlier ones are read from the store on a thread of the pool, later ones as they arrive.
class NcclRange : public QObject {
    Q_OBJECT

public:
    static constexpr int kEveryMs = 500;                 ///< reports of a range that grows, at most
    static constexpr std::size_t kMostPending = 65'536;  ///< events; of more the store has the rest

    explicit NcclRange(QThreadPool* pool, QObject* parent = nullptr);
    ~NcclRange() override;

    /// Of all times again. The model outlives this, or another set_run() comes first; null: no run. `store` may be null.
    void set_run(LiveModel* model, std::shared_ptr<RunStore> store);
    /// TimeSpan(): all times; there is no report.
    void set_span(const TimeSpan& span);

    /// How fast the nodes are connected, as the lines of the whole run say.
    void set_link(const LinkRate& link);

    const TimeSpan& span() const { return span_; }
    bool is_set() const { return span_ != TimeSpan(); }
    /// Null: all times, or not read yet.
    const std::shared_ptr<const CollectiveReport>& report() const { return report_; }

signals:
    /// Another report, or none.
    void changed();

private:
    struct Sums;

    void read_stored();
    void take(const Event& event);
    void read_pending();
    void arrived(std::shared_ptr<Sums> sums, CollectiveReport report);

    LiveModel* run_ = nullptr;
    std::shared_ptr<RunStore> store_;
    TimeSpan span_;
    LinkRate link_;
    std::shared_ptr<Sums> sums_;  ///< null: a thread has them, or there are none yet
    std::shared_ptr<const CollectiveReport> report_;
    std::vector<Event> pending_;
    bool too_many_ = false;  ///< some that should be in pending_ are not
    QTimer timer_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
