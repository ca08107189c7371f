// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/sha256.h>
#include <base/wake_fd.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/preflight/complete_checks.h>
#include <remote/desk/runs/preflight/container_view.h>
#include <remote/desk/runs/preflight/environment_view.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/job_needs.h>
#include <remote/desk/runs/preflight/name_checks.h>
#include <remote/desk/runs/preflight/network_choice.h>
#include <remote/desk/runs/preflight/pairs_to_try.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/runs/preflight/path_doubts.h>
#include <remote/desk/runs/preflight/path_fixes.h>
#include <remote/desk/runs/preflight/path_targets.h>
#include <remote/desk/runs/preflight/planned_view.h>
#include <remote/desk/runs/preflight/preflight.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
constexpr double kInspectWithin = 12;  // the agent's own deadlines are shorter
constexpr double kPortsWithin = 15;    // also on a busy node
constexpr double kPortsOpen = 60;
constexpr double kRunConnect = 1.7;  // SYNs after 0 and 1 s
constexpr double kQuickConnect = 2.5;
constexpr double kFullConnect = 4;  // SYNs after 0, 1 and 3 s
constexpr std::uint32_t kMeasuredBytes = 1U << 20U;
constexpr std::uint32_t kLargePackets = 64U << 10U;  // enough for full segments
constexpr double kTransfers = 8;                     // of bulk and segments, beyond the connection
constexpr std::size_t kEphemeralPorts = 4;
constexpr std::size_t kMostMeasuredAgain = 16;
constexpr std::size_t kFewNodes = 8;  // whose links can be measured all at the same time
constexpr int kSshPort = 22;
constexpr int kMostRounds = 3;  // of attempts after the first
constexpr int kSizeRounds = 2;

// What a connection carries, instead of what the depth says.
struct Transfer {
    std::uint32_t segments = 0;
    std::uint32_t bytes = 0;
};
constexpr Transfer kLarge{.segments = 0, .bytes = kLargePackets};
constexpr Transfer kBothSizes{.segments = 200, .bytes = kLargePackets};

// 32 bytes.
std::string new_token() {
    const auto digest = digest_from_hex(random_token()).value_or(Sha256Digest{});
    return {digest.begin(), digest.end()};
}

class Preflight {
public:
    Preflight(const PreflightRequest& request, const std::stop_token& stop)
        : request_(request), stop_(stop) {}

    Result<PreflightReport> run();

private:
    template <typename Action>
    void for_all(Action action);
    Result<void> find_nodes();
    void connect_all();
    Result<void> plan();
    void inspect_all();
    void inspect(PreflightNode& node, bool master);
    void connect(std::vector<PathResult>& paths, std::optional<Transfer> transfer = std::nullopt);
    void knock(std::vector<PathResult>& paths);
    void connect_again(std::vector<PathResult>& paths);
    void compare_sizes(std::vector<PathResult>& paths);
    void read_rules(const std::vector<PathResult>& paths);
    void close_ports();
    void measure_again(std::vector<PathResult>& paths);
    void keep_sessions();
    void judge(std::vector<PathResult> paths);
    void choose_network(std::vector<NodeView>& views, std::vector<PathResult>& paths);
    std::size_t master() const { return 0; }
    // Many transfers at the same time would measure each other.
    bool measures_links() const { return full() && nodes_.size() <= kFewNodes; }
    bool full() const { return request_.depth == PreflightDepth::Full; }
    void progress(const std::string& text) const {
        if (request_.progress) {
            request_.progress(text);
        }
    }

    const PreflightRequest& request_;
    std::stop_token stop_;
    WakeFd wake_;
    Inventory inventory_;
    LaunchPlan plan_;
    std::vector<PreflightNode> nodes_;       ///< the master first
    std::map<std::size_t, int> unanswered_;  ///< attempts before the results, by their index
    PythonRequirements requirements_;        ///< of environment:
    PreflightReport report_;
};

