// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/model_memory.h>
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
    ModelMemory& memory;
    const StepState& state;
    ElementType type = ElementType::f32;
};

/// The operations of a whole step: those of the plan, between them accumulation and averaging of the gradients as
/// soon as they are complete, then their norm and the update.
class StepOperations {
public:
    StepOperations(const StepParts& parts, const StepRequest& request);

    /// In the order in which they are enqueued; points into this object and the plan.
    std::vector<const StepOperation*> in_order() const;

private:
    bool accumulates() const { return request_.gradients == GradientMode::accumulate; }
    /// The buckets that are reduced; without a reduction all gradients as one.
    std::vector<std::vector<FlatRange>> buckets() const;
    /// The planned operation after which each gradient is complete.
    IndexedVector<ParameterId, std::size_t> completed_by() const;
    void add_bucket(const std::vector<FlatRange>& bucket, std::size_t complete);
    void add_average(const std::vector<FlatRange>& bucket, std::size_t complete);
    void keep_gradients();
    void add_norm();
    void add_update();

    StepParts parts_;
    const StepRequest& request_;
    std::vector<StepOperation> begin_;
    /// Behind the planned operation of this number.
    std::vector<std::pair<std::size_t, StepOperation>> between_;
    std::vector<StepOperation> end_;
};

/// Copies the gradients to where they are kept while the next batch's are computed, and adds them up.
void keep_gradients(ModelMemory& memory, cudaStream_t stream);
void add_kept_gradients(ModelMemory& memory, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
