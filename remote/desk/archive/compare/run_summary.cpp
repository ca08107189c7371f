// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/desk/archive/compare/job_values.h>
#include <remote/desk/archive/compare/metric_sense.h>
#include <remote/desk/archive/compare/run_summary.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunSummary";
constexpr int kVersion = 2;  // 1: with the secrets of commands
constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kKeptTogether = 50;

// NaN becomes null.
nlohmann::json json_of(const MetricStats& stats) {
    return {stats.last,     stats.min,      stats.max,   stats.mean,      stats.last_step,
            stats.min_step, stats.max_step, stats.count, stats.not_finite};
}

MetricStats stats_from(const nlohmann::json& json) {
    const auto number = [&](std::size_t i) {
        return i < json.size() && json[i].is_number() ? json[i].get<double>() : kNoFigure;
    };
    const auto count = [&](std::size_t i) {
        const double value = number(i);
        return value >= 0 && value < 1e18 ? static_cast<std::uint64_t>(value) : 0U;
    };
    return {number(0), number(1), number(2), number(3), number(4), number(5), number(6), count(7), count(8)};
}

Failure cancelled() {
    return {"cancelled", "", text(kContext, "Cancelled."), "", ""};
}

}  // namespace

const MetricStats* RunSummary::metric(const std::string& name) const {
    const auto found =
        std::find_if(metrics.begin(), metrics.end(), [&](const auto& named) { return named.first == name; });
    return found == metrics.end() ? nullptr : &found->second;
}

RunSummary summary_of(const RunCurves& curves, const RunRecord& record) {
    RunSummary summary;
    for (std::size_t i = 0; i < curves.names().size(); ++i) {
        const std::string& name = curves.names().all()[i];
        summary.metrics.emplace_back(name, curves.curve(MetricId(i)).stats(is_rate(name)));
    }
    summary.job = job_values(record.job_yaml, record.name);
    summary.last_step = curves.last_step();
    return summary;
}

