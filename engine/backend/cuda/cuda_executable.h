// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/backend/cuda/input_slots.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/backend/cuda/model_memory.h>
#include <engine/backend/cuda/queued_ends.h>
#include <engine/backend/cuda/step_request.h>
#include <engine/backend/operation_time.h>
#include <engine/graph/schedule.h>
#include <engine/tensor/element_type.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::engine::cuda {

struct ExecutableOptions {
    std::int64_t batch = 1;
    ElementType type = ElementType::f32;
    double label_smoothing = 0.0;
    std::int64_t topk = 1;
    EnqueueSum enqueue_sum{};
    AnnounceQueued announce{};  ///< as CompileOptions', like the next
    std::function<void(std::chrono::milliseconds)> while_waiting{};
    bool graphs = true;  ///< whole steps and evaluations are recorded; false: enqueued again each time
};

/// A step of one batch size on the GPU. The passes for training and for evaluation are made when they are first needed,
/// or by prepare(). Whole steps are recorded into a CUDA graph at their first use; while
/// one runs, the next one's samples are copied.
class CudaExecutable final : public Executable {
public:
    CudaExecutable(const Graph& graph, const Schedule& schedule, const KernelLibraries& libraries,
                   ModelMemory& memory, const ExecutableOptions& options);
    ~CudaExecutable() override;

    std::int64_t batch_size() const override { return options_.batch; }
    std::span<float> input() override { return slots_.floats(); }
    std::span<std::int32_t> labels() override { return slots_.labels(); }
    std::span<float> targets() override { return slots_.targets(); }
    std::span<std::uint64_t> sample_keys() override { return slots_.keys(); }
    /// Other forms in which samples may be given (take_input()): bytes [batch, shape…], looked up in the model's
    /// pixel table, and windows of the images that it keeps.
    std::span<std::uint8_t> byte_input() { return slots_.bytes(); }
    std::span<ImageWindow> windows() { return slots_.windows(); }
    /// What the next pass or step reads; floats by default. std::logic_error where the model does not have what the form
    /// needs.
    void take_input(SampleForm form);

    /// Makes the pass if it is not there; `measure`: kernels that are not in the cache may be measured for it, which takes
    /// seconds. A pass that is made at its first use takes what the libraries suggest.
    void prepare(ForwardMode mode, bool measure);

    using Executable::backward;
    using Executable::forward;
    BatchResult forward(ForwardMode mode) override;
    void backward(const GradientReady& ready, GradientMode mode, float loss_scale) override;
    std::vector<float> logits() override;
    std::optional<std::string> first_non_finite() override;

    /// Begins a whole step on the current input and labels and returns, usually before it has run; they may be
    /// filled for the next one then. Throws Error for a label out of range.
    void enqueue_step(const StepRequest& request);
    /// As TrainingStep's, of a whole step with this request on the current input and labels.
    std::vector<OperationTime> time_operations(const StepRequest& request);
    /// The result of the earliest step whose result was not read yet; waits for it. std::logic_error: none is open.
    StepResult next_result();

    std::size_t bytes() const;

private:
    /// A plan with what was lowered into it.
    struct Pass {
        StepPlan plan;
        LoweredStep step;
    };
    /// What makes a recorded step differ from another.
    struct RecordedSettings {
        const InputSlot* slot = nullptr;
        SampleForm form = SampleForm::floats;
        GradientMode gradients = GradientMode::overwrite;
        bool update = true;
        const StepReduction* reduction = nullptr;
        OptimizerKind optimizer = OptimizerKind::sgd;
        bool has_momentum = false;
        bool decay_norm_bias = true;
        double clip_norm = 0.0;
        bool want_norm = false;
        bool scale_loss = false;
        bool operator==(const RecordedSettings&) const = default;
    };
    struct Recording {
        RecordedSettings settings;
        std::unique_ptr<CudaGraph> graph;
    };

    /// Operations that are enqueued from now on work on the slot.
    void use(const InputSlot& slot);
    /// Waits until nothing uses the slot; its result is kept if it was not read yet.
    void make_free(InputSlot& slot);
    void upload(InputSlot& slot, const OptimizerStep& update);
    BatchResult batch_result(const InputSlot& slot) const;
    void fetch_output(InputSlot& slot);
    void evaluate(Pass& pass, const InputSlot& slot);
    Pass& training() { return pass_of(ForwardMode::train); }
    Pass& pass_of(ForwardMode mode);
    void warm_up();
    void warm_up_update(const StepRequest& request);
    RecordedSettings settings_of(const StepRequest& request);
    /// What the step allocates: nothing may be allocated while it is being recorded.
    void allocate_for(const StepRequest& request);
    /// The slot of the next step, with all that its operations work on.
    InputSlot& slot_for(const StepRequest& request);
    void enqueue_operations(const StepRequest& request);
    /// The recording for these settings; made at the first call.
    CudaGraph& recording(const StepRequest& request);
    Recording* find_recording(const RecordedSettings& settings);
    StepResult take_result(InputSlot& slot);

    const Graph& graph_;
    const Schedule& schedule_;
    KernelLibraries libraries_;
    ModelMemory& memory_;
    ExecutableOptions options_;
    StepState state_;
    std::unique_ptr<Pass> train_;
    std::unique_ptr<Pass> evaluation_;
    Pass* last_ = nullptr;
    InputSlots slots_;
    std::deque<StepResult> results_;  ///< read from their slots already
    InputSlot* examined_ = nullptr;   ///< whose result was read last
    bool warm_ = false;
    std::vector<Event> events_;
    QueuedEnds queued_ends_;
    // Last: recorded work goes before the memory that it uses.
    std::vector<Recording> recordings_;
    struct RecordedEvaluation {
        const InputSlot* slot = nullptr;
        SampleForm form = SampleForm::floats;
        std::unique_ptr<CudaGraph> graph;
    };
    std::vector<RecordedEvaluation> evaluations_;
};

}  // namespace rankscope::engine::cuda
