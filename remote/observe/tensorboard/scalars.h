// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::tensorboard {

/// What one event of a summary writer says in numbers.
struct Scalars {
    std::int64_t step = 0;  ///< as the writer counts; one that was given none has written 0
    std::vector<std::pair<std::string, double>> values;  ///< tag → value
    double wall_time = 0;                                ///< seconds since 1970
    std::optional<double> epoch{};                       ///< as the writer counts
    bool of_epoch = false;                               ///< the step counts epochs: nothing else counts
};

/// The scalars of one record: simple values, and tensors of rank 0 as newer writers put them (float, double,
/// half, bfloat16, int32, int64). Texts, images, histograms and graphs are left out; nothing: these bytes are
/// no event.
std::optional<Scalars> read_scalars(std::string_view record);

}  // namespace rankscope::tensorboard
