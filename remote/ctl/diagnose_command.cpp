// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/clock_text.h>
#include <remote/ctl/collectives_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/folded_text.h>
#include <remote/ctl/output.h>
#include <remote/ctl/remark_text.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/archive/failure_bundle/bundle_lines.h>
#include <remote/desk/runs/run/stored_causes.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>
#include <remote/logs/verdicts/rule_check.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "DiagnoseCommand";

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct DiagnoseOptions {
    std::vector<std::string> paths;
    std::vector<std::string> rules;
    bool facts = false;
    bool timeline = false;
    bool folded = false;
    double min_confidence = 0;
};

std::string where(const logs::RuleProblem& problem) {
    return problem.line > 0 ? problem.file + ':' + std::to_string(problem.line) : problem.file;
}

void report_problems(const std::vector<logs::RuleProblem>& problems) {
    for (const auto& problem : problems) {
        std::fprintf(stderr, "%s: %s\n", safe_text(where(problem)).c_str(),
                     safe_text(problem.message).c_str());
    }
}

// The rules that apply everywhere, and those of --rules.
std::vector<fs::path> rule_folders(const std::vector<std::string>& further) {
    auto folders = logs::usual_rule_folders();
    folders.insert(folders.end(), further.begin(), further.end());
    return folders;
}

logs::ProgressSink progress_of(const GlobalOptions& options) {
    if (options.json || ::isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [](const logs::ReadProgress& progress) {
        std::fprintf(stderr, "\r\x1b[K%llu MB", static_cast<unsigned long long>(progress.done >> 20U));
        if (progress.total > 0) {
            std::fprintf(
                stderr, " (%s %%)",
                fixed_text(100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total),
                           0)
                    .c_str());
        }
    };
}

void print_verdict(const Verdict& verdict) {
    std::printf("%s  (%s %%)  %s\n", verdict.id.str().c_str(),
                fixed_text(100 * verdict.confidence, 0).c_str(), safe_text(said(verdict)).c_str());
    print_reasons(verdict);
}

// Below this, only the name: the lines are those of the verdicts above it, and decide nothing.
constexpr double kHint = 0.2;

void print_verdicts(const std::vector<Verdict>& verdicts) {
    std::string hints;
    for (const auto& verdict : verdicts) {
        if (&verdict == &verdicts.front() || verdict.confidence >= kHint) {
            print_verdict(verdict);
        } else {
            hints += (hints.empty() ? "" : ", ") + verdict.id.str();
        }
    }
    if (!hints.empty()) {
        std::printf("%s\n", text(kContext, "Not ruled out: %1", {hints}).c_str());
    }
    if (verdicts.empty()) {
        std::printf("%s\n", text(kContext, "Nothing in these logs points to a fault.").c_str());
    }
}

std::string clock_text(const logs::Moment& moment) {
    if (!moment.known()) {
        return "-";
    }
    const auto seconds = static_cast<std::time_t>(std::floor(moment.time));
    std::tm parts{};
    char text[32];
    if (::gmtime_r(&seconds, &parts) == nullptr ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        return "-";
    }
    return text;
}

void print_timeline(const std::vector<logs::TimelineEntry>& timeline,
                    const std::vector<std::string>& sources) {
    for (const auto& entry : timeline) {
        std::string who = entry.host;
        if (entry.rank >= 0) {
            who += (who.empty() ? "rank " : " rank ") + std::to_string(entry.rank);
        }
        const std::string mark =
            entry.first ? std::string(to_string(entry.kind)) + " (first)" : to_string(entry.kind);
        std::printf("%-19s  %-14s  %s%s%s:%llu: %s\n", clock_text(entry.moment).c_str(), mark.c_str(),
                    safe_text(who).c_str(), who.empty() ? "" : "  ",
                    safe_text(entry.place.file < sources.size() ? sources[entry.place.file] : "").c_str(),
                    static_cast<unsigned long long>(entry.place.line), safe_text(entry.text).c_str());
    }
}

