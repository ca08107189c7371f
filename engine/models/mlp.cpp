// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

namespace rankscope::engine::models {

Graph mlp(const Shape& sample, std::int64_t classes) {
    return GraphBuilder(sample).flatten().linear("fc1", 128).relu().linear("fc2", classes).cross_entropy();
}

}  // namespace rankscope::engine::models
