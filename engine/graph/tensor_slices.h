// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/graph/schedule.h>
#include <engine/graph/tensor_part.h>

#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// A parameter or statistic of a slice.
template <typename Id>
struct SlicedTensor {
    Id whole{};                 ///< of the network
    TensorPart part{};          ///< of its elements
    bool on_all_slices = true;  ///< every slice has all of it, and the same gradient
};

/// The part of every layer that one of several ranks computes (Shoeybi et al., "Megatron-LM: Training Multi-Billion
/// Parameter Language Models Using Model Parallelism", 2019). Of two layers with only operations on channels between
/// them, such as the heads of an attention, the first is divided by its outputs and the second by its inputs: their
/// results are added up. Every rank computes everything else.
struct TensorSlice {
    Graph graph;
    IndexedVector<ParameterId, SlicedTensor<ParameterId>> parameters;
    IndexedVector<StatisticId, SlicedTensor<StatisticId>> statistics;
};

/// Divides the network as the builder made it, before fuse(). All slices have the same operations. Throws ConfigError
/// when there are no two layers that it can divide among so many.
TensorSlice tensor_slice(const Graph& network, int slices, int slice);

/// The numbers of slices, from 2 to `most`, that tensor_slice() makes.
std::vector<int> fitting_tensor_slices(const Graph& network, int most);

/// Numbers of a sample that the slices add up in each pass; what is computed again is summed again.
struct SlicedSums {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
};
SlicedSums sums_of_slices(const Graph& slice, const Schedule& schedule);

}  // namespace rankscope::engine