Json json_of(const std::vector<logs::HostClock>& clocks) {
    Json list = Json::array();
    for (const auto& clock : clocks) {
        list.push_back({{"node", clock.host},
                        {"reference", clock.reference},
                        {"ahead_s", clock.ahead_s},
                        {"uncertainty_s", clock.uncertainty_s},
                        {"communicators", clock.communicators},
                        {"other_moments", clock.other_moments},
                        {"corrected", clock.corrected}});
    }
    return list;
}

Json json_of(const std::vector<logs::TimelineEntry>& timeline, const std::vector<std::string>& sources) {
    Json list = Json::array();
    for (const auto& entry : timeline) {
        list.push_back({{"kind", to_string(entry.kind)},
                        {"rule", entry.rule},
                        {"time", entry.moment.known() ? Json(entry.moment.time) : Json(nullptr)},
                        {"node", entry.host},
                        {"rank", entry.rank},
                        {"first", entry.first},
                        {"file", entry.place.file < sources.size() ? sources[entry.place.file] : ""},
                        {"line", entry.place.line},
                        {"text", entry.text}});
        if (entry.ahead_s != 0 && entry.moment.known()) {
            list.back()["clock_ahead_s"] = entry.ahead_s;
        }
    }
    return list;
}

std::string joined(const std::vector<logs::InterfaceAddress>& addresses) {
    std::string all;
    for (const auto& one : addresses) {
        all += (all.empty() ? "" : ", ") + one.interface + ' ' + one.address;
    }
    return all;
}

template <typename List>
std::string joined(const List& words) {
    std::string all;
    for (const auto& word : words) {
        all += (all.empty() ? "" : ", ") + std::string(word);
    }
    return all;
}

std::string ring_text(const logs::Communicator& communicator) {
    if (communicator.rings.empty()) {
        return {};
    }
    std::string ranks;
    for (const int rank : communicator.rings.front().ranks) {
        ranks += ' ' + std::to_string(rank);
    }
    return ", ring" + ranks + (communicator.rings.front().complete ? "" : " ...");
}

void print_fact(const char* what, const std::string& value) {
    if (!value.empty()) {
        std::printf("%-14s  %s\n", what, safe_text(value).c_str());
    }
}

void print_facts(const logs::RunFacts& facts) {
    for (const auto& version : facts.versions) {
        print_fact("NCCL", version.nccl + (version.cuda.empty() ? "" : ", CUDA " + version.cuda));
    }
    print_fact("PyTorch", facts.torch_version);
    for (const auto& host : facts.hosts) {
        print_fact("node", host.name);
        print_fact("  bootstrap", joined(host.bootstrap));
        print_fact("  sockets", joined(host.sockets));
        print_fact("  networks", joined(host.networks));
    }
    for (const auto& setting : facts.settings) {
        print_fact("variable", setting.name + '=' + setting.value);
    }
    for (const auto& communicator : facts.communicators) {
        print_fact("communicator", (communicator.id.empty() ? "" : communicator.id + ": ") +
                                       std::to_string(communicator.nranks) + " ranks, " +
                                       std::to_string(communicator.nnodes) + " nodes, " +
                                       std::to_string(communicator.channels) + " channels, " +
                                       joined(facts.transports_of(communicator)) + ring_text(communicator));
        const auto missing = communicator.missing_ranks();
        if (!missing.empty() && missing.size() < static_cast<std::size_t>(communicator.nranks)) {
            std::string ranks;
            for (const int rank : missing) {
                ranks += (ranks.empty() ? "" : " ") + std::to_string(rank);
            }
            print_fact("  no lines of", ranks);
        }
    }
}

constexpr std::size_t kMostRows = 20;

// What NCCL Inspector wrote into files among those that were read.
void print_inspector(InspectorIntake& inspector) {
    if (inspector.empty()) {
        return;
    }
    const auto report = inspector.report();
    std::printf("\n%s\n", text(kContext, "NCCL Inspector: %1 operations of %2 processes.",
                               {std::to_string(inspector.lines()), std::to_string(inspector.processes())})
                              .c_str());
    print_collectives(report, kMostRows);
    if (merge_alike(report).size() > kMostRows) {
        std::printf("%s\n", text(kContext, "`rankscopectl collectives` lists all of them.").c_str());
    }
}

