// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/number_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/table.h>
#include <remote/desk/nodes/session/clock_check.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/nodes/session/probe.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "ProbeCommand";

std::string gib(std::uint64_t bytes) {
    return std::to_string((bytes + (1U << 29U)) >> 30U) + " GiB";
}

std::string gpu_summary(const NodeFacts& facts) {
    if (facts.gpus.empty()) {
        return "-";
    }
    return std::to_string(facts.gpus.size()) + " x " + facts.gpus.front().name;
}

std::string milliseconds(double seconds) {
    return fixed_text(seconds * 1e3, 1) + " ms";
}

std::optional<std::vector<NodeSpec>> choose(const GlobalOptions& options,
                                            const std::vector<std::string>& names) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return std::nullopt;
    }
    Job job;
    job.nodes = names;
    job.file = inventory->file;
    job.all_nodes = names.empty() && !inventory->nodes.empty();
    if (names.empty() && inventory->nodes.empty()) {
        job.nodes = {kLocalNodeName};
    }
    auto nodes = resolve_nodes(*inventory, job);
    if (!nodes) {
        report(nodes.failure(), options.json);
        return std::nullopt;
    }
    return *nodes;
}

using Results = std::vector<std::optional<Result<NodeFacts>>>;

int show(const GlobalOptions& options, const std::vector<NodeSpec>& nodes, const Results& results,
         double took_s);

// All at once; the connections are kept for the next round.
Results probe_all(const std::vector<NodeSpec>& nodes, const Prompter& prompter, SessionPool& sessions) {
    Results results(nodes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        threads.emplace_back(
            [&, i] { results[i] = probe_node(nodes[i], prompter, {}, {}, &sessions, ProbeDepth::Versions); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return results;
}

int probe(const GlobalOptions& options, const std::vector<std::string>& names, int rounds, double every_s) {
    const auto nodes = choose(options, names);
    if (!nodes) {
        return kUsage;
    }
    const Prompter prompter = terminal_prompter(options);
    SessionPool sessions;
    int code = kDone;
    for (int round = 0; round < rounds; ++round) {
        if (round > 0) {
            std::this_thread::sleep_for(std::chrono::duration<double>(every_s));
        }
        const double begin = monotonic_s();
        const Results results = probe_all(*nodes, prompter, sessions);
        code = show(options, *nodes, results, monotonic_s() - begin);
    }
    return code;
}

int show(const GlobalOptions& options, const std::vector<NodeSpec>& nodes, const Results& results,
         double took_s) {
    const auto store = open_store(options);
    int code = kDone;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{
        {"NODE", "STATE", "GPUS", "CPUS", "FREE MEMORY", "ROUND TRIP", "CLOCK", "SYSTEM"}};
    std::vector<Failure> failures;
    std::vector<std::string> notes;
    std::map<std::string, NodeFacts> seen;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeSpec& node = nodes[i];
        const auto& result = *results[i];
        if (result) {
            const NodeFacts& facts = result.value();
            seen[node.name] = facts;
            if (store) {
                static_cast<void>(store->save_facts(node.name, facts, now_us()));
            }
            rows.push_back({node.name, "ready", gpu_summary(facts), std::to_string(facts.cpus),
                            gib(facts.memory_free_bytes), milliseconds(facts.round_trip_s),
                            std::abs(facts.clock_offset_s) < 0.05 ? "ok" : milliseconds(facts.clock_offset_s),
                            facts.os});
            json.push_back({{"node", node.name}, {"status", "ready"}, {"facts", to_json(facts)}});
            if (const auto off = clock_off(node.name, facts.clock_offset_s)) {
                notes.push_back(to_line(*off));
                json.back()["warnings"] = {
                    {{"id", off->code.text()}, {"what", off->what}, {"remedy", off->remedy}}};
            }
            if (facts.shell_s > kSlowShell) {
                notes.push_back(node.name + ": " +
                                text(kContext,
                                     "slow login shell: %1 s until the first byte. Check what ~/.bashrc and "
                                     "~/.profile start there.",
                                     {fixed_text(facts.shell_s, 1)}));
            }
        } else {
            code = kUnreachable;
            failures.push_back(result.failure());
            rows.push_back({node.name, "failed", "", "", "", "", "", ""});
            json.push_back({{"node", node.name},
                            {"status", "failed"},
                            {"id", result.failure().code.text()},
                            {"what", result.failure().what},
                            {"remedy", result.failure().remedy},
                            {"detail", result.failure().detail}});
        }
    }
    if (options.json) {
        print_json(nlohmann::ordered_json{{"nodes", json}, {"took_s", took_s}});
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
        std::printf(
            "%s\n",
            text(kContext, "%1 nodes in %2", {std::to_string(nodes.size()), milliseconds(took_s)}).c_str());
        std::fflush(stdout);
        for (const auto& line : version_lines(seen)) {
            std::printf("%s\n", line.c_str());
        }
        std::fflush(stdout);
        for (const auto& note : notes) {
            std::fprintf(stderr, "%s\n", note.c_str());
        }
        report(failures, false);
    }
    return code;
}

}  // namespace

void add_probe_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("probe", text(kContext, "Connect to nodes and show their hardware and system"));
    auto names = std::make_shared<std::vector<std::string>>();
    command->add_option("nodes", *names, "Names (default: all of the inventory; \"local\" is this computer)");
    auto rounds = std::make_shared<int>(1);
    auto every = std::make_shared<double>(5);
    command->add_option("--rounds", *rounds, "Number of probes, over the same connections")
        ->check(CLI::Range(1, 1000000));
    command->add_option("--every", *every, "Seconds between two rounds")->check(CLI::Range(0.0, 3600.0));
    command->callback(
        [&options, &code, names, rounds, every] { code = probe(options, *names, *rounds, *every); });
}

}  // namespace rankscope::ctl
