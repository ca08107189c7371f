// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the statistics of NCCL's operations cost: gives CollectiveStats the events of a training of many ranks (a world,
// groups of 8 for tensor parallelism, groups across them for data parallelism), and asks for the report as often as the
// window and `rankscopectl collectives` do. Prints the CPU time of both.
//
//   collectives_speed [ranks] [seconds] [reports a second]

#include <remote/observe/nccl_activity/collective_stats.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace rankscope;

constexpr int kGroup = 8;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

struct Kind {
    const char* function;
    std::uint64_t bytes;
    bool in_group;
};
constexpr Kind kKinds[] = {{"AllReduce", 32 * kMiB, false}, {"AllReduce", 8, false},
                           {"AllGather", 4 * kMiB, false},  {"ReduceScatter", 4 * kMiB, false},
                           {"AllReduce", kMiB, true},       {"AllGather", kMiB / 4, true},
                           {"ReduceScatter", kMiB, true},   {"Broadcast", kMiB, true}};
constexpr int kOperations = 16;  // of each event

double cpu_s() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

int size_class(std::uint64_t bytes) {
    int result = 0;
    while (bytes > 1) {
        bytes /= 2;
        ++result;
    }
    return result;
}

NcclEvent event_of(int rank, int ranks, int second) {
    const auto group = static_cast<std::uint64_t>(rank / kGroup);
    const CommunicatorHash world{1};
    const CommunicatorHash own{2 + group};
    NcclEvent event;
    event.seconds = 1;
    event.api_version = 5;
    event.communicators = {{world, "world", rank, ranks, false}, {own, "tp", rank % kGroup, kGroup, false}};
    for (const Kind& kind : kKinds) {
        NcclTotals totals;
        totals.communicator = kind.in_group ? own : world;
        totals.function = kind.function;
        totals.datatype = "ncclFloat32";
        totals.algorithm = "RING";
        totals.protocol = "SIMPLE";
        totals.size_class = size_class(kind.bytes);
        totals.operations = 20;
        totals.bytes = 20 * kind.bytes;
        totals.seconds = 20 * (0.001 + 1e-6 * (rank % 7));
        totals.shortest_s = 0.0005;
        totals.longest_s = 0.002;
        totals.gpu_times = true;
        event.totals.push_back(totals);
    }
    for (int i = 0; i < kOperations; ++i) {
        const Kind& kind = kKinds[i % std::size(kKinds)];
        NcclOperation operation;
        operation.communicator = kind.in_group ? own : world;
        operation.sequence = static_cast<std::uint64_t>(second * kOperations + i);
        operation.function = kind.function;
        operation.datatype = "ncclFloat32";
        operation.algorithm = "RING";
        operation.protocol = "SIMPLE";
        operation.bytes = kind.bytes;
        operation.phase = NcclPhase::Finished;
        operation.start_us =
            1'760'000'000'000'000 + std::int64_t{second} * 1'000'000 + std::int64_t{i} * 50'000;
        operation.seconds = 0.001 + 1e-6 * (rank % 7);
        event.operations.push_back(operation);
    }
    if (rank % 2 == 0) {
        NcclOperation open = event.operations.front();
        open.sequence = static_cast<std::uint64_t>(second + 1) * 1000;
        open.phase = NcclPhase::Running;
        event.open = {open};
    }
    event.progress = {{world, "AllReduce", static_cast<std::uint64_t>(second) * 1000,
                       static_cast<std::uint64_t>(second) * 1000, static_cast<std::uint64_t>(second) * 1000}};
    return event;
}

}  // namespace

int main(int argc, char** argv) {
    const int ranks = argc > 1 ? std::atoi(argv[1]) : 1024;
    const int seconds = argc > 2 ? std::atoi(argv[2]) : 60;
    const int reports = std::max(argc > 3 ? std::atoi(argv[3]) : 2, 1);
    CollectiveStats stats;
    CollectiveReport report;
    double taking_s = 0;
    double reporting_s = 0;
    double longest_s = 0;
    std::size_t made = 0;
    for (int second = 0; second < seconds; ++second) {
        int next = 0;
        for (int part = 1; part <= reports; ++part) {
            std::vector<NcclEvent> events;
            const int first = next;
            for (; next < ranks * part / reports; ++next) {
                events.push_back(event_of(next, ranks, second));
            }
            double begun = cpu_s();
            for (std::size_t i = 0; i < events.size(); ++i) {
                stats.take(first + static_cast<int>(i), std::int64_t{second} * 1'000'000, events[i]);
            }
            taking_s += cpu_s() - begun;
            begun = cpu_s();
            report = stats.report();
            longest_s = std::max(longest_s, cpu_s() - begun);
            reporting_s += cpu_s() - begun;
            ++made;
        }
    }
    std::uint64_t matched = 0;
    for (const CollectiveRow& row : report.rows) {
        matched += row.matched;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double events = static_cast<double>(ranks) * seconds;
    std::printf(
        "%d ranks, %d events each: events %.2f s (%.1f us each), %zu reports %.2f s (longest %.1f ms)\n",
        ranks, seconds, taking_s, taking_s / std::max(events, 1.0) * 1e6, made, reporting_s, longest_s * 1e3);
    std::printf("%zu rows, %llu operations compared, at most %ld MB\n", report.rows.size(),
                static_cast<unsigned long long>(matched), usage.ru_maxrss / 1024);
    return 0;
}
