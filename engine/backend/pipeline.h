// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/training_step.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/tensor/batch.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace rankscope::engine {

/// A rank's stage of a pipeline: divides each batch into micro-batches, takes what the stage before hands over, and gives
/// back its gradients. Every stage is given the whole batch; the first one reads its samples, the last one its labels.
class Pipeline {
public:
    /// `model`: of the stage. It and the groups must outlive this.
    Pipeline(CompiledModel& model, const PipelineOptions& options) : model_(model), options_(options) {}

    /// A micro-batch of a batch is to be differentiated.
    struct Backward {
        Executable& executable;
        double share = 1;  ///< of the batch's samples
        bool first = true;
        bool last = true;
    };
    /// Forward and backward passes of a batch; calls `backward` for each backward pass in their order. The result is that
    /// of the whole batch, on the last stage; elsewhere empty. Throws NotFiniteError.
    BatchResult train(const Batch& batch, const std::function<void(const Backward&)>& backward,
                      StepTimes& times);
    /// Forward only.
    BatchResult evaluate(const Batch& batch);
    /// Compiles what a batch of this size needs.
    void prepare(std::int64_t batch_size);

    PipelineGroups& groups() const { return *options_.groups; }

private:
    struct Part {
        std::int64_t begin = 0;  ///< sample of the batch
        std::int64_t size = 0;
    };
    std::vector<Part> parts_of(std::int64_t batch_size) const;
    Executable& load(const Batch& batch, const Part& part, std::size_t copy, double* waited_ms);
    static void add(const BatchResult& part, double share, BatchResult& whole);

    CompiledModel& model_;
    PipelineOptions options_;
};

}  // namespace rankscope::engine
