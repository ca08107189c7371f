// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/plan_settings.h>
#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/logs/variables/setting_rows.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "NcclVars";

using Json = nlohmann::ordered_json;

struct VarsOptions {
    std::vector<std::string> names;
    std::string job;
    std::string run;
    std::vector<std::string> logs;
};

std::string versions_text(const logs::VariableInfo& info) {
    const std::string of = info.of == logs::VariableOf::Nccl    ? "NCCL "
                           : info.of == logs::VariableOf::Torch ? "PyTorch "
                                                                : "";
    if (!info.since.empty() && !info.until.empty()) {
        return text(kContext, "%1 to %2", {of + info.since, info.until});
    }
    if (!info.until.empty()) {
        return text(kContext, "up to %1", {of + info.until});
    }
    return info.since.empty() ? "" : text(kContext, "%1 and newer", {of + info.since});
}

Json json_of(const logs::VariableInfo& info) {
    return {{"name", info.name},       {"of", to_string(info.of)}, {"area", info.area},
            {"meaning", info.meaning}, {"values", info.values},    {"default", info.default_text},
            {"since", info.since},     {"until", info.until},      {"instead", info.instead},
            {"source", info.source}};
}

Json json_of(const std::vector<logs::VariableProblem>& problems) {
    Json list = Json::array();
    for (const auto& problem : problems) {
        list.push_back(
            {{"kind", to_string(problem.kind)}, {"detail", problem.detail}, {"instead", problem.instead}});
    }
    return list;
}

void explain(const logs::VariableInfo& info) {
    std::printf("%s\n  %s\n", info.name.c_str(), info.meaning.c_str());
    const auto line = [](const std::string& what, const std::string& value) {
        if (!value.empty()) {
            std::printf("  %-9s %s\n", what.c_str(), value.c_str());
        }
    };
    line(text(kContext, "values"), info.kind == logs::ValueKind::Text ? "" : info.values);
    line(text(kContext, "default"), info.default_text);
    line(text(kContext, "versions"), versions_text(info));
    line(text(kContext, "instead"), info.instead);
    line(text(kContext, "source"), info.source);
}

int list_table(const GlobalOptions& options, const std::vector<std::string>& names) {
    const auto& table = logs::VariableTable::own();
    Json list = Json::array();
    int code = kDone;
    if (names.empty()) {
        for (const auto& info : table.all()) {
            list.push_back(json_of(info));
            if (!options.json) {
                std::printf("%-48s %-11s %s\n", info.name.c_str(), info.area.c_str(), info.meaning.c_str());
            }
        }
    }
    for (const auto& name : names) {
        const auto* info = table.find(name);
        if (info != nullptr) {
            list.push_back(json_of(*info));
            if (!options.json) {
                explain(*info);
            }
            continue;
        }
        code = kUsage;
        const auto problems = table.check(name, "", {});
        list.push_back({{"name", name}, {"problems", json_of(problems)}});
        if (!options.json) {
            std::fprintf(stderr, "%s\n",
                         safe_text(problems.empty()
                                       ? text(kContext, "Rankscope does not know the variable %1.", {name})
                                       : variable_problem_text(name, "", problems.front()))
                             .c_str());
        }
    }
    if (options.json) {
        print_json(Json{{"variables", list}});
    }
    return code;
}

std::string who(const logs::SettingUse& use) {
    if (!use.ranks.empty()) {
        return text(kContext, use.ranks.size() == 1 ? "rank %1" : "ranks %1", {logs::ranks_text(use.ranks)});
    }
    return {};
}

std::string origin_text(const logs::SettingUse& use) {
    switch (use.origin) {
        case logs::SettingOrigin::Job:
            return text(kContext, "job: %1", {use.where});
        case logs::SettingOrigin::Rankscope:
            return text(kContext, "set by Rankscope");
        case logs::SettingOrigin::Log:
            return text(kContext, "printed by NCCL");
        case logs::SettingOrigin::Program:
            return text(kContext, "set by the program");
        case logs::SettingOrigin::Node:
            return use.where == kEnvironmentSource ? text(kContext, "environment of the node")
                                                   : text(kContext, "on the node: %1", {use.where});
    }
    return {};
}

std::string shown_value(const std::string& name, const std::string& value) {
    return is_secret_name(name) ? "***" : value;
}

int print_rows(const GlobalOptions& options, const std::vector<logs::SettingRow>& rows,
               const std::vector<std::string>& names) {
    Json list = Json::array();
    for (const auto& row : rows) {
        if (!names.empty() && std::find(names.begin(), names.end(), row.name) == names.end()) {
            continue;
        }
        Json uses = Json::array();
        for (const auto& use : row.uses) {
            uses.push_back({{"value", shown_value(row.name, use.value)},
                            {"origin", to_string(use.origin)},
                            {"where", use.where},
                            {"ranks", use.ranks.ranks()},

                            {"logged", use.logged}});
            if (!options.json) {
                const std::string ranks = who(use);
                std::printf("%c %s=%s  (%s%s%s)\n", row.problems.empty() && !row.differs ? ' ' : '!',
                            row.name.c_str(), safe_text(shown_value(row.name, use.value)).c_str(),
                            safe_text(origin_text(use)).c_str(), ranks.empty() ? "" : "; ",
                            safe_text(ranks).c_str());
            }
        }
        list.push_back({{"name", row.name},
                        {"uses", uses},
                        {"differs", row.differs},
                        {"problems", json_of(row.problems)},
                        {"meaning", row.info == nullptr ? "" : row.info->meaning}});
        if (options.json) {
            continue;
        }
        if (row.info != nullptr) {
            std::printf("      %s\n", row.info->meaning.c_str());
        }
        for (const auto& problem : row.problems) {
            std::printf("      %s\n",
                        safe_text(variable_problem_text(
                                      row.name, shown_value(row.name, row.uses.front().value), problem))
                            .c_str());
        }
        if (row.differs) {
            std::printf("      %s\n", text(kContext, "Not all ranks have the same value.").c_str());
        }
    }
    if (options.json) {
        print_json(Json{{"settings", list}});
    } else if (list.empty()) {
        std::printf("%s\n", text(kContext, "No variable of NCCL, PyTorch or Gloo is set.").c_str());
    }
    return kDone;
}

