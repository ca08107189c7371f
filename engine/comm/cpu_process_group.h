// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/flight_recorder.h>
#include <engine/comm/process_group.h>
#include <engine/comm/store.h>
#include <engine/comm/transport.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace rankscope::engine {

struct CpuGroupOptions {
    int rank = 0;
    int world_size = 1;
    std::string interface_name{};  ///< device that Gloo binds, for example "eth0"; empty: use `address`
    std::string address{};         ///< local address that Gloo binds
    Transport transport = Transport::automatic;
    std::string host{};  ///< ranks that name the same one try to share memory; empty: host_identity()
    std::chrono::milliseconds connect_timeout{120000};
    std::chrono::milliseconds timeout{1800000};  ///< last resort of every collective; the watchdog is earlier
    std::shared_ptr<FlightRecorder> recorder{};  ///< null: one of its own
    std::function<void(const std::string&)> note{};  ///< what the user should know; null: stderr
};

/// The group of all ranks with the backend "gloo". The ranks meet in the store and determine together who
/// shares a host and whether sharing memory works there; ranks whose host cannot get a note and use Gloo.
/// Throws Error when the group does not come about. The store must outlive it.
std::unique_ptr<ProcessGroup> make_cpu_process_group(const CpuGroupOptions& options, Store& store);

}  // namespace rankscope::engine
