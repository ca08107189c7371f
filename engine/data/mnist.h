// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/dataset.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::engine {

/// MNIST (60 000 + 10 000 images of 28×28, ten classes) from IDX files, gzip or plain, looked for in
///   1. config.root, also in its MNIST/raw, raw and mnist folders (as torchvision leaves them);
///   2. the user's cache, mnist_cache_folder();
///   3. the mirrors (variable RANKSCOPE_MNIST_MIRRORS, else a built-in list), downloaded into the cache.
ImageSet load_mnist(const protocol::DatasetConfig& config, Split split, const DataProgress& progress);

/// $XDG_CACHE_HOME/rankscope/datasets/mnist, else ~/.cache/rankscope/datasets/mnist.
std::filesystem::path mnist_cache_folder();

/// "~" and "~/…" become the user's home folder.
std::filesystem::path expand_home(const std::string& path);

}  // namespace rankscope::engine
