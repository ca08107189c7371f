// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/data/data_progress.h>
#include <engine/data/image_set.h>
#include <engine/data/split.h>

namespace rankscope::engine {

/// MNIST or Fashion-MNIST (60 000 + 10 000 images of 28×28, ten classes) from IDX files, packed or plain,
/// looked for in
///   1. config.root, also in the folders below it that torchvision makes (MNIST/raw, FashionMNIST/raw) and in
///      raw and <name>;
///   2. the user's cache, dataset_cache_folder(<name>);
///   3. the mirrors (variables RANKSCOPE_MNIST_MIRRORS and RANKSCOPE_FASHION_MNIST_MIRRORS, else a built-in
///      list), downloaded into the cache.
/// Throws Error: files missing, damaged, not of one size, a label that is none.
ImageSet load_mnist(const config::DatasetConfig& config, Split split, const DataProgress& progress);

}  // namespace rankscope::engine