Json json_of(InspectorIntake& inspector) {
    const auto report = inspector.report();
    Json rows = Json::array();
    for (const auto& row : merge_alike(report)) {
        rows.push_back(collective_json(report, row));
    }
    return {{"operations", inspector.lines()}, {"processes", inspector.processes()}, {"collectives", rows}};
}

// Paths, ids of stored runs, which are the names that are no path, and failure bundles.
struct Inputs {
    std::vector<std::string> paths;
    std::vector<std::string> runs;
    std::vector<std::string> bundles;
    std::shared_ptr<RunStore> store;
};

Inputs inputs_of(const GlobalOptions& options, const std::vector<std::string>& names) {
    Inputs inputs;
    for (const auto& name : names) {
        std::error_code error;
        const bool may_be_run =
            name != "-" && name.find('/') == std::string::npos && !fs::exists(name, error);
        if (may_be_run && inputs.store == nullptr) {
            inputs.store = open_store(options);
        }
        const bool is_run = may_be_run && inputs.store != nullptr && inputs.store->run(name);
        const bool bundle = !is_run && name != "-" && is_bundle(name);
        (is_run ? inputs.runs : bundle ? inputs.bundles : inputs.paths).push_back(name);
    }
    return inputs;
}

int diagnose(const GlobalOptions& options, const DiagnoseOptions& wanted) {
    const auto set = logs::load_rules(rule_folders(wanted.rules));
    report_problems(set.problems);
    if (set.rules.empty()) {
        report(Failure{.code = "bad-file",
                       .where = "",
                       .what = text(kContext, "No rules were found."),
                       .remedy = text(kContext, "Install Rankscope again, or name a folder with --rules.")},
               options.json);
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    logs::Diagnosis diagnosis(set.rules);
    logs::FoldedLog folded;
    InspectorIntake inspector;
    const logs::LineSink sink = [&](const logs::LogLine& line) {
        if (inspector.take(line.text, line.rank)) {
            return;  // what an operation took, and no word of the program
        }
        diagnosis.take(line);
        if (wanted.folded) {
            folded.feed(line);
        }
    };
    const Inputs inputs = inputs_of(options, wanted.paths);
    SavedFlights flights;
    const auto read =
        logs::read_sources(inputs.paths, {}, sink, progress_of(options), interrupt.token(), flights.sink());
    if (!options.json && ::isatty(STDERR_FILENO) != 0) {
        std::fprintf(stderr, "\r\x1b[K");
    }
    std::vector<std::string> sources;
    for (const auto& source : read.sources) {
        sources.push_back(source.name);
    }
    struct StoredRun {
        StoredCauses causes;
        RunLines lines;
    };
    std::vector<StoredRun> runs;
    for (std::size_t i = 0; i < inputs.runs.size() + inputs.bundles.size(); ++i) {
        const auto first = static_cast<std::uint32_t>(sources.size());
        auto& run = runs.emplace_back();
        const RunSink run_sink{
            .line = sink,
            .step = [&](const logs::ReportedStep& step) { diagnosis.take(step); },
            .exit = [&](logs::ProcessExit exit) { diagnosis.take(std::move(exit)); },
            .event = [&](const RunRecord& record, const Event& event) { run.causes.observe(record, event); }};
        auto lines = i < inputs.runs.size()
                         ? read_run_lines(*inputs.store, inputs.runs[i], first, run_sink, interrupt.token())
                         : read_bundle_lines(inputs.bundles[i - inputs.runs.size()], first, run_sink,
                                             interrupt.token());
        if (!lines) {
            report(lines.failure(), options.json);
            return kUsage;
        }
        sources.insert(sources.end(), lines->sources.begin(), lines->sources.end());
        run.lines = std::move(*lines);
    }
    auto found = diagnosis.finish(sources);
    for (const auto& run : runs) {
        for (auto& verdict : found.verdicts) {
            run.lines.names.replace_in(verdict);
        }
    }
    for (auto& run : runs) {
        run.causes.add_to(found.verdicts, std::move(run.lines.verdicts),
                          runs.size() == 1 && inputs.paths.empty());
    }
    flights.leave_out_earlier_runs();
    flights.add_to(found.verdicts);
    std::erase_if(found.verdicts,
                  [&](const Verdict& verdict) { return verdict.confidence < wanted.min_confidence; });
    if (sources.empty() && inputs.runs.empty() && inputs.bundles.empty()) {
        print_remarks(read);
        report(Failure{.code = "bad-file",
                       .where = "",
                       .what = text(kContext, "There is nothing to read."),
                       .remedy = text(kContext,
                                      "Name files, folders, archives, or the id of a run, as "
                                      "`runs list` shows it.")},
               options.json);
        return kUsage;
    }
    if (options.json) {
        Json list = Json::array();
        for (const auto& verdict : found.verdicts) {
            list.push_back(body_json(verdict));
        }
        Json all{{"diagnoses", list}, {"facts", Json(logs::to_json(found.facts))}};
        if (!found.clocks.all().empty()) {
            all["clocks"] = json_of(found.clocks.all());
        }
        if (!inspector.empty()) {
            all["inspector"] = json_of(inspector);
        }
        if (wanted.timeline) {
            all["timeline"] = json_of(found.timeline, sources);
        }
        if (wanted.folded) {
            all["folded"] = folded_json(logs::folded_rows(folded, logs::LineGuide::own()), sources);
        }
        print_json(all);
    } else {
        print_remarks(read);
        if (wanted.facts) {
            print_facts(found.facts);
        }
        if (wanted.timeline) {
            print_clocks(found.clocks.all(), stdout);
            print_timeline(found.timeline, sources);
        }
        if (wanted.folded) {
            print_folded(logs::folded_rows(folded, logs::LineGuide::own()), sources);
        }
        print_verdicts(found.verdicts);
        print_inspector(inspector);
    }
    return interrupt.token().stop_requested() ? kStopped : kDone;
}

int check(const GlobalOptions& options, const std::vector<std::string>& folders) {
    const auto set = logs::load_rules(rule_folders(folders));
    auto problems = set.problems;
    const auto checked = logs::check_rules(set.rules);
    problems.insert(problems.end(), checked.problems.begin(), checked.problems.end());
    if (options.json) {
        Json list = Json::array();
        for (const auto& problem : problems) {
            list.push_back({{"file", problem.file}, {"line", problem.line}, {"message", problem.message}});
        }
        print_json(Json{{"rules", set.rules.size()}, {"tests", checked.tests}, {"problems", list}});
    } else {
        report_problems(problems);
        std::printf("%zu rules, %zu tests, %zu problems\n", set.rules.size(), checked.tests, problems.size());
    }
    return problems.empty() ? kDone : kUsage;
}

}  // namespace

