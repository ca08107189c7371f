// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/number_text.h>
#include <remote/ctl/attach_run.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/export_command.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/output.h>
#include <remote/ctl/run_job.h>
#include <remote/ctl/runs_compare.h>
#include <remote/ctl/runs_import.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/runs_list.h>
#include <remote/ctl/runs_log.h>
#include <remote/ctl/runs_on_nodes.h>
#include <remote/ctl/runs_prune.h>
#include <remote/ctl/runs_repair.h>
#include <remote/ctl/runs_trash.h>
#include <remote/ctl/sample_table.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/failure_bundle/run_redactor.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/run/metric_summary.h>
#include <remote/desk/runs/run/rank_memory.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/run/throughput.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

namespace rankscope::ctl {
namespace {

/// Six digits, as precise as a float: 0.0001, 1.5e-05, 93.25.
std::string number(double value) {
    return short_number_text(value, 6);
}

nlohmann::ordered_json metrics_json(const RunState& state) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const MetricSummary& metric : summarize_metrics(state)) {
        all.push_back({{"name", metric.name},
                       {"ranks", metric.ranks},
                       {"last", metric.last},
                       {"min", metric.min},
                       {"mean", metric.mean},
                       {"max", metric.max},
                       {"not_finite", metric.not_finite}});
    }
    return all;
}

void print_metrics(const RunState& state) {
    std::vector<std::vector<std::string>> rows{{"METRIC", "RANKS", "LAST", "MIN", "MEAN", "MAX"}};
    for (const MetricSummary& metric : summarize_metrics(state)) {
        rows.push_back({metric.name, ranks_text(metric.ranks, state.ranks.size()), number(metric.last),
                        number(metric.min), number(metric.mean), number(metric.max)});
    }
    if (rows.size() > 1) {
        std::printf("\nLast values, min to max across ranks:\n%s", format_table(rows).c_str());
    }
}

void print_throughput(const RunState& state) {
    const ThroughputReport report = throughput_of(state);
    if (report.empty()) {
        return;
    }
    std::printf("\n%s\n", throughput_line(report).c_str());
    const auto print = [](const char* name, const std::optional<ThroughputFigure>& figure) {
        if (figure) {
            std::printf("  %s: %s\n", name, safe_text(derivation(*figure)).c_str());
        }
    };
    print("images/s", report.images_per_s);
    print("samples/s", report.samples_per_s);
    print("tokens/s", report.tokens_per_s);
    print("steps/s", report.steps_per_s);
    print("MFU", report.mfu);
    for (const MissingThroughput& missing : report.missing) {
        std::printf("  %s\n", safe_text(to_sentence(missing)).c_str());
    }
}

// A dash where the rank never reported it; "nan" where it did.
std::string last_text(const RunState& state, const RankState& rank, const std::string& metric, double factor,
                      int decimals, const char* unit = "") {
    const auto id = state.metrics.find(metric);
    const auto value = id ? rank.last_of(*id) : std::nullopt;
    return value ? fixed_text(*value * factor, decimals) + unit : "-";
}

// Its own phase, unless a fault makes it something else.
std::string state_of(const RankState& rank, const FaultMarks& marks) {
    const auto at = static_cast<std::size_t>(rank.rank);
    const bool marked = rank.rank >= 0 && at < marks.ranks.size() && !marks.ranks[at].text.empty();
    return marked ? marks.ranks[at].text : to_string(rank.phase);
}

