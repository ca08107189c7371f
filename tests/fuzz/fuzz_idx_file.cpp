// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// MNIST's files, plain, gzip or xz.

#include "memory_file.h"
#include "target.h"

#include <engine/data/idx_file.h>
#include <engine/error.h>

#include <functional>
#include <numeric>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const fuzz::MemoryFile file(data, size);
    for (const std::size_t dimensions : {1U, 3U}) {
        try {
            const engine::IdxArray array = engine::read_idx(file.name(), dimensions);
            fuzz::require(array.dims.size() == dimensions, "as many dimensions as requested");
            fuzz::require(std::accumulate(array.dims.begin(), array.dims.end(), std::size_t{1},
                                          std::multiplies<>()) == array.data.size(),
                          "as much data as promised");
        } catch (const engine::Error& error) {
            fuzz::require(std::string(error.what()).starts_with(file.name()), "the fault names the file");
        }
    }
    return 0;
}
