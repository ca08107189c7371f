// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/reading/run_reading.h>
#include <remote/logs/grammar/line_parser.h>

#include <tests/gui/synthetic_nccl.h>

#include <algorithm>
#include <cstdio>

namespace rankscope::gui::testing {

namespace {

std::string two_digits(int number) {
    char text[16];
    std::snprintf(text, sizeof text, "%02d", number);
    return text;
}

std::string hex_bus(int gpu) {
    char text[16];
    std::snprintf(text, sizeof text, "%x", 0x18000 + gpu * 0x11000);
    return text;
}

/// The transport with the device that the channel uses.
std::string between(const SyntheticNccl& what, int channel) {
    std::string name = what.between;
    if (const auto at = name.find("/IB/0");
        at != std::string::npos && what.ib_devices > 0 && what.all_devices) {
        name.replace(at, 5, "/IB/" + std::to_string(channel % what.ib_devices));
    }
    return name;
}

}  // namespace

std::string nccl_log(const SyntheticNccl& what) {
    std::string log;
    const int ranks = what.nodes * what.gpus;
    for (int rank = 0; rank < ranks; ++rank) {
        if (std::find(what.silent.begin(), what.silent.end(), rank) != what.silent.end()) {
            continue;
        }
        const int node = rank / what.gpus;
        const int gpu = rank % what.gpus;
        const std::string pid = std::to_string(100 + gpu);
        const std::string start = what.host + std::to_string(node) + ':' + pid + ':' + pid + " [" +
                                  std::to_string(gpu) + "] NCCL INFO ";
        const auto say = [&](const std::string& message) { log += start + message + '\n'; };
        const auto with_gpu = [&](int r) {
            return std::to_string(r) + '[' + std::to_string(r % what.gpus) + ']';
        };
        const std::string comm = "comm 0x5500" + std::to_string(1000 + rank) + " rank " +
                                 std::to_string(rank) + " nranks " + std::to_string(ranks) + " cudaDev " +
                                 std::to_string(gpu) + " nvmlDev " + std::to_string(gpu) + " busId " +
                                 hex_bus(gpu) + " commId 0xcfd2979cb3ba7807";
        say("Bootstrap : Using eth0:10.0." + std::to_string(node / 200) + '.' +
            std::to_string(node % 200 + 1) + "<0>");
        if (what.ib_devices > 0) {
            std::string devices;
            for (int i = 0; i < what.ib_devices; ++i) {
                devices += " [" + std::to_string(i) + "]mlx5_" + std::to_string(i) + ":1/IB";
            }
            say("NET/IB : Using" + devices + " [RO]; OOB eth0:10.0." + std::to_string(node / 200) + '.' +
                std::to_string(node % 200 + 1) + "<0>");
        } else {
            say("NET/IB : No device found.");
            say("NET/Socket : Using [0]eth0:10.0." + std::to_string(node / 200) + '.' +
                std::to_string(node % 200 + 1) + "<0>");
        }
        say("Using network " + what.network);
        say("ncclCommInitRank " + comm + " - Init START");
        if (rank == 0) {
            for (int channel = 0; channel < what.channels; ++channel) {
                std::string ring = "Channel " + two_digits(channel) + '/' + two_digits(what.channels) + " :";
                for (int r = 0; r < std::min(ranks, 20); ++r) {
                    ring += ' ' + std::to_string(r);
                }
                say(ring);
            }
        }
        std::string trees = "Trees";
        for (int channel = 0; channel < what.channels; ++channel) {
            // A chain within each node; the first GPUs of the nodes are a binary tree.
            const bool first = gpu == 0;
            const int up = first ? (node == 0 ? -1 : (node - 1) / 2 * what.gpus) : rank - 1;
            std::vector<int> down;
            if (gpu + 1 < what.gpus) {
                down.push_back(rank + 1);
            }
            for (const int child : {2 * node + 1, 2 * node + 2}) {
                if (first && child < what.nodes) {
                    down.push_back(child * what.gpus);
                }
            }
            down.resize(3, -1);
            trees += " [" + std::to_string(channel) + "] " + std::to_string(down[0]) + '/' +
                     std::to_string(down[1]) + '/' + std::to_string(down[2]) + "->" + std::to_string(rank) +
                     "->" + std::to_string(up);
        }
        say(trees);
        const int next = (rank + 1) % ranks;
        const int previous = (rank + ranks - 1) % ranks;
        for (int channel = 0; channel < what.channels && ranks > 1; ++channel) {
            const std::string channel_text = "Channel " + two_digits(channel) + "/0 : ";
            if (previous / what.gpus != node) {
                say(channel_text + with_gpu(previous) + " -> " + with_gpu(rank) + " [receive] via " +
                    what.between);
            }
            if (next / what.gpus != node) {
                say(channel_text + with_gpu(rank) + " -> " + with_gpu(next) + " [send] via " +
                    between(what, channel));
            } else {
                say(channel_text + with_gpu(rank) + " -> " + with_gpu(next) + " via " + what.inside);
            }
        }
        say("Connected all rings");
        say("Connected all trees");
        say(std::to_string(what.channels) + " coll channels, 0 collnet channels, 0 nvls channels, " +
            std::to_string(what.channels) + " p2p channels, 2 p2p channels per peer");
        say("ncclCommInitRank " + comm + " - Init COMPLETE");
    }
    return log;
}

std::string odd_nccl_log() {
    std::string log;
    const std::string healthy = nccl_log({});
    int rank = -1;
    for (std::size_t at = 0; at < healthy.size();) {
        const std::size_t end = healthy.find('\n', at) + 1;
        std::string line = healthy.substr(at, end - at);
        at = end;
        rank += line.find("Bootstrap") != std::string::npos ? 1 : 0;
        if (const auto network = line.find("Using network IB"); rank == 3 && network != std::string::npos) {
            line.replace(network, std::string::npos, "Using network Socket\n");
        }
        if (rank == 5 && line.find("Connected all rings") != std::string::npos) {
            log +=
                "node-0:105:105 [5] transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer "
                "10.0.0.2<4791> with "
                "status=12 opcode=0 len=0 vendor err 129\n";
        }
        if (rank != 5 || line.find("Init COMPLETE") == std::string::npos) {
            log += line;
        }
    }
    return log;
}

std::shared_ptr<const ReadingSnapshot> snapshot_of(const std::string& log) {
    RunReading reader;
    logs::LineParser parser;
    parser.begin("all.log", 0);
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        reader.take(parser.parse({{0, ++number}, std::string_view(log).substr(at, end - at)}));
        at = end + 1;
    }
    return reader.whole({"all.log"});
}

}  // namespace rankscope::gui::testing
