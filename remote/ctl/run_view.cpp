// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/run_view.h>
#include <remote/desk/node/agent_failures.h>
#include <remote/wire/event_json.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ctl {
namespace {

constexpr std::size_t kRanksInLine = 8;

std::string number(double value, const char* format) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

std::string duration(double seconds) {
    if (seconds < 0) {
        return "?";
    }
    const auto whole = static_cast<long>(seconds + 0.5);
    if (whole < 60) {
        return std::to_string(whole) + " s";
    }
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

void RunView::plan(const LaunchPlan& plan) {
    const bool first = state_.ranks.empty();
    state_.set_plan(plan);
    if (!options_.json && first) {
        std::printf("%s: %d rank%s on %zu node%s\n", plan.job_name.c_str(), plan.world_size,
                    plan.world_size == 1 ? "" : "s", plan.nodes.size(), plan.nodes.size() == 1 ? "" : "s");
        std::fflush(stdout);
    }
}

void RunView::event(const Event& event) {
    state_.apply(event);
    if (options_.json) {
        std::printf("%s\n", to_json_line(event).c_str());
        std::fflush(stdout);
        return;
    }
    if (const auto* stage_event = event.as<StageEvent>()) {
        stage(event, *stage_event);
    } else if (const auto* log_event = event.as<LogEvent>()) {
        log(event, *log_event);
    } else if (const auto* link_event = event.as<LinkEvent>()) {
        link(event, *link_event);
    } else if (const auto* diagnosis = event.as<DiagnosisEvent>();
               diagnosis != nullptr && !event.node.empty()) {
        std::printf("  %s\n", diagnosis->title.c_str());
        for (const auto& fix : diagnosis->fix) {
            std::printf("    %s\n", fix.c_str());
        }
    } else if (const auto* metric = event.as<MetricEvent>()) {
        if (metric->has("val_acc1") && event.rank == 0) {
            std::printf("  epoch %.0f: validation accuracy %.2f %%, loss %.4f\n", metric->epoch,
                        metric->value("val_acc1") * 100, metric->value("val_loss"));
        } else {
            progress(event);
        }
    } else if (const auto* exit = event.as<ExitEvent>();
               exit != nullptr && !exit->requested && (exit->code != 0 || exit->signal != 0)) {
        std::printf("  rank %d on %s %s\n", event.rank, event.node.c_str(), describe_exit(*exit).c_str());
    }
    std::fflush(stdout);
}

void RunView::stage(const Event& event, const StageEvent& stage) {
    if (stage.name == "note") {
        std::printf("  %s%s\n", event.node.empty() ? "" : (event.node + ": ").c_str(), stage.detail.c_str());
        return;
    }
    if (stage.name == "pause" || stage.name == "continue") {
        std::printf("  %s: %s\n", event.node.c_str(), stage.name == "pause" ? "paused" : "goes on");
        return;
    }
    if (stage.name == "restart") {
        if (stage.status == StageStatus::Done) {
            std::printf("  %s: all ranks start again (%s)\n", event.node.c_str(), stage.detail.c_str());
        }
        return;
    }
    if (stage.status == StageStatus::Failed) {
        std::printf("  %-11s failed: %s\n", stage.name.c_str(), stage.detail.c_str());
        return;
    }
    if (stage.name == "queue") {
        if (!stage.detail.empty()) {
            std::printf("  %-11s %s\n", stage.name.c_str(), stage.detail.c_str());
        }
        return;
    }
    if (stage.status == StageStatus::Done && event.node.empty()) {
        const auto it = std::find_if(state_.stages.begin(), state_.stages.end(),
                                     [&](const StageState& entry) { return entry.name == stage.name; });
        if (it != state_.stages.end()) {
            std::printf("  %-11s %6.0f ms   (%.2f s after start)\n", stage.name.c_str(),
                        static_cast<double>(it->end_us - it->begin_us) / 1e3,
                        static_cast<double>(it->end_us - state_.start_us) / 1e6);
        }
    } else if (event.node.empty() && (!stage.waiting_for.empty() || stage.failed_dial)) {
        std::printf("  %-11s %s\n", stage.name.c_str(), stage.detail.c_str());
    } else if (!stage.detail.empty() && stage.progress >= 0 && stage.status == StageStatus::Progress &&
               (stage.name == "push" || stage.name == "connect" || stage.name == "data")) {
        // Whole tens only: a terminal that scrolls is no progress bar.
        const std::string line =
            event.node + stage.name + std::to_string(static_cast<int>(stage.progress * 10));
        if (line != last_push_line_) {
            last_push_line_ = line;
            std::printf("  %s%s\n", event.node.empty() ? "" : (event.node + ": ").c_str(),
                        stage.detail.c_str());
        }
    }
}

void RunView::link(const Event& event, const LinkEvent& link) {
    const auto seconds = [](std::int64_t us) { return std::to_string((us + 500000) / 1000000); };
    const std::string silent =
        link.last_seen_us == 0 ? "" : " for " + seconds(event.t_us - link.last_seen_us) + " s";
    std::string line;
    switch (link.state) {
        case LinkState::Linked:
            line = "connected again";
            break;
        case LinkState::Silent:
            line = "no answer" + silent;
            break;
        case LinkState::Retrying:
            line = (link.failure.empty() ? "connection lost" : link.failure + ' ' + link.remedy) +
                   " The run continues there; trying again";
            line += link.retry_at_us - event.t_us < 1'000'000
                        ? ""
                        : " in " + seconds(link.retry_at_us - event.t_us) + " s";
            break;
        case LinkState::PresumedLost:
            line = "presumed lost: no answer" + silent;
            break;
        case LinkState::Ended:
            return;
    }
    std::printf("  %s: %s\n", link.node.c_str(), line.c_str());
}

void RunView::log(const Event& event, const LogEvent& log) {
    if (!log.is_stderr && !options_.logs) {
        return;
    }
    std::size_t begin = 0;
    while (begin < log.text.size()) {
        const auto end = std::min(log.text.find('\n', begin), log.text.size());
        std::printf("  [rank %d] %s\n", event.rank, log.text.substr(begin, end - begin).c_str());
        begin = end + 1;
    }
}

void RunView::progress(const Event& event) {
    if (event.t_us - last_progress_us_ < 1'000'000) {
        return;
    }
    last_progress_us_ = event.t_us;
    std::string line = "  ";
    if (state_.epochs > 0 && state_.steps_per_epoch > 0 && !state_.ranks.empty()) {
        line += "epoch " + number(std::max(1.0, state_.ranks.front().epoch), "%.0f") + '/' +
                std::to_string(state_.epochs) + "  ";
    }
    std::size_t shown = 0;
    for (const auto& rank : state_.ranks) {
        if (rank.step < 0 || shown == kRanksInLine) {
            continue;
        }
        ++shown;
        line += "rank " + std::to_string(rank.rank) + ": step " + std::to_string(rank.step) + " loss " +
                number(rank.loss, "%.4f");
        if (std::isfinite(rank.acc1)) {
            line += " acc " + number(rank.acc1 * 100, "%.1f") + " %";
        }
        line += "  ";
    }
    if (state_.ranks.size() > kRanksInLine) {
        line += "… ";
    }
    if (const double speed = state_.images_per_s(); std::isfinite(speed)) {
        line += number(speed, "%.0f") + " images/s  ";
    }
    if (const double eta = state_.eta_s(); eta >= 0) {
        line += "ETA " + duration(eta);
    }
    std::printf("%s\n", line.c_str());
}

void RunView::summary() const {
    if (options_.json || !state_.end) {
        return;
    }
    const EndEvent& end = *state_.end;
    std::printf("%s in %s: %s\n", to_string(end.outcome),
                duration(static_cast<double>(state_.last_us - state_.start_us) / 1e6).c_str(),
                end.detail.c_str());
    if (!state_.validations.empty()) {
        const auto& last = state_.validations.back();
        std::printf("  validation accuracy %.2f %%", last.acc1 * 100);
        if (last.epoch >= 0) {
            std::printf(" after epoch %.0f", last.epoch);
        }
        std::printf("\n");
    }
    std::set<std::string> parameters;
    for (const auto& rank : state_.ranks) {
        if (!rank.params.empty()) {
            parameters.insert(rank.params);
        }
    }
    if (parameters.size() == 1 && end.outcome == Outcome::Done) {
        std::printf("  parameters %s, the same on all ranks\n", parameters.begin()->c_str());
    } else if (parameters.size() > 1) {
        std::printf("  parameters DIFFER between ranks: %zu checksums\n", parameters.size());
    }
    if (end.has_culprit) {
        for (const auto& line : end.culprit.last_lines) {
            std::printf("    | %s\n", line.c_str());
        }
    }
    std::fflush(stdout);
}

}  // namespace rankscope::ctl
