// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace rankscope::engine::test {

inline std::vector<ParameterId> ids(std::initializer_list<std::size_t> positions) {
    std::vector<ParameterId> result;
    for (const std::size_t position : positions) {
        result.emplace_back(position);
    }
    return result;
}

}  // namespace rankscope::engine::test
