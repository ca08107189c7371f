// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// How long an all-reduce takes between processes of this machine: one JSON line per size, from rank 0.
//
//   all_reduce_bench [--ranks N] [--transport auto|gloo] [--memory group|own] [--hosts N] [--seconds S]
//   [BYTES…]

#include <engine/comm/rendezvous.h>
#include <engine/error.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace rankscope::engine {
namespace {

struct Arguments {
    int ranks = 2;
    int hosts = 1;
    std::string transport = "auto";
    std::string memory = "group";
    double seconds = 1.0;
    std::vector<std::size_t> bytes{660, 455000, 1000000, 16900000, 44726568};
};

double cpu_us() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

double us_since(Clock::time_point from) {
    return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

void measure(ProcessGroup& group, const Arguments& arguments, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(float);
    std::vector<float> own(arguments.memory == "own" ? count : 0);
    const std::shared_ptr<float> shared = own.empty() ? group.allocate(count) : nullptr;
    const std::span<float> values = own.empty() ? std::span(shared.get(), count) : std::span(own);
    const Piece piece{values.data(), count};
    const auto once = [&] { group.all_reduce({.pieces = {&piece, 1}, .scale = 0.5F}, When::at_wait).wait(); };
    // Every rank writes all its values again, as a backward pass does: what lies in another core's cache must
    // come from there. (Left as they are, 455 KB take a third of the time.)
    const auto prepare = [&] {
        std::fill(values.begin(), values.end(), 1e-3F);
        group.barrier();
    };
    for (int warm = 0; warm < 5; ++warm) {
        prepare();
        once();
    }
    // Rank 0's estimate decides for all how often.
    const auto tried = Clock::now();
    prepare();
    once();
    double rounds = std::clamp(arguments.seconds * 1e6 / us_since(tried), 20.0, 20000.0);
    group.broadcast(std::as_writable_bytes(std::span(&rounds, 1)), 0);
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(rounds));
    double used = 0;
    for (int i = 0; i < static_cast<int>(rounds); ++i) {
        prepare();
        const double cpu = cpu_us();
        const auto begin = Clock::now();
        once();
        times.push_back(us_since(begin));
        used += cpu_us() - cpu;
    }
    used /= static_cast<double>(times.size());
    std::sort(times.begin(), times.end());
    if (group.rank() == 0) {
        const auto at = [&](double share) {
            return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
        };
        const nlohmann::json line = {{"bytes", bytes},
                                     {"ranks", group.size()},
                                     {"transport", group.transport()},
                                     {"memory", arguments.memory},
                                     {"rounds", times.size()},
                                     {"min_us", times.front()},
                                     {"median_us", at(0.5)},
                                     {"p99_us", at(0.99)},
                                     {"cpu_us", used},
                                     {"gb_per_s", static_cast<double>(bytes) / at(0.5) / 1000.0}};
        std::printf("%s\n", line.dump().c_str());
        std::fflush(stdout);
    }
    group.barrier();
}

int run_rank(int rank, std::uint16_t port, const Arguments& arguments) {
    try {
        RendezvousOptions options;
        options.env = {.rank = rank,
                       .world_size = arguments.ranks,
                       .local_world_size = arguments.ranks,
                       .master_addr = "127.0.0.1",
                       .master_port = port,
                       .token = "bench",
                       .socket_interface = "",
                       .transport = arguments.transport == "gloo" ? Transport::gloo : Transport::automatic};
        options.env.host =
            arguments.hosts > 1 ? std::to_string(rank * arguments.hosts / arguments.ranks) : "";
        options.peer_lost = [rank](const PeerLoss& loss) {
            std::fprintf(stderr, "%s\n", loss.text(rank).c_str());
            _exit(1);
        };
        options.progress = [](const RendezvousProgress&) {};
        Rendezvous rendezvous(options);
        for (const std::size_t bytes : arguments.bytes) {
            measure(rendezvous.group(), arguments, bytes);
        }
        rendezvous.leave();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        return 1;
    }
}

int bench(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("all_reduce_bench: all-reduce between processes of this machine, one JSON line per size.");
    app.add_option("--ranks", arguments.ranks, "processes")->check(CLI::Range(1, 64));
    app.add_option("--hosts", arguments.hosts, "pretend that they are on this many hosts")
        ->check(CLI::Range(1, 64));
    app.add_option("--transport", arguments.transport)->check(CLI::IsMember({"auto", "gloo"}));
    app.add_option("--memory", arguments.memory, "the group's, or the process's own")
        ->check(CLI::IsMember({"group", "own"}));
    app.add_option("--seconds", arguments.seconds, "per size, about");
    app.add_option("bytes", arguments.bytes);
    CLI11_PARSE(app, argc, argv);
    const std::uint16_t port = local_port(listen_tcp(0, "127.0.0.1"));
    std::vector<pid_t> children;
    for (int rank = 0; rank < arguments.ranks; ++rank) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(run_rank(rank, port, arguments));
        }
        children.push_back(child);
    }
    int failed = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        failed += status == 0 ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rankscope::engine

int main(int argc, char** argv) {
    try {
        return rankscope::engine::bench(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
