// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/host_broadcast.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace rankscope::engine {
namespace {

constexpr std::size_t kPiece = std::size_t{16} << 20U;
constexpr std::size_t kGatheredPiece = std::size_t{1} << 20U;

}  // namespace

void broadcast_host(ProcessGroup& group, std::span<std::byte> bytes, int root) {
    if (group.backend() == "nccl") {
        return broadcast_by_gather(group, bytes, root);
    }
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        group.broadcast(bytes.subspan(at, std::min(kPiece, bytes.size() - at)), root);
    }
}

void broadcast_by_gather(ProcessGroup& group, std::span<std::byte> bytes, int root) {
    std::string mine;
    for (std::size_t at = 0; at < bytes.size(); at += kGatheredPiece) {
        const auto piece = bytes.subspan(at, std::min(kGatheredPiece, bytes.size() - at));
        mine.resize(piece.size());
        if (group.rank() == root) {
            std::memcpy(mine.data(), piece.data(), piece.size());
        }
        const std::vector<std::string> all = group.all_gather(mine);
        std::memcpy(piece.data(), all[static_cast<std::size_t>(root)].data(), piece.size());
    }
}

}  // namespace rankscope::engine
