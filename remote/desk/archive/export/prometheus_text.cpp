// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/visible_text.h>
#include <remote/desk/archive/export/prometheus_text.h>
#include <remote/desk/runs/verdict_words.h>

#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace rankscope::inline archive {
namespace {

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

std::string value_text(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "+Inf" : "-Inf";
    }
    return number_text(value);
}

// Backslash, quotation mark and the end of a line are escaped; other control characters have no place in a label, and
// text that is not UTF-8 would make a scraper refuse the whole page.
std::string label_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        const char c = text.front();
        if (c == '\\' || c == '"') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (point.bytes == 0 || is_invisible(point.value)) {
            result += ' ';
        } else {
            result += text.substr(0, point.bytes);
        }
        text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
    }
    return result;
}

class Exposition {
public:
    explicit Exposition(std::string run) : run_(std::move(run)) {}

    void family(const char* name, const char* help) {
        name_ = std::string("rankscope_") + name;
        head_ = "# HELP " + name_ + ' ' + help + "\n# TYPE " + name_ + " gauge\n";
    }
    void value(const Labels& labels, double value) {
        text_ += std::exchange(head_, {}) + name_ + "{run=\"" + label_text(run_) + '"';
        for (const auto& [key, label] : labels) {
            text_ += ',';
            text_.append(key).append("=\"").append(label_text(label)) += '"';
        }
        text_ += "} " + value_text(value) + '\n';
    }
    void comment(const std::string& line) { text_ += "# " + line + '\n'; }
    std::string take() { return std::move(text_); }

private:
    std::string run_;
    std::string name_;
    std::string head_;  ///< of a family without a value yet
    std::string text_;
};

constexpr double kMicrosInSecond = 1e6;

void add_run(const RunState& state, Exposition& out) {
    out.family("run_info", "Always 1; name, outcome and backend of the run.");
    out.value({{"name", state.name}, {"outcome", to_string(state.outcome)}, {"backend", state.plan.backend}},
              1);
    out.family("run_active", "1 while the run is not over.");
    out.value({}, state.outcome == Outcome::Running ? 1 : 0);
    out.family("run_world_size", "Ranks.");
    out.value({}, static_cast<double>(state.ranks.size()));
    out.family("run_start_time_seconds", "Start, since 1970.");
    out.value({}, static_cast<double>(state.start_us) / kMicrosInSecond);
    out.family("run_last_event_time_seconds", "Last event, since 1970.");
    out.value({}, static_cast<double>(state.last_us) / kMicrosInSecond);
    out.family("run_progress_ratio", "Share of all steps that the slowest rank has done.");
    if (const double progress = state.progress(); progress >= 0) {
        out.value({}, progress);
    }
    out.family("run_restarts", "How often all ranks were started again.");
    out.value({}, state.restarts);
    out.family("run_exit_code", "Exit status of a run that is over.");
    if (state.end) {
        out.value({}, state.end->exit_code);
    }
}

void add_ranks(const RunState& state, Exposition& out) {
    out.family("rank_info", "Always 1; node, device and phase of the rank.");
    for (const auto& rank : state.ranks) {
        out.value({{"rank", std::to_string(rank.rank)},
                   {"node", rank.node},
                   {"device", rank.device},
                   {"phase", to_string(rank.phase)}},
                  1);
    }
    out.family("rank_step", "Last step that the rank reported.");
    for (const auto& rank : state.ranks) {
        if (rank.step >= 0) {
            out.value({{"rank", std::to_string(rank.rank)}}, static_cast<double>(rank.step));
        }
    }
    if (const std::uint64_t refused = state.metrics.refused(); refused > 0) {
        out.comment("Left out: " + std::to_string(refused) + " values with names beyond the first " +
                    std::to_string(MetricNames::kMost) + ". The export as CSV has them.");
    }
    out.family("rank_metric", "Last value of a metric of the rank.");
    for (std::size_t i = 0; i < state.metrics.size(); ++i) {
        for (const auto& rank : state.ranks) {
            if (const auto last = rank.last_of(MetricId(i))) {
                out.value({{"rank", std::to_string(rank.rank)}, {"metric", state.metrics.name(MetricId(i))}},
                          *last);
            }
        }
    }
}

void add_nodes(const RunState& state, Exposition& out) {
    out.family("node_reachable", "1 while the node answers, or its part of the run is over.");
    for (const auto& [node, link] : state.links) {
        out.value({{"node", node}}, link.reachable() ? 1 : 0);
    }
    out.family("node_sample", "Last value of the node's telemetry.");
    for (const auto& [node, samples] : state.samples) {
        for (const auto& [key, value] : samples.values) {
            out.value({{"node", node}, {"key", key}}, value.last);
        }
    }
}

void add_verdicts(const RunState& state, Exposition& out) {
    out.family("verdict_confidence", "What is diagnosed: confidence from 0 to 1.");
    for (const auto* list : {&state.live_verdicts, &state.diagnoses}) {
        for (const auto& verdict : *list) {
            out.value({{"id", verdict.id.text()},
                       {"rank", verdict.rank >= 0 ? std::to_string(verdict.rank) : ""},
                       {"node", verdict.node},
                       {"phase", to_string(verdict.phase)},
                       {"title", said(verdict)}},
                      verdict.confidence);
        }
    }
}

}  // namespace

std::string prometheus_text(const RunState& state) {
    Exposition out(state.run_id);
    add_run(state, out);
    add_ranks(state, out);
    add_nodes(state, out);
    add_verdicts(state, out);
    return out.take();
}

}  // namespace rankscope::inline archive
