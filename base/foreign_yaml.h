// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>

namespace rankscope {

/// What a YAML text may have. yaml-cpp needs about 80 bytes for each character of a list in one line, before it says what
/// is in it, and about 450 for each value.
struct YamlLimits {
    std::size_t bytes = std::size_t{1} << 20;
    std::size_t depth = 64;
    std::size_t values = 100'000;  ///< an alias counts with all its values
};

/// The text exceeds a limit.
class YamlExcess : public YAML::ParserException {
public:
    enum class Kind { Bytes, Depth, Values };

    YamlExcess(Kind which, const YAML::Mark& where, const std::string& message)
        : YAML::ParserException(where, message), kind(which) {}

    Kind kind;
};

/// The first document of a text that a user, a bundle or a run store has: the only way to read YAML. The limits are
/// checked before any value is built, and a value never contains itself. Throws YAML::Exception.
YAML::Node load_yaml(const std::string& text, const YamlLimits& limits = {});

}  // namespace rankscope
