// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <tests/gui/synthetic_activity.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace rankscope::gui::testing {

namespace {

constexpr CommunicatorHash kWorld{0xcfd2979cb3ba7807};
constexpr std::int64_t kSecond = 1'000'000;

struct Kind {
    const char* function;
    std::uint64_t bytes;
    double transfer_s;
    int times;  ///< a second
    bool sampled;
};
const std::vector<Kind> kKinds{
    {"AllReduce", 26'214'400, 0.021, 10, true},  {"AllReduce", 4'194'304, 0.0045, 20, false},
    {"AllReduce", 65'536, 0.0004, 10, false},    {"AllReduce", 1'024, 0.00009, 30, false},
    {"AllGather", 8'388'608, 0.032, 5, true},    {"AllGather", 524'288, 0.003, 5, false},
    {"ReduceScatter", 8'388'608, 0.03, 4, true}, {"Broadcast", 1'048'576, 0.002, 2, false}};

/// The same on every run, between 0 and 1.
double noise(std::uint64_t number) {
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((number ^ (number >> 31U)) % 10'000) / 10'000;
}

NcclOperation operation_of(const Kind& kind, std::uint64_t sequence, std::int64_t start_us, double seconds) {
    NcclOperation one;
    one.communicator = kWorld;
    one.sequence = sequence;
    one.function = kind.function;
    one.datatype = "ncclBfloat16";
    one.algorithm = "RING";
    one.protocol = "SIMPLE";
    one.bytes = kind.bytes;
    one.channels = one.channels_done = 16;
    one.phase = NcclPhase::Finished;
    one.start_us = start_us;
    one.seconds = one.gpu_s = seconds;
    return one;
}

void add_totals(NcclEvent& event, const Kind& kind, double mean_s) {
    NcclTotals totals;
    totals.communicator = kWorld;
    totals.function = kind.function;
    totals.algorithm = kind.bytes > 100'000 ? "RING" : "TREE";
    totals.protocol = kind.bytes > 100'000 ? "SIMPLE" : "LL";
    totals.size_class = static_cast<int>(std::bit_width(kind.bytes)) - 1;
    totals.operations = static_cast<std::uint64_t>(kind.times);
    totals.bytes = kind.bytes * totals.operations;
    totals.seconds = mean_s * kind.times;
    totals.shortest_s = mean_s * 0.9;
    totals.longest_s = mean_s * 1.4;
    totals.network_s = totals.seconds * 0.6;
    totals.gpu_times = true;
    event.totals.push_back(totals);
}

/// Tensor groups of neighbours and data groups across them, which have no names.
void add_mesh(NcclEvent& event, const SyntheticActivity& what, int rank) {
    const auto add = [&](int id, int place, int ranks, const Kind& kind) {
        event.communicators.push_back({{static_cast<std::uint64_t>(id)}, "", place, ranks, false});
        add_totals(event, kind, kind.transfer_s);
        event.totals.back().communicator = event.communicators.back().id;
    };
    add(0x7e00 + rank / what.tensor, rank % what.tensor, what.tensor,
        {"AllReduce", 4'194'304, 0.0006, 96, false});
    add(0xda00 + rank % what.tensor, rank / what.tensor, what.ranks / what.tensor,
        {"AllReduce", 26'214'400, 0.02, 4, false});
}

NcclEvent event_of(const SyntheticActivity& what, int rank, int second) {
    NcclEvent event;
    event.seconds = 1;
    event.api_version = 5;
    event.communicators = {{kWorld, "", rank, what.ranks, false}};  // of what is reported, as the agent does
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
        const Kind& kind = kKinds[k];
        // Who is late is inside for the shortest time.
        const bool late = rank == what.slow;
        const double wait = what.slow >= 0 && !late ? 0.018 : 0;
        const auto seed = static_cast<std::uint64_t>(rank * 977 + second) * 131 + k;
        add_totals(event, kind, (kind.transfer_s + wait) * (1 + 0.04 * noise(seed)));
        for (int i = 0; kind.sampled && i < std::min(kind.times, 5); ++i) {
            const auto sequence = static_cast<std::uint64_t>(second * kind.times + i);
            const std::int64_t at =
                what.start_us + second * kSecond + static_cast<std::int64_t>(k) * 60'000 + i * 200'000;
            const double seconds = (kind.transfer_s + wait) * (1 + 0.05 * noise(seed + 7919U * sequence));
            event.operations.push_back(
                operation_of(kind, sequence, at + static_cast<std::int64_t>(late ? 18'000 : 0), seconds));
        }
    }
    if (what.tensor > 0) {
        add_mesh(event, what, rank);
    }
    const std::uint64_t done = static_cast<std::uint64_t>(second + 1) * 70;
    event.progress = {{kWorld, "AllReduce", done, done, done}};
    return event;
}

}  // namespace

std::vector<Event> activity_events(const SyntheticActivity& what) {
    std::vector<Event> events;
    const auto add = [&](int second, int rank, NcclEvent body) {
        events.push_back({0, what.start_us + (second + 1) * kSecond, "node" + std::to_string(rank / 8 + 1),
                          rank, std::move(body)});
    };
    for (int second = 0; second < (what.unavailable.empty() ? what.seconds : 1); ++second) {
        for (int rank = 0; rank < what.ranks; ++rank) {
            NcclEvent event = what.unavailable.empty() ? event_of(what, rank, second) : NcclEvent{};
            event.unavailable = what.unavailable;
            add(second, rank, std::move(event));
        }
    }
    if (what.behind < 0 || !what.unavailable.empty()) {
        return events;
    }
    const auto sequence = static_cast<std::uint64_t>(what.seconds) * 70 + 1;
    for (int rank = 0; rank < what.ranks; ++rank) {
        NcclEvent event;
        event.seconds = what.open_for_s;
        event.communicators = {{kWorld, "", rank, what.ranks, false}};
        const bool behind = rank == what.behind;
        event.progress = {
            {kWorld, "AllReduce", sequence - (behind ? 1 : 0), sequence - (behind ? 1 : 0), sequence - 1}};
        if (!behind) {
            event.open = {operation_of(kKinds.front(), sequence, what.start_us + what.seconds * kSecond,
                                       what.open_for_s)};
            event.open.front().phase = NcclPhase::Running;
            event.open.front().channels_done = 0;
        }
        add(what.seconds - 1 + static_cast<int>(what.open_for_s), rank, std::move(event));
    }
    return events;
}

std::string inspector_lines(int rank, int ranks, bool verbose) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
        const std::uint64_t bytes = std::uint64_t{1} << static_cast<unsigned>(14 + i % 12);
        const std::int64_t start = 1'752'867'229'000'000 + i * 9'000;
        const auto microseconds = 20 + static_cast<int>(bytes / 40'000) + (rank == 1 ? 0 : 300);
        text += R"({"header":{"id":"0xe62dedaa97644a","comm_name":"dp","rank":)" + std::to_string(rank) +
                R"(,"n_ranks":)" + std::to_string(ranks) +
                R"(,"nnodes":1},"metadata":{"inspector_output_format_version":"v4.0","dump_timestamp_us":)" +
                std::to_string(start + 9'000) + R"(,"hostname":"node1","pid":)" +
                std::to_string(4000 + rank) + R"(},"coll_perf":{"coll":")" +
                (i % 2 == 0 ? "AllReduce" : "ReduceScatter") + R"(","coll_sn":)" + std::to_string(i) +
                R"(,"coll_msg_size_bytes":)" + std::to_string(bytes) + R"(,"coll_exec_time_us":)" +
                std::to_string(microseconds) +
                R"(,"coll_timing_source":"kernel_gpu","coll_algobw_gbs":1.0,"coll_busbw_gbs":1.0)";
        if (verbose) {
            text += R"(,"event_trace_ts":{"coll_start_ts":)" + std::to_string(start) +
                    R"(,"kernel_events":[{"channel_id":0,"kernel_start_ts":)" + std::to_string(start) + "}]}";
        }
        text += "}}\n";
    }
    return text;
}

}  // namespace rankscope::gui::testing
