// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/preflight_text.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/preflight/preflight_json.h>
#include <remote/desk/runs/run/through_node.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/store/store_file.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/examination_report.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/run_examination.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/fold/rank_set.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "DoctorCommand";

using Json = nlohmann::ordered_json;

std::function<void(const std::string&)> progress_lines(const GlobalOptions& options) {
    if (options.json || ::isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [](const std::string& line) { std::fprintf(stderr, "%s\n", safe_text(line).c_str()); };
}

// ---- nodes: everything that a preflight inspects, for no job in particular ----

int doctor_nodes(const GlobalOptions& options, const std::vector<std::string>& nodes) {
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    SessionPool sessions;
    PreflightRequest request;
    request.inventory = std::move(*inventory);
    request.job = job_of_nodes(nodes);
    request.prompter = terminal_prompter(options);
    request.sessions = &sessions;
    request.progress = progress_lines(options);
    const auto found = run_preflight(request, interrupt.token());
    if (!found) {
        report(found.failure(), options.json);
        return found.failure().code == "cancelled" ? kStopped : kUsage;
    }
    if (options.json) {
        print_json(to_json(*found));
    } else {
        print_report(*found);
    }
    return any_failed(found->checks) ? kPreflight : kDone;
}

// ---- a run ----

void print_hang(const Verdict& verdict) {
    std::printf("%s  %s\n", verdict.id.str().c_str(), safe_text(said(verdict)).c_str());
    print_reasons(verdict);
}

Json json_of(const std::vector<Verdict>& verdicts) {
    Json list = Json::array();
    for (const auto& verdict : verdicts) {
        list.push_back(body_json(verdict));
    }
    return list;
}

void print_ranks(const RunExamination& found) {
    std::vector<std::vector<std::string>> rows{{"RANK", "NODE", "PID", "STATE", "CPU", "DOES", "WHERE"}};
    for (const auto& [rank, seen] : found.ranks) {
        const double share = seen.activity.cpu_share;
        rows.push_back({std::to_string(rank), seen.node,
                        seen.state.pid != 0 ? std::to_string(seen.state.pid) : "-",
                        seen.state.state.empty() ? "-" : seen.state.state,
                        share >= 0 ? std::to_string(std::lround(100 * share)) + " %" : "-",
                        to_string(seen.activity.kind),
                        seen.activity.line.empty() ? seen.activity.system_call : seen.activity.line});
    }
    std::printf("%s\n", format_table(rows).c_str());
}

std::string names_of(const std::set<int>& ranks) {
    const std::string numbers = logs::ranks_text(std::vector<int>(ranks.begin(), ranks.end()));
    return ranks.size() == 1 ? text(kContext, "rank %1", {numbers}) : text(kContext, "ranks %1", {numbers});
}

Json json_of(const RunExamination& found, const std::string& run_id) {
    Json ranks = Json::array();
    for (const auto& [rank, seen] : found.ranks) {
        ranks.push_back({{"rank", rank},
                         {"node", seen.node},
                         {"pid", seen.state.pid},
                         {"state", seen.state.state},
                         {"does", to_string(seen.activity.kind)},
                         {"certain", seen.activity.certain},
                         {"cpu_share", seen.activity.cpu_share},
                         {"system_call", seen.activity.system_call},
                         {"wait_channel", seen.state.wait_channel},
                         {"line", seen.activity.line},
                         {"python_stack", seen.state.python_stack},
                         {"native_stack", seen.state.native_stack}});
    }
    Json unreachable = Json::array();
    for (const auto& [node, failure] : found.unreachable) {
        unreachable.push_back({{"node", node}, {"id", failure.code.str()}, {"what", failure.what}});
    }
    const Json report = found.paths ? to_json(*found.paths) : Json::object();
    std::vector<Verdict> verdicts;
    if (found.verdict) {
        verdicts.push_back(*found.verdict);
    }
    return {{"run", run_id},          {"diagnoses", json_of(verdicts)},
            {"ranks", ranks},         {"unreachable", unreachable},
            {"unseen", found.unseen}, {"checks", report.value("checks", Json::array())}};
}

int print_examination(const RunExamination& found, const std::string& run_id, bool json) {
    const bool faults = found.verdict || !found.unreachable.empty() || !found.unseen.empty() ||
                        (found.paths && any_failed(found.paths->checks));
    if (json) {
        print_json(json_of(found, run_id));
        return faults ? kPreflight : kDone;
    }
    print_ranks(found);
    for (const auto& [node, failure] : found.unreachable) {
        std::printf("%s: %s\n", node.c_str(), safe_text(to_line(failure)).c_str());
    }
    if (found.verdict) {
        print_hang(*found.verdict);
    } else if (found.unseen.empty()) {
        std::printf("%s\n", text(kContext, "Nothing holds the ranks.").c_str());
    } else {
        std::printf("%s\n",
                    text(kContext, "No cause is seen. Not inspected: %1.", {names_of(found.unseen)}).c_str());
    }
    if (found.paths) {
        for (const auto& check : found.paths->checks) {
            if (check.status == CheckStatus::Fail || check.status == CheckStatus::Warn) {
                print_check(check);
            }
        }
    }
    return faults ? kPreflight : kDone;
}

int doctor_run(const GlobalOptions& options, const RunStore& store, const RunRecord& record) {
    if (record.outcome != Outcome::Running) {
        const auto verdicts = stored_verdicts(store, record.run_id);
        const auto kept = stored_report(file_of(store), record.run_id);
        const KeptReport* report = kept ? kept->get() : nullptr;
        if (options.json) {
            Json json{{"run", record.run_id},
                      {"outcome", to_string(record.outcome)},
                      {"summary", record.summary},
                      {"diagnoses", json_of(verdicts)}};
            json["checks"] = report != nullptr ? to_json(report->report)["checks"] : Json::array();
            print_json(json);
        } else {
            std::printf("%s: %s\n", to_string(record.outcome), safe_text(record.summary).c_str());
            for (const auto& check : report_of(verdicts, report, record.plan).checks) {
                if (check.status == CheckStatus::Fail || check.status == CheckStatus::Warn) {
                    print_check(check);
                }
            }
        }
        return verdicts.empty() ? kDone : kPreflight;
    }
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    ExaminationRequest request;
    request.run_id = record.run_id;
    request.plan = record.plan;
    request.inventory = std::move(*inventory);
    request.job = parse_job(record.job_yaml, record.run_id).job;
    request.prompter = terminal_prompter(options);
    request.progress = progress_lines(options);
    request.through = through_node(request.job, request.inventory, record.run_id);
    const auto found = examine_run(request, interrupt.token());
    if (!found) {
        report(found.failure(), options.json);
        return found.failure().code == "cancelled" ? kStopped : kUnreachable;
    }
    return print_examination(*found, record.run_id, options.json);
}

int doctor(const GlobalOptions& options, const std::vector<std::string>& targets) {
    if (targets.size() == 1) {
        auto inventory = load_inventory(options);
        if (!inventory) {
            return kUsage;
        }
        const bool node = targets.front() == "all" || targets.front() == kLocalNodeName ||
                          inventory->find(targets.front()) != nullptr;
        const auto store = node ? nullptr : open_store(options);
        if (store) {
            if (const auto record = store->run(targets.front())) {
                return doctor_run(options, *store, *record);
            }
        }
    }
    return doctor_nodes(options, targets);
}

}  // namespace

void add_doctor_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("doctor", "What holds a run, or what is wrong with nodes; exit code 3: a fault");
    auto targets = std::make_shared<std::vector<std::string>>();
    command->add_option("target", *targets, "A run, or nodes (all: every node of the inventory)")->required();
    command->callback([&options, &code, targets] { code = doctor(options, *targets); });
}

}  // namespace rankscope::ctl
