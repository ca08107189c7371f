// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/text.h>
#include <remote/ctl/commands.h>
#include <remote/node/node_connection.h>
#include <remote/plan/launch_plan.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

struct CleanOptions {
    std::vector<std::string> nodes;
    std::string run;
    bool caches = false;
    bool dry_run = false;
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
        if (!clean_node(options, clean_options, node)) {
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
    command->add_flag("--dry-run", clean_options->dry_run, "Only show what would go");
    command->callback([&options, &code, clean_options] { code = clean(options, *clean_options); });
}

}  // namespace rankscope::ctl
