// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <protocol/train_config.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Images as bytes with one label each. pixels: [size, channels, height, width].
struct ImageSet {
    Shape sample;  ///< {channels, height, width}
    std::int64_t classes = 0;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> labels;  ///< each < classes

    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

enum class Split { train, test };

/// What a long preparation is doing; done and total are 0 where there is nothing to count.
using DataProgress = std::function<void(const std::string& detail, std::uint64_t done, std::uint64_t total)>;

/// What every known set holds: 28×28 grey images of ten digits. Known before anything is loaded.
inline Shape dataset_sample_shape() {
    return {1, 28, 28};
}
inline std::int64_t dataset_classes() {
    return 10;
}

/// Loads one half of the set named by the configuration (one of protocol::known_datasets()), downloading it
/// if need be. Throws Error saying what is missing and where to put it.
ImageSet load_dataset(const protocol::DatasetConfig& config, Split split, const DataProgress& progress);

}  // namespace rankscope::engine
