// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

namespace rankscope::engine {

/// The backward pass reads the inputs again.
bool reads_inputs_again(const Operation& operation);
/// … or the result: where it is not positive, there is no gradient.
bool reads_result_again(const Operation& operation);

}  // namespace rankscope::engine
