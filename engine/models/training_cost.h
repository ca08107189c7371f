// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/graph/bucket_limits.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// What a rank of the native engine keeps in the memory that it computes in, bytes.
struct MemoryEstimate {
    std::uint64_t activations = 0;  ///< with their gradients, grows with the batch
    std::uint64_t weights = 0;  ///< in 16 bits they have a copy; with ZeRO-3 of its share, and of two buckets
    std::uint64_t gradients = 0;  ///< from ZeRO-2 on of its share, and of two buckets
    std::uint64_t optimizer = 0;  ///< its state; with ZeRO of the rank's share
    std::uint64_t libraries = 0;  ///< on a GPU: CUDA, cuDNN and NCCL themselves, a usual figure

    std::uint64_t parameters() const { return weights + gradients + optimizer; }
    std::uint64_t total() const { return activations + parameters() + libraries; }
};

/// A stage of a pipeline.
struct StageCost {
    std::string layers;  ///< "conv1 to layer2.1.bn2"
    double share = 0;    ///< of the network's work, 0 to 1
    MemoryEstimate memory;
    std::uint64_t sent = 0;  ///< as TrainingCost::sent
};

struct PipelineCost {
    std::int64_t micro_batches = 0;
    double bubble = 0;  ///< the part of a step in which equal stages wait, 0 to 1
    std::vector<StageCost> stages;
};

/// A slice of each layer.
struct SliceCost {
    int slices = 1;               ///< of each layer, on as many ranks
    std::int64_t parameters = 0;  ///< that a rank has
    std::uint64_t sums = 0;  ///< the part of TrainingCost::sent that the sums over the slices take, bytes
};

/// What training a network takes, counted from its graph (graph_cost.h).
struct TrainingCost {
    std::string model;
    std::int64_t batch_size = 0;
    std::int64_t tokens = 0;  ///< of a sample, for networks that predict them
    std::int64_t parameters = 0;
    double forward_flops = 0;   ///< of a sample
    double training_flops = 0;  ///< of a sample, forward and backward pass
    /// On ImageNet-1k (model_registry.h), where the set is a folder of pictures.
    std::optional<double> published_accuracy{};
    MemoryEstimate memory;  ///< of a batch; activations from 256 MiB on within a quarter of the engine's plan
                            ///< of a step, with recomputation within a half
    /// Bytes that a rank gives to the others for an update: gradients, with ZeRO weights, between the stages of a pipeline
    /// activations and their gradients, between slices of layers sums of both. Those of a ring, or of any other way that
    /// moves no more than is needed: 2 (N − 1) / N of the gradients.
    std::uint64_t sent = 0;
    /// With it `memory` and `sent` are those of the stage that has most.
    std::optional<PipelineCost> pipeline{};
    /// With it `memory`, `sent` and `pipeline` are those of a slice.
    std::optional<SliceCost> slice{};
};

/// Of the configuration, each of this many ranks. Precondition: `config` came through check_train_config(). Nothing where
/// the samples do not fit the network, or where stages or slices fit neither the network nor the ranks. Where the data
/// decide on the classes, there are 1,000.
std::optional<TrainingCost> training_cost(const config::TrainConfig& config, int ranks = 1);

/// How ranks can divide a network.
struct DivisionLimits {
    int most_stages = 1;
    bool shares_weight = false;  ///< its first and its last stage have one in common
    std::vector<int> slices;     ///< of each layer, the numbers from 2 on that fit
};

/// Of the configuration's network, for so many ranks; nothing where the samples do not fit it.
std::optional<DivisionLimits> division_limits(const config::TrainConfig& config, int ranks);

/// The sizes of buckets that the configuration names; nothing: it names none.
std::optional<BucketLimits> bucket_limits(const config::DdpConfig& config);

}  // namespace rankscope::engine