template <typename Action>
void Preflight::for_all(Action action) {
    std::vector<std::thread> threads;
    threads.reserve(nodes_.size());
    for (auto& node : nodes_) {
        if (!node.failure) {
            threads.emplace_back([&action, &node] { action(node); });
        }
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

void Preflight::connect_all() {
    progress(text(kContext, "connecting"));
    for_all([&](PreflightNode& node) {
        auto connection = connect_node(
            node.spec, request_.prompter, wake_, stop_,
            [&](const std::string& what, double) { progress(node.spec.name + ": " + what); },
            request_.sessions);
        if (!connection) {
            node.failure = connection.failure();
            return;
        }
        node.link = std::move(connection->link);
        node.call = [link = node.link.get()](wire::Request asked, double seconds) {
            return link->call(std::move(asked), seconds);
        };
        node.facts = std::move(connection->facts);
    });
}

Result<void> Preflight::plan() {
    KnownFacts facts;
    for (const auto& node : nodes_) {
        if (!node.failure) {
            facts[node.spec.name] = node.facts;
        }
    }
    auto plan = request_.plan ? *request_.plan : make_node_plan(inventory_, request_.job, facts);
    if (!plan) {
        return plan.failure();
    }
    plan_ = std::move(*plan);
    for (auto& node : nodes_) {
        NodeView& view = node.view;
        view.name = node.spec.name;
        view.listed_host = node.spec.host;
        view.clock_offset_s = node.facts.clock_offset_s;
        view.reached_at = node.facts.peer_address;
        view.os = node.facts.os;
        set_planned(view, plan_, request_.job, node.facts.machine);
    }
    return {};
}

void Preflight::inspect(PreflightNode& node, bool is_master) {
    wire::Request inspection;
    auto* host = inspection.mutable_inspect_host();
    host->set_quick(!full() && !request_.paths_only);  // a quick one does not ask sudo for the rules
    ask_for(request_.job, needs_of(request_.job), *host);
    look_for_environment(node, request_.job, requirements_, *host);
    const wire::InspectHost asked = *host;
    for (const auto& other : nodes_) {
        if (!other.call) {
            continue;  // not `failure`: other threads set it now
        }
        if (&other != &node) {
            host->add_names(other.facts.hostname);
        }
        if (!is_numeric(other.view.address)) {
            host->add_names(other.view.address);
        } else if (&other != &node) {
            host->add_peers(other.view.address);
        }
    }
    wire::Request open;
    auto* ports = open.mutable_open_probe_ports();
    node.token = new_token();
    ports->set_token(node.token);
    ports->set_seconds(kPortsOpen);
    const auto master_port = static_cast<std::uint32_t>(plan_.master_port);
    if (is_master && request_.tests_master_port()) {
        ports->add_ports(master_port);
        if (master_port != 0) {
            host->add_ports(master_port);
        }
    }
    for (std::size_t i = 0; i < kEphemeralPorts; ++i) {
        ports->add_ports(0);
    }
    auto opened = node.call(std::move(open), kPortsWithin);
    if (!opened) {
        node.failure = opened.failure();
        return;
    }
    auto seen = node.call(std::move(inspection), kInspectWithin);
    if (!seen) {
        node.failure = seen.failure();
        return;
    }
    node.ports.assign(opened->probe_ports().ports().begin(), opened->probe_ports().ports().end());
    node.view.host = std::move(*seen->mutable_host());
    add_environment_version(node.view);
    if (request_.job.container.wanted() && !request_.paths_only) {
        if (const auto looked = look_from_within(node, request_.job, asked); !looked) {
            node.failure = looked.failure();
            return;
        }
    }
    node.inspected = true;
}

void Preflight::inspect_all() {
    progress(text(kContext, "inspecting %1 nodes", {std::to_string(nodes_.size())}));
    const PreflightNode* first = nodes_.data();
    for_all([&](PreflightNode& node) { inspect(node, &node == first); });
}

void Preflight::connect(std::vector<PathResult>& paths, std::optional<Transfer> transfer) {
    // A second attempt has the time that a busy node needs.
    const double seconds = request_.paths_only  ? kRunConnect
                           : full() || transfer ? kFullConnect
                                                : kQuickConnect;
    std::vector<std::vector<PathResult*>> of_node(nodes_.size());
    for (auto& path : paths) {
        of_node[path.from].push_back(&path);
    }
    const PreflightNode* first = nodes_.data();
    for_all([&](PreflightNode& node) {
        const auto index = static_cast<std::size_t>(&node - first);
        wire::Request request;
        auto* connects = request.mutable_connect_targets();
        connects->set_seconds(seconds);
        std::set<std::size_t> measured;
        for (std::size_t i = 0; i < of_node[index].size(); ++i) {
            PathResult& path = *of_node[index][i];
            auto* target = connects->add_targets();
            target->set_id(static_cast<std::uint32_t>(i));
            target->set_address(path.address);
            target->set_port(static_cast<std::uint32_t>(path.port));
            target->set_plain(path.ssh_port);
            target->set_token(nodes_[path.to].token);
            // One connection of each pair carries data.
            if (transfer) {
                target->set_bulk_bytes(transfer->bytes);
                target->set_segments(transfer->segments);
            } else if (path.chosen && !path.master_port && !path.ssh_port &&
                       measured.insert(path.to).second) {
                target->set_bulk_bytes(measures_links() ? kMeasuredBytes : kLargePackets);
                target->set_segments(measures_links() ? 200 : 0);
                path.measured = measures_links();
            }
        }
        if (connects->targets_size() == 0) {
            return;
        }
        auto reply = node.call(std::move(request), seconds + kTransfers);
        if (!reply) {
            node.failure = reply.failure();
            return;
        }
        for (const auto& result : reply->connects().results()) {
            if (result.id() < of_node[index].size()) {
                of_node[index][result.id()]->result = result;
            }
        }
    });
}

// Where nothing answers on any port: does the host answer at all, and do packets pass in the opposite direction?
void Preflight::knock(std::vector<PathResult>& paths) {
    auto knocks = knocks_for(paths, [this](std::size_t node) {
        return nodes_[node].spec.port != 0 ? nodes_[node].spec.port : kSshPort;
    });
    if (!knocks.empty()) {
        connect(knocks);
        paths.insert(paths.end(), knocks.begin(), knocks.end());
    }
}

// As long as a second attempt shows that packets were lost, others may have been lost as well.
void Preflight::connect_again(std::vector<PathResult>& paths) {
    bool lossy = true;
    for (int round = 0; lossy && round < kMostRounds && !stop_.stop_requested(); ++round) {
        const auto doubtful = unanswered_paths(paths);
        if (doubtful.empty()) {
            return;
        }
        std::vector<PathResult> again;
        for (const auto index : doubtful) {
            again.push_back(paths[index]);
            again.back().result.Clear();
        }
        connect(again, kLarge);
        lossy = false;
        for (std::size_t i = 0; i < again.size(); ++i) {
            ++unanswered_[doubtful[i]];
            lossy = take_second_attempt(paths[doubtful[i]], again[i]) || lossy;
        }
    }
}

// Small and large segments again, of all paths whose large ones stalled.
void Preflight::compare_sizes(std::vector<PathResult>& paths) {
    std::vector<std::size_t> stalled;
    std::vector<PathResult> again;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].result.outcome() == wire::CONNECT_STALLED) {
            stalled.push_back(i);
            again.push_back(paths[i]);
        }
    }
    const int rounds = request_.paths_only ? 1 : kSizeRounds;  // a verdict waits
    std::vector<SizeTrials> trials(stalled.size());
    for (std::size_t i = 0; i < stalled.size(); ++i) {
        trials[i].add(paths[stalled[i]].result);
    }
    for (int round = 0; !again.empty() && round < rounds && !stop_.stop_requested(); ++round) {
        for (auto& path : again) {
            path.result.Clear();
        }
        connect(again, kBothSizes);
        for (std::size_t i = 0; i < again.size(); ++i) {
            trials[i].add(again[i].result);
        }
    }
    for (std::size_t i = 0; i < stalled.size(); ++i) {
        if (conclude_stall(paths[stalled[i]], trials[i])) {
            ++unanswered_[stalled[i]];
        }
    }
}

