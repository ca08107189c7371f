// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/wake_fd.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/output.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/ctl/runs_on_nodes.h>
#include <remote/ctl/table.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/runs/run/adopt_run.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>
#include <list>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "RunsOnNodes";

// Connects to one after the other and lets `use` work there; the exit code is that of the worst.
int on_nodes(const GlobalOptions& options, const std::vector<std::string>& names,
             const std::function<int(const NodeSpec&, NodeConnection&, const WakeFd&)>& use) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    Job job;
    job.nodes = names;
    job.file = inventory->file;
    const auto nodes = resolve_nodes(*inventory, job);
    if (!nodes) {
        report(nodes.failure(), options.json);
        return kUsage;
    }
    int code = kDone;
    for (const auto& node : *nodes) {
        const WakeFd wake;
        auto connection = connect_node(node, terminal_prompter(options), wake, {}, {});
        if (!connection) {
            report(connection.failure(), options.json);
            code = kUnreachable;
            continue;
        }
        if (const int used = use(node, *connection, wake); used != kDone) {
            code = used;
        }
    }
    return code;
}

}  // namespace

int list_on_nodes(const GlobalOptions& options, const std::vector<std::string>& nodes) {
    if (const auto store = open_store(options)) {
        deliver_recorded_stops(options, *store, nodes);
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"NODE", "RUN", "NAME", "STARTED", "STATE", "FROM"}};
    const int code = on_nodes(
        options, nodes, [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
            const auto runs = runs_on_node(*connection.link);
            if (!runs) {
                report(runs.failure(), options.json);
                return kUnreachable;
            }
            for (const NodeRun& run : *runs) {
                const bool waiting = run.submitted && run.submitted->waiting;
                const char* state = waiting ? "waiting" : to_string(run.state);
                nlohmann::ordered_json json{
                    {"node", node.name},
                    {"run", run.run_id},
                    {"name", run.name},
                    {"started", static_cast<double>(run.started_us) / 1e6},
                    {"ended", run.ended_us == 0
                                  ? nlohmann::ordered_json(nullptr)
                                  : nlohmann::ordered_json(static_cast<double>(run.ended_us) / 1e6)},
                    {"state", state},
                    {"desk", run.desk}};
                if (run.submitted) {
                    json["job"] = run.submitted->job_id;
                }
                all.push_back(std::move(json));
                rows.push_back(
                    {node.name, run.run_id, run.name, local_time_text(run.started_us), state, run.desk});
            }
            return kDone;
        });
    if (options.json) {
        print_json(nlohmann::ordered_json{{"runs", all}});
    } else if (rows.size() == 1) {
        std::puts("No runs there.");
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
    return code;
}

int stop_on_nodes(const GlobalOptions& options, const std::string& run_id,
                  const std::vector<std::string>& nodes, StopKind kind) {
    return on_nodes(options, nodes,
                    [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
                        const auto stopped =
                            stop_run_on_node(*connection.link, node.name, run_id, kind == StopKind::Force);
                        if (!stopped) {
                            report(stopped.failure(), options.json);
                            return stopped.failure().code == "no-such-run" ? kUsage : kUnreachable;
                        }
                        if (options.json) {
                            nlohmann::ordered_json json{
                                {"node", node.name}, {"run", run_id}, {"was_running", stopped->was_running}};
                            if (stopped->job_id != 0) {
                                json["job"] = stopped->job_id;
                            }
                            std::printf("%s\n", json_line(json).c_str());
                        } else {
                            std::printf("%s\n", describe(*stopped, node.name, run_id).c_str());
                        }
                        return kDone;
                    });
}

int set_nccl_level(const GlobalOptions& options, const std::string& run_id, std::vector<std::string> nodes,
                   const NcclLevelChange& change) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    if (nodes.empty()) {
        const auto record = store->run(run_id);
        if (!record) {
            report(record.failure(), options.json);
            return kUsage;
        }
        const Job job = parse_job(record->job_yaml, run_id).job;
        if (launcher_of(job).chooses_nodes) {
            nodes.push_back(submit_node(job));
        } else {
            for (const auto& node : record->plan.nodes) {
                nodes.push_back(node.node);
            }
        }
    }
    bool running = false;
    const int code = on_nodes(
        options, nodes, [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
            const auto changed = set_nccl_level_on_node(*connection.link, run_id, change);
            if (!changed) {
                report(changed.failure(), options.json);
                return changed.failure().code == "bad-request" ? kUsage : kUnreachable;
            }
            const bool here = *changed;
            running = running || here;
            if (options.json) {
                const nlohmann::ordered_json json{
                    {"node", node.name}, {"run", run_id}, {"level", change.level}, {"was_running", here}};
                std::printf("%s\n", json_line(json).c_str());
            } else {
                std::printf("%s\n", (here ? text(kContext, "%1: changed", {node.name})
                                          : text(kContext, "%1: %2 is not running", {node.name, run_id}))
                                        .c_str());
            }
            return kDone;
        });
    return code == kDone && !running ? kUsage : code;
}

// The run becomes one of this computer's store: what is shown is also kept, from its beginning to its end.
int attach_on_nodes(const GlobalOptions& options, const std::string& run_id,
                    const std::vector<std::string>& nodes, const AttachOptions& how) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    if (!store->run(run_id)) {
        const WakeFd wake;
        std::list<NodeConnection> connections;
        std::vector<AdoptedNode> adopted;
        const int code = on_nodes(
            options, nodes, [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
                auto run = run_on_node(*connection.link, node.name, run_id);
                if (!run) {
                    report(run.failure(), options.json);
                    return run.failure().code == "no-such-run" ? kUsage : kUnreachable;
                }
                connection.link->rebind(wake, {});
                connections.push_back(std::move(connection));
                adopted.push_back({node.name, std::move(*run), &connections.back()});
                return kDone;
            });
        if (code != kDone) {
            return code;
        }
        if (const auto read = adopt_run(*store, adopted, {}, {}); !read) {
            report(read.failure(), options.json);
            return kUnreachable;
        }
    }
    return attach_run(options, run_id, how);
}

}  // namespace rankscope::ctl
