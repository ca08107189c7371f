// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/run/event_pump.h>
#include <remote/desk/text.h>
#include <remote/diagnosis/verdict_source.h>

#include <iterator>

namespace rankscope {

namespace {

constexpr std::size_t kMostWaiting = 8U << 20U;
constexpr std::size_t kMostUnstored = 32U << 20U;

std::size_t size_of(const Event& event) {
    constexpr std::size_t kEach = 256;  // the event itself and its place in a queue
    const auto* log = event.as<LogEvent>();
    return kEach + (log != nullptr ? log->text.size() : 0);
}

}  // namespace

EventPump::EventPump(std::string run_id, std::shared_ptr<RunStore> store, Hooks hooks,
                     std::uint64_t log_limit)
    : run_id_(std::move(run_id)), store_(std::move(store)), hooks_(std::move(hooks)), logs_(log_limit) {
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
    room_.notify_all();
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
    std::vector<Event> one;
    one.push_back(std::move(event));
    post(std::move(one));
}

void EventPump::post(std::vector<Event> events) {
    std::size_t bytes = 0;
    for (const auto& event : events) {
        bytes += size_of(event);
    }
    {
        std::unique_lock lock(mutex_);
        // The pump's own thread makes the room that the others wait for.
        room_.wait(lock, [this] {
            return closing_ || waiting_bytes_ < kMostWaiting ||
                   std::this_thread::get_id() == thread_.get_id();
        });
        waiting_bytes_ += bytes;
        items_.insert(items_.end(), std::make_move_iterator(events.begin()),
                      std::make_move_iterator(events.end()));
    }
    changed_.notify_all();
}

void EventPump::set_plan(LaunchPlan plan) {
    push(std::move(plan));
}

void EventPump::run_later(std::function<void()> work) {
    push(Item(std::in_place_type<Work>, std::move(work)));
}

void EventPump::finish(Ending ending) {
    push(std::move(ending));
}

void EventPump::restore(const LaunchPlan& plan) {
    const std::lock_guard lock(mutex_);  // the thread is waiting: nothing was posted yet
    tracker_.set_plan(plan);
}

void EventPump::restore(const Event& event) {
    const std::lock_guard lock(mutex_);
    tracker_.observe(event);
    if (event.node.empty()) {
        desk_seq_ = std::max(desk_seq_, event.seq);
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
                store_end();
                return;
            }
            items.swap(items_);
            waiting_bytes_ = 0;
        }
        room_.notify_all();
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
    } else if (auto* ending = std::get_if<Ending>(&item)) {
        explain(std::move(*ending));
    } else if (const auto* explained = std::get_if<ExplainedEnding>(&item)) {
        finish_now(*explained, stored);
    } else if (const auto* work = std::get_if<Work>(&item)) {
        (*work)();
    } else {
        deliver(std::move(std::get<Event>(item)), stored);
    }
}

// A run that could not start is explained already.
void EventPump::explain(Ending ending) {
    if (ending.forced || !hooks_.logs || tracker_.over()) {
        return push(ExplainedEnding{std::move(ending), {}});
    }
    hooks_.logs([this, ending](LogFindings found) { push(ExplainedEnding{ending, std::move(found)}); });
}

void EventPump::finish_now(const ExplainedEnding& explained, std::vector<Event>& stored) {
    const Ending& ending = explained.ending;
    if (tracker_.over()) {
        return;
    }
    for (auto& rest : logs_.rest()) {
        deliver(std::move(rest), stored);
    }
    EndEvent end = ending.forced ? *ending.forced : tracker_.verdict(ending.by_user);
    end.unconfirmed = ending.unconfirmed;
    if (!ending.detail.empty()) {
        end.detail += (end.detail.empty() ? "" : " ") + ending.detail;
    }
    if (!ending.forced) {
        deliver_causes(explained, end, stored);
    }
    Event event;
    event.body = end;
    deliver(std::move(event), stored);
    store(stored);
    unfinished_ = Unfinished{now_us(), std::move(end)};
    store_end();
}

// The verdicts of the end, the root cause first. A sure cause that only the logs show is also said in the sentence.
void EventPump::deliver_causes(const ExplainedEnding& explained, EndEvent& end, std::vector<Event>& stored) {
    constexpr double kSure = 0.8;
    std::vector<Verdict> measured;
    if (auto diagnosis = tracker_.diagnosis(); diagnosis && (end.has_culprit || !diagnosis->reason.empty())) {
        measured.push_back(std::move(*diagnosis));
    }
    // Ranks that somebody stops elsewhere print what looks like a failure, too.
    const bool use_logs = end.outcome == Outcome::Failed || end.outcome == Outcome::Lost ||
                          (end.outcome == Outcome::Stopped && explained.ending.by_user);
    auto causes = use_logs ? combined(std::move(measured), explained.logs) : std::move(measured);
    if (!causes.empty() && is_from_logs(causes.front()) && causes.front().confidence >= kSure &&
        end.outcome != Outcome::Stopped) {
        end.detail += (end.detail.empty() ? "" : " ") + causes.front().title;
    }
    for (auto& cause : causes) {
        Event event;
        event.body = std::move(cause);
        deliver(std::move(event), stored);
    }
}

// Tried again when this closes: the file may have been locked.
void EventPump::store_end() {
    if (store_ && unfinished_ && store_->finish_run(run_id_, unfinished_->ended_us, unfinished_->end)) {
        unfinished_.reset();
    }
}

void EventPump::deliver(Event event, std::vector<Event>& stored) {
    if (tracker_.over()) {
        return;  // a straggler after the end: its node's spool has it
    }
    if (!logs_.admit(event)) {
        return;
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
    if (reported_failure_ < tracker_.failed_attempt() && !tracker_.failure_cause().empty()) {
        reported_failure_ = tracker_.failed_attempt();
        if (hooks_.failed) {
            hooks_.failed(tracker_.failure_cause(), reported_failure_);
        }
    }
    if (!reported_all_ended_ && tracker_.all_nodes_ended()) {
        reported_all_ended_ = true;
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
        reported_store_trouble_ = false;
    } else if (!reported_store_trouble_ && hooks_.events) {
        // Kept in memory and tried again with the next events; what is lost with this program, the spools
        // still have.
        reported_store_trouble_ = true;
        Event note = desk_stage(StageName::Note, StageStatus::Failed, to_line(stored.failure()));
        note.t_us = now_us();
        hooks_.events(note);
    }
    bound_unstored();
}

// A store that stays locked, or a full disk: logs give way, everything else stays.
void EventPump::bound_unstored() {
    std::size_t bytes = 0;
    for (const auto& event : unstored_) {
        bytes += size_of(event);
    }
    if (bytes > kMostUnstored) {
        std::erase_if(unstored_, [](const Event& event) { return event.as<LogEvent>() != nullptr; });
    }
}

}  // namespace rankscope
