// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

/// Bandwidths as nccl-tests defines them (doc/PERFORMANCE.md): algorithm bandwidth = payload / time, bus bandwidth =
/// algorithm bandwidth × factor. `ranks`: of the communicator.

/// The payload of an operation in bytes, from the bytes that the call counts on each rank: all ranks' together for
/// AllGather, ReduceScatter, AlltoAll, Gather and Scatter.
double payload_bytes(std::string_view function, double bytes, int ranks);
/// 0: no factor is defined for it, or `ranks` is not known.
double bus_factor(std::string_view function, int ranks);
/// All ranks leave such a collective together, so the one that enters last is the shortest time inside.
bool ends_together(std::string_view function);

}  // namespace rankscope
