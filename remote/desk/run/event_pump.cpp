// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/run/event_pump.h>
#include <remote/desk/text.h>

#include <iterator>

namespace rankscope {

EventPump::EventPump(std::string run_id, std::shared_ptr<RunStore> store, Hooks hooks)
    : run_id_(std::move(run_id)), store_(std::move(store)), hooks_(std::move(hooks)) {
    thread_ = std::thread([this] { run(); });
}

EventPump::~EventPump() {
    close();
}

void EventPump::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void EventPump::push(Item item) {
    {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
    }
    changed_.notify_all();
}

void EventPump::post(Event event) {
    push(std::move(event));
}

void EventPump::post(std::vector<Event> events) {
    {
        const std::lock_guard lock(mutex_);
        items_.insert(items_.end(), std::make_move_iterator(events.begin()),
                      std::make_move_iterator(events.end()));
    }
    changed_.notify_all();
}

void EventPump::set_plan(LaunchPlan plan) {
    push(std::move(plan));
}

void EventPump::finish(bool by_user) {
    push(Finish{by_user, false, {}});
}

void EventPump::finish(EndEvent forced) {
    push(Finish{false, true, std::move(forced)});
}

void EventPump::restore(const LaunchPlan& plan, const std::vector<Event>& past) {
    const std::lock_guard lock(mutex_);  // the thread is waiting: nothing was posted yet
    tracker_.set_plan(plan);
    for (const auto& event : past) {
        tracker_.observe(event);
        if (event.node.empty()) {
            desk_seq_ = std::max(desk_seq_, event.seq);
        }
    }
}

void EventPump::run() {
    for (;;) {
        std::deque<Item> items;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return closing_ || !items_.empty(); });
            if (items_.empty()) {
                lock.unlock();
                std::vector<Event> none;
                store(none);  // what the store refused before: the last chance
                return;
            }
            items.swap(items_);
        }
        std::vector<Event> stored;
        for (auto& item : items) {
            take(std::move(item), stored);
        }
        store(stored);
    }
}

void EventPump::take(Item item, std::vector<Event>& stored) {
    if (auto* plan = std::get_if<LaunchPlan>(&item)) {
        tracker_.set_plan(*plan);
        if (store_) {
            static_cast<void>(store_->set_plan(run_id_, *plan));
        }
        if (hooks_.plan) {
            hooks_.plan(*plan);
        }
    } else if (auto* finish = std::get_if<Finish>(&item)) {
        if (tracker_.over()) {
            return;
        }
        const EndEvent end = finish->forced ? finish->end : tracker_.verdict(finish->by_user);
        if (const auto diagnosis = tracker_.diagnosis(); diagnosis && end.has_culprit && !finish->forced) {
            Event event;
            event.body = *diagnosis;
            deliver(std::move(event), stored);
        }
        Event event;
        event.body = end;
        deliver(std::move(event), stored);
        store(stored);
        if (store_) {
            static_cast<void>(store_->finish_run(run_id_, now_us(), end));
        }
    } else {
        deliver(std::move(std::get<Event>(item)), stored);
    }
}

void EventPump::deliver(Event event, std::vector<Event>& stored) {
    if (tracker_.over()) {
        return;  // a straggler after the end: its node's spool has it
    }
    if (event.node.empty()) {
        event.seq = ++desk_seq_;
    }
    if (event.t_us == 0) {
        event.t_us = now_us();
    }
    auto consequences = tracker_.observe(event);
    const std::int64_t t_us = event.t_us;
    if (hooks_.events) {
        hooks_.events(event);
    }
    stored.push_back(std::move(event));
    for (auto& consequence : consequences) {
        consequence.t_us = t_us;  // when it happened: after an attach that is not now
        deliver(std::move(consequence), stored);
    }
    if (told_failure_ < tracker_.failed_attempt() && !tracker_.failure_cause().empty()) {
        told_failure_ = tracker_.failed_attempt();
        if (hooks_.failed) {
            hooks_.failed(tracker_.failure_cause(), told_failure_);
        }
    }
    if (!told_all_ended_ && tracker_.all_nodes_ended()) {
        told_all_ended_ = true;
        if (hooks_.all_ended) {
            hooks_.all_ended();
        }
    }
}

void EventPump::store(std::vector<Event>& events) {
    unstored_.insert(unstored_.end(), std::make_move_iterator(events.begin()),
                     std::make_move_iterator(events.end()));
    events.clear();
    if (!store_ || unstored_.empty()) {
        unstored_.clear();
        return;
    }
    const auto stored = store_->append(run_id_, unstored_);
    if (stored) {
        unstored_.clear();
        told_store_trouble_ = false;
    } else if (!told_store_trouble_ && hooks_.events) {
        // Kept in memory and tried again with the next events; what is lost with this program, the spools
        // still have.
        told_store_trouble_ = true;
        Event note = desk_stage("note", StageStatus::Failed, to_line(stored.failure()));
        note.t_us = now_us();
        hooks_.events(note);
    }
}

}  // namespace rankscope
