// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/data/data_progress.h>
#include <engine/data/image_set.h>
#include <engine/data/split.h>

#include <string>
#include <vector>

namespace rankscope::engine {

/// Names of the class folders of the training half, root/<train_split>, in the order of their bytes: class 0
/// is the first. Throws Error when the folder is not there or has none.
std::vector<std::string> image_folder_classes(const config::DatasetConfig& config);

/// torchvision's ImageFolder: root/<split>/<class>/…/<image>, decoded on request. Samples in
/// torchvision's order: by class, folder, name; files that end in .jpg, .jpeg or .png (either case). The
/// classes of the validation half are numbered by their names in the training half. Throws Error: no such
/// folder, an empty class, a class that training does not have, a kind of picture that torchvision reads and
/// we do not (leaving it out would make it another set).
ImageSet load_image_folder(const config::DatasetConfig& config, Split split, const DataProgress& progress);

}  // namespace rankscope::engine