int show(const GlobalOptions& options, const std::string& run_id) {
    constexpr std::size_t kEvidence = 3;
    const auto run = open_run(options, run_id);
    if (!run) {
        return kUsage;
    }
    const auto& store = run->store;
    std::vector<RunRecord> one{run->record};
    const UnfinishedRuns unfinished = look_at_unfinished(options, store, one);
    const RunRecord* const record = &one.front();
    RunState state;
    state.set_plan(record->plan);
    if (auto replayed = store->replay(run_id,
                                      [&](const Event& event) {
                                          state.apply(event);
                                          return true;
                                      });
        !replayed) {
        report(replayed.failure(), options.json);
        return kUsage;
    }
    Redactor redactor = redactor_of(*record);
    const std::string job_yaml = shown_job(*record, redactor, "job");
    const RunMesh mesh = mesh_of(state.mesh, state.plan);
    if (options.json) {
        auto json = record_json(*record, {}, unfinished);
        json["plan"] = to_json(record->plan);
        redactor.redact(json["plan"], "plan");
        json["job"] = job_yaml;
        json["versions"] = nlohmann::ordered_json::object();
        if (const auto known_nodes = store->facts_of(run_id)) {
            for (const auto& [node, known] : *known_nodes) {
                json["versions"][node] = known.versions;
            }
        }
        json["diagnoses"] = nlohmann::ordered_json::array();
        for (const auto& diagnosis : state.diagnoses) {
            json["diagnoses"].push_back(body_json(diagnosis));
        }
        for (const auto& verdict : state.live_verdicts) {
            json["diagnoses"].push_back(body_json(verdict));
        }
        if (!mesh.empty()) {
            json["mesh"] = mesh_text(mesh);
        }
        for (const auto& rank : state.ranks) {
            json["ranks"].push_back({{"rank", rank.rank},
                                     {"node", rank.node},
                                     {"phase", to_string(rank.phase)},
                                     {"step", rank.step},
                                     {"loss", rank.loss},
                                     {"acc1", rank.acc1},
                                     {"params", rank.params}});
            if (const std::string place = place_text(mesh, rank.rank); !place.empty()) {
                json["ranks"].back()["place"] = place;
            }
        }
        json["marks"] = read_ordered_json(marks_json(fault_marks(state)));
        json["throughput"] = to_json(throughput_of(state));
        json["metrics"] = metrics_json(state);
        json["samples"] = samples_json(state);
        std::printf("%s\n", json_line(json).c_str());
        return kDone;
    }
    std::printf("%s  %s  %s  started %s, lasted %s\n%s\n", record->run_id.c_str(),
                safe_text(record->name).c_str(), outcome_text(*record, unfinished).c_str(),
                local_time_text(record->started_us).c_str(), lasted(*record, unfinished).c_str(),
                safe_text(record->summary).c_str());
    if (!record->parent.empty()) {
        std::printf("started from %s\n", record->parent.c_str());
    }
    if (record->plan.code) {
        std::printf("code: %s\n", safe_text(code_text(*record->plan.code)).c_str());
    }
    const auto facts = store->facts_of(run_id);
    for (const auto& line : facts ? version_lines(*facts) : std::vector<std::string>()) {
        std::printf("%s\n", safe_text(line).c_str());
    }
    if (!mesh.empty()) {
        std::printf("mesh: %s\n", safe_text(mesh_text(mesh)).c_str());
    }
    const FaultMarks marks = fault_marks(state);
    if (const std::string line = marks.line(); !line.empty()) {
        std::printf("  %s\n", safe_text(line).c_str());
    }
    for (const auto* verdicts : {&state.diagnoses, &state.live_verdicts}) {
        for (const auto& verdict : *verdicts) {
            std::printf("  %s: %s\n", verdict.id.str().c_str(), safe_text(said(verdict)).c_str());
            std::size_t shown = 0;
            for (const auto& evidence : verdict.evidence) {
                if (!evidence.file.empty() && shown++ < kEvidence) {
                    std::printf("    | %s:%lld: %s\n", safe_text(evidence.file).c_str(),
                                static_cast<long long>(evidence.line), safe_text(evidence.text).c_str());
                }
            }
            for (const auto& fix : verdict.fix) {
                std::printf("  -> %s\n", safe_text(fix).c_str());
            }
        }
    }
    std::puts("");
    std::vector<std::vector<std::string>> rows{{"RANK", "NODE", "DEVICE", "PHASE", "STEP", "LOSS", "ACC"}};
    if (!mesh.empty()) {
        rows.front().emplace_back("PLACE");
    }
    for (const auto& rank : state.ranks) {
        rows.push_back({std::to_string(rank.rank), rank.node, rank.device, state_of(rank, marks),
                        rank.step >= 0 ? std::to_string(rank.step) : "-",
                        last_text(state, rank, "loss", 1, 4), last_text(state, rank, "acc1", 100, 2, " %")});
        if (!mesh.empty()) {
            rows.back().push_back(place_text(mesh, rank.rank));
        }
    }
    std::fputs(format_table(rows).c_str(), stdout);
    // Ranks of one stage, or all, have the same.
    std::map<std::string, std::vector<int>> ranks_of;
    for (const auto& rank : state.ranks) {
        ranks_of[rank_memory_text(state, rank, mesh)].push_back(rank.rank);
    }
    ranks_of.erase("");
    std::map<std::vector<int>, std::string> memories;
    for (const auto& [memory, ranks] : ranks_of) {
        memories.emplace(ranks, memory);
    }
    for (const auto& [ranks, memory] : memories) {
        std::printf("%s: %s\n", ranks_text(ranks, state.ranks.size()).c_str(), safe_text(memory).c_str());
    }
    print_throughput(state);
    print_metrics(state);
    if (!state.samples.empty()) {
        std::printf("\n%s", format_samples(state).c_str());
    }
    for (const auto& point : state.validations) {
        if (point.epoch >= 0) {
            std::printf("epoch %s: ", fixed_text(point.epoch, 0).c_str());
        }
        std::printf("validation accuracy %s %%", fixed_text(point.acc1 * 100, 2).c_str());
        if (!std::isnan(point.loss)) {
            std::printf(", loss %s", fixed_text(point.loss, 4).c_str());
        }
        std::puts("");
    }
    if (const auto& cost = state.plan.cost; cost && cost->published_accuracy) {
        std::puts(published_text(*cost->published_accuracy).c_str());
    }
    std::printf("\n%s", job_yaml.c_str());
    return kDone;
}

