// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Where a position of a YAML text stands, for completion and help while the text is being written.
struct YamlCursor {
    std::vector<std::string> parents;  ///< keys of the mappings around it, the outermost first
    std::string key;                   ///< the key at the position, or the one whose value is there
    bool in_value = false;
    bool nowhere = false;   ///< in a comment or in a text of several lines
    std::size_t begin = 0;  ///< of the word at the position, bytes
    std::size_t end = 0;
};

/// Reads line by line, so that a text that is no YAML yet has places as well. Any text, any position.
YamlCursor cursor_in_yaml(std::string_view text, std::size_t at);

/// The paths of all keys of the text: "train.optimizer".
std::set<std::string> key_paths_in_yaml(std::string_view text);

/// "train.optimizer" for {"train", "optimizer"}.
std::string joined_path(const std::vector<std::string>& keys);

}  // namespace rankscope
