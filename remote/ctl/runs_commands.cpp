// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/text.h>
#include <remote/ctl/attach_run.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/export_command.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/ctl/run_job.h>
#include <remote/ctl/runs_import.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/runs_on_nodes.h>
#include <remote/ctl/runs_prune.h>
#include <remote/ctl/sample_table.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/config/job_edit.h>
#include <remote/desk/config/secret_env.h>
#include <remote/desk/run/metric_summary.h>
#include <remote/desk/run/run_state.h>
#include <remote/desk/store/run_filter.h>
#include <remote/desk/text.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <memory>

namespace rankscope::ctl {
namespace {

std::string lasted(const RunRecord& record) {
    const std::int64_t end = record.ended_us != 0 ? record.ended_us : now_us();
    return std::to_string((end - record.started_us + 500000) / 1000000) + " s";
}

nlohmann::ordered_json to_json(const RunRecord& record, const RunLabels& labels = {}) {
    return {
        {"run", record.run_id},
        {"name", record.name},
        {"started", static_cast<double>(record.started_us) / 1e6},
        {"ended", record.ended_us == 0 ? nlohmann::ordered_json(nullptr)
                                       : nlohmann::ordered_json(static_cast<double>(record.ended_us) / 1e6)},
        {"outcome", to_string(record.outcome)},
        {"exit_code", record.exit_code},
        {"summary", record.summary},
        {"world_size", record.world_size},
        {"nodes", record.nodes},
        {"starred", labels.starred},
        {"tags", labels.tags},
        {"group", labels.group},
        {"note", labels.note}};
}

// "*, group lr-sweep, baseline".
std::string label_text(const RunLabels& labels) {
    std::vector<std::string> words;
    if (labels.starred) {
        words.emplace_back("*");
    }
    if (!labels.group.empty()) {
        words.push_back("group " + labels.group);
    }
    words.insert(words.end(), labels.tags.begin(), labels.tags.end());
    return safe_text(joined(words));
}

int list(const GlobalOptions& options, const RunFilter& filter) {
    const auto store = open_store(options);
    auto runs = store ? store->runs() : Result<std::vector<RunRecord>>(std::vector<RunRecord>());
    if (!store || !runs) {
        return kUsage;
    }
    if (deliver_recorded_stops(options, *store, {})) {
        runs = store->runs();
    }
    const bool any = !runs->empty();
    auto labels = labels_of_runs(options);
    std::erase_if(*runs, [&](const RunRecord& run) { return !filter.fits(run, labels[run.run_id]); });
    if (options.json) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const auto& record : *runs) {
            all.push_back(to_json(record, labels[record.run_id]));
        }
        std::printf("%s\n", nlohmann::ordered_json{{"runs", all}}.dump().c_str());
        return kDone;
    }
    if (runs->empty()) {
        std::puts(any ? "No run fits." : "No runs yet. Start one: rankscopectl run JOB");
        return kDone;
    }
    std::vector<std::vector<std::string>> rows{
        {"RUN", "NAME", "STARTED", "LASTED", "RANKS", "NODES", "OUTCOME", "LABELS"}};
    for (const auto& record : *runs) {
        rows.push_back({record.run_id, record.name, local_time_text(record.started_us), lasted(record),
                        std::to_string(record.world_size), record.nodes, to_string(record.outcome),
                        label_text(labels[record.run_id])});
    }
    std::fputs(format_table(rows).c_str(), stdout);
    return kDone;
}

/// Six digits, as precise as a float: 0.0001, 1.5e-05, 93.25.
std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
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

