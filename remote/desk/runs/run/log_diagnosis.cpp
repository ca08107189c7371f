// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/desk_stage.h>
#include <remote/desk/runs/log_rules.h>
#include <remote/desk/runs/run/log_diagnosis.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/diagnosis/verdict_source.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMostUnread = std::size_t{16} << 20;
constexpr double kLookEveryS = 3;
constexpr double kShareOfLooks = 0.05;  // of one core, at most
constexpr double kShareOfSnapshots = 0.1;
constexpr std::size_t kProblems = 3;
constexpr double kGaps = 3;
constexpr double kSure = 0.8;  // what nothing but a pause confirms
constexpr int kLowPriority = 10;

bool same(const Verdict& left, const Verdict& right) {
    return left.id == right.id && left.node == right.node && left.rank == right.rank;
}

bool holds(const std::vector<Verdict>& list, const Verdict& verdict) {
    return std::any_of(list.begin(), list.end(), [&](const Verdict& one) { return same(one, verdict); });
}

std::uint64_t lines_of(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

void LogDiagnosis::set_hang_after(double seconds) {
    const std::lock_guard lock(mutex_);
    signs_.hang_after_s = seconds > 0 ? seconds : signs_.hang_after_s;
}

void LogDiagnosis::set_plan(const LaunchPlan& plan) {
    const std::lock_guard lock(mutex_);
    addresses_.note(plan);
}

LogFindings LogDiagnosis::with_nodes(LogFindings found) {
    const std::lock_guard lock(mutex_);
    for (auto& verdict : found.verdicts) {
        addresses_.replace_in(verdict);
    }
    found.shared = shared_;
    return found;
}

void LogDiagnosis::observe(const Event& event) {
    take(event, false);
}

void LogDiagnosis::recall(const Event& event) {
    take(event, true);
}

void LogDiagnosis::end_recall() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
}

void LogDiagnosis::take(const Event& event, bool may_wait) {
    std::unique_lock lock(mutex_);
    if (closing_ || (ignoring_ && !reads_all())) {
        return;
    }
    if (!ignoring_) {
        note_sign(event);
    }
    if (const auto* log = event.as<LogEvent>(); log != nullptr && event.rank >= 0) {
        if (log->shared && !ignoring_) {
            shared_.insert(event.rank);
        }
        take_output(event, *log, may_wait, lock);
    } else if (const auto* verdict = event.as<DiagnosisEvent>(); verdict != nullptr && event.node.empty()) {
        take_verdict(event, *verdict);
    } else if (const auto* notice = event.as<NoticeEvent>(); notice != nullptr && event.node.empty()) {
        stalled_ = !ignoring_ && (stalled_ || notice->id == "look-unavailable");
    } else if (const auto* stage = event.as<StageEvent>(); stage != nullptr && !event.node.empty() &&
                                                           stage->name == StageName::Restart &&
                                                           stage->status == StageStatus::Done) {
        begin_attempt(event.node);
        items_.emplace_back(event);
    } else if (reads_all() && event.as<NcclEvent>() != nullptr) {
        start_thread();
        items_.emplace_back(event);
    } else if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        over_ = true;
    } else if (event.as<MetricEvent>() == nullptr) {
        return;
    }
    lock.unlock();
    changed_.notify_all();
}

void LogDiagnosis::note_sign(const Event& event) {
    const auto* metric = event.as<MetricEvent>();
    const bool step = metric != nullptr && metric->step >= 0;
    if (const auto* stage = event.as<StageEvent>(); stage != nullptr && stage->name == StageName::Pause) {
        signs_.paused.insert(event.node);
    } else if (stage != nullptr && stage->name == StageName::Continue) {
        signs_.paused.erase(event.node);
    }
    const bool sign = step || event.as<StageEvent>() != nullptr || event.as<ExitEvent>() != nullptr ||
                      (!signs_.stepped && event.as<LogEvent>() != nullptr);
    if (!sign) {
        return;
    }
    const double now = monotonic_s();
    if (step) {
        signs_.longest_gap_s = signs_.stepped ? std::max(signs_.longest_gap_s, now - signs_.last) : 0;
        signs_.stepped = true;
        stalled_ = false;
    }
    signs_.last = now;
}

