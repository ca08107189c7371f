// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/collective_cause.h>
#include <remote/desk/runs/watch/flight_dumps.h>
#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/nccl_examination.h>
#include <remote/desk/runs/watch/ras_watch.h>
#include <remote/desk/runs/watch/reached_nodes.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <algorithm>
#include <iterator>
#include <mutex>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunExamination";
constexpr double kRasS = 10;
constexpr double kFlightS = 5;
constexpr double kLookS = 5;
constexpr int kBetweenMs = 3000;  // what still stands then is no step of a busy run

class Examination {
public:
    Examination(const NcclExaminationRequest& request, const std::stop_token& stop)
        : request_(request), stop_(stop), nodes_(request.plan, request.inventory, request.through, stop) {}

    Result<NcclExamination> run() {
        progress(text(kContext, "connecting to %1 nodes", {std::to_string(nodes_.all().size())}));
        if (const auto connected = nodes_.connect(request_.prompter); !connected) {
            return connected.failure();
        }
        found_.unreachable = nodes_.unreachable();
        look();
        ask();
        if (!found_.findings.empty() && !stop_.stop_requested()) {
            progress(text(kContext, "looking again"));
            nodes_.wait(kBetweenMs);
            const auto before = std::move(found_.findings);
            ask();
            for (auto& finding : found_.findings) {
                finding.standing =
                    finding.standing || std::any_of(before.begin(), before.end(),
                                                    [&](const auto& other) { return other.is(finding); });
            }
        }
        if (stop_.stop_requested()) {
            return cancelled(request_.run_id);
        }
        found_.findings = by_cause(std::move(found_.findings));
        return std::move(found_);
    }

private:
    void progress(const std::string& what) const {
        if (request_.progress) {
            request_.progress(what);
        }
    }

    /// Which process is which rank.
    void look() {
        std::mutex mutex;
        nodes_.for_all([&](ReachedNode& node) {
            wire::Request asked;
            asked.mutable_inspect_ranks()->set_run_id(request_.run_id);
            const auto reply = node.ask(std::move(asked), kLookS);
            if (reply && reply->has_rank_states()) {
                const std::lock_guard lock(mutex);
                for (const auto& rank : rank_snapshots_from(reply->rank_states())) {
                    directory_.add_process(node.spec.name, rank.pid, rank.rank);
                }
            }
        });
    }

    void ask() {
        found_.findings.clear();
        if (request_.ras) {
            progress(text(kContext, "asking NCCL"));
            ask_ras();
        }
        if (request_.flight_recorder) {
            progress(text(kContext, "asking for the dumps of the Flight Recorder"));
            ask_flights();
        }
    }

    /// Any node knows of all: the first that answers.
    void ask_ras() {
        found_.ras_outcome = "not-set";
        for (auto& node : nodes_.all()) {
            if (node.failure || stop_.stop_requested()) {
                continue;
            }
            wire::Request asked;
            asked.mutable_ask_ras()->set_run_id(request_.run_id);
            asked.mutable_ask_ras()->set_within_s(kRasS);
            asked.mutable_ask_ras()->set_allow_text(true);
            const auto reply = node.ask(std::move(asked), kRasS + 2);
            if (!reply || !reply->has_ras()) {
                continue;
            }
            found_.ras_outcome = reply->ras().outcome();
            auto report =
                found_.ras_outcome == "answered" ? read_ras_report(reply->ras().text()) : std::nullopt;
            if (!report) {
                continue;
            }
            found_.ras_node = node.spec.name;
            auto findings = collective_findings(*report, ras_before_, "NCCL RAS", directory_, request_.plan);
            std::move(findings.begin(), findings.end(), std::back_inserter(found_.findings));
            for (const auto& communicator : report->communicators) {
                for (const auto& rank : communicator.ranks) {
                    found_.ranks[{communicator.hash, rank.rank}] =
                        directory_.rank_of(rank, communicator.hash, communicator.size, request_.plan);
                }
            }
            found_.ras = std::move(report);
            return;
        }
    }

    void ask_flights() {
        std::mutex mutex;
        std::vector<wire::FlightDumpReply> replies;
        nodes_.for_all([&](ReachedNode& node) {
            wire::Request asked;
            auto* dump = asked.mutable_dump_flight();
            dump->set_run_id(request_.run_id);
            dump->set_within_s(kFlightS);
            for (const auto& rank : request_.plan.ranks) {
                if (rank.node == node.spec.name) {
                    dump->add_ranks(rank.rank);
                }
            }
            const auto reply = node.ask(std::move(asked), kFlightS + 5);
            const std::lock_guard lock(mutex);
            if (reply && reply->has_flight_dumps()) {
                replies.insert(replies.end(), reply->flight_dumps().ranks().begin(),
                               reply->flight_dumps().ranks().end());
            }
        });
        found_.dumps.clear();
        for (const auto& reply : replies) {
            found_.flight_outcomes[reply.rank()] = reply.outcome();
            auto plain = reply.outcome() == "dumped" ? unpacked_dump(reply.dump()) : std::nullopt;
            auto dump = plain ? read_flight_dump(*plain) : std::nullopt;
            if (plain) {
                found_.dump_files[reply.rank()] = std::move(*plain);
            }
            if (dump) {
                found_.dumps.insert_or_assign(reply.rank(), std::move(*dump));
            }
        }
        const bool all = found_.dumps.size() == request_.plan.ranks.size();
        auto findings = collective_findings(found_.dumps, all ? request_.plan.world_size : 0);
        std::move(findings.begin(), findings.end(), std::back_inserter(found_.findings));
    }

    const NcclExaminationRequest& request_;
    std::stop_token stop_;
    ReachedNodes nodes_;
    RankDirectory directory_;
    std::vector<RasFinding> ras_before_;
    NcclExamination found_;
};

}  // namespace

Result<NcclExamination> examine_nccl(const NcclExaminationRequest& request, const std::stop_token& stop) {
    return Examination(request, stop).run();
}

}  // namespace rankscope::inline runs
