// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <engine/comm/collective_kind.h>
#include <engine/comm/cpu_process_group.h>
#include <engine/comm/rendezvous.h>
#include <engine/error.h>

#include <unistd.h>

#include <array>
#include <thread>

namespace rankscope::engine {
namespace {

std::string member_key(int rank) {
    return "rankscope/member/" + std::to_string(rank);
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

/// The local address that the other ranks shall connect to.
std::string address_for_peers(const RankEnv& env) {
    if (is_loopback(env.master_addr)) {
        return "127.0.0.1";
    }
    const std::string address = local_address_towards(env.master_addr, env.master_port);
    const bool several_nodes = env.local_world_size < env.world_size;
    if (several_nodes && (address.rfind("127.", 0) == 0 || address == "::1")) {
        // The master's own name often stands for 127.0.1.1 in its /etc/hosts: useless to the other nodes. The
        // address of the default route is the one that they most likely use (192.0.2.1 is reserved: nothing is
        // sent).
        const std::string outside = local_address_towards("192.0.2.1", env.master_port);
        return outside.empty() ? address : outside;
    }
    return address;
}

constexpr std::chrono::seconds kQuiet{3};  // a wait that is shorter needs no explanation

std::string first_interface(const std::string& names) {
    return names.substr(0, names.find(','));
}

}  // namespace

Rendezvous::Rendezvous(const RendezvousOptions& options) {
    const RankEnv& env = options.env;
    if (env.token.empty() && !options.allow_no_token) {
        throw ConfigError(
            std::string(kTokenVariable) +
            " is not set: without it anyone who reaches the port could join the run. The agent sets it; "
            "by hand, give every rank the same secret, or --insecure-no-token on a network you trust.");
    }
    if (env.rank == 0) {
        server_ = std::make_unique<TcpStoreServer>(StoreServerOptions{.port = env.master_port,
                                                                      .address = env.master_addr,
                                                                      .token = env.token,
                                                                      .world_size = env.world_size});
    }
    // Rank 0 reaches its own store without depending on how its public name resolves on this machine.
    const auto unreachable = [progress = options.progress, world = env.world_size](const FailedDial& dial) {
        progress({.here = 0, .world = world, .unreachable = dial});
    };
    const StoreClientOptions client{.host = env.rank == 0 ? server_->address() : env.master_addr,
                                    .port = env.master_port,
                                    .token = env.token,
                                    .rank = env.rank,
                                    .world_size = env.world_size,
                                    .timeout = options.timeout,
                                    .unreachable = unreachable};
    store_ = std::make_unique<TcpStore>(client);
    try {
        meet(options, client);
    } catch (const PeerLostError&) {
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the watch learns which rank it is, and why
        throw;
    } catch (const std::exception& error) {
        fail(error.what());
        throw;
    }
}

void Rendezvous::meet(const RendezvousOptions& options, const StoreClientOptions& client) {
    const RankEnv& env = options.env;
    store_->set(member_key(env.rank), host_name() + ":" + std::to_string(getpid()));
    watch_ = std::make_unique<PeerWatch>(client,
                                         PeerWatchOptions{.silence_limit = env.heartbeat,
                                                          .collective_timeout = env.collective_timeout,
                                                          .recorder = recorder_},
                                         options.peer_lost);
    await_members(options);
    group_ = make_cpu_process_group({.rank = env.rank,
                                     .world_size = env.world_size,
                                     .interface_name = first_interface(env.socket_interface),
                                     .address = address_for_peers(env),
                                     .transport = env.transport,
                                     .host = env.host,
                                     .connect_timeout = options.timeout,
                                     .timeout = env.last_resort(),
                                     .recorder = recorder_},
                                    *store_);
}

void Rendezvous::await_members(const RendezvousOptions& options) {
    const int world = options.env.world_size;
    const Clock::time_point deadline = Clock::now() + options.timeout;
    std::vector<std::string> keys;
    for (int rank = 0; rank < world; ++rank) {
        keys.push_back(member_key(rank));
    }
    const Clock::time_point begin = Clock::now();
    const auto quiet = std::min<Clock::duration>(kQuiet, options.timeout / 2);
    int reported = -1;
    bool named = false;
    for (;;) {
        const std::vector<bool> present = store_->check(keys);
        std::vector<int> missing;
        for (int rank = 0; rank < world; ++rank) {
            if (!present[static_cast<std::size_t>(rank)]) {
                missing.push_back(rank);
            }
        }
        const int here = world - static_cast<int>(missing.size());
        const bool late = !missing.empty() && Clock::now() - begin >= quiet;
        if (here != reported || late != named) {
            reported = here;
            named = late;
            options.progress({.here = here, .world = world, .missing = late ? missing : std::vector<int>{}});
        }
        if (missing.empty()) {
            return;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            throw Error(
                "rendezvous at " + options.env.master_addr + ":" + std::to_string(options.env.master_port) +
                " timed out after " + std::to_string(options.timeout.count() / 1000) + " s: rank " +
                rank_list(missing) + " of " + std::to_string(world) +
                " did not come. Look at their own messages; if they wait as well, they do not reach this "
                "address or port.");
        }
        store_->get(keys[static_cast<std::size_t>(missing.front())],
                    std::min(left, std::chrono::milliseconds(500)));
    }
}

void Rendezvous::fail(const std::string& reason) {
    try {
        if (watch_) {
            watch_->stop();
        }
        store_->fail(reason);
    } catch (const std::exception&) {
        // The others will see the connection break instead.
    }
}

void Rendezvous::leave() {
    group_->barrier();
    watch_->stop();
    store_->bye();
}

}  // namespace rankscope::engine
