// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/data/data_progress.h>
#include <engine/data/image_set.h>
#include <engine/data/split.h>
#include <engine/graph/graph.h>

#include <cstdint>

namespace rankscope::engine {

/// What the network gets of the set: {channels, height, width}, or {features}. Known before anything is
/// loaded.
Shape dataset_sample_shape(const config::DatasetConfig& config);

/// Classes of the set. For an image folder without `classes` its class folders are counted (nothing is read
/// of the pictures); throws Error when the folder is not there.
std::int64_t dataset_classes(const config::DatasetConfig& config);

/// Loads one half of the set named by the configuration (one of config::known_datasets()), downloading it
/// if need be. Throws Error saying what is missing or wrong and what to do.
ImageSet load_dataset(const config::DatasetConfig& config, Split split, const DataProgress& progress);

}  // namespace rankscope::engine