int show(const GlobalOptions& options, const std::string& run_id) {
    constexpr std::size_t kEvidence = 3;
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    auto record = store->run(run_id);
    if (!record) {
        report(record.failure(), options.json);
        return kUsage;
    }
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
    // Runs of earlier versions were stored with their secrets.
    const std::string job_yaml =
        with_masked_secrets(record->job_yaml, parse_job(record->job_yaml, record->name).job);
    if (options.json) {
        auto json = to_json(*record);
        json["plan"] = nlohmann::ordered_json::parse(to_json(record->plan).dump());
        json["job"] = job_yaml;
        json["diagnoses"] = nlohmann::ordered_json::array();
        for (const auto& diagnosis : state.diagnoses) {
            json["diagnoses"].push_back(body_json(diagnosis));
        }
        for (const auto& verdict : state.live_verdicts) {
            json["diagnoses"].push_back(body_json(verdict));
        }
        for (const auto& rank : state.ranks) {
            json["ranks"].push_back({{"rank", rank.rank},
                                     {"node", rank.node},
                                     {"phase", to_string(rank.phase)},
                                     {"step", rank.step},
                                     {"loss", rank.loss},
                                     {"acc1", rank.acc1},
                                     {"params", rank.params}});
        }
        json["metrics"] = metrics_json(state);
        json["samples"] = samples_json(state);
        std::printf("%s\n", json.dump().c_str());
        return kDone;
    }
    std::printf("%s  %s  %s  started %s, lasted %s\n%s\n", record->run_id.c_str(),
                safe_text(record->name).c_str(), to_string(record->outcome),
                local_time_text(record->started_us).c_str(), lasted(*record).c_str(),
                safe_text(record->summary).c_str());
    for (const auto* verdicts : {&state.diagnoses, &state.live_verdicts}) {
        for (const auto& verdict : *verdicts) {
            std::printf("  %s: %s\n", verdict.id.str().c_str(), safe_text(verdict.title).c_str());
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
    for (const auto& rank : state.ranks) {
        char loss[32];
        char accuracy[32];
        std::snprintf(loss, sizeof loss, "%.4f", rank.loss);
        std::snprintf(accuracy, sizeof accuracy, "%.2f %%", rank.acc1 * 100);
        rows.push_back({std::to_string(rank.rank), rank.node, rank.device, to_string(rank.phase),
                        std::to_string(rank.step), loss, accuracy});
    }
    std::fputs(format_table(rows).c_str(), stdout);
    print_metrics(state);
    if (!state.samples.empty()) {
        std::printf("\n%s", format_samples(state).c_str());
    }
    for (const auto& point : state.validations) {
        if (point.epoch >= 0) {
            std::printf("epoch %.0f: ", point.epoch);
        }
        std::printf("validation accuracy %.2f %%, loss %.4f\n", point.acc1 * 100, point.loss);
    }
    std::printf("\n%s", job_yaml.c_str());
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
    return run_job(options, parse_job(*yaml, record->name + ".yaml"), how);
}

}  // namespace

void add_runs_commands(CLI::App& app, GlobalOptions& options, int& code) {
    auto* runs = app.add_subcommand("runs", "Runs of the store: finished ones and those that continue");
    runs->require_subcommand(1);
    auto nodes = std::make_shared<std::vector<std::string>>();
    auto filter = std::make_shared<RunFilter>();
    auto* listing =
        runs->add_subcommand("list", "Show them, newest first; with nodes, the runs that are on these");
    listing->callback([&options, &code, nodes, filter] {
        code = nodes->empty() ? list(options, *filter) : list_on_nodes(options, *nodes);
    });
    listing->add_option("nodes", *nodes, "Names");
    listing
        ->add_option("--search", filter->words,
                     "Only runs with this in their id, name, nodes, labels or job; may be repeated")
        ->allow_extra_args(false);
    listing->add_option("--tag", filter->tags, "Only runs with this tag; may be repeated")
        ->allow_extra_args(false);
    listing->add_option("--group", filter->group, "Only runs of this group");
    listing->add_flag("--starred", filter->starred, "Only starred ones");
    auto run_id = std::make_shared<std::string>();
    auto logs = std::make_shared<bool>(false);
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
    add_export_command(*runs, options, code);
    add_label_command(*runs, options, code);
    add_prune_command(*runs, options, code);
    with_nodes(add("attach", "Watch one from its first event on. Ctrl-C, SIGTERM and SIGHUP leave it running",
                   [&options, run_id, logs, nodes] {
                       return nodes->empty() ? attach_run(options, *run_id, *logs)
                                             : attach_on_nodes(options, *run_id, *nodes, *logs);
                   }))
        ->add_flag("--logs", *logs, "Show the ranks' stdout too");
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
