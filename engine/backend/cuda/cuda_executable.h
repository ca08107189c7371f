// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/backend/cuda/model_memory.h>
#include <engine/graph/schedule.h>
#include <engine/tensor/element_type.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace rankscope::engine::cuda {

struct ExecutableOptions {
    std::int64_t batch = 1;
    ElementType type = ElementType::f32;
    double label_smoothing = 0.0;
    std::int64_t topk = 1;
    EnqueueSum enqueue_sum{};
    std::function<void(std::chrono::milliseconds)> while_waiting{};  ///< as CompileOptions'
    bool graphs = true;  ///< whole steps and evaluations are recorded; false: enqueued anew each time
};

/// A step of one batch size on the GPU. Whole steps are recorded into a CUDA graph at their first use; while
/// one runs, the next one's samples are copied.
class CudaExecutable final : public Executable {
public:
    CudaExecutable(const Graph& graph, const Schedule& schedule, const KernelLibraries& libraries,
                   ModelMemory& memory, const ExecutableOptions& options);
    ~CudaExecutable() override;

    std::int64_t batch_size() const override { return options_.batch; }
    std::span<float> input() override;
    std::span<std::int32_t> labels() override;
    std::span<float> targets() override;
    std::span<std::uint8_t> byte_input() override;
    std::span<ImageWindow> windows() override;
    void take_input(SampleForm form) override;

    using Executable::backward;
    using Executable::forward;
    BatchResult forward(ForwardMode mode) override;
    void backward(const GradientReady& ready, GradientMode mode, float loss_scale) override;
    std::vector<float> logits() override;
    std::optional<std::string> first_non_finite() override;

    void enqueue_step(const StepRequest& request) override;
    StepResult next_result() override;

    std::size_t bytes() const;
    /// Kernels, copies and the like of the last recorded whole step; 0: none was recorded.
    std::size_t graph_nodes() const { return graph_nodes_; }

private:
    /// Where a batch is gathered, and its way to the GPU. Two, so that one is filled while the other is used.
    struct Slot {
        PinnedMemory floats, bytes, windows, labels, targets, control, output;
        DeviceMemory device_floats, device_bytes, device_windows, device_labels, device_targets;
        Event copied;    ///< the samples are on the GPU: the host may write again
        Event finished;  ///< the step has run, its output is in host memory
        bool has_result = false;
        bool updates = false;
        bool norm_wanted = false;
    };
    /// A plan with what was lowered into it.
    struct Pass {
        StepPlan plan;
        LoweredStep step;
    };
    /// What makes a recorded step differ from another.
    using GraphKey = std::tuple<SampleForm, GradientMode, bool, const StepReduction*, OptimizerKind, bool,
                                bool, double, bool, bool>;

    Slot& slot() { return slots_[next_slot_]; }
    std::size_t sample_elements() const;
    /// Waits until nothing uses the slot; its result is kept if nobody has asked for it yet.
    void make_free(Slot& slot);
    void check_labels(Slot& slot) const;
    void upload(Slot& slot, const OptimizerStep& update);
    BatchResult batch_result(const Slot& slot) const;
    void fetch_output(Slot& slot);
    void prepare(Pass& pass, ForwardMode mode, const std::string& what);
    Pass& evaluation();
    void warm_up();
    void warm_up_update(const StepRequest& request);
    std::vector<StepOperation> average(const StepReduction& reduction, const std::vector<FlatRange>& bucket);
    void enqueue_operations(const StepRequest& request);
    void accumulate_begin();
    void accumulate_end();
    StepResult take_result(Slot& slot);

    const Graph& graph_;
    const Schedule& schedule_;
    KernelLibraries libraries_;
    ModelMemory& memory_;
    ExecutableOptions options_;
    DeviceMemory control_;
    DeviceMemory output_;
    StepState state_;
    Pass train_;
    std::unique_ptr<Pass> evaluation_;
    Pass* last_ = nullptr;
    std::array<Slot, 2> slots_;
    std::size_t next_slot_ = 0;
    std::deque<StepResult> results_;  ///< read from their slots already
    Slot* examined_ = nullptr;        ///< whose result was read last
    bool warm_ = false;
    std::vector<Event> events_;
    // Last: recorded work goes before the memory that it uses.
    std::vector<std::pair<GraphKey, std::unique_ptr<CudaGraph>>> graphs_;
    std::unique_ptr<CudaGraph> evaluation_graph_;
    SampleForm evaluation_form_ = SampleForm::floats;
    std::size_t graph_nodes_ = 0;
};

}  // namespace rankscope::engine::cuda
