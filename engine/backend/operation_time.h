// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <string>

namespace rankscope::engine {

/// An operation of a training step, run by itself.
struct OperationTime {
    std::string name{};
    std::string lane{};       ///< "main", "side" or "comm": the stream that it has in a step
    std::size_t kernels = 0;  ///< launches; a library's call counts as one
    std::size_t bytes = 0;    ///< read and written, without scratch memory
    double us = 0.0;          ///< of the device, several runs in a row: what it reads may be in a cache
};

}  // namespace rankscope::engine
