// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/text.h>
#include <remote/desk/jobs/plan/inner_ranks.h>
#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/verdict_source.h>

#include <iterator>
#include <ranges>

namespace rankscope::inline runs {

namespace {

constexpr std::size_t kMostWaiting = 8U << 20U;

std::size_t size_of(const Event& event) {
    constexpr std::size_t kEach = 256;  // the event itself and its place in a queue
    const auto* log = event.as<LogEvent>();
    return kEach + (log != nullptr ? log->text.size() : 0);
}

constexpr const char* kContext = "EventPump";

}  // namespace

EventPump::EventPump(std::string run_id, std::shared_ptr<RunStore> store, Hooks hooks,
                     std::uint64_t log_limit)
    : run_id_(std::move(run_id)),
      store_(std::move(store)),
      hooks_(std::move(hooks)),
      backlog_(run_id_, store_),
      logs_(log_limit) {
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

EventPump::Restoring::Restoring(EventPump& pump) : pump_(pump) {
    const std::lock_guard lock(pump_.mutex_);
    pump_.restoring_ = true;
}

EventPump::Restoring::~Restoring() {
    {
        const std::lock_guard lock(pump_.mutex_);
        pump_.restoring_ = false;
    }
    pump_.changed_.notify_all();
}

void EventPump::Restoring::plan(const LaunchPlan& plan) const {
    const std::lock_guard lock(pump_.mutex_);
    pump_.tracker_.set_plan(plan);
}

void EventPump::Restoring::event(const Event& event) const {
    const std::lock_guard lock(pump_.mutex_);
    pump_.tracker_.observe(event);
    if (event.node.empty()) {
        pump_.desk_seq_ = std::max(pump_.desk_seq_, event.seq);
    }
}

void EventPump::run() {
    for (;;) {
        std::deque<Item> items;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return closing_ || !restoring_; });
            const auto is_due = [this] { return closing_ || (!items_.empty() && !restoring_); };
            if (const auto next = backlog_.next_try()) {
                changed_.wait_until(lock, *next, is_due);
            } else {
                changed_.wait(lock, is_due);
            }
            if (restoring_ && !closing_) {
                continue;
            }
            if (items_.empty() && closing_) {
                lock.unlock();
                std::vector<Event> none;
                store(none, StoreBacklog::When::Now);  // what the store refused before: the last chance
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
        follow(*plan);
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

void EventPump::follow(LaunchPlan plan) {
    plan.code = plan.code ? plan.code : tracker_.plan().code;  // read once, for the first plan
    tracker_.set_plan(plan);
    backlog_.set_plan(plan);
    if (hooks_.plan) {
        hooks_.plan(plan);
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
    const std::size_t before_end = stored.size();
    // The desk may hear of the end much later than it was.
    const std::int64_t now = now_us();
    const bool known = !ending.forced && tracker_.ended_us() > 0;
    const std::int64_t ended_us = known ? std::min(tracker_.ended_us(), now) : now;
    if (!ending.forced) {
        deliver_causes(explained, ended_us, end, stored);
    }
    Event event;
    event.t_us = ended_us;
    event.body = end;
    deliver(std::move(event), stored);
    if (!backlog_.cut().empty()) {
        // In the store the run stays open: attaching to it reads what is missing, and then its end.
        stored.resize(before_end);
    }
    store(stored);
    unfinished_ = Unfinished{ended_us, std::move(end)};
    store_end();
}

// The verdicts of the end, the root cause first. A sure cause that only the logs show is also said in the sentence.
void EventPump::deliver_causes(const ExplainedEnding& explained, std::int64_t ended_us, EndEvent& end,
                               std::vector<Event>& stored) {
    std::vector<Verdict> measured;
    if (auto diagnosis = tracker_.diagnosis(); diagnosis && (end.has_culprit || !diagnosis->reason.empty())) {
        measured.push_back(std::move(*diagnosis));
    }
    // Ranks that somebody stops elsewhere print what looks like a failure, too.
    const bool use_logs = end.outcome == Outcome::Failed || end.outcome == Outcome::Lost ||
                          (end.outcome == Outcome::Stopped && explained.ending.by_user);
    LogFindings logs = explained.logs;
    tracker_.memory().weigh(logs.verdicts);
    auto causes = use_logs ? combined(std::move(measured), logs) : std::move(measured);
    if (!causes.empty() && is_from_logs(causes.front()) && causes.front().confidence >= kSureVerdict &&
        end.outcome != Outcome::Stopped) {
        end.detail += (end.detail.empty() ? "" : " ") + causes.front().title;
    }
    for (auto& cause : causes) {
        Event event;
        event.t_us = ended_us;
        event.body = std::move(cause);
        deliver(std::move(event), stored);
    }
}

// Tried again when the store has all events, and when this closes. Without some of them the end is not known there.
void EventPump::store_end() {
    if (store_ && unfinished_ && backlog_.empty() && backlog_.cut().empty() &&
        store_->finish_run(run_id_, unfinished_->ended_us, unfinished_->end)) {
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
    if (const auto* inner = event.as<InnerRankEvent>()) {
        LaunchPlan plan = tracker_.plan();
        if (add_inner_rank(plan, event.node, event.rank, *inner)) {
            follow(plan);  // before the event: who takes it knows its rank then
        }
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

void EventPump::store(std::vector<Event>& events, StoreBacklog::When when) {
    do {
        const auto news = backlog_.store(events, when);
        if (news.recovered) {
            store_end();
        }
        report(news, events);
        when = StoreBacklog::When::Due;
    } while (!events.empty());
}

// What is lost with this program, the spools of the nodes still have.
void EventPump::report(const StoreBacklog::News& news, std::vector<Event>& stored) {
    if (news.failed) {
        notify_user({.id = news.failed->code,
                     .title = text(kContext, "The run store refuses new events. They wait in memory: %1",
                                   {statement(*news.failed)}),
                     .evidence = {news.failed->where, news.failed->detail},
                     .fix = {news.failed->remedy, text(kContext, "Rankscope tries again by itself.")}},
                    stored);
    }
    for (const std::string& node : news.cut) {
        notify_user(
            {.id = "store-gap",
             .title = text(kContext,
                           "Too many events wait for the run store: it gets no more of %1. Live shows them.",
                           {node}),
             .fix = {text(kContext,
                          "%1 keeps them. Attach to this run again when the run store accepts events: that "
                          "reads them from the node.",
                          {node})}},
            stored);
    }
    if (news.recovered) {
        NoticeEvent notice{.id = "store-recovered",
                           .title = text(kContext, "The run store accepts events again.")};
        if (!backlog_.cut().empty()) {
            notice.fix.push_back(text(kContext,
                                      "Attach to this run again: that reads what is missing from %1.",
                                      {joined(backlog_.cut() | std::views::keys)}));
        }
        notify_user(std::move(notice), stored);
    }
}

void EventPump::notify_user(NoticeEvent notice, std::vector<Event>& stored) {
    std::erase(notice.evidence, std::string());
    Event event;
    event.t_us = now_us();
    event.body = std::move(notice);
    if (!tracker_.over()) {
        deliver(std::move(event), stored);
    } else if (hooks_.events) {
        hooks_.events(event);
    }
}

}  // namespace rankscope::inline runs