bool LogDiagnosis::makes_no_progress() const {
    return signs_.last > 0 && signs_.paused.empty() &&
           monotonic_s() - signs_.last > std::max(signs_.hang_after_s, kGaps * signs_.longest_gap_s);
}

void LogDiagnosis::take_output(const Event& event, const LogEvent& log, bool may_wait,
                               std::unique_lock<std::mutex>& lock) {
    start_thread();
    if (may_wait) {
        room_.wait(lock, [this] { return closing_ || waiting_bytes_ < kMostUnread; });
    }
    if (waiting_bytes_ >= kMostUnread) {
        LeftOut& left_out = left_out_[event.rank];
        left_out.lines += lines_of(log.text);
        left_out.bytes += log.text.size();
        return;
    }
    for (const auto& [rank, what] : std::exchange(left_out_, {})) {
        items_.emplace_back(Skipped{rank, what});
    }
    items_.emplace_back(event);
    waiting_bytes_ += log.text.size() + sizeof(Item);
    unread_ = unread_ || !ignoring_;
}

void LogDiagnosis::take_verdict(const Event& event, const Verdict& verdict) {
    if (reads_all() && verdict.phase == VerdictPhase::End) {
        items_.emplace_back(event);
    }
    if (ignoring_ || is_from_logs(verdict) || is_store_path(verdict) ||
        verdict.id == FailureId("rank-slow") || verdict.phase == VerdictPhase::End) {
        return;
    }
    std::erase_if(measured_, [&](const Verdict& one) { return same(one, verdict); });
    if (verdict.phase == VerdictPhase::Live) {
        measured_.push_back(verdict);
        unread_ = true;  // what was read before may explain it
    }
}

// What happened in earlier attempts is over, whichever node first reports the new one.
void LogDiagnosis::begin_attempt(const std::string& node) {
    if (++attempts_[node] > attempt_) {
        attempt_ = attempts_[node];
        measured_.clear();
        stalled_ = false;
    }
}

void LogDiagnosis::ignore_further() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(ignoring_, true) && reads_all()) {
        items_.emplace_back(Ignore());
    }
}

bool LogDiagnosis::look(Look look) {
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || !reads_all()) {
            return false;
        }
        start_thread();
        looks_.waiting.push_back(std::move(look));
    }
    changed_.notify_all();
    return true;
}

void LogDiagnosis::conclude(Done done) {
    {
        const std::lock_guard lock(mutex_);
        if (thread_.joinable() && !closing_) {
            conclusions_.push_back(std::move(done));
            done = nullptr;
        }
    }
    changed_.notify_all();
    if (done) {
        done({});
    }
}

void LogDiagnosis::close() {
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

void LogDiagnosis::start_thread() {
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { run(); });
    }
}

void LogDiagnosis::read(const std::deque<Item>& items) {
    for (const Item& item : items) {
        if (const auto* event = std::get_if<Event>(&item)) {
            reading_->take(*event);
        } else if (const auto* skipped = std::get_if<Skipped>(&item)) {
            reading_->skip(skipped->rank, skipped->what.lines, skipped->what.bytes);
        } else {
            reading_->ignore_further();
        }
    }
}

void LogDiagnosis::answer_looks(std::unique_lock<std::mutex>& lock) {
    const auto looks = std::exchange(looks_.waiting, {});
    const bool over = over_;
    lock.unlock();
    if (over || !looks_.shown || reading_->has_news()) {
        const double begun = monotonic_s();
        if (over) {
            reading_->finish_lines();
        }
        looks_.shown = over ? reading_->whole() : reading_->snapshot();
        const double now = monotonic_s();
        looks_.next_s = now + (now - begun) / kShareOfSnapshots;
    }
    for (const Look& look : looks) {
        look(looks_.shown);
    }
    lock.lock();
}