// A quick inspection does not ask sudo. Where a path is blocked, the rules of that node are worth the time.
void Preflight::read_rules(const std::vector<PathResult>& paths) {
    const auto wanted = nodes_to_read_rules(paths);
    const PreflightNode* first = nodes_.data();
    for_all([&](PreflightNode& node) {
        const auto index = static_cast<std::size_t>(&node - first);
        if (!node.inspected || wanted.count(index) == 0 || !node.view.host.firewall().seen_by().empty()) {
            return;
        }
        wire::Request request;
        request.mutable_inspect_host()->set_quick(false);
        if (auto seen = node.call(std::move(request), kInspectWithin); seen) {
            take_rules(node.view, std::move(*seen->mutable_host()));
        }
    });
}

// The run listens there next.
void Preflight::close_ports() {
    for_all([](PreflightNode& node) {
        wire::Request request;
        request.mutable_open_probe_ports();  // none, instead of those
        if (auto closed = node.call(std::move(request), kPortsWithin); !closed) {
            node.failure = closed.failure();
        }
    });
}

// Transfers in both directions at the same time share a link: the answers of one wait behind the data of the other. A
// slow path is measured again alone.
void Preflight::measure_again(std::vector<PathResult>& paths) {
    std::size_t count = 0;
    for (auto& path : paths) {
        if (stop_.stop_requested() || !is_slow(path) || ++count > kMostMeasuredAgain) {
            continue;
        }
        std::vector<PathResult> alone{path};
        alone.front().result.Clear();
        connect(alone);
        if (alone.front().result.outcome() == wire::CONNECTED) {
            path.result = alone.front().result;
        }
    }
}

