// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// How fast logs become facts and verdicts: writes the INFO lines of one communicator of many ranks, each rank to its
// own file, reads them as `rankscopectl diagnose` does, and prints MB/s and the most memory that was used.
//
//   log_speed [MB] [ranks] [collective calls of each rank] [folder of rules]

#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace {

using namespace rankscope;

constexpr int kRanksPerNode = 8;

std::string prefix(int rank) {
    const auto node = std::to_string(rank / kRanksPerNode);
    const auto pid = std::to_string(40'000 + rank);
    return "gpu-node-" + node + ":" + pid + ":" + std::to_string(90'000 + rank) + " [" +
           std::to_string(rank % kRanksPerNode) + "] NCCL INFO ";
}

/// The lines of one rank, as NCCL 2.21 prints them, in the order of its init.
std::string lines_of(int rank, int ranks, int calls, std::mt19937& random) {
    const auto start = prefix(rank);
    const auto own = std::to_string(rank) + "[" + std::to_string(rank % kRanksPerNode) + "]";
    const auto comm = "comm 0x5590" + std::to_string(100'000 + rank) + " rank " + std::to_string(rank) +
                      " nranks " + std::to_string(ranks) + " cudaDev " +
                      std::to_string(rank % kRanksPerNode) + " nvmlDev " +
                      std::to_string(rank % kRanksPerNode) + " busId 1b000 commId 0xcfd2979cb3ba7807 - Init ";
    std::string text;
    const auto line = [&](const std::string& message) { text += start + message + "\n"; };
    line("Bootstrap : Using bond0:10.140." + std::to_string(rank / kRanksPerNode / 250) + "." +
         std::to_string(rank / kRanksPerNode % 250) + "<0>");
    line(
        "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [3]mlx5_3:1/IB [RO]; OOB "
        "bond0:10.140.0.1<0>");
    line("NCCL_IB_TIMEOUT set by environment to 22.");
    line("Using network IB");
    line("ncclCommInitRank " + comm + "START");
    std::string trees = "Trees";
    for (int channel = 0; channel < 16; ++channel) {
        trees += " [" + std::to_string(channel) + "] " + std::to_string(rank + 1) + "/-1/-1->" +
                 std::to_string(rank) + "->" + std::to_string(rank - 1);
        const int next = (rank + 1) % ranks;
        const auto number = (channel < 10 ? "0" : "") + std::to_string(channel);
        line("Ring " + number + " : " + std::to_string((rank + ranks - 1) % ranks) + " -> " +
             std::to_string(rank) + " -> " + std::to_string(next));
        const auto other = std::to_string(next) + "[" + std::to_string(next % kRanksPerNode) + "]";
        line("Channel " + number + "/0 : " + own + " -> " + other +
             (next % kRanksPerNode == 0 ? " [send] via NET/IB/" + std::to_string(channel % 4) + "/GDRDMA"
                                        : " via P2P/CUMEM/read"));
    }
    line(trees);
    line("16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per peer");
    line("ncclCommInitRank " + comm + "COMPLETE");
    for (int call = 0; call < calls; ++call) {
        char count[32];
        std::snprintf(count, sizeof count, "%x", static_cast<unsigned>(call));
        line("AllReduce: opCount " + std::string(count) + " sendbuff 0x7f" + std::to_string(random()) +
             " recvbuff 0x7f" + std::to_string(random()) +
             " count 26214400 datatype 9 op 0 root 0 comm 0x5590" + std::to_string(100'000 + rank) +
             " [nranks=" + std::to_string(ranks) + "] stream 0x55a1");
    }
    return text;
}

/// Time on a core: others may use the machine, too.
double processor_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
    const auto bytes = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 200) * 1'000'000;
    const int ranks = argc > 2 ? std::atoi(argv[2]) : 1024;
    const int calls = argc > 3 ? std::atoi(argv[3]) : 20;
    const auto rules = argc > 4 ? logs::load_rules({argv[4]}) : logs::RuleSet{};
    const auto folder =
        std::filesystem::temp_directory_path() / ("rankscope-log-speed-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::uint64_t written = 0;
    std::mt19937 random(1);
    for (int rank = 0; rank < ranks; ++rank) {
        std::ofstream out(folder / ("nccl." + std::to_string(rank) + ".log"), std::ios::binary);
        const auto share = bytes * (static_cast<std::uint64_t>(rank) + 1) / static_cast<std::uint64_t>(ranks);
        while (written < share) {
            const auto text = lines_of(rank, ranks, calls, random);
            out << text;
            written += text.size();
        }
    }
    const double begin = processor_s();
    logs::FactBuilder builder;
    logs::Diagnosis diagnosis(rules.rules);
    std::uint64_t lines = 0;
    logs::read_sources({folder.string()}, {}, [&](const logs::LogLine& line) {
        ++lines;
        if (rules.rules.empty()) {
            builder.feed(line);
        } else {
            diagnosis.take(line);
        }
    });
    const auto found = diagnosis.finish({});
    const auto facts = rules.rules.empty() ? builder.take() : found.facts;
    const double seconds = processor_s() - begin;
    std::filesystem::remove_all(folder);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf(
        "%.0f MB, %llu lines, %zu ranks, %zu rules, %zu verdicts: %.2f s of a core, %.0f MB/s, %.0f MB of "
        "memory\n",
        static_cast<double>(written) * 1e-6, static_cast<unsigned long long>(lines),
        facts.communicators.empty() ? 0 : facts.communicators[0].members.size(), rules.rules.size(),
        found.verdicts.size(), seconds, static_cast<double>(written) * 1e-6 / seconds,
        static_cast<double>(used.ru_maxrss) / 1000);
    return 0;
}
