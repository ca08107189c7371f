// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

constexpr int kCifarSide = 32;
constexpr int kCifarChannels = 3;
constexpr std::size_t kCifarPixels = 3072;

/// How the binary version's records are made: label bytes, of which one counts, then the pixels.
struct CifarFormat {
    std::size_t label_bytes = 1;
    std::size_t label_at = 0;
    std::int64_t classes = 10;

    std::size_t record() const { return label_bytes + kCifarPixels; }
};

/// Samples in the order of the files. pixels: [labels, 3, 32, 32].
struct CifarSamples {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int32_t> labels;
};

/// Appends the records of one file, at most until `samples` has `most`. Throws Error naming `file`: not whole
/// records, a label out of range.
void append_cifar_records(const std::string& file, std::span<const std::uint8_t> records,
                          const CifarFormat& format, std::size_t most, CifarSamples& samples);

/// The same from a file of the python version.
void append_cifar_pickle(const std::string& file, std::span<const std::uint8_t> pickle,
                         const std::string& label_key, const CifarFormat& format, std::size_t most,
                         CifarSamples& samples);

}  // namespace rankscope::engine
