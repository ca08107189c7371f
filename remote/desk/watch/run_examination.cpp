// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wake_fd.h>
#include <remote/desk/node/node_connection.h>
#include <remote/desk/text.h>
#include <remote/desk/watch/hang_verdict.h>
#include <remote/desk/watch/path_confirmation.h>
#include <remote/desk/watch/run_examination.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <poll.h>

#include <mutex>
#include <thread>
#include <utility>

namespace rankscope {
namespace {

constexpr const char* kContext = "RunExamination";
constexpr int kLooks = 4;
constexpr int kBetweenLooksMs = 1500;
constexpr double kAnswerS = 5;  // stacks take up to 2.5 s

struct Node {
    NodeSpec spec;
    NodeConnection connection;
    std::optional<Failure> failure;
    std::vector<RankSnapshot> ranks;  ///< of the latest look
};

class Examination {
public:
    Examination(const ExaminationRequest& request, const std::stop_token& stop)
        : request_(request), stop_(stop) {
        for (const auto& planned : request.plan.nodes) {
            const NodeSpec* spec = request.inventory.find(planned.node);
            nodes_.push_back({spec != nullptr ? *spec : local_node(), {}, {}, {}});
        }
    }

    Result<RunExamination> run() {
        const std::stop_callback on_stop(stop_, [this] { wake_.wake(); });
        progress(text(kContext, "connecting to %1 nodes", {std::to_string(nodes_.size())}));
        for_all([this](Node& node) { connect(node); });
        bool reached = false;
        for (const auto& node : nodes_) {
            reached = reached || !node.failure;
        }
        if (!reached && !nodes_.empty()) {
            return *nodes_.front().failure;
        }
        progress(text(kContext, "looking at the ranks"));
        for (int i = 0; i < kLooks && !stop_.stop_requested(); ++i) {
            look(i + 1 == kLooks);
        }
        if (stop_.stop_requested()) {
            return cancelled(request_.run_id);
        }
        judge();
        return std::move(found_);
    }

private:
    void progress(const std::string& what) const {
        if (request_.progress) {
            request_.progress(what);
        }
    }

    template <typename Action>
    void for_all(Action action) {
        std::vector<std::thread> threads;
        for (auto& node : nodes_) {
            if (!node.failure) {
                threads.emplace_back([&action, &node] { action(node); });
            }
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }

    void connect(Node& node) {
        auto connection = connect_node(node.spec, request_.prompter, wake_, stop_, {});
        if (connection) {
            node.connection = std::move(*connection);
        } else {
            node.failure = connection.failure();
        }
    }

    void look(bool stacks) {
        for_all([&](Node& node) {
            wire::Request asked;
            asked.mutable_inspect_ranks()->set_run_id(request_.run_id);
            asked.mutable_inspect_ranks()->set_stacks(stacks);
            auto reply = node.connection.link->call(std::move(asked), kAnswerS);
            if (reply) {
                node.ranks = rank_snapshots_from(reply->rank_states());
            } else {
                node.failure = reply.failure();
            }
        });
        const double now = monotonic_s();
        for (const auto& node : nodes_) {
            if (node.failure) {
                looks_.remove(node.spec.name);
            } else {
                looks_.add(now, node.spec.name, node.ranks);
            }
        }
        if (!stacks) {  // else it was the last
            pollfd woken{wake_.fd(), POLLIN, 0};
            ::poll(&woken, 1, kBetweenLooksMs);
        }
    }

    void judge() {
        found_.ranks = looks_.ranks();
        for (auto& node : nodes_) {
            if (node.failure) {
                found_.unreachable[node.spec.name] = *node.failure;
            }
        }
        HangView view{.ranks = found_.ranks, .plan = request_.plan, .now = monotonic_s()};
        view.hang_after_s = 1;  // the user asks because it hangs
        view.trains = false;
        for (const auto& [name, failure] : found_.unreachable) {
            view.silent_nodes[name] = kLooks * kBetweenLooksMs / 1e3;
        }
        auto finding = find_hang(view);
        if (nodes_.size() > 1) {
            progress(text(kContext, "testing the paths between the nodes"));
            auto report = run_preflight(path_request(), stop_);
            if (report) {
                found_.paths = std::move(*report);
            }
        }
        if (finding && !finding->paths.empty() && found_.paths) {
            if (const Check* check = explaining_check(*found_.paths, finding->verdict.pairs)) {
                refine(finding->verdict, *check);
            }
        }
        if (finding) {
            found_.verdict = std::move(finding->verdict);
        }
    }

    PreflightRequest path_request() {
        PreflightRequest paths;
        paths.inventory = request_.inventory;
        paths.job = request_.job;
        paths.plan = request_.plan;
        paths.depth = PreflightDepth::Quick;
        paths.paths_only = true;
        for (auto& node : nodes_) {
            if (!node.failure) {
                paths.connected.push_back(
                    {node.spec, node.connection.facts,
                     [link = node.connection.link.get()](wire::Request asked, double within_s) {
                         return link->call(std::move(asked), within_s);
                     }});
            }
        }
        return paths;
    }

    const ExaminationRequest& request_;
    std::stop_token stop_;
    WakeFd wake_;
    std::vector<Node> nodes_;
    RankLooks looks_;
    RunExamination found_;
};

}  // namespace

Result<RunExamination> examine_run(const ExaminationRequest& request, const std::stop_token& stop) {
    return Examination(request, stop).run();
}

}  // namespace rankscope
