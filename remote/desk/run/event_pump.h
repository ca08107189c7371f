// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/run_controller.h>
#include <remote/desk/run/run_tracker.h>
#include <remote/desk/store/run_store.h>

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

namespace rankscope {

/// The one stream of a run: takes events from all threads, gives each to the tracker, the sink and the store
/// in one order, on one thread. The desk's own events get their sequence numbers here.
class EventPump {
public:
    struct Hooks {
        EventSink events;
        PlanSink plan;
        /// A rank has failed on its own, or a node was lost: called once in each attempt (RunTracker).
        std::function<void(const std::string& cause, int attempt)> failed;
        /// All nodes have ended: the caller answers with finish().
        std::function<void()> all_ended;
    };

    EventPump(std::string run_id, std::shared_ptr<RunStore> store, Hooks hooks);
    ~EventPump();
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;

    void post(Event event);
    void post(std::vector<Event> events);
    void set_plan(LaunchPlan plan);
    /// Posts the run's end: from the exits seen (with `by_user`), or `forced`.
    void finish(bool by_user);
    void finish(EndEvent forced);
    /// Before the first event: what the store already has goes to the tracker alone.
    void restore(const LaunchPlan& plan, const std::vector<Event>& past);
    /// Delivers what is waiting and ends the thread.
    void close();

private:
    struct Finish {
        bool by_user = false;
        bool forced = false;
        EndEvent end;
    };
    using Item = std::variant<Event, LaunchPlan, Finish>;

    void push(Item item);
    void run();
    void take(Item item, std::vector<Event>& stored);
    void deliver(Event event, std::vector<Event>& stored);
    void store(std::vector<Event>& events);

    std::string run_id_;
    std::shared_ptr<RunStore> store_;
    Hooks hooks_;
    RunTracker tracker_;
    std::uint64_t desk_seq_ = 0;
    int told_failure_ = -1;  ///< the attempt
    bool told_all_ended_ = false;
    bool told_store_trouble_ = false;
    std::vector<Event> unstored_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace rankscope
