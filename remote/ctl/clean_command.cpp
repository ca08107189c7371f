// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/table.h>
#include <remote/node/node_connection.h>
#include <remote/plan/launch_plan.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

struct CleanOptions {
    std::vector<std::string> nodes;
    std::string run;
    bool caches = false;
    bool dry_run = false;
    bool show = false;
    int port = 0;
};

bool clean_node(const GlobalOptions& options, const CleanOptions& clean, const NodeSpec& node) {
    const WakeFd wake;
    auto connection = connect_node(node, terminal_prompter(options), wake, {}, {});
    if (!connection) {
        report(connection.failure(), options.json);
        return false;
    }
    wire::Request request;
    request.mutable_clean()->set_run_id(clean.run);
    request.mutable_clean()->set_all_runs(clean.run.empty());
    request.mutable_clean()->set_caches(clean.caches);
    request.mutable_clean()->set_dry_run(clean.dry_run);
    auto reply = connection->link->call(std::move(request), 300);
    if (!reply) {
        report(reply.failure(), options.json);
        return false;
    }
    const auto& cleaned = reply->cleaned();
    if (options.json) {
        nlohmann::ordered_json json{
            {"node", node.name}, {"dry_run", clean.dry_run}, {"bytes", cleaned.bytes()}};
        json["removed"] = std::vector<std::string>(cleaned.removed().begin(), cleaned.removed().end());
        json["kept"] = std::vector<std::string>(cleaned.kept().begin(), cleaned.kept().end());
        std::printf("%s\n", json.dump().c_str());
        return true;
    }
    std::printf("%s: %s %d, %.1f MB\n", node.name.c_str(), clean.dry_run ? "would remove" : "removed",
                cleaned.removed_size(), static_cast<double>(cleaned.bytes()) / 1e6);
    for (const auto& entry : cleaned.removed()) {
        std::printf("  %s\n", entry.c_str());
    }
    for (const auto& entry : cleaned.kept()) {
        std::printf("  kept, a run is live: %s\n", entry.c_str());
    }
    return true;
}

nlohmann::ordered_json to_json(const wire::Leftover& entry) {
    nlohmann::ordered_json json{{"kind", entry.kind()}, {"what", entry.what()}, {"own", entry.own()}};
    const auto put = [&json](const char* key, auto value, bool there) {
        if (there) {
            json[key] = value;
        }
    };
    put("pid", entry.pid(), entry.pid() != 0);
    put("user", entry.user(), !entry.user().empty());
    put("since", static_cast<double>(entry.since_us()) / 1e6, entry.since_us() != 0);
    put("bytes", entry.bytes(), entry.bytes() != 0);
    put("port", entry.port(), entry.port() != 0);
    put("run", entry.run_id(), !entry.run_id().empty());
    put("live", entry.live(), !entry.run_id().empty());
    return json;
}

// What would free it; empty: it is not ours to free.
std::string remedy_for(const std::string& node, const wire::Leftover& entry) {
    if (!entry.own()) {
        return {};
    }
    if (entry.live()) {
        return "rankscopectl runs stop " + entry.run_id();
    }
    if (!entry.run_id().empty() || entry.kind() == "shared-memory") {
        return "rankscopectl clean " + node;
    }
    return "ssh " + node + " kill " + std::to_string(entry.pid());
}

// What is still on the node, whose it is, and what would free it. Touches nothing.
bool show_leftovers(const GlobalOptions& options, const NodeSpec& node, int port) {
    const WakeFd wake;
    auto connection = connect_node(node, terminal_prompter(options), wake, {}, {});
    if (!connection) {
        report(connection.failure(), options.json);
        return false;
    }
    wire::Request request;
    request.mutable_leftovers()->set_port(static_cast<std::uint32_t>(port));
    auto reply = connection->link->call(std::move(request), 60);
    if (!reply) {
        report(reply.failure(), options.json);
        return false;
    }
    if (options.json) {
        nlohmann::ordered_json json{{"node", node.name}, {"leftovers", nlohmann::ordered_json::array()}};
        for (const auto& entry : reply->leftovers().entries()) {
            json["leftovers"].push_back(to_json(entry));
        }
        std::printf("%s\n", json.dump().c_str());
        return true;
    }
    std::vector<std::vector<std::string>> rows{
        {"NODE", "WHAT", "PID", "USER", "SIZE", "COMMAND", "FREED BY"}};
    for (const auto& entry : reply->leftovers().entries()) {
        rows.push_back({node.name, entry.port() != 0 ? "port " + std::to_string(entry.port()) : entry.kind(),
                        entry.pid() != 0 ? std::to_string(entry.pid()) : "", entry.user(),
                        entry.bytes() != 0 ? std::to_string((entry.bytes() + 500000) / 1000000) + " MB" : "",
                        entry.what(), remedy_for(node.name, entry)});
    }
    if (rows.size() == 1) {
        std::printf("%s: %s\n", node.name.c_str(), port != 0 ? "nobody listens there" : "nothing is left");
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
    return true;
}

int clean(const GlobalOptions& options, const CleanOptions& clean_options) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    Job job;
    job.nodes = clean_options.nodes;
    job.file = inventory->file;
    const auto nodes = resolve_nodes(*inventory, job);
    if (!nodes) {
        report(nodes.failure(), options.json);
        return kUsage;
    }
    int code = kDone;
    for (const auto& node : *nodes) {
        if (!(clean_options.show || clean_options.port != 0
                  ? show_leftovers(options, node, clean_options.port)
                  : clean_node(options, clean_options, node))) {
            code = kUnreachable;
        }
    }
    return code;
}

}  // namespace

void add_clean_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("clean", "Remove what finished runs left on nodes; live runs are never touched");
    auto clean_options = std::make_shared<CleanOptions>();
    command->add_option("nodes", clean_options->nodes, "Names; \"local\" is this computer")->required();
    command->add_option("--run", clean_options->run, "Only this run");
    command->add_flag("--caches", clean_options->caches, "Pushed workers too");
    command->add_flag(
        "--show", clean_options->show,
        "Show what is left there (processes, ports, shared memory, GPU memory), whose it is, and what "
        "would free it; touch nothing");
    command->add_option("--port", clean_options->port, "Show who listens on this port; touch nothing")
        ->check(CLI::Range(1, 65535));
    command->add_flag("--dry-run", clean_options->dry_run, "Only show what would go");
    command->callback([&options, &code, clean_options] { code = clean(options, *clean_options); });
}

}  // namespace rankscope::ctl
