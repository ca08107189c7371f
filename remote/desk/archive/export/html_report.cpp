// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/desk/archive/export/html_report.h>
#include <remote/desk/archive/export/svg_plot.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <set>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "HtmlReport";
constexpr double kMicrosPerSecond = 1e6;
constexpr std::size_t kMostRanks = 1024;

// Colours of the curves: Okabe and Ito, for all kinds of colour vision.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5c6370; --back: #ffffff; --box: #f4f5f7; --line: #d9dce1;
  --good: #00795a; --bad: #b3261e; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --soft: #9aa2ad; --back: #17191c; --box: #212429;
  --line: #363b42; --good: #4cc38a; --bad: #ff8a80; --warn: #f2c35b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1360px; font: 15px/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--back); }
h1 { font-size: 26px; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 18px; margin: 32px 0 8px; }
h3 { font-size: 15px; margin: 0 0 4px; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.box { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; margin: 8px 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)); gap: 12px; }
.plots .box { margin: 0; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto;
  font: 13px/1.45 ui-monospace, monospace; margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; min-width: 40%; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } th { font-weight: 600; color: var(--soft); }
svg { width: 100%; height: auto; display: block; } svg text { font-size: 11px; fill: var(--soft); }
.key { white-space: nowrap; margin-right: 8px; } .key svg { display: inline-block; width: 10px; margin-right: 4px; }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .band { fill: #0072b2; fill-opacity: .22; }
svg polyline { fill: none; stroke-width: 1.4; stroke-linejoin: round; }
.c0 { stroke: #0072b2; } .c1 { stroke: #d55e00; } .c2 { stroke: #009e73; } .c3 { stroke: #cc79a7; }
.c4 { stroke: #56b4e9; } .c5 { stroke: #e69f00; } .c6 { stroke: #b0a000; } .c7 { stroke: #808080; }
.d0 { fill: #0072b2; } .d1 { fill: #d55e00; } .d2 { fill: #009e73; } .d3 { fill: #cc79a7; }
.d4 { fill: #56b4e9; } .d5 { fill: #e69f00; } .d6 { fill: #b0a000; } .d7 { fill: #808080; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 12px 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; } summary { cursor: pointer; }
@media print { body { max-width: none; padding: 0; } .box, pre { break-inside: avoid; } }
)";

std::string utc(std::int64_t t_us) {
    const std::time_t seconds = t_us / 1'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> buffer{};
    return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string lasted(double seconds) {
    constexpr long kMinute = 60;
    constexpr long kHour = 3600;
    if (seconds < static_cast<double>(kMinute)) {
        return short_number_text(std::max(seconds, 0.0), 3) + " s";
    }
    const auto whole = static_cast<long>(seconds);
    return whole < kHour
               ? std::to_string(whole / kMinute) + " min " + std::to_string(whole % kMinute) + " s"
               : std::to_string(whole / kHour) + " h " + std::to_string(whole % kHour / kMinute) + " min";
}

const char* outcome_class(Outcome outcome) {
    switch (outcome) {
        case Outcome::Done:
            return "good";
        case Outcome::Failed:
        case Outcome::Lost:
            return "bad";
        default:
            return "warn";
    }
}

class Page {
public:
    Page(const ReportContent& content, Redactor& redactor) : content_(content), redactor_(redactor) {}

    std::string make() {
        const auto& run = content_.run;
        const std::string title = safe(run.name.empty() ? run.run_id : run.name);
        out_ = "<!DOCTYPE html>\n<html lang=\"" + html_text(text(kContext, "en")) +
               "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
               "content=\"width=device-width\">\n<title>" +
               title + " – Rankscope</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n";
        add_head(title);
        add_verdicts();
        add_curves();
        add_ranks();
        add_failed_output();
        add_nodes();
        add_telemetry();
        add_start();
        add_configuration();
        out_ += "<p class=\"soft\">" +
                html_text(text(kContext, "Written by %1. Passwords, tokens and keys are replaced.",
                               {content_.program})) +
                "</p>\n</body>\n</html>\n";
        return std::move(out_);
    }

private:
    using Cell = std::pair<std::string, bool>;  ///< text, as HTML in rows; whether it is a number

    std::string safe(const std::string& value) {
        return html_text(as_utf8(redactor_.redact(value, "report")));
    }

    void heading(const std::string& title) { out_ += "<h2>" + html_text(title) + "</h2>\n"; }

    void define(const std::string& name, const std::string& html) {
        if (!html.empty()) {
            out_ += "<dt>" + html_text(name) + "</dt><dd>" + html + "</dd>\n";
        }
    }

    void begin_table(const std::vector<Cell>& columns) {
        out_ += "<div class=\"scroll\"><table><thead><tr>";
        for (const auto& [name, number] : columns) {
            out_ += std::string(number ? "<th class=\"n\">" : "<th>") + html_text(name) + "</th>";
        }
        out_ += "</tr></thead><tbody>\n";
    }
    void row(const std::vector<Cell>& cells) {
        out_ += "<tr>";
        for (const auto& [html, number] : cells) {
            out_ += (number ? "<td class=\"n\">" : "<td>") + html + "</td>";
        }
        out_ += "</tr>\n";
    }
    void end_table() { out_ += "</tbody></table></div>\n"; }

    void add_head(const std::string& title) {
        const auto& run = content_.run;
        const auto& state = content_.state;
        const std::int64_t end = run.ended_us > 0 ? run.ended_us : state.last_us;
        out_ += "<h1>" + title + " <span class=\"" + outcome_class(state.outcome) + "\">" +
                to_string(state.outcome) + "</span></h1>\n";
        if (!run.summary.empty()) {
            out_ += "<p>" + safe(run.summary) + "</p>\n";
        }
        out_ += "<dl>\n";
        define(text(kContext, "Run"), safe(run.run_id));
        define(text(kContext, "Started"), utc(run.started_us));
        define(text(kContext, "Lasted"),
               lasted(static_cast<double>(end - run.started_us) / kMicrosPerSecond));
        define(text(kContext, "World size"), std::to_string(run.world_size));
        define(text(kContext, "Nodes"), safe(run.nodes));
        define(text(kContext, "Backend"), safe(run.plan.backend));
        define(text(kContext, "Exit status"), state.end ? std::to_string(state.end->exit_code) : "");
        define(text(kContext, "Restarts"), state.restarts > 0 ? std::to_string(state.restarts) : "");
        out_ += "</dl>\n";
    }

    void add_verdict(const DiagnosisEvent& verdict) {
        out_ += "<div class=\"box\"><h3>" + safe(said(verdict)) + "</h3><div class=\"soft\">" +
                safe(verdict.id.str()) + ", " +
                html_text(text(kContext, "confidence %1", {short_number_text(verdict.confidence, 2)})) +
                "</div>\n";
        std::string lines;
        for (const auto& evidence : verdict.evidence) {
            const std::string place =
                evidence.file.empty() ? "" : evidence.file + ':' + std::to_string(evidence.line) + ": ";
            lines += (lines.empty() ? "" : "\n") + safe(place + evidence.text);
        }
        out_ += lines.empty() ? "" : "<pre>" + lines + "</pre>\n";
        if (!verdict.fix.empty()) {
            out_ += "<ol>\n";
            for (const auto& fix : verdict.fix) {
                out_ += "<li>" + safe(fix) + "</li>\n";
            }
            out_ += "</ol>\n";
        }
        out_ += "</div>\n";
    }

    void add_verdicts() {
        const auto& state = content_.state;
        if (state.diagnoses.empty() && state.live_verdicts.empty()) {
            return;
        }
        heading(text(kContext, "Diagnosis"));
        for (const auto* list : {&state.diagnoses, &state.live_verdicts}) {
            for (const auto& verdict : *list) {
                add_verdict(verdict);
            }
        }
    }

    void add_curves() {
        heading(text(kContext, "Curves"));
        const std::size_t before = out_.size();
        out_ += "<div class=\"plots\">\n";
        bool any = false;
        for (const auto& metric : content_.metrics) {
            const std::string plot = svg_plot(
                metric, metric.by_step ? text(kContext, "step") : text(kContext, "seconds since the start"));
            if (plot.empty() && metric.not_finite == 0) {
                continue;
            }
            any = true;
            out_ += "<div class=\"box\"><h3>" + safe(metric.name) + "</h3>" + plot + "<div class=\"soft\">" +
                    legend(metric) + "</div></div>\n";
        }
        out_ += "</div>\n";
        if (!any) {
            out_.resize(before);
            out_ +=
                "<p class=\"soft\">" + html_text(text(kContext, "The ranks reported no metrics.")) + "</p>\n";
        }
        if (content_.further_metrics > 0) {
            const std::string count = std::to_string(content_.further_metrics);
            const std::string note =
                content_.further_metrics < CurveBins::kMostCounted
                    ? text(kContext, "%1 further metrics are not drawn. The export as CSV has them.", {count})
                    : text(kContext,
                           "More than %1 further metrics are not drawn. The export as CSV has them.",
                           {count});
            out_ += "<p class=\"soft\">" + html_text(note) + "</p>\n";
        }
    }

    // HTML: a mark of each rank's colour.
    static std::string legend(const BinnedMetric& metric) {
        constexpr int kColours = 8;
        std::string html;
        if (metric.curves.size() == 1 && metric.curves.front().rank < 0) {
            html = html_text(text(kContext, "Mean of all ranks, with the smallest and the largest value."));
        } else {
            for (const auto& curve : metric.curves) {
                html += "<span class=\"key\"><svg viewBox=\"0 0 10 10\"><rect class=\"d" +
                        std::to_string(curve.rank % kColours) +
                        "\" width=\"10\" height=\"10\" rx=\"2\"/></svg>" +
                        html_text(text(kContext, "rank %1", {std::to_string(curve.rank)})) + "</span> ";
            }
        }
        if (metric.not_finite > 0) {
            html += "<div>" +
                    html_text(text(kContext, "Not drawn: %1 values that are not a number or infinite.",
                                   {std::to_string(metric.not_finite)})) +
                    "</div>";
        }
        return html;
    }

    void add_ranks() {
        const auto& state = content_.state;
        heading(text(kContext, "Ranks"));
        begin_table({{text(kContext, "Rank"), true},
                     {text(kContext, "Node"), false},
                     {text(kContext, "Device"), false},
                     {text(kContext, "State"), false},
                     {text(kContext, "Step"), true},
                     {text(kContext, "Last loss"), true},
                     {text(kContext, "End"), false}});
        for (const auto& rank : state.ranks) {
            if (static_cast<std::size_t>(rank.rank) >= kMostRanks) {
                break;
            }
            const bool clean = rank.exit && rank.exit->code == 0 && rank.exit->signal == 0;
            const std::string end = !rank.exit ? ""
                                    : clean && !rank.exit->reason.empty()
                                        ? rank.exit->reason  // of an imported run
                                    : rank.exit->signal != 0
                                        ? text(kContext, "signal %1", {std::to_string(rank.exit->signal)})
                                        : text(kContext, "exit status %1", {std::to_string(rank.exit->code)});
            row({{std::to_string(rank.rank), true},
                 {safe(rank.node), false},
                 {safe(rank.device), false},
                 {to_string(rank.phase), false},
                 {rank.step >= 0 ? std::to_string(rank.step) : "", true},
                 {std::isnan(rank.loss) ? "" : short_number_text(rank.loss), true},
                 {html_text(end), false}});
        }
        end_table();
        if (state.ranks.size() > kMostRanks) {
            out_ += "<p class=\"soft\">" +
                    html_text(text(kContext, "The first %1 of %2 ranks.",
                                   {std::to_string(kMostRanks), std::to_string(state.ranks.size())})) +
                    "</p>\n";
        }
    }

    // What ranks wrote last that failed by themselves.
    void add_failed_output() {
        constexpr std::size_t kMostShown = 4;
        std::size_t shown = 0;
        for (const auto& rank : content_.state.ranks) {
            if (!rank.exit || rank.exit->requested || (rank.exit->code == 0 && rank.exit->signal == 0) ||
                (rank.exit->last_lines.empty() && rank.exit->traceback.empty())) {
                continue;
            }
            if (++shown > kMostShown) {
                break;
            }
            const auto& lines = rank.exit->traceback.empty() ? rank.exit->last_lines : rank.exit->traceback;
            out_ += "<details><summary>" +
                    html_text(text(kContext, "Last lines of rank %1", {std::to_string(rank.rank)})) +
                    "</summary><pre>" + safe(joined(lines, "\n")) + "</pre></details>\n";
        }
    }

    void add_nodes() {
        if (content_.run.plan.nodes.empty()) {
            return;
        }
        heading(text(kContext, "Nodes"));
        begin_table({{text(kContext, "Node"), false},
                     {text(kContext, "Ranks"), true},
                     {text(kContext, "Address"), false},
                     {text(kContext, "GPUs"), false},
                     {text(kContext, "CPUs"), true},
                     {text(kContext, "System"), false},
                     {text(kContext, "Kernel"), false},
                     {"libc", false},
                     {text(kContext, "Agent"), false},
                     {text(kContext, "Libraries"), false}});
        for (const auto& node : content_.run.plan.nodes) {
            const auto found = content_.facts.find(node.node);
            const NodeFacts facts = found == content_.facts.end() ? NodeFacts{} : found->second;
            std::set<std::string> kinds;
            for (const auto& gpu : facts.gpus) {
                kinds.insert(gpu.name);
            }
            const std::string gpus =
                facts.gpus.empty() ? "" : std::to_string(facts.gpus.size()) + " × " + joined(kinds);
            row({{safe(node.node), false},
                 {std::to_string(node.local_world_size), true},
                 {safe(node.address), false},
                 {safe(gpus), false},
                 {facts.cpus > 0 ? std::to_string(facts.cpus) : "", true},
                 {safe(facts.os), false},
                 {safe(facts.kernel), false},
                 {safe(facts.libc), false},
                 {safe(facts.agent_version), false},
                 {safe(libraries_text(facts)), false}});
        }
        end_table();
    }

    void add_telemetry() {
        if (content_.state.samples.empty()) {
            return;
        }
        heading(text(kContext, "Telemetry"));
        out_ += "<details><summary>" + html_text(text(kContext, "Mean and largest value of every node")) +
                "</summary>\n";
        begin_table({{text(kContext, "Node"), false},
                     {text(kContext, "Value"), false},
                     {text(kContext, "Mean"), true},
                     {text(kContext, "Largest"), true},
                     {text(kContext, "Last"), true}});
        for (const auto& [node, samples] : content_.state.samples) {
            for (const auto& [key, value] : samples.values) {
                row({{safe(node), false},
                     {safe(key), false},
                     {short_number_text(value.mean()), true},
                     {short_number_text(value.most), true},
                     {short_number_text(value.last), true}});
            }
        }
        end_table();
        out_ += "</details>\n";
    }

    void add_start() {
        heading(text(kContext, "Start"));
        begin_table({{text(kContext, "Stage"), false},
                     {text(kContext, "State"), false},
                     {text(kContext, "Seconds"), true}});
        for (const auto& stage : content_.state.stages) {
            const std::string state = stage.failed  ? text(kContext, "failed")
                                      : stage.done  ? text(kContext, "done")
                                      : stage.begun ? text(kContext, "begun")
                                                    : text(kContext, "not reached");
            const bool timed = stage.begun && stage.end_us >= stage.begin_us && stage.end_us > 0;
            row({{html_text(to_string(stage.name)), false},
                 {html_text(state), false},
                 {timed ? short_number_text(
                              static_cast<double>(stage.end_us - stage.begin_us) / kMicrosPerSecond, 3)
                        : "",
                  true}});
        }
        end_table();
    }

    void add_configuration() {
        heading(text(kContext, "Job"));
        out_ += "<pre>" + safe(content_.job_yaml) + "</pre>\n";
        const auto& ranks = content_.run.plan.ranks;
        if (!ranks.empty()) {
            nlohmann::ordered_json env = ranks.front().env;
            redactor_.redact(env, "report");
            std::string variables;
            for (const auto& [name, value] : env.items()) {
                variables += (variables.empty() ? "" : "\n") + name + '=' + value.get<std::string>();
            }
            out_ += "<details><summary>" + html_text(text(kContext, "Environment of rank 0")) +
                    "</summary><pre>" + safe(variables) + "</pre></details>\n";
        }
    }

    const ReportContent& content_;
    Redactor& redactor_;
    std::string out_;
};

}  // namespace

std::string html_report(const ReportContent& content, Redactor& redactor) {
    return Page(content, redactor).make();
}

}  // namespace rankscope::inline archive
