// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/tensor_groups.h>

#include <chrono>
#include <utility>

namespace rankscope::engine {

TensorGroups::TensorGroups(ProcessGroup& world, int slices)
    : slices_(slices),
      slice_(world.rank() % slices),
      across_(world.split(world.rank() / slices)),
      same_slice_(world.split(world.size() > slices ? slice_ : -1)) {}

void TensorGroups::sum(const Piece& values, ElementType type) {
    const auto begin = std::chrono::steady_clock::now();
    across_->all_reduce({.pieces = {&values, 1}, .type = type}, When::at_wait).wait();
    sum_ms_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double TensorGroups::take_ms() {
    return std::exchange(sum_ms_, 0.0);
}

}  // namespace rankscope::engine