// What the ranks of a job get, from its plan.
bool add_job(const GlobalOptions& options, const std::string& file, logs::SettingBook& book) {
    const auto read = read_job(file);
    const auto inventory = load_inventory(options);
    if (!read.problems.empty() || !inventory) {
        report(read.problems, options.json);
        return false;
    }
    const auto store = open_store(options);
    auto facts = store ? store->facts() : Result<KnownFacts>(KnownFacts());
    const auto plan = make_plan(*inventory, read.job, facts ? *facts : KnownFacts());
    if (!plan) {
        report(plan.failure(), options.json);
        return false;
    }
    add_plan(*plan, &read.job, book);
    return true;
}

// What the ranks of a stored run got, and what NCCL printed there.
bool add_run(const GlobalOptions& options, const std::string& id, logs::SettingBook& book,
             logs::RunFacts& facts) {
    const auto store = open_store(options);
    if (!store) {
        return false;
    }
    logs::FactBuilder builder;
    NodeSettings nodes;
    const RunSink sink{.line = [&](const logs::LogLine& line) { builder.feed(line); },
                       .event =
                           [&](const RunRecord&, const Event& event) {
                               if (const auto* settings = event.as<SettingsEvent>()) {
                                   nodes[event.node] = settings->settings;
                               }
                           }};
    const StopOnInterrupt interrupt;
    const auto record = store->run(id);
    const auto read =
        record ? read_run_lines(*store, id, 0, sink, interrupt.token()) : Result<RunLines>(record.failure());
    if (!read) {
        report(read.failure(), options.json);
        return false;
    }
    const JobRead job = record->job_yaml.empty() ? JobRead() : parse_job(record->job_yaml, {});
    add_plan(record->plan, !record->job_yaml.empty() && job.problems.empty() ? &job.job : nullptr, book);
    add_node_settings(record->plan, nodes, book);
    facts = builder.take();
    return true;
}

int nccl_vars(const GlobalOptions& options, const VarsOptions& wanted) {
    if (logs::VariableTable::own().all().empty()) {
        report(Failure{"bad-file", "", text(kContext, "The table of variables was not found."),
                       text(kContext, "Install Rankscope again."), ""},
               options.json);
        return kUsage;
    }
    if (wanted.job.empty() && wanted.run.empty() && wanted.logs.empty()) {
        return list_table(options, wanted.names);
    }
    logs::SettingBook book;
    if (!wanted.job.empty() && !add_job(options, wanted.job, book)) {
        return kUsage;
    }
    logs::VariableVersions versions;
    if (!wanted.run.empty()) {
        logs::RunFacts facts;
        if (!add_run(options, wanted.run, book, facts)) {
            return kUsage;
        }
        book.add_facts(facts);
        versions = logs::versions_of(facts);
    }
    if (!wanted.logs.empty()) {
        logs::FactBuilder builder;
        const auto read =
            logs::read_sources(wanted.logs, {}, [&](const logs::LogLine& line) { builder.feed(line); });
        if (read.sources.empty()) {
            report(Failure{"bad-file", "", text(kContext, "There is nothing to read."),
                           text(kContext, "Name files, folders or archives."), ""},
                   options.json);
            return kUsage;
        }
        const auto facts = builder.take();
        book.add_facts(facts);
        versions = logs::versions_of(facts);
    }
    return print_rows(options, book.rows(logs::VariableTable::own(), versions), wanted.names);
}

}  // namespace

void add_nccl_vars_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "nccl-vars",
        "List and explain the variables of NCCL, PyTorch and Gloo, and which a job, a run or a log sets");
    auto wanted = std::make_shared<VarsOptions>();
    command->add_option("name", wanted->names, "Variables to explain (default: all)");
    command->add_option("--job", wanted->job, "Show what the ranks of this job file get, and from where")
        ->type_name("FILE");
    command
        ->add_option("--run", wanted->run,
                     "Show what the ranks of this stored run got, and from where: the job, the nodes' "
                     "environments or NCCL's files there")
        ->type_name("RUN");
    command
        ->add_option("--logs", wanted->logs,
                     "Show what these logs of NCCL say is set (files, folders, archives)")
        ->type_name("PATH");
    command->callback([&options, &code, wanted] { code = nccl_vars(options, *wanted); });
}

}  // namespace rankscope::ctl
