// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/runs/notify/run_alerts.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunAlerts";
constexpr std::size_t kMostNames = 1000;  ///< of metrics; a program may invent any number

/// Of these a larger value is the better one.
bool grows(const std::string& metric) {
    return metric.find("acc") != std::string::npos || metric.find("per_s") != std::string::npos;
}

std::string value_text(double value) {
    return short_number_text(value, 6);
}

}  // namespace

RunAlerts::RunAlerts(AlertOptions options, std::string run_name) : run_name_(std::move(run_name)) {
    set_options(std::move(options));
}

void RunAlerts::set_options(AlertOptions options) {
    if (options != options_ || rules_.size() != options.rules.size()) {
        options_ = std::move(options);
        rules_.assign(options_.rules.size(), {});
        plateau_ = {};
    }
}

std::vector<Alert> RunAlerts::apply(const Event& event) {
    std::vector<Alert> alerts;
    if (const auto* metric = event.as<MetricEvent>()) {
        add_metric(event, *metric, alerts);
    } else if (const auto* verdict = event.as<DiagnosisEvent>()) {
        add_verdict(*verdict, alerts);
    } else if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        add_end(*end, alerts);
    }
    return alerts;
}

void RunAlerts::add_metric(const Event& event, const MetricEvent& metric, std::vector<Alert>& alerts) {
    for (const auto& [name, value] : metric.values) {
        check_finite(event.rank, metric.step, name, value, alerts);
        if (metric.step < 0 || !std::isfinite(value)) {
            continue;
        }
        if (name == options_.plateau_metric) {
            check_plateau(event.rank, metric.step, value, alerts);
        }
        check_rules(event.rank, metric.step, name, value, alerts);
    }
}

void RunAlerts::check_finite(int rank, std::int64_t step, const std::string& name, double value,
                             std::vector<Alert>& alerts) {
    if (std::isfinite(value) || !wants(AlertKind::NotFinite) || not_finite_.size() >= kMostNames ||
        !not_finite_.insert(name).second) {
        return;
    }
    alerts.push_back({AlertKind::NotFinite,
                      text(kContext, "%1: %2 of rank %3 is %4.",
                           {run_name_, name, std::to_string(rank), std::isnan(value) ? "NaN" : "infinite"}),
                      step < 0 ? "" : text(kContext, "At step %1.", {std::to_string(step)}), rank, step});
}

void RunAlerts::check_plateau(int rank, std::int64_t step, double value, std::vector<Alert>& alerts) {
    if (!wants(AlertKind::Plateau) || (plateau_.rank >= 0 && rank != plateau_.rank)) {
        return;
    }
    const double margin = std::abs(plateau_.best) * options_.plateau_share;
    const bool better =
        grows(options_.plateau_metric) ? value > plateau_.best + margin : value < plateau_.best - margin;
    // A rank that was started again begins from its step.
    if (plateau_.rank < 0 || better || step < plateau_.best_step) {
        plateau_ = {rank, value, step, false};
    } else if (!plateau_.reported && step - plateau_.best_step >= options_.plateau_steps) {
        plateau_.reported = true;
        alerts.push_back(
            {AlertKind::Plateau,
             text(kContext, "%1: %2 does not get better for %3 steps.",
                  {run_name_, options_.plateau_metric, std::to_string(step - plateau_.best_step)}),
             text(kContext, "The best is %1, of step %2.",
                  {value_text(plateau_.best), std::to_string(plateau_.best_step)}),
             rank, step});
    }
}

void RunAlerts::check_rules(int rank, std::int64_t step, const std::string& name, double value,
                            std::vector<Alert>& alerts) {
    if (!wants(AlertKind::Rule)) {
        return;
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const AlertRule& rule = options_.rules[i];
        RuleState& state = rules_[i];
        if (rule.metric != name) {
            continue;
        }
        if (!rule.holds(value)) {
            state.since.erase(rank);
            state.reported = state.reported && !state.since.empty();
            continue;
        }
        std::int64_t& since = state.since.try_emplace(rank, step).first->second;
        since = std::min(since, step);
        if (!state.reported && step - since + 1 >= rule.steps) {
            state.reported = true;
            alerts.push_back({AlertKind::Rule, text(kContext, "%1: %2.", {run_name_, to_text(rule)}),
                              text(kContext, "Rank %1 at step %2: %3.",
                                   {std::to_string(rank), std::to_string(step), value_text(value)}),
                              rank, step});
        }
    }
}

// Live verdicts name what holds a run: a hang, a straggler, a lost link. Those of the end come with it.
void RunAlerts::add_verdict(const Verdict& verdict, std::vector<Alert>& alerts) {
    const std::pair key{verdict.id, verdict.rank};
    if (verdict.phase == VerdictPhase::Over) {
        verdicts_.erase(key);
    } else if (verdict.phase == VerdictPhase::Live && wants(AlertKind::Hang) &&
               verdicts_.insert(key).second) {
        alerts.push_back({AlertKind::Hang, run_name_ + ": " + said(verdict),
                          verdict.fix.empty() ? std::string() : verdict.fix.front(), verdict.rank, -1});
    }
}

void RunAlerts::add_end(const EndEvent& end, std::vector<Alert>& alerts) const {
    const bool failed = end.outcome == Outcome::Failed || end.outcome == Outcome::Lost;
    if (failed && wants(AlertKind::Failed)) {
        alerts.push_back({AlertKind::Failed, text(kContext, "%1 failed.", {run_name_}), end.detail,
                          end.has_culprit ? end.culprit.rank : -1, -1});
    } else if (!failed && wants(AlertKind::Ended)) {
        alerts.push_back({AlertKind::Ended,
                          end.outcome == Outcome::Stopped ? text(kContext, "%1 was stopped.", {run_name_})
                                                          : text(kContext, "%1 is done.", {run_name_}),
                          end.detail, -1, -1});
    }
}

}  // namespace rankscope::inline runs