void LogDiagnosis::run() {
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowPriority));
    const auto rules = std::make_shared<const logs::RuleSet>(log_rules());
    reading_.emplace(run_id_, depth_, rules);
    for (std::size_t i = 0; i < std::min(kProblems, rules->problems.size()); ++i) {
        const auto& problem = rules->problems[i];
        post_(desk_stage(StageName::Note, StageStatus::Failed,
                         problem.file + ':' + std::to_string(problem.line) + ": " + problem.message));
    }
    const auto conclusion = [this] {
        reading_->finish_lines();
        return with_nodes(reading_->causes());
    };
    double next_look = 0;
    std::unique_lock lock(mutex_);
    while (!closing_) {
        const auto due = [&] { return over_ || monotonic_s() >= looks_.next_s; };
        const auto wanted = [&] {
            return closing_ || !items_.empty() || !conclusions_.empty() ||
                   (!looks_.waiting.empty() && due()) ||
                   (hangs() ? unread_ && monotonic_s() >= next_look : !posted_.empty());
        };
        const double patience = looks_.waiting.empty()
                                    ? kLookEveryS
                                    : std::clamp(looks_.next_s - monotonic_s(), 0.0, kLookEveryS);
        changed_.wait_for(lock, std::chrono::duration<double>(patience), wanted);
        const auto items = std::exchange(items_, {});
        waiting_bytes_ = 0;
        lock.unlock();
        room_.notify_all();
        read(items);
        lock.lock();
        if (!looks_.waiting.empty() && due() && (items_.empty() || !over_)) {
            answer_looks(lock);
        }
        if (!items_.empty() || closing_) {
            continue;
        }
        if (!conclusions_.empty()) {
            const auto conclusions = std::exchange(conclusions_, {});
            lock.unlock();
            const LogFindings found = conclusion();
            for (const auto& done : conclusions) {
                done(found);
            }
            lock.lock();
        } else if (!hangs()) {
            post_changes({}, lock);
        } else if (unread_ && monotonic_s() >= next_look) {
            unread_ = false;
            lock.unlock();
            const double begun = monotonic_s();
            LogFindings found = with_nodes(reading_->causes());
            const double now = monotonic_s();
            next_look = now + std::max(kLookEveryS, (now - begun) / kShareOfLooks);
            lock.lock();
            post_changes(std::move(found), lock);
        }
    }
    if (!looks_.waiting.empty()) {
        answer_looks(lock);
    }
    const auto conclusions = std::exchange(conclusions_, {});
    lock.unlock();
    const LogFindings found = conclusions.empty() ? LogFindings() : conclusion();
    for (const auto& done : conclusions) {
        done(found);
    }
}

// Posts what the logs show now, and ends what they showed before. What others measured is not said again.
void LogDiagnosis::post_changes(LogFindings found, std::unique_lock<std::mutex>& lock) {
    std::vector<Verdict> holding;
    for (auto& verdict : found.verdicts) {
        const bool known = std::any_of(measured_.begin(), measured_.end(), [&](const Verdict& measured) {
            return measured.id == verdict.id ||
                   (found.explain(measured, verdict) && !found.explain(verdict, measured));
        });
        const bool confirmed = stalled_ || !measured_.empty();
        if (known || !holding.empty() || (!confirmed && verdict.confidence < kSure)) {
            continue;
        }
        for (const auto& measured : measured_) {
            if (found.explain(verdict, measured)) {  // the measured one is its consequence, however sure
                verdict.confidence = std::max(verdict.confidence, measured.confidence);
                verdict.waiting = verdict.waiting.empty() ? measured.waiting : verdict.waiting;
            }
        }
        holding.push_back(std::move(verdict));
    }
    std::vector<Verdict> over;
    std::copy_if(posted_.begin(), posted_.end(), std::back_inserter(over),
                 [&](const Verdict& verdict) { return !holds(holding, verdict); });
    std::vector<Verdict> fresh;
    std::copy_if(holding.begin(), holding.end(), std::back_inserter(fresh),
                 [&](const Verdict& verdict) { return !holds(posted_, verdict); });
    posted_ = holding;
    lock.unlock();
    for (auto& verdict : over) {
        post(std::move(verdict), VerdictPhase::Over);
    }
    for (auto& verdict : fresh) {
        verdict.since_us = now_us();
        post(std::move(verdict), VerdictPhase::Live);
    }
    lock.lock();
}

void LogDiagnosis::post(Verdict verdict, VerdictPhase phase) const {
    verdict.phase = phase;
    Event event;
    event.body = std::move(verdict);
    post_(std::move(event));
}

}  // namespace rankscope::inline runs
