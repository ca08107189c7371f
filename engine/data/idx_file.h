// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace rankscope::engine {

/// An array of bytes as stored in an IDX file: dims[0] items of dims[1] × … bytes each, row-major.
struct IdxArray {
    std::vector<std::size_t> dims;
    std::vector<std::uint8_t> data;
};

/// Reads an IDX file of unsigned bytes with `dimensions` dimensions, plain, gzip or xz (recognised by its first
/// bytes). At most the first `max_items` items are read. Throws Error naming the file and what is wrong with
/// it: not IDX, another element type, other dimensions, cut short, bytes left over, damaged compression.
/// Source: the format's description on the MNIST page (big-endian header 00 00 type ndim, sizes, data).
IdxArray read_idx(const std::filesystem::path& file, std::size_t dimensions,
                  std::size_t max_items = std::numeric_limits<std::size_t>::max());

}  // namespace rankscope::engine
