// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/number_text.h>
#include <base/shell_command.h>
#include <base/visible_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/ctl/table.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/leftovers.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/shared/text.h>

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
    bool end = false;
    int port = 0;
};

bool clean_node(const GlobalOptions& options, const CleanOptions& clean, const NodeSpec& node) {
    const WakeFd wake;
    auto connection = connect_node(node, terminal_prompter(options), wake, {}, {});
    if (!connection) {
        report(connection.failure(), options.json);
        return false;
    }
    const auto cleaned = clean_leftovers(*connection->link, {clean.run, clean.caches, clean.dry_run});
    if (!cleaned) {
        report(cleaned.failure(), options.json);
        return false;
    }
    if (options.json) {
        nlohmann::ordered_json json{
            {"node", node.name}, {"dry_run", clean.dry_run}, {"bytes", cleaned->bytes}};
        json["removed"] = cleaned->removed;
        json["kept"] = cleaned->kept;
        std::printf("%s\n", json_line(json).c_str());
        return true;
    }
    std::printf("%s: %s %zu, %s MB\n", node.name.c_str(), clean.dry_run ? "would remove" : "removed",
                cleaned->removed.size(), fixed_text(static_cast<double>(cleaned->bytes) / 1e6, 1).c_str());
    for (const auto& entry : cleaned->removed) {
        std::printf("  %s\n", visible_line(entry).c_str());
    }
    for (const auto& entry : cleaned->kept) {
        std::printf("  kept, a run is live: %s\n", visible_line(entry).c_str());
    }
    return true;
}

nlohmann::ordered_json to_json(const Leftover& entry) {
    nlohmann::ordered_json json{{"kind", entry.kind}, {"what", entry.what}, {"own", entry.own}};
    const auto put = [&json](const char* key, auto value, bool there) {
        if (there) {
            json[key] = value;
        }
    };
    put("pid", entry.pid, entry.pid != 0);
    put("user", entry.user, !entry.user.empty());
    put("since", static_cast<double>(entry.since_us) / 1e6, entry.since_us != 0);
    put("bytes", entry.bytes, entry.bytes != 0);
    put("port", entry.port, entry.port != 0);
    put("run", entry.run_id, !entry.run_id.empty());
    put("live", entry.live, !entry.run_id.empty());
    put("run_name", entry.run_name, !entry.run_name.empty());
    put("desk", entry.desk, !entry.desk.empty());
    put("elsewhere", entry.elsewhere, entry.live);
    return json;
}

std::string remedy_for(const std::string& node, const Leftover& entry) {
    const auto name = PlainWord::of(node);
    const auto pid = Pid::of(entry.pid);
    const auto run = PlainWord::of(entry.run_id);
    const auto file = AbsolutePath::of("/dev/shm/" + entry.what);
    if (!name) {
        return {};
    }
    switch (freed_by(entry)) {
        case FreedBy::OtherUser:
            break;
        case FreedBy::StopRun:
            return run ? "live: " + ShellCommand("rankscopectl runs attach")
                                        .word(*run)
                                        .source("--node")
                                        .word(*name)
                                        .str()
                       : std::string();
        case FreedBy::Clean:
            return ShellCommand("rankscopectl clean").word(*name).str();
        case FreedBy::EndProcess:
            if (entry.port != 0) {
                auto command = ShellCommand("rankscopectl clean").word(*name);
                return command.source("--port").number(entry.port).source("--end").str();
            }
            return pid ? ShellCommand("ssh").word(*name).remote_line(ShellCommand("kill").pid(*pid)).str()
                       : std::string();
        case FreedBy::RemoveFile:
            return file ? ShellCommand("ssh").word(*name).remote_line(ShellCommand("rm").word(*file)).str()
                        : std::string();
    }
    return {};
}

