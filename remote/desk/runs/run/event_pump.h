// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/log_findings.h>
#include <remote/desk/runs/run/log_share.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/desk/runs/run/store_backlog.h>
#include <remote/desk/runs/store/run_store.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace rankscope::inline runs {

/// The one stream of a run: takes events from all threads, gives each to the tracker, the sink and the store
/// in one order, on one thread. The desk's own events get their sequence numbers here. What waits is bounded:
/// post() waits for room, and so the nodes keep in their spools what the desk cannot take yet.
class EventPump {
public:
    struct Hooks {
        EventSink events;
        PlanSink plan;
        /// A rank has failed on its own, or a node was lost: called once in each attempt (RunTracker).
        std::function<void(const std::string& cause, int attempt)> failed;
        /// All nodes have ended: the caller answers with finish().
        std::function<void()> all_ended;
        /// What the logs show, once all events before the end were delivered; the answer may come on any thread.
        /// Null: nothing.
        std::function<void(std::function<void(LogFindings)> done)> logs;
    };
    struct Ending {
        bool by_user = false;
        std::optional<EndEvent> forced{};        ///< the end itself; else as the exits show it
        std::vector<std::string> unconfirmed{};  ///< EndEvent::unconfirmed
        std::string detail{};                    ///< a sentence about them, added to the end's own
    };

    EventPump(std::string run_id, std::shared_ptr<RunStore> store, Hooks hooks,
              std::uint64_t log_limit = LogShare::kDefaultLimit);
    ~EventPump();
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;

    void post(std::vector<Event> events);
    void post(Event event);
    void set_plan(LaunchPlan plan);
    /// Runs on the pump's thread, where waiting for the store holds up no conversation with a node.
    void run_later(std::function<void()> work);
    /// Posts the run's end.
    void finish(Ending ending);
    /// Before the first event: what the store already has goes to the tracker alone. As long as it exists, events that
    /// are posted wait: the desk's own get the numbers after those of the store.
    class Restoring {
    public:
        explicit Restoring(EventPump& pump);
        ~Restoring();
        Restoring(const Restoring&) = delete;
        Restoring& operator=(const Restoring&) = delete;

        void plan(const LaunchPlan& plan) const;
        void event(const Event& event) const;

    private:
        EventPump& pump_;
    };
    /// Delivers what is waiting and ends the thread.
    void close();

private:
    using Work = std::function<void()>;
    struct ExplainedEnding {
        Ending ending;
        LogFindings logs;
    };
    using Item = std::variant<Event, LaunchPlan, Ending, ExplainedEnding, Work>;

    void push(Item item);
    void run();
    void take(Item item, std::vector<Event>& stored);
    void follow(LaunchPlan plan);
    void deliver(Event event, std::vector<Event>& stored);
    void explain(Ending ending);
    void finish_now(const ExplainedEnding& explained, std::vector<Event>& stored);
    void deliver_causes(const ExplainedEnding& explained, std::int64_t ended_us, EndEvent& end,
                        std::vector<Event>& stored);
    void store(std::vector<Event>& events, StoreBacklog::When when = StoreBacklog::When::Due);
    void report(const StoreBacklog::News& news, std::vector<Event>& stored);
    void notify_user(NoticeEvent notice, std::vector<Event>& stored);
    void store_end();

    std::string run_id_;
    std::shared_ptr<RunStore> store_;
    Hooks hooks_;
    RunTracker tracker_;
    std::uint64_t desk_seq_ = 0;
    int reported_failure_ = -1;  ///< the attempt
    bool reported_all_ended_ = false;
    StoreBacklog backlog_;
    LogShare logs_;
    struct Unfinished {
        std::int64_t ended_us = 0;
        EndEvent end;
    };
    std::optional<Unfinished> unfinished_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable room_;
    std::deque<Item> items_;
    std::size_t waiting_bytes_ = 0;
    bool restoring_ = false;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace rankscope::inline runs
