// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/step_memory.h>
#include <engine/backend/cuda/step_plan.h>
#include <engine/backend/cuda/step_request.h>
#include <engine/backend/cuda/step_state.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace rankscope::engine::cuda {

/// What the operations of a whole step work on. All of it must outlive them.
struct StepParts {
    const StepPlan& plan;
    const StepMemory& memory;
    const StepState& state;
    ElementType type = ElementType::f32;
};

/// The operations of a whole step: those of the plan, between them accumulation and averaging of the gradients as
/// soon as they are complete, and the update of each part of the parameters as soon as its gradients are there and its
/// weights are not read any more. Clipping and the loss scale need all gradients: then norm and update come last.
class StepOperations {
public:
    StepOperations(const StepParts& parts, const StepRequest& request);

    /// In the order in which they are enqueued; points into this object and the plan.
    std::vector<const StepOperation*> in_order() const;

private:
    bool accumulates() const { return request_.gradients == GradientMode::accumulate; }
    /// The buckets that are reduced; without a reduction the parts that are updated together.
    std::vector<std::vector<FlatRange>> buckets() const;
    /// The planned operation after which each gradient is complete, and those that are still in 16 bits.
    void find_completed();
    void add_conversion(const std::vector<FlatRange>& bucket, std::size_t complete);
    void add_bucket(const std::vector<FlatRange>& bucket, std::size_t complete);
    void add_sum(const std::vector<FlatRange>& bucket, std::size_t complete);
    /// `complete`, or the next planned operation with a small sum over the ranks: it would wait for a bucket that is
    /// recorded before it, and the chain with it.
    std::size_t behind_small_sum(std::size_t complete) const;
    void keep_gradients();
    void add_norm();
    void add_updates();
    StepOperation update_of(const FlatRange& range, Lane lane, bool last) const;
    /// The planned operation behind which one with these touches may come.
    std::size_t behind(const std::vector<MemoryTouch>& touches) const;

    StepParts parts_;
    const StepRequest& request_;
    IndexedVector<ParameterId, std::size_t> completed_;
    std::vector<ParameterId> in_halves_;
    std::vector<StepOperation> begin_;
    /// Behind the planned operation of this number.
    std::vector<std::pair<std::size_t, StepOperation>> between_;
    std::vector<StepOperation> end_;
};

/// Copies the gradients to where they are kept while the next batch's are computed, and adds them up.
void keep_gradients(const StepMemory& memory, cudaStream_t stream);
void add_kept_gradients(const StepMemory& memory, cudaStream_t stream);
/// Enqueues the conversion of all gradients that the plan leaves in 16 bits.
void convert_halves(const StepParts& parts, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
