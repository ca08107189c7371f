// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/flight/flight_pipe.h>
#include <remote/agent/flight/run_flight.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/run_processes.h>

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace rankscope::agent {
namespace {

constexpr double kUsualS = 5;
constexpr double kLongestS = 60;
constexpr std::size_t kMostReply = std::size_t{14} << 20U;  // a frame holds 16 MiB
constexpr int kLevel = 3;

const char* name_of(FlightOutcome outcome) {
    switch (outcome) {
        case FlightOutcome::Dumped:
        case FlightOutcome::Old:
            return "dumped";
        case FlightOutcome::NoDump:
            return "late";
        default:
            return "no-pipe";
    }
}

std::string packed(const std::string& bytes) {
    std::string frame(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
    frame.resize(ZSTD_isError(size) != 0U ? 0 : size);
    return frame;
}

// One rank of the run may be torchrun with ranks of its own below it.
std::map<int, FlightPlace> places_of(const NodePaths& paths, const wire::DumpFlight& request) {
    std::map<int, FlightPlace> places;
    const std::set<int> wanted(request.ranks().begin(), request.ranks().end());
    const auto ranks = run_processes(paths, request.run_id());
    for (const auto& [rank, tree] : ranks) {
        for (const pid_t pid : tree) {
            auto place = flight_place_of(environment_of(pid));
            std::error_code ignored;
            const bool is_wanted = wanted.empty() || wanted.contains(rank) || wanted.contains(place.rank);
            if (place.rank >= 0 && is_wanted &&
                (!places.contains(place.rank) || std::filesystem::exists(place.pipe, ignored))) {
                places[place.rank] = std::move(place);
            }
        }
    }
    const auto folder = flight_folder_of(RunDir{paths.run(request.run_id())});
    for (const int rank : wanted) {
        if (!ranks.contains(rank) && !places.contains(rank)) {  // its process is gone
            places[rank] = {rank, folder / "none", {folder / ("dump" + std::to_string(rank))}};
        }
    }
    return places;
}

}  // namespace

wire::FlightDumps dump_run_flight(const NodePaths& paths, const wire::DumpFlight& request,
                                  const std::stop_token& stop) {
    wire::FlightDumps reply;
    if (!is_safe_name(request.run_id())) {
        return reply;
    }
    std::vector<FlightPlace> places;
    for (auto& [rank, place] : places_of(paths, request)) {
        places.push_back(std::move(place));
    }
    const double seconds = std::isfinite(request.within_s()) && request.within_s() > 0
                               ? std::min(request.within_s(), kLongestS)
                               : kUsualS;
    std::size_t total = 0;
    for (auto& flight : dump_flights(places, seconds, stop)) {
        auto* one = reply.add_ranks();
        one->set_rank(flight.rank);
        one->set_outcome(name_of(flight.outcome));
        if (one->outcome() != "dumped") {
            continue;
        }
        auto frame = packed(flight.bytes);
        flight.bytes = {};
        if (frame.empty()) {
            one->set_outcome("unreadable");
        } else if (total + frame.size() > kMostReply) {
            one->set_outcome("too-large");
        } else {
            total += frame.size();
            one->set_dump(std::move(frame));
        }
    }
    return reply;
}

}  // namespace rankscope::agent
