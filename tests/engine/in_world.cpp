// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>

#include <cctype>
#include <string>
#include <thread>

namespace rankscope::engine::test {

using namespace std::chrono_literals;

std::string describe(const WorldOptions& options) {
    std::string text = std::to_string(options.ranks) + " ranks";
    if (options.transport == Transport::gloo) {
        return text + ", gloo";
    }
    for (const std::string& host : options.hosts) {
        text += " " + host;
    }
    return text + (options.hosts.empty() ? ", one host" : "");
}

std::string test_name(const WorldOptions& options) {
    std::string name = describe(options);
    std::erase_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; });
    return name;
}

void in_world(const WorldOptions& options, const std::function<void(ProcessGroup&)>& body) {
    TcpStoreServer server({.port = 0,
                           .address = "127.0.0.1",
                           .token = "right-token",
                           .world_size = options.ranks,
                           .hello_timeout = 5000ms});
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < options.ranks; ++rank) {
        ranks.emplace_back([&, rank] {
            try {
                TcpStore store({.host = "127.0.0.1",
                                .port = server.port(),
                                .token = "right-token",
                                .rank = rank,
                                .world_size = options.ranks,
                                .timeout = 20000ms});
                const auto group = make_cpu_process_group(
                    {.rank = rank,
                     .world_size = options.ranks,
                     .address = "127.0.0.1",
                     .transport = options.transport,
                     .host = options.hosts.empty() ? "" : options.hosts[static_cast<std::size_t>(rank)],
                     .connect_timeout = 60s,
                     .timeout = 120s},
                    store);
                body(*group);
                store.bye();
            } catch (const std::exception& exception) {
                ADD_FAILURE() << describe(options) << ", rank " << rank << ": " << exception.what();
            }
        });
    }
}

}  // namespace rankscope::engine::test
