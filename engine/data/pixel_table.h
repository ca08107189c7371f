// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Turns pixels into the network's numbers, channel by channel: v / 255, then (x − mean) / deviation if
/// asked, each step rounded to float, as torchvision's ToTensor and Normalize do. The table defines the
/// result; where the same bits come out of arithmetic (checked once, for every value) that is used, because
/// it is several times as fast.
class PixelTable {
public:
    PixelTable(int channels, const std::optional<config::NormalizeConfig>& normalize);
    /// The same 256 numbers for every channel.
    PixelTable(int channels, std::vector<float> table);

    int channels() const { return static_cast<int>(tables_.size()); }
    /// All of it: what byte v of channel c means is at 256·c + v. For backends that look up themselves.
    std::vector<float> values() const;
    /// 256 numbers.
    std::span<const float> channel(int c) const { return tables_[static_cast<std::size_t>(c)]; }
    /// planes: [channels, size] bytes → out: [channels, size].
    void convert(const std::uint8_t* planes, std::size_t size, float* out) const;

private:
    struct Arithmetic {
        bool exact = false;
        bool shift = false;  ///< subtract and divide at all
        float mean = 0;
        float deviation = 1;
    };
    std::vector<std::vector<float>> tables_;
    std::vector<Arithmetic> arithmetic_;
};

}  // namespace rankscope::engine