void Preflight::keep_sessions() {
    for (auto& node : nodes_) {
        if (request_.sessions != nullptr && node.link && node.link->alive()) {
            request_.sessions->put(node.spec, std::move(node.link));
        }
    }
}

// What the checks need of the nodes that took part; the others are checks already.
void Preflight::judge(std::vector<PathResult> paths) {
    std::vector<NodeView> views;
    std::vector<std::size_t> place(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].inspected) {
            place[i] = views.size();
            views.push_back(nodes_[i].view);
        }
    }
    for (auto& path : paths) {
        path.from = place[path.from];
        path.to = place[path.to];
    }
    for (const auto& node : nodes_) {
        if (node.failure) {
            report_.checks.push_back(check_of(*node.failure, node.spec.name));
        }
    }
    if (views.empty()) {
        return;
    }
    const bool with_master = nodes_[master()].inspected;
    choose_network(views, paths);
    const auto add = [this](std::vector<Check> checks) {
        std::move(checks.begin(), checks.end(), std::back_inserter(report_.checks));
    };
    HostNeeds needs = needs_of(request_.job);
    needs.nccl = plan_.backend == "nccl";
    leave_out_unseen(views, needs);
    leave_out_unmade(views, needs);
    if (const auto& file = inventory_.file; !file.empty() && file != default_inventory_path()) {
        const auto path = AbsolutePath::of(std::filesystem::absolute(file).lexically_normal().string());
        needs.ctl = path ? needs.ctl.source("--cluster").word(*path) : ShellCommand();
    }
    needs.master = 0;
    needs.master_port = with_master ? plan_.master_port : 0;
    if (needs.master_port != 0 && !nodes_[master()].ports.empty()) {
        needs.master_port_error = nodes_[master()].ports.front().error();
    }
    if (views.size() > 1) {
        const PathPlan plan{
            .master = 0, .master_port = needs.master_port, .nccl = needs.nccl, .unanswered = unanswered_};
        auto checks = path_checks(views, paths, plan);
        add_path_fixes(checks, views, paths, plan);
        add(std::move(checks));
        const bool automatic = request_.job.interface_name == "auto";
        add(interface_checks(views, paths, automatic ? std::string() : request_.job.interface_name));
        add(name_checks(views, 0, plan_.master_addr));
    }
    if (!request_.paths_only) {
        add(container_checks(views, request_.job));
        add(environment_checks(views, request_.job));
        add(host_checks(views, needs));
    }
    for (const auto& view : views) {
        report_.nodes.push_back(view.name);
    }
    report_.paths = std::move(paths);
    report_.views = std::move(views);
}

