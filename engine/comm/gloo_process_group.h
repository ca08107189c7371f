// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/comm/store.h>

#include <chrono>
#include <memory>
#include <string>

namespace rankscope::engine {

struct GlooOptions {
    int rank = 0;
    int world_size = 1;
    std::string interface_name{};  ///< device to bind, for example "eth0"; empty: use `address`
    std::string address{};         ///< local address to bind
    std::chrono::milliseconds connect_timeout{120000};
    std::chrono::milliseconds collective_timeout{1800000};  ///< as PyTorch's
};

/// Connects every rank with every other over TCP; the ranks exchange their addresses through the store.
/// Throws Error when that fails. Collectives run on a thread of their own.
std::unique_ptr<ProcessGroup> make_gloo_process_group(const GlooOptions& options, Store& store);

}  // namespace rankscope::engine
