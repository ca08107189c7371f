// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/graph/graph.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::engine {

/// The groups of a world in which so many ranks that follow one another have the slices of the same layers
/// (graph/tensor_slices.h): they talk most, and are on one node where they fit. Slice = rank modulo slices.
class TensorGroups {
public:
    /// Collective. Precondition: the number of slices divides that of ranks.
    TensorGroups(ProcessGroup& world, int slices);

    int slice() const { return slice_; }
    int slices() const { return slices_; }
    bool first() const { return slice_ == 0; }

    /// The ranks that have slices of the same layers, by slice.
    ProcessGroup& across() const { return *across_; }
    /// The ranks that have the same slice, in the order of the world; null: this one alone.
    ProcessGroup* same_slice() const { return same_slice_.get(); }

    /// Adds up over the slices.
    void sum(const Piece& values, ElementType type);
    /// Spent in sum() since the last call.
    double take_ms();
    /// Of the group of all slices.
    std::uint64_t sent() const { return across_->traffic().total(); }

private:
    int slices_;
    int slice_;
    std::unique_ptr<ProcessGroup> across_;
    std::unique_ptr<ProcessGroup> same_slice_;
    double sum_ms_ = 0;
};

/// How a step shares its layers with other ranks.
struct TensorOptions {
    TensorGroups* groups = nullptr;  ///< null: it does not
    /// Parameters that every slice has all of, and the same gradient.
    std::vector<ParameterId> on_all_slices{};
};

}  // namespace rankscope::engine
