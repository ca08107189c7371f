// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/watch/watcher.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <chrono>
#include <memory>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr double kWatchAnswerS = 4;  // stacks take up to 2.8 s
constexpr double kQuickAnswerS = 2;

double now_s() {
    return static_cast<double>(now_us()) * 1e-6;
}

Verdict with_begin(HangFinding finding) {
    finding.verdict.since_us = now_us() - static_cast<std::int64_t>((monotonic_s() - finding.since) * 1e6);
    return std::move(finding.verdict);
}

}  // namespace

/// The answers of all nodes to one look. Shared with the callbacks, which may outlive the look.
struct Watcher::Answers {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t open = 0;
    std::size_t unavailable = 0;
    std::optional<Failure> why_unavailable;
    LookResult look;

    void take(const std::string& node, Result<wire::Reply> reply) {
        const std::lock_guard lock(mutex);
        --open;
        if (reply && reply->has_rank_states()) {
            look.ranks[node] = rank_snapshots_from(reply->rank_states());
        } else if (!reply && reply.failure().code == "look-unavailable") {
            ++unavailable;
            why_unavailable = reply.failure();
        } else {
            look.silent.push_back(node);
        }
        changed.notify_all();
    }
};

/// The answers to questions of nccl_, until its thread takes them. Shared with the callbacks.
struct Watcher::NcclAnswers {
    struct Answer {
        NcclWatch::Asks asks;
        std::string node;
        Result<wire::Reply> reply;
    };
    std::mutex mutex;
    std::vector<Answer> answers;
};

Watcher::Watcher(std::string run_id, Hooks hooks)
    : run_id_(std::move(run_id)), hooks_(std::move(hooks)), nccl_answers_(std::make_shared<NcclAnswers>()) {}

void Watcher::begin(OnHang on_hang, double hang_after_s, const NcclSources& nccl) {
    const std::lock_guard lock(mutex_);
    if (closing_ || thread_.joinable()) {
        return;
    }
    on_hang_ = on_hang;
    state_.set_hang_after(hang_after_s);
    nccl_.set_sources(nccl);
    thread_ = std::thread([this] { run(); });
}

void Watcher::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Watcher::set_plan(const LaunchPlan& plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
}

void Watcher::observe(const Event& event) {
    const std::lock_guard lock(mutex_);
    const double now = monotonic_s();
    state_.observe(event, now);
    if (nccl_.observe(event)) {
        state_.note_progress(now);
    }
    store_path_.observe(event);
    auto verdicts = stragglers_.observe(event);
    straggler_verdicts_.insert(straggler_verdicts_.end(), verdicts.begin(), verdicts.end());
}

void Watcher::recall(const Event& event) {
    const std::lock_guard lock(mutex_);
    state_.recall(event);
    static_cast<void>(nccl_.observe(event));
    store_path_.observe(event);
    static_cast<void>(stragglers_.observe(event));
}

std::optional<Verdict> Watcher::suspicion() {
    const std::lock_guard lock(mutex_);
    const auto& suspected = state_.suspicion();
    return suspected ? std::optional(with_begin(*suspected)) : std::nullopt;
}

void Watcher::run() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
        changed_.wait_for(lock, kTick, [this] { return closing_; });
        if (!closing_ && !plan_.nodes.empty()) {
            step(lock);
        }
    }
}

void Watcher::step(std::unique_lock<std::mutex>& lock) {
    const double now = monotonic_s();
    state_.tick(now);
    if (auto over = state_.take_over(now)) {
        over->phase = VerdictPhase::Over;
        nccl_.end_stall();
        lock.unlock();
        post(std::move(*over));
        lock.lock();
    }
    if (auto crossing = nccl_.take_crossing(now, plan_)) {
        Event event;
        event.body = *std::move(crossing);
        lock.unlock();
        hooks_.post(std::move(event));
        lock.lock();
    }
    if (!unavailable_) {
        ask_nccl(lock);
    }
    const auto wanted = state_.wanted(now);
    if (wanted != WatchState::Wanted::Nothing && !unavailable_) {
        look(lock, wanted == WatchState::Wanted::LookWithStacks);
    }
    look_for_stragglers(lock);
}

// A round lasts for seconds: nothing waits for it, least of all the look at a run that hangs.
void Watcher::look_for_stragglers(std::unique_lock<std::mutex>& lock) {
    if (series_) {
        std::unique_lock answers(series_->mutex);
        if (series_->open == 0 || monotonic_s() > series_end_) {
            std::vector<NodeLook> looks;
            for (const auto& [node, ranks] : series_->look.ranks) {
                looks.push_back({node, ranks});
            }
            answers.unlock();
            series_.reset();
            look_at_store(looks, lock);
            stragglers_.set_stages(stages_of(nccl_.mesh(plan_)));
            auto verdicts = stragglers_.observe_looks(now_s(), std::move(looks));
            straggler_verdicts_.insert(straggler_verdicts_.end(), verdicts.begin(), verdicts.end());
        }
    }
    auto verdicts = std::exchange(straggler_verdicts_, {});
    const auto due = series_ || unavailable_ ? std::nullopt : stragglers_.due(now_s());
    const auto plan = due ? plan_ : LaunchPlan();
    if (!due && verdicts.empty()) {
        return;
    }
    lock.unlock();
    for (auto& verdict : verdicts) {
        post(std::move(verdict));
    }
    std::shared_ptr<Answers> series;
    if (due) {
        wire::InspectRanks request;
        request.set_samples(due->samples);
        request.set_spread_s(due->spread_s);
        series = ask_all(plan, std::move(request), kWatchAnswerS + due->spread_s);
    }
    lock.lock();
    if (series) {
        series_ = std::move(series);
        series_end_ = monotonic_s() + kWatchAnswerS + due->spread_s + 1;
    }
}

