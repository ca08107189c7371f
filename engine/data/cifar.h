// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/data/data_progress.h>
#include <engine/data/image_set.h>
#include <engine/data/split.h>

namespace rankscope::engine {

/// CIFAR-10 or CIFAR-100 (50 000 + 10 000 images of 3×32×32; the fine labels of the second), looked for in
/// config.root, in the folders below it that the archives make, and in the user's cache:
///   1. the binary version's files (data_batch_1.bin …, train.bin), plain, .xz or .gz; fewer than there
///   should
///      be are taken for a smaller set, which `remark` says;
///   2. the python version's files, as torchvision leaves them;
///   3. either archive, cifar-10-binary.tar.gz or cifar-10-python.tar.gz;
/// otherwise the binary archive is downloaded from the authors' page (variables RANKSCOPE_CIFAR10_MIRRORS,
/// RANKSCOPE_CIFAR100_MIRRORS) and unpacked in the cache. Throws Error: files missing, cut short, damaged, a
/// label out of range.
ImageSet load_cifar(const config::DatasetConfig& config, Split split, const DataProgress& progress);

}  // namespace rankscope::engine
