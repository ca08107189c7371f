// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A batch of CIFAR's "python version": a pickled dictionary with `data`, a NumPy array of bytes
/// [images, row], and a list of labels.
struct PickledBatch {
    std::vector<std::uint8_t> labels;
    std::span<const std::uint8_t> rows;  ///< into the given bytes
    std::size_t row_bytes = 0;
};

/// Reads one; `label_key` is the list's name ("labels", "fine_labels"). Understands the instructions of
/// pickle protocols 2 to 4 that such a file has and no others: it calls nothing, whatever the file says.
/// Throws Error naming `name`. Source: CPython's pickletools, NumPy's ndarray.__reduce__.
PickledBatch read_pickled_batch(std::span<const std::uint8_t> bytes, const std::string& label_key,
                                const std::string& name);

}  // namespace rankscope::engine