// Nothing waits for the answers: they count from the next look on.
void Watcher::ask_nccl(std::unique_lock<std::mutex>& lock) {
    std::vector<NcclAnswers::Answer> answers;
    {
        const std::lock_guard taking(nccl_answers_->mutex);
        answers.swap(nccl_answers_->answers);
    }
    const double now = monotonic_s();
    for (const auto& answer : answers) {
        nccl_.take(now, answer.asks, answer.node, answer.reply, plan_);
    }
    auto questions = nccl_.due(now, state_.stalls(now), run_id_, plan_);
    if (questions.empty()) {
        return;
    }
    lock.unlock();
    for (auto& question : questions) {
        hooks_.ask(
            question.node, std::move(question.request), question.timeout_s,
            [inbox = nccl_answers_, asks = question.asks, node = question.node](Result<wire::Reply> reply) {
                const std::lock_guard giving(inbox->mutex);
                inbox->answers.push_back({asks, node, std::move(reply)});
            });
    }
    lock.lock();
}

void Watcher::look(std::unique_lock<std::mutex>& lock, bool stacks) {
    const LaunchPlan plan = plan_;
    const bool dumps = on_hang_ != OnHang::Report;
    lock.unlock();
    wire::InspectRanks request;
    request.set_stacks(stacks);
    request.set_native_stacks(stacks && dumps);  // they stop the processes: where the job asks for stacks
    const double begun = monotonic_s();
    const double patience_s =
        (stacks ? kWatchAnswerS : kQuickAnswerS) + (hooks_.answer_delay_s ? hooks_.answer_delay_s() : 0);
    const auto answers = ask_all(plan, std::move(request), patience_s);
    LookResult result;
    std::optional<Failure> unavailable;
    {
        std::unique_lock waiting(answers->mutex);
        const auto deadline =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s + 1);
        while (answers->open > 0 && std::chrono::steady_clock::now() < deadline && !closing()) {
            answers->changed.wait_for(waiting, kTick);
        }
        result = answers->look;
        result.begun = begun;
        if (answers->unavailable == plan.nodes.size()) {
            unavailable = answers->why_unavailable;
        }
    }
    if (unavailable) {
        report_unavailable(*unavailable);
    }
    lock.lock();
    unavailable_ = unavailable.has_value();
    if (closing_ || unavailable_) {
        return;
    }
    for (const auto& [node, ranks] : result.ranks) {
        nccl_.see(node, ranks);
    }
    const double now = monotonic_s();
    auto outcome = state_.take(result, plan, now, nccl_.findings(now, plan));
    const auto stacks_now =
        outcome.found && on_hang_ != OnHang::Report ? stacks_of(state_.ranks()) : std::vector<Evidence>();
    lock.unlock();
    if (outcome.over) {
        outcome.over->phase = VerdictPhase::Over;
        post(std::move(*outcome.over));
    }
    if (outcome.found) {
        auto& evidence = outcome.found->verdict.evidence;
        evidence.insert(evidence.end(), stacks_now.begin(), stacks_now.end());
        act(std::move(*outcome.found));
    }
    lock.lock();
}

bool Watcher::closing() {
    const std::lock_guard lock(mutex_);
    return closing_;
}

std::shared_ptr<Watcher::Answers> Watcher::ask_all(const LaunchPlan& plan, wire::InspectRanks request,
                                                   double timeout_s) const {
    auto answers = std::make_shared<Answers>();
    answers->open = plan.nodes.size();
    request.set_run_id(run_id_);
    for (const auto& node : plan.nodes) {
        wire::Request one;
        *one.mutable_inspect_ranks() = request;
        hooks_.ask(node.node, std::move(one), timeout_s,
                   [answers, name = node.node](Result<wire::Reply> reply) {
                       answers->take(name, std::move(reply));
                   });
    }
    return answers;
}

void Watcher::report_unavailable(const Failure& failure) {
    NoticeEvent notice;
    notice.id = failure.code;
    notice.title =
        text(kContext, "This run makes no progress, and its ranks cannot be inspected: %1", {failure.what});
    Event event;
    event.body = std::move(notice);
    hooks_.post(std::move(event));
}

// The steps go on, and need no look: what the ranks tell each other beside them is seen in the rounds of looks.
void Watcher::look_at_store(const std::vector<NodeLook>& looks, std::unique_lock<std::mutex>& lock) {
    const double now = monotonic_s();
    auto found = store_path_.take(now, looks, plan_, state_.stalls(now));
    if (!found) {
        return;
    }
    lock.unlock();
    if (found->verdict.phase == VerdictPhase::Over) {
        post(std::move(found->verdict));
    } else {
        post_found(std::move(*found));
    }
    lock.lock();
}

void Watcher::post_found(HangFinding finding) {
    if (hooks_.confirm) {
        hooks_.confirm(finding);
    }
    post(with_begin(std::move(finding)));
}

void Watcher::act(HangFinding finding) {
    const std::string cause = finding.verdict.title;
    post_found(std::move(finding));
    if (on_hang_ == OnHang::Stop) {
        hooks_.stop(cause);
    }
}

void Watcher::post(Verdict verdict) {
    Event event;
    event.body = std::move(verdict);
    hooks_.post(std::move(event));
}

}  // namespace rankscope::inline runs
