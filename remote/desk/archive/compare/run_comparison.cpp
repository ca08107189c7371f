// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>
#include <remote/desk/archive/compare/metric_sense.h>
#include <remote/desk/archive/compare/run_comparison.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/framework_environment.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunComparison";
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Variables that differ between ranks or runs by their nature say nothing.
std::map<std::string, std::string> shared_environment(const LaunchPlan& plan) {
    static const std::set<std::string> given{
        "RANK",        "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK",     "MASTER_ADDR",
        "MASTER_PORT", "NODE_RANK",  "ROLE_RANK",  "ROLE_NAME",        "ROLE_WORLD_SIZE"};
    std::map<std::string, std::string> shared;
    if (plan.ranks.empty()) {
        return shared;
    }
    for (const auto& [name, value] : plan.ranks.front().env) {
        const bool alike = std::all_of(plan.ranks.begin(), plan.ranks.end(), [&](const RankPlan& rank) {
            const auto found = rank.env.find(name);
            return found != rank.env.end() && found->second == value;
        });
        if (alike && given.count(name) == 0 && !is_framework_variable(name)) {
            shared.emplace(name, plan.secret_env.count(name) > 0 ? kSecretMask : value);
        }
    }
    return shared;
}

std::map<std::string, std::string> versions_of(const KnownFacts& facts) {
    std::map<std::string, std::string> versions;
    for (const auto& [node, known] : facts) {
        std::set<std::string> gpus;
        for (const auto& gpu : known.gpus) {
            gpus.insert(gpu.name);
        }
        const std::array<std::pair<const char*, std::string>, 6> all{
            {{"system", known.os},
             {"kernel", known.kernel},
             {"libc", known.libc},
             {"agent", known.agent_version},
             {"processor", known.cpu_model},
             {"GPUs", known.gpus.empty() ? "" : std::to_string(known.gpus.size()) + " × " + joined(gpus)}}};
        for (const auto& [key, value] : all) {
            if (!value.empty()) {
                versions.emplace(node + " " + key, value);
            }
        }
        for (const auto& [name, value] : known.versions) {
            if (const std::string label = version_label(name); !label.empty()) {
                versions.emplace(node + " " + label, value);
            }
        }
    }
    return versions;
}

Result<ComparedRun> read_run(const RunStore& store, const std::string& run_id, const std::stop_token& stop) {
    auto record = store.run(run_id);
    if (!record) {
        return record.failure();
    }
    const auto curves = read_curves(store, *record, stop);
    if (!curves) {
        return curves.failure();
    }
    ComparedRun run;
    run.summary = summary_of(*curves, *record);
    run.environment = shared_environment(record->plan);
    if (const auto facts = store.facts_of(run_id)) {
        run.versions = versions_of(*facts);
    }
    for (const std::string& name : curves->names().all()) {
        run.curves.emplace(name, curves->find(name)->points(is_rate(name)));
    }
    run.record = std::move(*record);
    return run;
}

void add_values(RunComparison& all, ComparedValue::Section section,
                const std::function<const std::map<std::string, std::string>&(const ComparedRun&)>& of) {
    std::set<std::string> keys;
    for (const auto& run : all.runs) {
        for (const auto& [key, value] : of(run)) {
            keys.insert(key);
        }
    }
    for (const auto& key : keys) {
        ComparedValue row{section, key, {}, false};
        for (const auto& run : all.runs) {
            const auto& values = of(run);
            const auto found = values.find(key);
            row.values.push_back(found == values.end() ? std::string() : found->second);
        }
        row.differs = std::any_of(row.values.begin(), row.values.end(),
                                  [&](const std::string& value) { return value != row.values.front(); });
        all.values.push_back(std::move(row));
    }
}

