// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/desk/runs/watch/watch_state.h>
#include <remote/diagnosis/verdict_source.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr double kSecondLookS = 3;
constexpr int kCloseLooks = 8;  // of a stall: often
constexpr double kNextLookS = 5;
constexpr double kLaterLookS = 10;
constexpr int kManyLooks = 40;
constexpr double kLateLookS = 30;
constexpr int kStacksEvery = 6;
constexpr double kHardwareStallS = 6;
constexpr double kHardwareBeforeS = 60;  // the ranks may compute on for a while
constexpr double kAtOnceS = 1e-3;
constexpr double kOverAfterS = 3;  // of progress: a run that fails writes, too, just before it ends

}  // namespace

void WatchState::observe(const Event& event, double now) {
    hardware_.observe(event);
    if (const auto* verdict = event.as<DiagnosisEvent>();
        verdict != nullptr && open_ && verdict->phase == VerdictPhase::Live &&
        verdict->reason == open_->reason && verdict->id != FailureId("rank-slow")) {
        posted_ = *verdict;
    }
    const auto signs = rule_.signs();
    if (event.as<ExitEvent>() != nullptr && signs != signs_ && !rule_.ending()) {
        suspected_.reset();  // it has made progress since the last look
    }
    rule_.observe(event, now);
    if (rule_.signs() != signs && open_ && sign_at_ <= 0) {
        sign_at_ = now;
    }
    if (const auto* stage = event.as<StageEvent>();
        stage != nullptr && (stage->name == StageName::Restart || stage->name == StageName::Continue)) {
        end_stall();
    }
}

void WatchState::recall(const Event& event) {
    hardware_.observe(event);
    rule_.recall(event);
    if (const auto* verdict = event.as<DiagnosisEvent>();
        verdict != nullptr && verdict->id != FailureId("rank-slow") && !is_from_logs(*verdict) &&
        !is_store_path(*verdict)) {
        if (verdict->phase == VerdictPhase::Live) {
            open_ = *verdict;
        } else if (verdict->phase == VerdictPhase::Over) {
            open_.reset();
        }
    }
}

// As it was posted, so that who heard of it knows what is over.
Verdict WatchState::close() {
    const Verdict open = posted_ ? *posted_ : *open_;
    posted_.reset();
    open_.reset();
    return open;
}

void WatchState::end_stall() {
    looks_.clear();
    moving_ = false;
    count_ = 0;
    last_look_ = 0;
    silent_since_.clear();
    missed_.clear();
    rival_.reset();
    suspected_.reset();
}

WatchState::Wanted WatchState::wanted(double now) const {
    if (!rule_.due(now)) {
        return Wanted::Nothing;
    }
    if (count_ == 0 || rule_.signs() != signs_) {
        return Wanted::Look;
    }
    if (!rule_.trains() && moving_) {  // without steps, this is how the run shows that it makes progress
        const bool stacks = count_ % kStacksEvery == 0;
        return now - last_look_ < kLaterLookS ? Wanted::Nothing
               : stacks                       ? Wanted::LookWithStacks
                                              : Wanted::Look;
    }
    const double pause = count_ <= 2            ? kSecondLookS
                         : count_ < kCloseLooks ? kNextLookS
                         : count_ < kManyLooks  ? kLaterLookS
                                                : kLateLookS;
    return now - last_look_ < pause ? Wanted::Nothing : Wanted::LookWithStacks;
}

HangView WatchState::view(const LaunchPlan& plan, double now) const {
    HangView view{looks_.ranks(), plan};
    view.now = now;
    view.trains = rule_.trains();
    view.stall_s = rule_.silent_s(now);
    view.usual_s = rule_.usual_s();
    view.hang_after_s = rule_.hang_after_s();
    view.long_phase = rule_.in_long_phase(now);
    view.finished = rule_.finished();
    for (const auto& [rank, seen] : looks_.ranks()) {
        const auto silent = rule_.rank_silent_s(rank, now);
        if (silent && *silent < rule_.look_after_s()) {
            view.writing.insert(rank);
        }
    }
    for (const auto& [node, since] : silent_since_) {
        if (missed_.at(node) >= 2) {
            view.silent_nodes.emplace(node, now - since);
        }
    }
    return view;
}

