// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/wake_fd.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/run_view.h>
#include <remote/ctl/runs_on_nodes.h>
#include <remote/ctl/table.h>
#include <remote/desk/launch/event_intake.h>
#include <remote/desk/launch/link_listener.h>
#include <remote/desk/node/node_connection.h>
#include <remote/desk/plan/launch_plan.h>
#include <remote/desk/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>

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
                const char* state = to_string(run.state);
                all.push_back({{"node", node.name},
                               {"run", run.run_id},
                               {"name", run.name},
                               {"started", static_cast<double>(run.started_us) / 1e6},
                               {"state", state},
                               {"desk", run.desk}});
                rows.push_back(
                    {node.name, run.run_id, run.name, local_time_text(run.started_us), state, run.desk});
            }
            return kDone;
        });
    if (options.json) {
        std::printf("%s\n", nlohmann::ordered_json{{"runs", all}}
                                .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                                .c_str());
    } else if (rows.size() == 1) {
        std::puts("No runs there.");
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
    return code;
}

int stop_on_nodes(const GlobalOptions& options, const std::string& run_id,
                  const std::vector<std::string>& nodes, StopKind kind) {
    return on_nodes(
        options, nodes, [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
            const auto stopped =
                stop_run_on_node(*connection.link, node.name, run_id, kind == StopKind::Force);
            if (!stopped) {
                report(stopped.failure(), options.json);
                return stopped.failure().code == "no-such-run" ? kUsage : kUnreachable;
            }
            const bool was_running = *stopped;
            if (options.json) {
                const nlohmann::ordered_json json{
                    {"node", node.name}, {"run", run_id}, {"was_running", was_running}};
                std::printf("%s\n", json.dump().c_str());
            } else {
                std::printf(
                    "%s\n",
                    (was_running ? text(kContext, "%1: the supervisor of %2 stops it", {node.name, run_id})
                                 : text(kContext, "%1: %2 was not running", {node.name, run_id}))
                        .c_str());
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
        for (const auto& node : record->plan.nodes) {
            nodes.push_back(node.node);
        }
    }
    bool running = false;
    const int code = on_nodes(
        options, nodes, [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
            const auto changed = set_nccl_level_on_node(*connection.link, run_id, change);
            if (!changed) {
                report(changed.failure(), options.json);
                return kUnreachable;
            }
            const bool here = *changed;
            running = running || here;
            if (options.json) {
                const nlohmann::ordered_json json{
                    {"node", node.name}, {"run", run_id}, {"level", change.level}, {"was_running", here}};
                std::printf("%s\n", json.dump().c_str());
            } else {
                std::printf("%s\n", (here ? text(kContext, "%1: changed", {node.name})
                                          : text(kContext, "%1: %2 is not running", {node.name, run_id}))
                                        .c_str());
            }
            return kDone;
        });
    return code == kDone && !running ? kUsage : code;
}

int attach_on_nodes(const GlobalOptions& options, const std::string& run_id,
                    const std::vector<std::string>& nodes, bool logs) {
    RunView view({options.json, logs});
    std::mutex mutex;
    std::vector<std::jthread> threads;
    std::vector<std::pair<NodeSpec, NodeConnection>> connections;
    connections.reserve(nodes.size());
    int code = on_nodes(options, nodes,
                        [&](const NodeSpec& node, NodeConnection& connection, const WakeFd& /*wake*/) {
                            connections.emplace_back(node, std::move(connection));
                            return kDone;
                        });
    for (auto& entry : connections) {
        threads.emplace_back([&, node = entry.first, connection = &entry.second] {
            const WakeFd wake;
            AgentLink& link = *connection->link;
            link.rebind(wake, {});
            wire::Request request;
            request.mutable_attach()->set_run_id(run_id);
            request.mutable_attach()->set_from_seq(1);
            const auto reply = link.call(std::move(request));
            if (!reply) {
                const std::lock_guard lock(mutex);
                report(reply.failure(), options.json);
                code = kUsage;
                return;
            }
            bool ended = false;
            std::uint64_t next = 1;
            listen_to(link, wake,
                      {[&] { return !ended; }, [] {},
                       [&](const wire::Reply& said) {
                           if (!said.has_events() || said.events().run_id() != run_id) {
                               return;
                           }
                           std::vector<std::string> missing;
                           const auto events = take_in(said.events(), node.name,
                                                       connection->facts.clock_offset_s, next, missing);
                           const std::lock_guard lock(mutex);
                           for (const auto& event : events) {
                               const auto* end = event.as<EndEvent>();
                               ended = ended || end != nullptr;
                               code =
                                   end != nullptr && end->outcome != Outcome::Done ? kTrainingFailed : code;
                               view.event(event);
                           }
                       },
                       [] {}, [] {}});
            if (!ended) {
                const std::lock_guard lock(mutex);
                report(link.lost(), options.json);
                code = kUnreachable;
            }
        });
    }
    threads.clear();
    return code;
}

}  // namespace rankscope::ctl
