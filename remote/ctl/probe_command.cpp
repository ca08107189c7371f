// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/clock.h>
#include <remote/base/text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/table.h>
#include <remote/node/facts_json.h>
#include <remote/node/probe.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
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
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.1f ms", seconds * 1e3);
    return buffer;
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

int probe(const GlobalOptions& options, const std::vector<std::string>& names) {
    const auto nodes = choose(options, names);
    if (!nodes) {
        return kUsage;
    }
    const auto store = open_store(options);
    const Prompter prompter = terminal_prompter(options);
    std::vector<std::optional<Result<NodeFacts>>> results(nodes->size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            threads.emplace_back([&, i](std::stop_token stop) {
                results[i] = probe_node((*nodes)[i], prompter, std::move(stop));
            });
        }
        for (auto& thread : threads) {
            thread.join();  // a jthread's destructor would ask it to stop
        }
    }
    int code = kDone;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{
        {"NODE", "STATE", "GPUS", "CPUS", "FREE MEMORY", "ROUND TRIP", "CLOCK", "SYSTEM"}};
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < nodes->size(); ++i) {
        const NodeSpec& node = (*nodes)[i];
        const auto& result = *results[i];
        if (result) {
            const NodeFacts& facts = result.value();
            if (store) {
                static_cast<void>(store->save_facts(node.name, facts, now_us()));
            }
            rows.push_back({node.name, "ready", gpu_summary(facts), std::to_string(facts.cpus),
                            gib(facts.memory_free_bytes), milliseconds(facts.round_trip_s),
                            std::abs(facts.clock_offset_s) < 0.05 ? "ok" : milliseconds(facts.clock_offset_s),
                            facts.os});
            json.push_back({{"node", node.name}, {"status", "ready"}, {"facts", to_json(facts)}});
        } else {
            code = kUnreachable;
            failures.push_back(result.failure());
            rows.push_back({node.name, "failed", "", "", "", "", "", ""});
            json.push_back({{"node", node.name},
                            {"status", "failed"},
                            {"id", result.failure().code},
                            {"what", result.failure().what},
                            {"remedy", result.failure().remedy},
                            {"detail", result.failure().detail}});
        }
    }
    if (options.json) {
        std::printf("%s\n", nlohmann::ordered_json{{"nodes", json}}
                                .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                                .c_str());
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
        std::fflush(stdout);
        report(failures, false);
    }
    return code;
}

}  // namespace

void add_probe_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand("probe", text(kContext, "Connect to nodes and show what they have"));
    auto names = std::make_shared<std::vector<std::string>>();
    command->add_option("nodes", *names, "Names (default: all of the inventory; \"local\" is this computer)");
    command->callback([&options, &code, names] { code = probe(options, *names); });
}

}  // namespace rankscope::ctl