void add_run_values(RunComparison& all) {
    const std::vector<std::pair<const char*, std::function<std::string(const ComparedRun&)>>> rows{
        {"name", [](const ComparedRun& run) { return run.record.name; }},
        {"group", [](const ComparedRun& run) { return run.labels.group; }},
        {"started from", [](const ComparedRun& run) { return run.record.parent; }},
        {"code",
         [](const ComparedRun& run) {
             const auto& code = run.record.plan.code;
             return code ? code_text(*code) : std::string();
         }},
        {"outcome", [](const ComparedRun& run) { return std::string(to_string(run.record.outcome)); }},
        {"nodes", [](const ComparedRun& run) { return run.record.nodes; }},
        {"ranks", [](const ComparedRun& run) { return std::to_string(run.record.world_size); }},
        {"backend", [](const ComparedRun& run) { return run.record.plan.backend; }},
        {"seconds", [](const ComparedRun& run) {
             const auto us = run.record.ended_us - run.record.started_us;
             return run.record.ended_us > 0 ? short_number_text(static_cast<double>(us) / 1e6)
                                            : std::string();
         }}};
    for (const auto& [key, of] : rows) {
        ComparedValue row{ComparedValue::Section::Run, key, {}, false};
        for (const auto& run : all.runs) {
            row.values.push_back(of(run));
        }
        row.differs = std::any_of(row.values.begin(), row.values.end(),
                                  [&row](const std::string& value) { return value != row.values.front(); });
        all.values.push_back(std::move(row));
    }
}

std::map<std::string, std::vector<std::size_t>> groups_of(const std::vector<ComparedRun>& runs) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        groups[runs[i].group()].push_back(i);
    }
    std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
    return groups;
}

ComparedMetric compare_metric(const RunComparison& all, const std::string& name) {
    ComparedMetric metric{name, {}, {}, {}};
    for (const auto& run : all.runs) {
        const MetricStats* stats = run.summary.metric(name);
        metric.stats.push_back(stats != nullptr ? *stats : MetricStats());
        if (all.target && all.target->metric == name) {
            const auto points = run.curves.find(name);
            metric.time_to_target.push_back(
                points == run.curves.end() ? kNoValue : time_to(points->second, *all.target));
        }
    }
    for (const auto& [group, members] : groups_of(all.runs)) {
        std::vector<double> last;
        std::vector<double> best;
        for (const std::size_t i : members) {
            last.push_back(metric.stats[i].last);
            best.push_back(metric.stats[i].best(name));
        }
        metric.groups.push_back({group, spread_of(last), spread_of(best)});
    }
    return metric;
}

void add_metrics(RunComparison& all) {
    std::vector<std::pair<std::string, std::size_t>> names;  // and how many runs report it
    for (const auto& run : all.runs) {
        for (const auto& [name, stats] : run.summary.metrics) {
            const auto known = std::find_if(names.begin(), names.end(),
                                            [&n = name](const auto& entry) { return entry.first == n; });
            if (known == names.end()) {
                names.emplace_back(name, 1);
            } else {
                ++known->second;
            }
        }
    }
    std::stable_partition(names.begin(), names.end(),
                          [&](const auto& entry) { return entry.second == all.runs.size(); });
    for (const auto& entry : names) {
        all.metrics.push_back(compare_metric(all, entry.first));
    }
}

double value_at(const std::vector<CurvePoint>& points, CurveAxis axis, double x) {
    const auto after = std::lower_bound(
        points.begin(), points.end(), x,
        [&](const CurvePoint& point, double wanted) { return place_on(axis, point) < wanted; });
    if (after == points.end()) {
        return kNoValue;
    }
    const double x1 = place_on(axis, *after);
    if (x1 == x) {
        return after->value;
    }
    if (after == points.begin()) {
        return kNoValue;
    }
    const CurvePoint& before = *(after - 1);
    const double x0 = place_on(axis, before);
    return x1 > x0 ? before.value + (after->value - before.value) * (x - x0) / (x1 - x0) : after->value;
}

}  // namespace

const char* to_string(CurveAxis axis) {
    constexpr std::array names{"step", "epoch", "time"};
    return names[static_cast<std::size_t>(axis)];
}

std::optional<CurveAxis> curve_axis(const std::string& word) {
    for (const CurveAxis axis : {CurveAxis::Step, CurveAxis::Epoch, CurveAxis::Time}) {
        if (word == to_string(axis)) {
            return axis;
        }
    }
    return std::nullopt;
}

double place_on(CurveAxis axis, const CurvePoint& point) {
    return axis == CurveAxis::Step ? point.step : axis == CurveAxis::Epoch ? point.epoch : point.t_s;
}