// Ends the process that listens on the port, if it belongs to the user. A process that a run left behind is
// ended, too; one of a live run is not.
bool end_holder(const GlobalOptions& options, const NodeSpec& node, AgentLink& link, const Leftover& entry) {
    const std::string what = visible_line(entry.what) + " (pid " + std::to_string(entry.pid) + ')';
    if (freed_by(entry) == FreedBy::OtherUser) {
        report(Failure{"not-own", node.name,
                       what + " is " + (entry.user.empty() ? "another user" : entry.user) +
                           "'s process: it was not ended.",
                       "Use another port.", ""},
               options.json);
        return false;
    }
    const auto end = end_process(link, entry);
    if (!end) {
        report(end.failure(), options.json);
        return false;
    }
    if (options.json) {
        const nlohmann::ordered_json json{{"node", node.name},
                                          {"ended", entry.pid},
                                          {"port", entry.port},
                                          {"was_running", *end != ProcessEnd::Before},
                                          {"killed", *end == ProcessEnd::Killed}};
        std::printf("%s\n", json_line(json).c_str());
    } else {
        std::printf("%s: %s %s%s\n", node.name.c_str(), *end == ProcessEnd::Before ? "gone before:" : "ended",
                    what.c_str(),
                    *end == ProcessEnd::Killed ? " with SIGKILL: it did not react to SIGTERM" : "");
    }
    return true;
}

void print_leftovers(const GlobalOptions& options, const NodeSpec& node, int port,
                     const std::vector<Leftover>& all) {
    if (options.json) {
        nlohmann::ordered_json json{{"node", node.name}, {"leftovers", nlohmann::ordered_json::array()}};
        for (const auto& entry : all) {
            json["leftovers"].push_back(to_json(entry));
        }
        std::printf("%s\n", json_line(json).c_str());
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"NODE", "WHAT", "PID", "USER", "SIZE", "COMMAND", "FREED BY"}};
    std::vector<Leftover> ordered;
    for (auto& group : by_run(all)) {
        ordered.insert(ordered.end(), group.entries.begin(), group.entries.end());
    }
    for (const auto& entry : ordered) {
        rows.push_back({node.name, entry.port != 0 ? "port " + std::to_string(entry.port) : entry.kind,
                        entry.pid != 0 ? std::to_string(entry.pid) : "", entry.user,
                        entry.bytes != 0 ? std::to_string((entry.bytes + 500000) / 1000000) + " MB" : "",
                        entry.what, remedy_for(node.name, entry)});
    }
    if (rows.size() == 1) {
        std::printf(
            "%s: %s\n", node.name.c_str(),
            port != 0 ? "no process listens there" : "no process, port or shared memory of a run is left");
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
}

// What is still on the node, its owner, and how to free it. Changes nothing; with `end`, ends the process that
// holds the port.
bool show_leftovers(const GlobalOptions& options, const NodeSpec& node, int port, bool end) {
    const WakeFd wake;
    auto connection = connect_node(node, terminal_prompter(options), wake, {}, {});
    if (!connection) {
        report(connection.failure(), options.json);
        return false;
    }
    const auto all = find_leftovers(*connection->link, port);
    if (!all) {
        report(all.failure(), options.json);
        return false;
    }
    if (!end || all->empty()) {
        print_leftovers(options, node, port, *all);
        return true;
    }
    return end_holder(options, node, *connection->link, all->front());
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
    if (const auto store = open_store(options)) {
        deliver_recorded_stops(options, *store, clean_options.nodes);
    }
    int code = kDone;
    for (const auto& node : *nodes) {
        if (!(clean_options.show || clean_options.port != 0
                  ? show_leftovers(options, node, clean_options.port, clean_options.end)
                  : clean_node(options, clean_options, node))) {
            code = kUnreachable;
        }
    }
    return code;
}

}  // namespace

void add_clean_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand("clean", "Remove what finished runs left on nodes; live runs stay");
    auto clean_options = std::make_shared<CleanOptions>();
    command->add_option("nodes", clean_options->nodes, "Names; \"local\" is this computer")->required();
    command->add_option("--run", clean_options->run, "Only this run");
    command->add_flag("--caches", clean_options->caches, "Pushed workers too");
    command->add_flag(
        "--show", clean_options->show,
        "Show what is left there (processes, ports, shared memory, GPU memory), its owner, and how to free "
        "it; change nothing");
    auto* port = command
                     ->add_option("--port", clean_options->port,
                                  "Show which process listens on this port; change nothing")
                     ->check(CLI::Range(1, 65535));
    command
        ->add_flag("--end", clean_options->end,
                   "End the process that listens on the port, if it is yours (SIGTERM, 3 s, SIGKILL)")
        ->needs(port);
    command->add_flag("--dry-run", clean_options->dry_run, "Only show what would be removed");
    command->callback([&options, &code, clean_options] { code = clean(options, *clean_options); });
}

}  // namespace rankscope::ctl
