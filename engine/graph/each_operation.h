// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

namespace rankscope::engine {

/// One function per operation for std::visit(): an operation that has none does not compile.
template <typename... Functions>
struct EachOperation : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
EachOperation(Functions...) -> EachOperation<Functions...>;  // Clang 14 does not derive it

}  // namespace rankscope::engine
