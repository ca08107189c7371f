// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/run_view.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/run/throughput.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/wire/event_json.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ctl {
namespace {

constexpr std::size_t kRanksInLine = 8;

std::string padded(const std::string& stage) {
    constexpr std::size_t kWidth = 11;
    return stage + std::string(kWidth - std::min(kWidth, stage.size()), ' ');
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

// The end of the run says who is at fault, too.
std::string with_marks(const Event& event, const RunState& state) {
    const std::string line = to_json_line(event);
    const auto* end = event.as<EndEvent>();
    if (end == nullptr || !event.node.empty() || !line.ends_with('}')) {
        return line;
    }
    return line.substr(0, line.size() - 1) + ",\"marks\":" + marks_json(fault_marks(state)) + '}';
}

}  // namespace

RunView::RunView(Options options) : options_(options), columns_(terminal_columns(STDOUT_FILENO)) {}

void RunView::plan(const LaunchPlan& plan) {
    const bool first = state_.ranks.empty();
    const bool grows = !first && plan.ranks.size() > state_.ranks.size();
    state_.set_plan(plan);
    if (!options_.json && grows) {
        print("  programs have started ranks of their own: " + std::to_string(plan.world_size) + " ranks");
    }
    if (!options_.json && first) {
        std::printf("%s: %d rank%s on %zu node%s\n", plan.job_name.c_str(), plan.world_size,
                    plan.world_size == 1 ? "" : "s", plan.nodes.size(), plan.nodes.size() == 1 ? "" : "s");
        std::fflush(stdout);
    }
}

void RunView::event(const Event& event) {
    state_.apply(event);
    if (options_.json) {
        std::printf("%s\n", with_marks(event, state_).c_str());
        std::fflush(stdout);
        return;
    }
    if (const auto* stage_event = event.as<StageEvent>()) {
        stage(event, *stage_event);
    } else if (const auto* log_event = event.as<LogEvent>()) {
        log(event, *log_event);
    } else if (const auto* link_event = event.as<LinkEvent>()) {
        link(event, *link_event);
    } else if (const auto* notice = event.as<NoticeEvent>()) {
        print("  " + notice->title);
        for (const auto& fix : notice->fix) {
            print("    " + fix);
        }
    } else if (const auto* verdict = event.as<DiagnosisEvent>();
               verdict != nullptr && verdict->phase != VerdictPhase::End) {
        live_verdict(*verdict);
    } else if (const auto* metric = event.as<MetricEvent>()) {
        if (metric->has("val_acc1") && event.rank == 0) {
            std::string line = "  ";
            line +=
                metric->epoch >= 0 ? "epoch " + short_number_text(metric->epoch, 6) + ": " : std::string();
            line += "validation accuracy " + fixed_text(metric->value("val_acc1") * 100, 2) + " %";
            line += metric->has("val_loss") ? ", loss " + fixed_text(metric->value("val_loss"), 4)
                                            : std::string();
            print(line);
        } else {
            progress(event);
        }
    } else if (const auto* exit = event.as<ExitEvent>();
               exit != nullptr && !exit->requested && (exit->code != 0 || exit->signal != 0)) {
        const std::string who =
            exit->inner ? "rank " + std::to_string(event.rank) + " on " + event.node + " (process " +
                              std::to_string(exit->pid) + ", started by the program of rank " +
                              std::to_string(exit->outer_rank) + ')'
            : exit->program ? "the program of rank " + std::to_string(exit->outer_rank) + " on " + event.node
                            : "rank " + std::to_string(event.rank) + " on " + event.node;
        print("  " + who + ' ' + describe_exit(*exit));
    }
    std::fflush(stdout);
}

// The evidence stays in the store and in --json, apart from the lines that matter most.
void RunView::live_verdict(const DiagnosisEvent& verdict) const {
    constexpr std::size_t kEvidence = 12;
    if (verdict.phase == VerdictPhase::Over) {
        print((holds_the_run(verdict) ? "  the run makes progress again: " : "  ") + verdict.id.str() + ": " +
              over_sentence(verdict, state_.last_us));
        return;
    }
    const std::string since = verdict.since_us > 0 ? " (since " + time_of_day(verdict.since_us) + ')' : "";
    print("  " + verdict.id.str() + ": " + said(verdict) + since);
    for (std::size_t i = 0; i < std::min(kEvidence, verdict.evidence.size()); ++i) {
        print("    | " + verdict.evidence[i].text);
    }
    for (const auto& fix : verdict.fix) {
        print("    -> " + fix);
    }
}

void RunView::stage(const Event& event, const StageEvent& stage) {
    rendezvous_reported_ = rendezvous_reported_ || (event.rank >= 0 && stage.name == StageName::Rendezvous);
    if (stage.name == StageName::Note) {
        print("  " + (event.node.empty() ? "" : event.node + ": ") + stage.detail);
        return;
    }
    if (stage.name == StageName::Pause || stage.name == StageName::Continue) {
        print("  " + event.node + (stage.name == StageName::Pause ? ": paused" : ": continues"));
        return;
    }
    if (stage.name == StageName::Restart) {
        if (stage.status == StageStatus::Done) {
            print("  " + event.node + ": all ranks start again (" + stage.detail + ')');
        }
        return;
    }
    if (stage.status == StageStatus::Failed) {
        print("  " + padded(to_string(stage.name)) + " failed: " + stage.detail);
        return;
    }
    if (stage.name == StageName::Queue) {
        if (!stage.detail.empty()) {
            print("  " + padded(to_string(stage.name)) + ' ' + stage.detail);
        }
        return;
    }
    if (stage.status == StageStatus::Done && event.node.empty()) {
        const auto it = std::find_if(state_.stages.begin(), state_.stages.end(),
                                     [&](const StageState& entry) { return entry.name == stage.name; });
        if (it != state_.stages.end()) {
            // A program that does not say when it meets the others: its imports are in this time, too.
            const bool start_up = stage.name == StageName::Rendezvous && !rendezvous_reported_;
            std::printf("  %-11s %6s ms   (%s s after start)\n",
                        start_up ? "start-up" : to_string(stage.name),
                        fixed_text(static_cast<double>(it->end_us - it->begin_us) / 1e3, 0).c_str(),
                        fixed_text(static_cast<double>(it->end_us - state_.start_us) / 1e6, 2).c_str());
        }
    } else if (event.node.empty() && (!stage.waiting_for.empty() || stage.failed_dial)) {
        std::printf("  %-11s %s\n", to_string(stage.name), safe_text(stage.detail).c_str());
    } else if (!stage.detail.empty() && stage.progress >= 0 && stage.status == StageStatus::Progress &&
               (stage.name == StageName::Push || stage.name == StageName::Connect ||
                stage.name == StageName::Data)) {
        // Whole tens only: a terminal that scrolls is no progress bar.
        const std::string line =
            event.node + to_string(stage.name) + std::to_string(static_cast<int>(stage.progress * 10));
        if (line != last_push_line_) {
            last_push_line_ = line;
            print("  " + (event.node.empty() ? "" : event.node + ": ") + stage.detail);
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
            line = (link.failure.empty() ? "connection lost." : link.failure + ' ' + link.remedy) +
                   " What runs there may continue; trying again";
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
    print("  " + link.node + ": " + line);
}

void RunView::log(const Event& event, const LogEvent& log) {
    if (!log.is_stderr && !options_.logs) {
        return;
    }
    if (log.dropped_bytes > 0) {
        std::printf("  [rank %d] (%s MB of its output left out here: it writes more than is kept)\n",
                    event.rank, fixed_text(static_cast<double>(log.dropped_bytes) / 1e6, 1).c_str());
    }
    columns_ = terminal_columns(STDOUT_FILENO);  // the user may have changed its size
    std::string_view rest = log.text;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        print_quoted("  [rank " + std::to_string(event.rank) + "] ", rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

// A line of ours, which may quote what a node or another program said.
void RunView::print(const std::string& line) const {
    std::printf("%s\n", safe_text(line).c_str());
}

// What a rank wrote. On a terminal every line of it has the prefix, however long it is; elsewhere it is data.
void RunView::print_quoted(const std::string& prefix, std::string_view line) const {
    print_foreign_line(prefix, line, columns_);
}

void RunView::progress(const Event& event) {
    if (event.t_us - last_progress_us_ < 1'000'000) {
        return;
    }
    last_progress_us_ = event.t_us;
    std::string line = "  ";
    if (state_.epochs > 0 && state_.steps_per_epoch > 0 && !state_.ranks.empty()) {
        line += "epoch " + fixed_text(std::max(1.0, state_.ranks.front().epoch), 0) + '/' +
                std::to_string(state_.epochs) + "  ";
    }
    std::size_t shown = 0;
    for (const auto& rank : state_.ranks) {
        if (rank.step < 0 || shown == kRanksInLine) {
            continue;
        }
        ++shown;
        line += "rank " + std::to_string(rank.rank) + ": step " + std::to_string(rank.step);
        const auto loss = state_.metrics.find("loss");
        if (loss && rank.last_of(*loss)) {
            line += " loss " + fixed_text(*rank.last_of(*loss), 4);
        }
        if (std::isfinite(rank.acc1)) {
            line += " acc " + fixed_text(rank.acc1 * 100, 1) + " %";
        }
        line += "  ";
    }
    if (state_.ranks.size() > kRanksInLine) {
        line += "… ";
    }
    if (const std::string rates = throughput_line(throughput_of(state_)); !rates.empty()) {
        line += rates + "  ";
    }
    if (const double eta = state_.eta_s(); eta >= 0) {
        line += "ETA " + duration(eta);
    }
    std::printf("%s\n", line.c_str());
}

void RunView::summary() const {
    if (options_.json) {
        return;
    }
    if (!state_.end) {
        for (const auto& verdict : state_.live_verdicts) {
            live_verdict(verdict);
        }
        std::fflush(stdout);
        return;
    }
    const EndEvent& end = *state_.end;
    print(std::string(to_string(end.outcome)) + " in " +
          duration(static_cast<double>(state_.last_us - state_.start_us) / 1e6) + ": " + end.detail);
    if (const std::string marks = fault_marks(state_).line(); !marks.empty()) {
        print("  " + marks);
    }
    print_diagnoses();
    if (!state_.validations.empty()) {
        const auto& last = state_.validations.back();
        std::printf("  validation accuracy %s %%", fixed_text(last.acc1 * 100, 2).c_str());
        if (last.epoch >= 0) {
            std::printf(" after epoch %s", fixed_text(last.epoch, 0).c_str());
        }
        std::printf("\n");
        if (const auto& cost = state_.plan.cost; cost && cost->published_accuracy) {
            print("  " + published_text(*cost->published_accuracy));
        }
    }
    std::set<std::string> parameters;
    for (const auto& rank : state_.ranks) {
        if (!rank.params.empty()) {
            parameters.insert(rank.params);
        }
    }
    if (parameters.size() == 1 && end.outcome == Outcome::Done) {
        std::printf("  parameters %s, the same on all ranks\n", safe_text(*parameters.begin()).c_str());
    } else if (parameters.size() > 1) {
        std::printf("  parameters DIFFER between ranks: %zu checksums\n", parameters.size());
    }
    if (end.has_culprit) {
        for (const auto& line : end.culprit.last_lines) {
            for (const auto& piece : terminal_lines(line, columns_ > 0, quote_columns())) {
                std::printf("    | %s\n", piece.c_str());
            }
        }
    }
    std::fflush(stdout);
}

std::size_t RunView::quote_columns() const {
    constexpr std::size_t kPrefix = 6;
    return columns_ > kPrefix ? columns_ - kPrefix : columns_;
}

// What the sentence about the end does not say already.
void RunView::print_diagnoses() const {
    constexpr std::size_t kEvidence = 3;
    for (const auto& diagnosis : state_.diagnoses) {
        if (state_.end->detail.find(diagnosis.title) == std::string::npos) {
            print("  " + said(diagnosis));
        }
        std::size_t shown = 0;
        for (const auto& evidence : diagnosis.evidence) {
            if (!evidence.file.empty() && shown++ < kEvidence) {
                print("    | " + evidence.file + ':' + std::to_string(evidence.line) + ": " + evidence.text);
            }
        }
        for (const auto& fix : diagnosis.fix) {
            if (state_.end->detail.find(fix) == std::string::npos) {
                print("  -> " + fix);
            }
        }
    }
}

}  // namespace rankscope::ctl
