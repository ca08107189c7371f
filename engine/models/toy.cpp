// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

namespace rankscope::engine::models {

Graph toy(const Shape& sample, std::int64_t outputs) {
    return GraphBuilder(sample)
        .flatten()
        .linear("net1", 10)
        .relu()
        .linear("net2", outputs)
        .mean_squared_error();
}

}  // namespace rankscope::engine::models
