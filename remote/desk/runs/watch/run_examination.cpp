// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/watch/hang_verdict.h>
#include <remote/desk/runs/watch/path_confirmation.h>
#include <remote/desk/runs/watch/reached_nodes.h>
#include <remote/desk/runs/watch/run_examination.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunExamination";
constexpr int kLooks = 4;
constexpr int kBetweenLooksMs = 1500;
constexpr double kAnswerS = 5;  // stacks take up to 2.8 s

class Examination {
public:
    Examination(const ExaminationRequest& request, const std::stop_token& stop)
        : request_(request), stop_(stop), nodes_(request.plan, request.inventory, request.through, stop) {}

    Result<RunExamination> run() {
        progress(text(kContext, "connecting to %1 nodes", {std::to_string(nodes_.all().size())}));
        if (const auto connected = nodes_.connect(request_.prompter); !connected) {
            return connected.failure();
        }
        progress(text(kContext, "looking at the ranks"));
        const double began = monotonic_s();
        for (int i = 0; i < kLooks && !stop_.stop_requested(); ++i) {
            look(i + 1 == kLooks);
        }
        if (stop_.stop_requested()) {
            return cancelled(request_.run_id);
        }
        judge(monotonic_s() - began);
        return std::move(found_);
    }

private:
    void progress(const std::string& what) const {
        if (request_.progress) {
            request_.progress(what);
        }
    }

    void look(bool stacks) {
        std::mutex mutex;
        std::map<std::string, std::vector<RankSnapshot>> ranks;
        nodes_.for_all([&](ReachedNode& node) {
            wire::Request asked;
            asked.mutable_inspect_ranks()->set_run_id(request_.run_id);
            asked.mutable_inspect_ranks()->set_stacks(stacks);
            auto reply = node.ask(std::move(asked), kAnswerS);
            if (reply) {
                const std::lock_guard lock(mutex);
                ranks[node.spec.name] = rank_snapshots_from(reply->rank_states());
            } else {
                node.failure = reply.failure();
            }
        });
        const double now = monotonic_s();
        for (const auto& node : nodes_.all()) {
            if (node.failure) {
                looks_.remove(node.spec.name);
            } else {
                looks_.add(now, node.spec.name, ranks[node.spec.name]);
            }
        }
        if (!stacks) {  // else it was the last
            nodes_.wait(kBetweenLooksMs);
        }
    }

    void judge(double looked_s) {
        found_.ranks = looks_.ranks();
        found_.unreachable = nodes_.unreachable();
        for (const auto& rank : request_.plan.ranks) {
            if (!found_.ranks.contains(rank.rank)) {
                found_.unseen.insert(rank.rank);
            }
        }
        HangView view{.ranks = found_.ranks, .plan = request_.plan, .now = monotonic_s()};
        view.stall_s = looked_s;
        view.hang_after_s = 1;  // the user asks because it hangs
        view.brief = true;
        view.trains = false;
        for (const auto& [name, failure] : found_.unreachable) {
            view.silent_nodes[name] = kLooks * kBetweenLooksMs / 1e3;
        }
        auto finding = find_hang(view);
        if (nodes_.all().size() > 1 && !request_.through) {
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
        for (auto& node : nodes_.all()) {
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
    ReachedNodes nodes_;
    RankLooks looks_;
    RunExamination found_;
};

}  // namespace

Result<RunExamination> examine_run(const ExaminationRequest& request, const std::stop_token& stop) {
    return Examination(request, stop).run();
}

}  // namespace rankscope::inline runs
