// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/desk_stage.h>
#include <remote/desk/runs/log_rules.h>
#include <remote/desk/runs/run/log_diagnosis.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/diagnosis/verdict_source.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMostUnread = std::size_t{16} << 20;
constexpr double kLookEveryS = 3;
constexpr double kShareOfLooks = 0.05;  // of one core, at most
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

/// The lines of one attempt, of all ranks. Of the thread alone.
class LogDiagnosis::Reader {
public:
    explicit Reader(const std::string& run_id)
        : set_(log_rules()),
          lines_(run_id, 0, [this](const logs::LogLine& line) { diagnosis_->take(line); }) {
        diagnosis_.emplace(set_.rules);
    }

    const std::vector<logs::RuleProblem>& problems() const { return set_.problems; }
    void take(const Item& item) {
        switch (item.kind) {
            case Item::Kind::Output:
                lines_.take(item.event);
                break;
            case Item::Kind::Skipped:
                lines_.skip(item.rank, item.lines);
                break;
            case Item::Kind::Restart:
                diagnosis_.emplace(set_.rules);
                break;
        }
    }
    /// Of what was read so far; more may follow.
    LogFindings now() const {
        auto found = diagnosis_->so_far(lines_.sources()).verdicts;
        for (auto& verdict : found) {
            lines_.names().replace_in(verdict);
        }
        return likely_causes(std::move(found), set_.rules);
    }
    LogFindings finish() {
        lines_.finish();
        return now();
    }

private:
    const logs::RuleSet set_;
    std::optional<logs::Diagnosis> diagnosis_;
    RunOutput lines_;
};

void LogDiagnosis::set_hang_after(double seconds) {
    const std::lock_guard lock(mutex_);
    hang_after_s_ = seconds > 0 ? seconds : hang_after_s_;
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

void LogDiagnosis::take(const Event& event, bool may_wait) {
    std::unique_lock lock(mutex_);
    if (closing_ || ignoring_) {
        return;
    }
    note_sign(event);
    if (const auto* log = event.as<LogEvent>(); log != nullptr && event.rank >= 0) {
        if (log->shared) {
            shared_.insert(event.rank);
        }
        take_output(event, *log, may_wait, lock);
    } else if (const auto* verdict = event.as<DiagnosisEvent>(); verdict != nullptr && event.node.empty()) {
        take_verdict(*verdict);
    } else if (const auto* notice = event.as<NoticeEvent>(); notice != nullptr && event.node.empty()) {
        stalled_ = stalled_ || notice->id == "look-unavailable";
    } else if (const auto* stage = event.as<StageEvent>(); stage != nullptr && !event.node.empty() &&
                                                           stage->name == StageName::Restart &&
                                                           stage->status == StageStatus::Done) {
        begin_attempt(event.node);
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
        paused_.insert(event.node);
    } else if (stage != nullptr && stage->name == StageName::Continue) {
        paused_.erase(event.node);
    }
    const bool sign = step || event.as<StageEvent>() != nullptr || event.as<ExitEvent>() != nullptr ||
                      (!stepped_ && event.as<LogEvent>() != nullptr);
    if (!sign) {
        return;
    }
    const double now = monotonic_s();
    if (step) {
        longest_gap_s_ = stepped_ ? std::max(longest_gap_s_, now - last_sign_) : 0;
        stepped_ = true;
        stalled_ = false;
    }
    last_sign_ = now;
}

bool LogDiagnosis::makes_no_progress() const {
    return last_sign_ > 0 && paused_.empty() &&
           monotonic_s() - last_sign_ > std::max(hang_after_s_, kGaps * longest_gap_s_);
}

void LogDiagnosis::take_output(const Event& event, const LogEvent& log, bool may_wait,
                               std::unique_lock<std::mutex>& lock) {
    start_thread();
    if (may_wait) {
        room_.wait(lock, [this] { return closing_ || waiting_bytes_ < kMostUnread; });
    }
    const bool earlier = attempts_[event.node] < attempt_;  // the others have started again already
    if (earlier || waiting_bytes_ >= kMostUnread) {
        left_out_[event.rank] += lines_of(log.text);
        return;
    }
    for (const auto& [rank, lines] : std::exchange(left_out_, {})) {
        items_.push_back({.kind = Item::Kind::Skipped, .event = {}, .rank = rank, .lines = lines});
    }
    items_.push_back({.kind = Item::Kind::Output, .event = event});
    waiting_bytes_ += log.text.size() + sizeof(Item);
    unread_ = true;
}

void LogDiagnosis::take_verdict(const Verdict& verdict) {
    if (is_from_logs(verdict) || is_store_path(verdict) || verdict.id == FailureId("rank-slow") ||
        verdict.phase == VerdictPhase::End) {
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
        items_.push_back({.kind = Item::Kind::Restart});
    }
}

void LogDiagnosis::ignore_further() {
    const std::lock_guard lock(mutex_);
    ignoring_ = true;
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

void LogDiagnosis::run() {
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowPriority));
    Reader reader(run_id_);
    for (std::size_t i = 0; i < std::min(kProblems, reader.problems().size()); ++i) {
        const auto& problem = reader.problems()[i];
        post_(desk_stage(StageName::Note, StageStatus::Failed,
                         problem.file + ':' + std::to_string(problem.line) + ": " + problem.message));
    }
    double next_look = 0;
    std::unique_lock lock(mutex_);
    while (!closing_) {
        const auto wanted = [&] {
            return closing_ || !items_.empty() || !conclusions_.empty() ||
                   (hangs() ? unread_ && monotonic_s() >= next_look : !posted_.empty());
        };
        changed_.wait_for(lock, std::chrono::duration<double>(kLookEveryS), wanted);
        const auto items = std::exchange(items_, {});
        waiting_bytes_ = 0;
        lock.unlock();
        room_.notify_all();
        for (const auto& item : items) {
            reader.take(item);
        }
        lock.lock();
        if (!items_.empty() || closing_) {
            continue;
        }
        if (!conclusions_.empty()) {
            const auto conclusions = std::exchange(conclusions_, {});
            lock.unlock();
            const LogFindings found = with_nodes(reader.finish());
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
            LogFindings found = with_nodes(reader.now());
            const double now = monotonic_s();
            next_look = now + std::max(kLookEveryS, (now - begun) / kShareOfLooks);
            lock.lock();
            post_changes(std::move(found), lock);
        }
    }
    const auto conclusions = std::exchange(conclusions_, {});
    lock.unlock();
    const LogFindings found = conclusions.empty() ? LogFindings() : with_nodes(reader.finish());
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
