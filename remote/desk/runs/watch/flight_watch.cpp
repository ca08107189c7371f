// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/flight_recorder/flight_groups.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr std::size_t kMostFrames = 6;
constexpr std::size_t kMostShapes = 4;

std::optional<CollectiveFault> fault_of(FlightFault fault) {
    switch (fault) {
        case FlightFault::OtherOperation:
            return CollectiveFault::OtherOperation;
        case FlightFault::OtherSize:
            return CollectiveFault::OtherSize;
        case FlightFault::OtherType:
            return CollectiveFault::OtherType;
        case FlightFault::NotEntered:
            return CollectiveFault::NotEntered;
        case FlightFault::Unfinished:
            return CollectiveFault::Unfinished;
        default:
            return std::nullopt;  // no dump: there may be many reasons
    }
}

bool is_library(const FlightFrame& frame) {
    return frame.file.find("/site-packages/") != std::string::npos ||
           frame.file.find("/dist-packages/") != std::string::npos ||
           frame.file.find("/lib/python3") != std::string::npos || frame.file.starts_with("<") ||
           frame.line <= 0;
}

std::string shapes_of(const FlightSizes& sizes) {
    std::string all;
    for (std::size_t i = 0; i < std::min(sizes.size(), kMostShapes); ++i) {
        std::string shape;
        for (const auto size : sizes[i]) {
            shape += (shape.empty() ? "" : "×") + std::to_string(size);
        }
        all += (i > 0 ? ", " : "") + std::string("[") + shape + ']';
    }
    return all + (sizes.size() > kMostShapes ? ", …" : "");
}

std::string named(const std::vector<int>& ranks) {
    return ranks.size() == 1 ? text(kContext, "rank %1", {list_ranks(ranks)})
                             : text(kContext, "ranks %1", {list_ranks(ranks)});
}

}  // namespace

std::string call_of(const FlightEntry& entry) {
    if (entry.operation.empty()) {
        return {};
    }
    const auto& types = entry.input_types.empty() ? entry.output_types : entry.input_types;
    const auto shapes = shapes_of(entry.input_sizes.empty() ? entry.output_sizes : entry.input_sizes);
    return entry.operation + (shapes.empty() ? "" : ' ' + shapes) +
           (types.empty() ? "" : ' ' + types.front());
}

std::vector<std::string> frames_of(const FlightEntry& entry) {
    std::vector<std::string> own;
    std::vector<std::string> library;
    for (const auto& frame : entry.frames) {
        (is_library(frame) ? library : own)
            .push_back(frame.file + ':' + std::to_string(frame.line) + " in " + frame.function);
    }
    auto& frames = own.empty() ? library : own;
    frames.resize(std::min(frames.size(), kMostFrames));
    return frames;
}

std::vector<CollectiveFinding> collective_findings(const std::map<int, FlightDump>& dumps, int world_size) {
    const int ranks = world_size > 0 ? world_size : static_cast<int>(dumps.size());
    return collective_findings(match_flight_dumps(dumps, world_size),
                               words_of_groups(mesh_of(observed_groups(dumps), ranks)));
}

std::vector<CollectiveFinding> collective_findings(const std::vector<FlightFinding>& findings,
                                                   const std::map<std::string, std::string>& roles) {
    std::vector<CollectiveFinding> all;
    for (const auto& finding : findings) {
        const auto fault = fault_of(finding.fault);
        if (!fault || finding.variants.empty()) {
            continue;
        }
        CollectiveFinding found;
        found.fault = *fault;
        found.source = "Flight Recorder";
        found.group = text(kContext, "process group %1",
                           {finding.description.empty() ? finding.group : finding.description});
        if (const auto role = roles.find(finding.group); role != roles.end()) {
            found.role = role->second;
        }
        found.collective = finding.variants.front().entry.operation;
        found.sequence = finding.sequence > 0 ? static_cast<std::uint64_t>(finding.sequence) : 0;
        found.ranks = finding.ranks;
        // What is called differently at one place of a group stays so; that others have not come yet may pass.
        found.standing = *fault != CollectiveFault::NotEntered && *fault != CollectiveFault::Unfinished;
        for (const auto& variant : finding.variants) {
            found.calls.push_back({variant.ranks, call_of(variant.entry), frames_of(variant.entry)});
            found.evidence.push_back(text(kContext, "Flight Recorder: %1 (%2, collective %3): %4",
                                          {named(variant.ranks), found.group_text(),
                                           std::to_string(finding.sequence), call_of(variant.entry)}));
            for (const auto& frame : found.calls.back().frames) {
                found.evidence.push_back("  " + frame);
            }
            if (*fault == CollectiveFault::NotEntered) {
                found.entered.insert(found.entered.end(), variant.ranks.begin(), variant.ranks.end());
            }
        }
        for (const auto& last : finding.last) {
            const auto call = call_of(last.entry);
            found.evidence.push_back(
                call.empty()
                    ? text(kContext, "Flight Recorder: %1 has called nothing in this group",
                           {named(last.ranks)})
                    : text(kContext, "Flight Recorder: %1 called last: %2", {named(last.ranks), call}));
            for (const auto& frame : frames_of(last.entry)) {
                found.evidence.push_back("  " + frame);
            }
        }
        std::sort(found.entered.begin(), found.entered.end());
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace rankscope::inline runs
