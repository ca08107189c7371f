// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/layout.h>

#include <cstddef>

namespace rankscope::nccl {

inline constexpr std::uint32_t kOperations = 4096;
inline constexpr std::uint32_t kCommunicators = 256;
inline constexpr std::uint32_t kNetworkOperations = 1024;

/// The mapping that this process writes; of no owner, because NCCL may call until the process ends. The capacities
/// are this program's own: what the file says may be changed by others.
struct SharedFile {
    nccl_ring::Header* header = nullptr;
    nccl_ring::Record* records = nullptr;
    nccl_ring::Operation* operations = nullptr;
    nccl_ring::Communicator* communicators = nullptr;
    nccl_ring::NetworkOperation* network = nullptr;
    std::uint32_t record_capacity = 0;
    std::size_t bytes = 0;
};

/// Makes `folder`/<pid>-<start>.ring (0600), with all its space reserved, so that a full disk is found here and not
/// in a callback; an eighth of the records where there is little space. Without a folder the memory is private: the
/// user's own plugin works, nothing is recorded. False when neither is possible.
bool make_shared_file(SharedFile& file, const char* folder, std::uint32_t level);

/// A number of the environment; `otherwise` where it is absent or not a number.
int environment_number(const char* name, int otherwise);

}  // namespace rankscope::nccl