void add_diagnose_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("diagnose", "Read logs from anywhere and name the cause of the failure");
    auto wanted = std::make_shared<DiagnoseOptions>();
    command
        ->add_option(
            "path", wanted->paths,
            "Files, folders, archives (.tar.gz, .zip), ids of runs, failure bundles; - reads standard "
            "input")
        ->required();
    command->add_option("--rules", wanted->rules, "A further folder of rules (docs/log-rules.md)")
        ->type_name("DIR");
    command->add_flag("--facts", wanted->facts,
                      "Print what the logs say of versions, nodes, communicators and rings, too");
    command->add_flag("--timeline", wanted->timeline, "Print the order of events, too");
    command->add_flag("--folded", wanted->folded,
                      "Print the lines of NCCL of all ranks once, with the ranks that have them, too");
    command->add_option("--min-confidence", wanted->min_confidence, "Leave out verdicts below this (0 to 1)")
        ->check(CLI::Range(0.0, 1.0));
    command->callback([&options, &code, wanted] { code = diagnose(options, *wanted); });

    auto* rules = app.add_subcommand("rules", "The rules that diagnose logs");
    rules->require_subcommand(1);
    auto* checking = rules->add_subcommand("check", "Check rule files and run the tests that they contain");
    auto folders = std::make_shared<std::vector<std::string>>();
    checking->add_option("dir", *folders, "A further folder of rules");
    checking->callback([&options, &code, folders] { code = check(options, *folders); });
}

}  // namespace rankscope::ctl
