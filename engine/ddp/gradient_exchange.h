// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/ddp/buckets.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/ddp/tensor_groups.h>
#include <engine/tensor/element_type.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// How a step averages its gradients over the ranks.
struct GradientExchange {
    ProcessGroup* group = nullptr;         ///< for the model's memory; null: a world of one
    std::optional<BucketLimits> limits{};  ///< absent: default_bucket_limits()
    ElementType wire = ElementType::f32;   ///< what gradients are sent as; bf16 and f16 halve the bytes
    /// For messages and for the check across ranks; may be empty.
    IndexedVector<ParameterId, std::string> names{};
    PipelineOptions pipeline{};
    /// Parameters that the other end of the pipeline has, too: a tied weight. Stored in canonical order.
    std::vector<ParameterId> shared{};
    TensorOptions tensor{};
};

}  // namespace rankscope::engine
