// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/label_check.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine {

std::vector<std::int32_t> checked_labels(const std::string& file, const std::vector<std::uint8_t>& bytes,
                                         std::int64_t classes, std::int64_t first_item) {
    const auto wrong =
        std::find_if(bytes.begin(), bytes.end(), [classes](std::uint8_t label) { return label >= classes; });
    if (wrong != bytes.end()) {
        throw Error(file + ": label " + std::to_string(*wrong) + " at item " +
                    std::to_string(first_item + (wrong - bytes.begin())) + "; the set has " +
                    std::to_string(classes) + " classes, 0 to " + std::to_string(classes - 1) +
                    ". The file is damaged or of another set.");
    }
    return {bytes.begin(), bytes.end()};
}

}  // namespace rankscope::engine