const char* to_string(ComparedValue::Section section) {
    constexpr std::array names{"run", "job", "environment", "versions"};
    return names[static_cast<std::size_t>(section)];
}

std::optional<MetricTarget> metric_target(const std::string& word) {
    const std::size_t sign = word.rfind('=');
    if (sign == std::string::npos || sign == 0) {
        return std::nullopt;
    }
    const auto value = parse_number<double>(std::string_view(word).substr(sign + 1));
    return value && std::isfinite(*value) ? std::optional(MetricTarget{word.substr(0, sign), *value})
                                          : std::nullopt;
}

double time_to(const std::vector<CurvePoint>& points, const MetricTarget& target) {
    // Where the name does not say which way is better, the curve's own first value does.
    const Better named = better_values(target.metric);
    const bool lower = named == Better::Lower ||
                       (named == Better::Unknown && !points.empty() && points.front().value > target.value);
    const auto reached = std::find_if(points.begin(), points.end(), [&](const CurvePoint& point) {
        return lower ? point.value <= target.value : point.value >= target.value;
    });
    return reached == points.end() ? kNoValue : reached->t_s;
}

Result<RunComparison> compare_runs(const RunStore& store, const std::map<std::string, RunLabels>& labels,
                                   const std::vector<std::string>& run_ids,
                                   const std::optional<MetricTarget>& target,
                                   const std::function<void(std::size_t)>& progress,
                                   const std::stop_token& stop) {
    RunComparison all;
    all.target = target;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < run_ids.size(); ++i) {
        if (!seen.insert(run_ids[i]).second) {
            continue;
        }
        auto run = read_run(store, run_ids[i], stop);
        if (!run && stop.stop_requested()) {
            return run.failure();
        }
        if (!run) {
            all.problems.push_back(run.failure());
        } else {
            if (run->curves.empty()) {
                all.problems.push_back(
                    {"bad-request", run_ids[i],
                     text(kContext, "The run %1 has no metrics; it is compared without curves.",
                          {run->record.name}),
                     "", ""});
            }
            const auto label = labels.find(run_ids[i]);
            run->labels = label == labels.end() ? RunLabels() : label->second;
            all.runs.push_back(std::move(*run));
        }
        if (progress) {
            progress(i + 1);
        }
    }
    if (all.runs.size() < 2) {
        return !all.problems.empty() && all.runs.size() + all.problems.size() > 1
                   ? all.problems.front()
                   : Failure{"bad-request", "", text(kContext, "A comparison needs two runs or more."),
                             text(kContext, "Choose another run."), ""};
    }
    add_run_values(all);
    add_values(
        all, ComparedValue::Section::Job,
        [](const ComparedRun& run) -> const std::map<std::string, std::string>& { return run.summary.job; });
    add_values(
        all, ComparedValue::Section::Environment,
        [](const ComparedRun& run) -> const std::map<std::string, std::string>& { return run.environment; });
    add_values(
        all, ComparedValue::Section::Versions,
        [](const ComparedRun& run) -> const std::map<std::string, std::string>& { return run.versions; });
    add_metrics(all);
    return all;
}

std::vector<BandPoint> band_of(const std::vector<const std::vector<CurvePoint>*>& curves, CurveAxis axis,
                               std::size_t places) {
    double lower = kNoValue;
    double upper = kNoValue;
    for (const auto* points : curves) {
        for (const CurvePoint& point : *points) {
            const double x = place_on(axis, point);
            if (std::isfinite(x)) {
                lower = x >= lower ? lower : x;
                upper = x <= upper ? upper : x;
            }
        }
    }
    std::vector<BandPoint> band;
    if (!(upper >= lower) || places < 2) {
        return band;
    }
    for (std::size_t i = 0; i < places; ++i) {
        const double x = lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(places - 1);
        std::vector<double> values;
        for (const auto* points : curves) {
            values.push_back(value_at(*points, axis, x));
        }
        if (const Spread spread = spread_of(values); spread.count > 1) {
            band.push_back({x, spread});
        }
    }
    return band;
}

}  // namespace rankscope::inline archive