void WatchState::note_progress(double now) {
    rule_.note_progress(now);
    if (open_ && sign_at_ <= 0) {
        sign_at_ = now;
    }
}

WatchState::Outcome WatchState::take(const LookResult& look, const LaunchPlan& plan, double now,
                                     const std::vector<CollectiveFinding>& collectives) {
    Outcome outcome;
    if (!rule_.due(now)) {
        return outcome;  // it has made progress meanwhile, is paused or ends
    }
    if (rule_.signs() != signs_) {
        end_stall();
        signs_ = rule_.signs();
    }
    ++count_;
    last_look_ = look.begun > 0 ? look.begun : now;
    for (const auto& [node, ranks] : look.ranks) {
        looks_.add(now, node, ranks);
        silent_since_.erase(node);
        missed_.erase(node);
    }
    for (const auto& node : look.silent) {
        looks_.remove(node);
        silent_since_.try_emplace(node, now);
        ++missed_[node];
    }
    const bool moved = moving_;
    const bool talking = !rule_.trains() && find_waits(looks_.ranks(), plan).talking;
    if (talking) {
        looks_.begin_rows(now);
    }
    moving_ = talking || std::any_of(looks_.ranks().begin(), looks_.ranks().end(),
                                     [](const auto& entry) { return entry.second.advances; });
    if (moved && !moving_ && !rule_.trains()) {
        count_ = 1;  // it has come to a stop only now: look closely
    }
    auto seen = view(plan, now);
    seen.collectives = collectives;
    auto found = with_hardware(find_hang(seen), seen);
    suspected_.reset();
    if (!found && !open_) {
        suspect(seen);
    }
    if (found && open_ && found->is(*open_) && found->with_collectives && !open_has_collectives_) {
        open_has_collectives_ = true;
        open_ = found->verdict;
        rival_.reset();
        outcome.found = std::move(found);
        return outcome;
    }
    if (!found || (open_ && found->is(*open_))) {
        rival_.reset();
        return outcome;
    }
    if (open_ && !(rival_ && rival_->is(found->verdict))) {
        rival_ = std::move(found);
        return outcome;
    }
    rival_.reset();
    if (open_) {
        outcome.over = close();
    }
    open_ = found->verdict;
    open_has_collectives_ = found->with_collectives;
    sign_at_ = 0;
    rule_.forget_silence();
    outcome.found = std::move(found);
    return outcome;
}

void WatchState::suspect(HangView view) {
    view.hang_after_s = kAtOnceS;
    auto found = find_hang(view);
    if (found && (found->verdict.rank >= 0 || !found->verdict.ranks.empty())) {
        found->verdict.confidence = std::min(found->verdict.confidence, kSureVerdict);
        suspected_ = std::move(found);
    }
}

// A GPU or a link that failed shortly before is the cause, unless the rank itself is held.
std::optional<HangFinding> WatchState::with_hardware(std::optional<HangFinding> found,
                                                     const HangView& view) const {
    if (view.stall_s < kHardwareStallS || count_ < 2 ||
        (found && (found->verdict.id == FailureId("rank-stopped") ||
                   found->verdict.reason == to_string(Activity::Traced)))) {
        return found;
    }
    const double before_s = view.stall_s + kHardwareBeforeS;
    auto cause = hardware_.cause(now_us() - static_cast<std::int64_t>(before_s * 1e6), "", view.plan);
    if (!cause) {
        return found;
    }
    HangFinding hardware;
    hardware.since = view.now - view.stall_s;
    if (found) {
        cause->evidence.push_back({.text = found->verdict.title});
        cause->evidence.insert(cause->evidence.end(), found->verdict.evidence.begin(),
                               found->verdict.evidence.end());
        hardware.with_collectives = found->with_collectives;
    }
    hardware.verdict = std::move(*cause);
    return hardware;
}

std::optional<Verdict> WatchState::take_over(double now) {
    if (!open_ || sign_at_ <= 0 || now - sign_at_ < kOverAfterS || rule_.ending()) {
        return std::nullopt;
    }
    sign_at_ = 0;
    end_stall();
    return close();
}

}  // namespace rankscope::inline runs