std::string to_text(const RunSummary& summary) {
    nlohmann::json metrics = nlohmann::json::array();
    for (const auto& [name, stats] : summary.metrics) {
        metrics.push_back({name, json_of(stats)});
    }
    const nlohmann::json json{{"version", kVersion},      {"metrics", std::move(metrics)},
                              {"job", summary.job},       {"verdict", summary.verdict},
                              {"id", summary.verdict_id}, {"steps", summary.last_step},
                              {"code", summary.code}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<RunSummary> summary_from_text(const std::string& text) {
    const auto json = read_json(text);
    if (!json.is_object() || json.value("version", nlohmann::json()) != kVersion ||
        !json.value("metrics", nlohmann::json()).is_array() ||
        !json.value("job", nlohmann::json()).is_object()) {
        return std::nullopt;
    }
    const auto word = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    RunSummary summary;
    for (const auto& metric : json["metrics"]) {
        if (metric.is_array() && metric.size() == 2 && metric[0].is_string() && metric[1].is_array()) {
            summary.metrics.emplace_back(metric[0].get<std::string>(), stats_from(metric[1]));
        }
    }
    for (const auto& [key, value] : json["job"].items()) {
        if (value.is_string()) {
            summary.job.emplace(key, value.get<std::string>());
        }
    }
    summary.verdict = word("verdict");
    summary.verdict_id = word("id");
    summary.code = word("code");
    const auto steps = json.find("steps");
    summary.last_step = steps != json.end() && steps->is_number() ? steps->get<double>() : -1;
    return summary;
}

Result<RunCurves> read_curves(const RunStore& store, const RunRecord& record, const std::stop_token& stop) {
    RunCurves curves(record.started_us);
    const auto read = store.replay(
        record.run_id,
        [&](const Event& event) {
            curves.add(event);
            return !stop.stop_requested();
        },
        Replay::Metrics);
    if (stop.stop_requested()) {
        return cancelled();
    }
    return read ? Result<RunCurves>(std::move(curves)) : Result<RunCurves>(read.failure());
}

Result<RunSummary> summarize_run(const RunStore& store, const RunRecord& record,
                                 const std::stop_token& stop) {
    const auto curves = read_curves(store, record, stop);
    if (!curves) {
        return curves.failure();
    }
    RunSummary summary = summary_of(*curves, record);
    if (const auto whole = store.run(record.run_id); whole && whole->plan.code) {
        summary.code = code_text(*whole->plan.code);
    }
    const auto read = store.replay(
        record.run_id,
        [&](const Event& event) {
            // The desk's own, most likely cause first. A live verdict is withdrawn when it no longer holds.
            const auto* verdict = event.as<DiagnosisEvent>();
            if (verdict != nullptr && event.node.empty() && verdict->phase == VerdictPhase::End &&
                summary.verdict.empty()) {
                summary.verdict = said(*verdict);
                summary.verdict_id = verdict->id.str();
            }
            return !stop.stop_requested();
        },
        Replay::Verdicts);
    if (stop.stop_requested()) {
        return cancelled();
    }
    return read ? Result<RunSummary>(std::move(summary)) : Result<RunSummary>(read.failure());
}

namespace {

class SummaryLoad {
public:
    SummaryLoad(RunStore& store, const SummarySink& sink) : store_(store), sink_(sink) {}

    Result<void> kept(const std::vector<RunRecord>& runs) {
        const auto found = store_.summaries(runs.size() == 1 ? runs.front().run_id : std::string());
        if (!found) {
            return found.failure();
        }
        for (const auto& kept : *found) {
            marks_[kept.run_id] = kept;
        }
        for (const RunRecord& run : runs) {
            const auto mark = marks_.find(run.run_id);
            auto summary = mark == marks_.end() || mark->second.body.empty()
                               ? std::nullopt
                               : summary_from_text(mark->second.body);
            if (summary) {
                done_.insert(run.run_id);
                sink_(run.run_id, std::make_shared<const RunSummary>(std::move(*summary)));
            }
        }
        return {};
    }
    void compute(const RunRecord& run, const std::stop_token& stop) {
        if (done_.count(run.run_id) > 0) {
            return;
        }
        auto summary = summarize_run(store_, run, stop);
        if (!summary) {
            if (!stop.stop_requested() && failed_) {
                failed_ = summary.failure();
            }
            return;
        }
        const auto mark = marks_.find(run.run_id);
        if (run.outcome != Outcome::Running && mark != marks_.end()) {
            KeptSummary kept = mark->second;
            kept.body = to_text(*summary);
            waiting_.push_back(std::move(kept));
        }
        sink_(run.run_id, std::make_shared<const RunSummary>(std::move(*summary)));
        if (waiting_.size() >= kKeptTogether) {
            keep();
        }
    }
    // Where it cannot be written (a full disk) the summaries are computed again next time.
    void keep() {
        if (!waiting_.empty()) {
            static_cast<void>(store_.keep_summaries(waiting_));
            waiting_.clear();
        }
    }
    const Result<void>& outcome() const { return failed_; }

private:
    RunStore& store_;
    const SummarySink& sink_;
    std::map<std::string, KeptSummary> marks_;
    std::set<std::string> done_;
    std::vector<KeptSummary> waiting_;
    Result<void> failed_;
};

}  // namespace

Result<void> load_summaries(RunStore& store, const std::vector<RunRecord>& runs, const SummarySink& sink,
                            const std::stop_token& stop) {
    if (runs.empty()) {
        return {};
    }
    SummaryLoad load(store, sink);
    if (auto kept = load.kept(runs); !kept) {
        return kept;
    }
    for (const RunRecord& run : runs) {
        if (stop.stop_requested()) {
            break;
        }
        load.compute(run, stop);
    }
    load.keep();
    return load.outcome();
}

}  // namespace rankscope::inline archive
