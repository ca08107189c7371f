// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/desk/runs/notify/alert_rule.h>
#include <remote/wire/event.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

enum class AlertKind : std::uint8_t { Ended, Failed, Hang, NotFinite, Plateau, Rule };

}  // namespace rankscope::inline runs

namespace rankscope {

template <>
struct EnumNames<AlertKind> {
    static constexpr std::array names{"ended", "failed", "hang", "nan", "plateau", "rule"};
};

}  // namespace rankscope

namespace rankscope::inline runs {

/// Something of a run that its user wants to hear of.
struct Alert {
    AlertKind kind = AlertKind::Ended;
    std::string title = {};  ///< one sentence, with the run's name
    std::string text = {};   ///< more, or empty
    int rank = -1;           ///< -1: not one rank's
    std::int64_t step = -1;  ///< -1: none

    bool operator==(const Alert&) const = default;
};

struct AlertOptions {
    std::set<AlertKind> kinds{AlertKind::Ended, AlertKind::Failed, AlertKind::Hang, AlertKind::NotFinite};
    std::vector<AlertRule> rules = {};  ///< of AlertKind::Rule
    // Of AlertKind::Plateau: the best value has not got better by this share for so many steps.
    std::string plateau_metric = "loss";
    std::int64_t plateau_steps = 1000;
    double plateau_share = 0.01;

    bool operator==(const AlertOptions&) const = default;
};

/// Folds the events of one run into what its user wants to hear of, each thing once: NaN once a metric, a rule again
/// only after it has held for no rank. A value: one thread at a time.
class RunAlerts {
public:
    RunAlerts(AlertOptions options, std::string run_name);
    std::vector<Alert> apply(const Event& event);
    void set_options(AlertOptions options);

private:
    void add_metric(const Event& event, const MetricEvent& metric, std::vector<Alert>& alerts);
    void check_finite(int rank, std::int64_t step, const std::string& name, double value,
                      std::vector<Alert>& alerts);
    void check_plateau(int rank, std::int64_t step, double value, std::vector<Alert>& alerts);
    void check_rules(int rank, std::int64_t step, const std::string& name, double value,
                     std::vector<Alert>& alerts);
    void add_verdict(const Verdict& verdict, std::vector<Alert>& alerts);
    void add_end(const EndEvent& end, std::vector<Alert>& alerts) const;
    bool wants(AlertKind kind) const { return options_.kinds.contains(kind); }

    struct Plateau {
        int rank = -1;  ///< the one that is watched: the first that reports the metric
        double best = 0;
        std::int64_t best_step = -1;
        bool reported = false;
    };
    struct RuleState {
        std::map<int, std::int64_t> since;  ///< by rank: the step at which it began to hold
        bool reported = false;
    };

    AlertOptions options_;
    std::string run_name_;
    std::set<std::string> not_finite_;  ///< metrics
    std::set<std::pair<FailureId, int>> verdicts_;
    Plateau plateau_;
    std::vector<RuleState> rules_;
};

}  // namespace rankscope::inline runs
