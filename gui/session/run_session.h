// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/event_queue.h>
#include <gui/data/live_model.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// One run that the window follows: its controller, the queue its events come through, and the model
/// they end in. The controller's threads push into the queue; a timer here takes everything at once, by default
/// twenty times a second.
class RunSession : public QObject {
    Q_OBJECT

public:
    explicit RunSession(QThreadPool* pool, QObject* parent = nullptr);
    ~RunSession() override;

    LiveModel* model() { return &model_; }
    const LiveModel* model() const { return &model_; }
    /// How often what has arrived is shown.
    void set_refresh_ms(int milliseconds) { timer_.setInterval(milliseconds); }
    /// A run is in progress, and this follows it.
    bool live() const { return controller_ != nullptr && !ended_ && !attaching(); }
    bool attaching() const { return attaching_ != nullptr; }
    bool stopping() const { return stopping_; }
    /// All its ranks are started, nothing stops them, and their launcher can pause them.
    bool can_pause() const;
    /// What was asked for last; before that what the nodes say.
    bool pause_wanted() const;
    std::string run_id() const { return controller_ && !attaching() ? controller_->run_id() : std::string(); }
    /// Its ranks are started on the nodes: it continues without this window.
    bool runs_on_nodes() const;

    void start(RunRequest request, std::shared_ptr<RunStore> store, const Prompter& prompter);
    /// Attaches to a stored run: the controller's thread reads the stored events once; later events
    /// follow.
    void attach(const RunRecord& record, Inventory inventory, std::shared_ptr<RunStore> store,
                const Prompter& prompter, std::uint64_t log_limit = LogShare::kDefaultLimit);
    void cancel_attach();
    void stop(bool force);
    /// Pauses all processes of the ranks, or continues them. Every node answers with an event of its own.
    void pause(bool pause);
    /// Leaves the run to its nodes. Returns at once; the controller's threads are joined elsewhere.
    void detach();
    /// See RunController::look(). False: this follows no run.
    bool look(std::function<void(std::shared_ptr<const ReadingSnapshot>)> look);

signals:
    void started();
    void attached();
    void attachProgress(qint64 events);
    void attachFailed(const rankscope::Failure& failure);
    /// live(), stopping() or attaching() may have changed.
    void stateChanged();
    void ended();
    /// What has arrived since the last time, before the model has it. Not what an attachment reads from the store.
    void arrived(const std::vector<rankscope::gui::QueuedItem>& items);

private:
    void drain();
    void look_at_attaching();
    void retire();
    EventSink event_sink(const std::shared_ptr<EventQueue>& queue) const;
    PlanSink plan_sink(const std::shared_ptr<EventQueue>& queue) const;

    QThreadPool* pool_;
    LiveModel model_;
    std::shared_ptr<EventQueue> queue_;
    std::unique_ptr<RunController> controller_;
    QTimer timer_;
    bool ended_ = false;
    bool stopping_ = false;
    bool pauses_ = false;  ///< the run's launcher can
    std::optional<bool> pause_wanted_;
    /// Of an attachment that reads the stored run: between the controller's thread and this one.
    struct Attaching;
    std::shared_ptr<Attaching> attaching_;
};

/// Folds a stored run. `progress` gets the number of events read so far; false ends the reading. `reading`, if any, gets
/// the same events and is kept with the result.
Result<LiveData> read_stored_run(const RunStore& store, const RunRecord& record,
                                 const std::function<bool(std::uint64_t)>& progress,
                                 std::shared_ptr<LogDiagnosis> reading = {});

}  // namespace rankscope::gui