void Preflight::choose_network(std::vector<NodeView>& views, std::vector<PathResult>& paths) {
    const bool works = planned_network_works(paths);
    const bool may_choose =
        !request_.paths_only && request_.job.interface_name == "auto" && nodes_[master()].inspected &&
        std::all_of(nodes_.begin(), nodes_.end(),
                    [](const PreflightNode& node) { return node.inspected && node.spec.address.empty(); });
    std::optional<NetworkChoice> other;
    if (!works && may_choose && views.size() > 1) {
        other = choose_other_network(views, paths, master());
    }
    if (other) {
        report_.checks.push_back(other_network_check(views, paths, *other, master()));
        for (std::size_t i = 0; i < views.size(); ++i) {
            report_.addresses[views[i].name] = other->addresses[i];
            views[i].address = other->addresses[i];
            views[i].interface_name = other->interfaces[i];
        }
        for (auto& path : paths) {
            path.chosen = path.address == views[path.to].address;
        }
        plan_.master_addr = other->addresses[master()];
    }
    for (const auto& view : views) {
        std::string why = text(kContext, "every node reaches it");
        if (views.size() == 1) {
            why = text(kContext, "the only node");
        } else if (request_.job.interface_name != "auto") {
            why = text(kContext, "the job names it");
        } else if (!works && !other) {
            why = text(kContext, "planned; not every node reaches it");
        } else if (other) {
            why = text(kContext, "the planned one is not reached by every node");
        }
        report_.choices.push_back({view.name, view.interface_name, view.address, why});
    }
}

Result<void> Preflight::find_nodes() {
    if (!request_.connected.empty()) {
        nodes_.resize(request_.connected.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i].spec = request_.connected[i].spec;
            nodes_[i].facts = request_.connected[i].facts;
            nodes_[i].call = request_.connected[i].call;
        }
        return {};
    }
    if (launcher_of(request_.job).chooses_nodes) {
        return Failure{"which-nodes", request_.job.file.string(),
                       text(kContext,
                            "The launcher of this job chooses the nodes: they are not known before "
                            "it starts."),
                       text(kContext, "Write a job that names the nodes, and test that."), ""};
    }
    const auto specs = resolve_nodes(inventory_, request_.job);
    if (!specs) {
        return specs.failure();
    }
    nodes_.resize(specs->size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].spec = (*specs)[i];
    }
    return {};
}

Result<PreflightReport> Preflight::run() {
    const double begin = monotonic_s();
    const std::stop_callback on_stop(stop_, [this] { wake_.wake(); });
    inventory_ = request_.inventory;
    if (const auto found = find_nodes(); !found) {
        return found.failure();
    }
    auto read = requirements_of(request_.paths_only ? Job() : request_.job, stop_);
    if (!read) {
        return read.failure();
    }
    requirements_ = std::move(*read);
    const Failure stopped{"cancelled", "", text(kContext, "Stopped by the user."), "", ""};
    if (request_.connected.empty()) {
        connect_all();
    }
    if (stop_.stop_requested()) {
        return stopped;
    }
    if (const auto planned = plan(); !planned) {
        keep_sessions();
        return planned.failure();
    }
    inspect_all();
    std::vector<PathResult> paths = paths_to_try(nodes_, request_.tests_master_port());
    if (!paths.empty() && !stop_.stop_requested()) {
        progress(text(kContext, "testing %1 paths", {std::to_string(paths.size())}));
        connect(paths);
        connect_again(paths);
        knock(paths);
        compare_sizes(paths);
        measure_again(paths);
        read_rules(paths);
    }
    if (!stop_.stop_requested()) {
        close_ports();
    }
    if (stop_.stop_requested()) {
        return stopped;
    }
    keep_sessions();
    judge(std::move(paths));
    complete_checks(report_.checks);
    if (nodes_.size() > kEveryPairOf) {
        report_.untested.push_back(
            text(kContext,
                 "Of %1 nodes not every pair was tried: each node with its neighbours at distances "
                 "1, 2, 4, … and with the master.",
                 {std::to_string(nodes_.size())}));
    }
    if (nodes_.size() == 1) {
        report_.untested.push_back(
            text(kContext, "Connections, loss and bandwidth: there is no second node."));
    } else if (!measures_links()) {
        report_.untested.push_back(
            text(kContext, "Loss and bandwidth: only a full preflight of at most %1 nodes measures them.",
                 {std::to_string(kFewNodes)}));
    }
    report_.plan = std::move(plan_);
    report_.seconds = monotonic_s() - begin;
    return std::move(report_);
}

}  // namespace

Result<PreflightReport> run_preflight(const PreflightRequest& request, const std::stop_token& stop) {
    return Preflight(request, stop).run();
}

}  // namespace rankscope::inline runs
