// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>

#include <cstdint>

namespace rankscope::engine::cuda {

/// How a matrix [rows][channels] is dealt out to blocks of kThreads threads. A thread keeps one group of
/// channels and goes down the rows; a block covers `lanes` groups (a tile) and one chunk of the rows. The
/// same for every GPU, so that sums come out the same.
struct RowTiling {
    static constexpr int kThreads = 256;

    std::int64_t rows = 0;
    int channels = 0;
    int lanes = 0;   ///< groups of channels side by side in a block
    int stride = 0;  ///< rows that a block reads at once
    int tiles = 0;   ///< blocks across the channels
    int chunks = 0;  ///< blocks down the rows
    std::int64_t chunk_rows = 0;
};

/// `passes`: rows that a thread should go through; more, where there would be more than `most_blocks`.
inline RowTiling row_tiling(std::int64_t rows, int channels, int passes, std::int64_t most_blocks) {
    constexpr int kMostLanes = 32;
    const int groups = channels / static_cast<int>(kGroup);
    RowTiling tiling;
    tiling.rows = rows;
    tiling.channels = channels;
    tiling.lanes = groups < kMostLanes ? groups : kMostLanes;
    tiling.stride = RowTiling::kThreads / tiling.lanes;
    tiling.tiles = (groups + tiling.lanes - 1) / tiling.lanes;
    const std::int64_t wanted = (rows + static_cast<std::int64_t>(tiling.stride) * passes - 1) /
                                (static_cast<std::int64_t>(tiling.stride) * passes);
    const std::int64_t most = most_blocks / tiling.tiles > 1 ? most_blocks / tiling.tiles : 1;
    const std::int64_t chunks = wanted < most ? wanted : most;
    tiling.chunk_rows = (rows + chunks - 1) / chunks;
    tiling.chunks = static_cast<int>((rows + tiling.chunk_rows - 1) / tiling.chunk_rows);
    return tiling;
}

}  // namespace rankscope::engine::cuda