int diff(const GlobalOptions& options, const std::string& run_id) {
    const auto run = open_run(options, run_id);
    if (!run) {
        return kUsage;
    }
    const auto& code = run->record.plan.code;
    if (options.json) {
        print_json(code ? to_json(*code) : nlohmann::json());
    } else if (code) {
        std::fprintf(stderr, "%s\n", safe_text(code_text(*code)).c_str());
        std::fputs(code->diff.c_str(), stdout);
        if (const std::string note = diff_note(*code); !note.empty()) {
            std::fprintf(stderr, "%s\n", note.c_str());
        }
    } else {
        std::fprintf(stderr, "%s\n", no_code_text().c_str());
    }
    return kDone;
}

int rerun(const GlobalOptions& options, const std::string& run_id, const std::vector<std::string>& changes,
          const RunOptions& how) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    auto record = store->run(run_id);
    auto yaml = record ? with_assignments(record->job_yaml, changes) : Result<std::string>(record.failure());
    if (!yaml) {
        report(yaml.failure(), options.json);
        return kUsage;
    }
    RunOptions again = how;
    again.parent = run_id;
    return run_job(options, parse_job(*yaml, record->name + ".yaml"), again);
}

}  // namespace

void add_runs_commands(CLI::App& app, GlobalOptions& options, int& code) {
    auto* runs = app.add_subcommand("runs", "Runs of the store: finished ones and those that continue");
    runs->require_subcommand(1);
    auto nodes = std::make_shared<std::vector<std::string>>();
    auto* listing = add_list_command(*runs, options, code, nodes);
    listing->add_option("nodes", *nodes, "Names");
    auto run_id = std::make_shared<std::string>();
    const auto add = [&](const char* name, const char* description, auto action) {
        auto* command = runs->add_subcommand(name, description);
        command->add_option("run", *run_id, "Id, as `runs list` shows it")->required();
        command->callback([&code, action] { code = action(); });
        return command;
    };
    const auto with_nodes = [nodes](CLI::App* command) {
        command->add_option("--node", *nodes, "A node of it, for a run that another computer started");
        return command;
    };
    add("show", "Plan, ranks and end of one", [&options, run_id] { return show(options, *run_id); });
    add("diff", "What its code had changed since the commit in git, as git diff prints it",
        [&options, run_id] { return diff(options, *run_id); });
    add_log_command(*runs, options, code);
    add_export_command(*runs, options, code);
    add_label_command(*runs, options, code);
    add_compare_command(*runs, options, code);
    add_trash_commands(*runs, options, code);
    add_prune_command(*runs, options, code);
    add_repair_command(*runs, options, code);
    auto attached = std::make_shared<AttachOptions>();
    auto* attach = with_nodes(
        add("attach", "Watch one from its first event on. Ctrl-C, SIGTERM and SIGHUP leave it running",
            [&options, run_id, nodes, attached] {
                return nodes->empty() ? attach_run(options, *run_id, *attached)
                                      : attach_on_nodes(options, *run_id, *nodes, *attached);
            }));
    attach->add_flag("--logs", attached->logs, "Show the ranks' stdout too");
    add_notify_options(*attach, attached->notify);
    attach->add_option(
        "--log-limit", attached->log_limit_mb,
        "MB of the ranks' output to keep from now on; beyond it a few lines per second and rank");
    const auto add_stop = [&](const char* name, const char* description, StopKind kind) {
        with_nodes(add(name, description, [&options, run_id, nodes, kind] {
            return nodes->empty() ? stop_run(options, *run_id, kind)
                                  : stop_on_nodes(options, *run_id, *nodes, kind);
        }));
    };
    add_stop("stop", "SIGTERM, grace, SIGKILL on all its nodes", StopKind::Graceful);
    add_stop("kill", "SIGKILL on all its nodes", StopKind::Force);
    add("pause", "Stop all its processes for a while (SIGSTOP); memory and GPUs stay taken",
        [&options, run_id] { return pause_run(options, *run_id, PauseAction::Pause); });
    add("continue", "Let a paused one continue",
        [&options, run_id] { return pause_run(options, *run_id, PauseAction::Continue); });
    auto change = std::make_shared<NcclLevelChange>();
    auto* nccl = with_nodes(
        add("nccl-level", "Observe more or less of NCCL from now on, where nccl_profiler is not off",
            [&options, run_id, nodes, change] { return set_nccl_level(options, *run_id, *nodes, *change); }));
    nccl->add_option("level", change->level, "pause, light, auto or full")
        ->required()
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, std::uint32_t>{{"pause", 0}, {"light", 1}, {"auto", 2}, {"full", 3}}));
    nccl->add_option("--rank", change->ranks, "These ranks; without it, all")->check(CLI::NonNegativeNumber);
    auto file = std::make_shared<std::string>();
    auto* importing =
        runs->add_subcommand("import",
                             "Add runs from elsewhere: a failure bundle (`rankscopectl bundle`), a folder of "
                             "TensorBoard event files, logs (files, folders of torchrun, archives)");
    importing->add_option("path", *file, "The file or folder")->required();
    importing->callback([&options, &code, file] { code = import_into_store(options, *file); });
    auto changes = std::make_shared<std::vector<std::string>>();
    auto how = std::make_shared<RunOptions>();
    auto* again = add("rerun", "Start its job again, with changes if wanted",
                      [=, &options] { return rerun(options, *run_id, *changes, *how); });
    again->add_option("--set", *changes, "key=value of the job, levels with dots: train.optimizer.lr=0.01")
        ->allow_extra_args(false);
    add_run_options(*again, *how);
}

}  // namespace rankscope::ctl
