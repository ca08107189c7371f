// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/pieces.h>
#include <engine/comm/work_queue.h>
#include <engine/ddp/shard_plan.h>
#include <engine/graph/graph.h>
#include <engine/optim/optimizer_step.h>
#include <engine/tensor/parameter_layout.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What computes. Two implementations: oneDNN on the CPU (backend/cpu), cuDNN and cuBLASLt on a GPU
/// (backend/cuda).
namespace rankscope::engine {

class TrainingStep;
struct GradientExchange;
struct StepOptions;

struct BatchResult {
    double loss = 0.0;              ///< mean over the rows: samples, or all tokens of all samples
    std::int64_t correct = 0;       ///< rows whose largest logit is the label's; 0 without classes
    std::int64_t correct_topk = 0;  ///< rows whose label is among the k largest logits
    bool elsewhere = false;         ///< another stage of a pipeline, or another slice, reports it
};

enum class GradientMode {
    overwrite,
    accumulate  ///< gradients are added to what is there: gradient accumulation
};

enum class StorageOrder {
    native,    ///< the order with the fastest kernels
    canonical  ///< PyTorch's row-major order: the same on every machine
};

/// What multiplies: activations, and the copy of the weights that the kernels read. Master weights, gradients
/// and statistics are always float.
enum class Precision { fp32, tf32, bf16, fp16 };

/// Adds up small vectors over the ranks: the statistics of a synchronised batch norm.
using SumAcrossRanks = std::function<void(std::span<double>)>;

/// The same in the backend's memory: put on the queue (a cudaStream_t), between the kernels before and after it;
/// returns at once. Also called while the queue is being recorded into a CUDA graph, so it must not wait,
/// allocate or query the device.
using EnqueueSum = std::function<void(std::span<double> values, void* queue)>;

/// Adds up activations, or their gradients, over the ranks that have slices of the layers, where they lie.
using SumOverSlices = std::function<void(const Piece& values, ElementType type)>;

/// For the watchdog: what the backend has put on its queue, other ranks' part included, is one operation until `ended`
/// says so (ProcessGroup::enqueued).
using AnnounceQueued = std::function<void(std::size_t bytes, std::function<bool()> ended)>;

/// Memory for weights and gradients that the process group can reduce without copying (shared memory,
/// ncclMemAlloc). Zeroed, aligned to 64 bytes at least; freed with the last copy of the pointer.
using AllocateMemory = std::function<std::shared_ptr<float>(std::size_t floats)>;

/// Completes memory of which each rank has its share (ProcessGroup::gather_shares).
using GatherShares = std::function<Work(std::span<const Piece> pieces, Shares shares, When when)>;

struct CompileOptions {
    std::int64_t batch_size = 1;  ///< the one whose kernels choose the native storage order
    StorageOrder order = StorageOrder::native;
    Precision precision = Precision::fp32;
    double label_smoothing = 0.0;       ///< as torch.nn.CrossEntropyLoss
    std::int64_t topk = 5;              ///< BatchResult::correct_topk; at most the number of classes
    SumAcrossRanks sum_across_ranks{};  ///< set: every batch norm is synchronised (SyncBatchNorm)
    EnqueueSum enqueue_sum{};           ///< the same for a backend with a queue of its own
    AnnounceQueued announce{};          ///< of what contains enqueue_sum's sums
    AllocateMemory allocate{};          ///< empty: the backend's own
    /// Called repeatedly while the host waits for a backend's queue, with how long it has waited; an
    /// exception ends the wait: other ranks' part of a step may never come.
    std::function<void(std::chrono::milliseconds waited)> while_waiting{};
    std::optional<Sharding> sharding{};  ///< ZeRO
    GatherShares gather_shares{};        ///< for ZeroStage::parameters
    bool recompute = false;              ///< differentiate_with_recomputation()
    bool deterministic = true;           ///< only kernels that give the same bits in every run
    SumOverSlices sum_over_slices{};     ///< for graphs of tensor_slice(); the same order on all ranks
};

using GradientReady = std::function<void(ParameterId)>;

enum class ForwardMode {
    train,    ///< batch norms use the batch's statistics and update the running ones
    evaluate  ///< batch norms use the running statistics
};

/// The planned step for one batch size: fixed buffers, replayed. Not thread-safe.
class Executable {
public:
    virtual ~Executable() = default;
    virtual std::int64_t batch_size() const = 0;
    /// Host memory to fill before forward(): samples [batch, shape…] row-major, and labels in [0, classes), one
    /// per row of the loss (Graph::rows), or, for a mean squared error, targets [batch, outputs]. Call again for every step: a
    /// backend that works in the background gives other memory while it still reads this.
    virtual std::span<float> input() = 0;
    virtual std::span<std::int32_t> labels() = 0;
    virtual std::span<float> targets() = 0;
    /// The seeds of dropout, one for each sample; 0 unless the caller sets them. Empty: the network has no dropout.
    virtual std::span<std::uint64_t> sample_keys() = 0;
    virtual BatchResult forward(ForwardMode mode) = 0;
    /// After forward(train). Writes every gradient (of the mean loss times `loss_scale`) and reports each
    /// parameter as soon as it is complete.
    virtual void backward(const GradientReady& ready, GradientMode mode, float loss_scale) = 0;
    /// Of a stage of a pipeline, [batch, shape…] row-major: what it hands over; the gradient of that, to be filled before
    /// backward(), whose `loss_scale` is in it; and, after backward(), the gradient of the input. Empty where there is none.
    virtual std::span<const float> handed_over() { return {}; }
    virtual std::span<float> handed_over_gradient() { return {}; }
    virtual std::span<const float> input_gradient() { return {}; }
    /// The logits of the last forward(), [batch · rows, classes].
    virtual std::vector<float> logits() = 0;
    /// Runs the last forward() again, layer by layer: the name of the first one whose result is not finite
    /// ("input" for the batch itself). For the message of an error: running statistics are not kept right.
    virtual std::optional<std::string> first_non_finite() = 0;

    BatchResult forward() { return forward(ForwardMode::train); }
    void backward(const GradientReady& ready) { backward(ready, GradientMode::overwrite, 1.0F); }
};

/// A graph made ready for one backend: parameters plus one executable per batch size.
class CompiledModel {
public:
    virtual ~CompiledModel() = default;
    virtual const ParameterLayout& layout() const = 0;
    /// Flat arrays of layout().total floats, in the backend's memory. From ZeRO-2 on, gradients() are the windows of the
    /// shard plan, with ZeRO-3 weights(), too.
    virtual std::span<float> weights() = 0;
    virtual std::span<float> gradients() = 0;
    /// Null without ZeRO.
    virtual const ShardPlan* shards() const { return nullptr; }
    /// From ZeRO-2 on: ShardPlan::owned_size() floats.
    virtual std::span<float> owned_gradients() { return {}; }
    /// With ZeRO-3: ShardPlan::owned_size() floats.
    virtual std::span<float> owned_weights() { return {}; }
    /// The optimizer's arrays so far, by name: as weights(), or, with ZeRO, of ShardPlan::owned_size() floats.
    virtual std::map<std::string, std::span<float>, std::less<>> optimizer_arrays() { return {}; }
    /// With ZeRO, optimizer_state() reads it here, as from an array of layout().total floats, and with ZeRO-3 weight() reads
    /// kWeights; empty: the end of that. It must live until then.
    virtual void lend_array(const std::string& /*name*/, std::span<float> /*all*/) {}
    static constexpr const char* kWeights = "weights";
    /// Running means and variances of all batch norms, flat, in the backend's memory: for DDP's broadcast.
    virtual std::span<float> running_statistics() = 0;
    /// False: only other ranks have it, or its part.
    virtual bool has(ParameterId /*id*/) const { return true; }
    enum class Whole { weights, with_optimizer };
    /// Calls `read`, in which rank 0 reads the weights and statistics, and the optimizer's state, of the whole network, also
    /// where ranks have divided it (PartModel). Collective. With ZeRO within TrainingStep::with_whole_arrays().
    virtual void with_whole_model(Whole /*what*/, const std::function<void()>& read) { read(); }
    /// Parameter values and gradients in canonical order (host memory); sizes are those of the parameter's
    /// shape.
    virtual void set_weight(ParameterId id, std::span<const float> canonical) = 0;
    virtual std::vector<float> weight(ParameterId id) = 0;
    virtual std::vector<float> gradient(ParameterId id) = 0;
    /// weight() and optimizer_state() into memory of the caller, for example a checkpoint's buffers. False: the
    /// optimizer has no such memory.
    virtual void read_weight(ParameterId id, std::span<float> canonical) = 0;
    virtual bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) = 0;
    /// A batch norm's running mean or variance, or the number of batches it has seen (one element).
    virtual void set_statistic(StatisticId id, std::span<const double> values) = 0;
    virtual std::vector<double> statistic(StatisticId id) = 0;
    /// Compiled at the first call with these, kept afterwards. Each copy has activations of its own: batches between whose
    /// forward and backward pass others have theirs need one each.
    virtual Executable& executable(std::int64_t batch_size, std::size_t copy) = 0;
    Executable& executable(std::int64_t batch_size) { return executable(batch_size, 0); }
    /// Updates the weights of a range from their gradients. The ranges of one step must cover everything
    /// once; with a bucket's range, it is updated while others are still being reduced. With ZeRO this rank must own the
    /// range. False when a gradient is not
    /// finite: weights and optimizer state next to it stay as they are.
    virtual bool optimizer_step(const OptimizerStep& step, FlatRange range) = 0;
    /// The optimizer's memory of a parameter ("momentum_buffer", "exp_avg", "exp_avg_sq") in canonical order;
    /// empty: it has none yet. PyTorch's names.
    virtual std::vector<float> optimizer_state(std::string_view name, ParameterId id) = 0;
    virtual void set_optimizer_state(std::string_view name, ParameterId id,
                                     std::span<const float> values) = 0;
    /// Square root of the sum of all gradients' squares, with ZeRO of those that this rank owns; not finite when one of
    /// them is not.
    virtual double gradient_norm() = 0;
    /// Spent waiting for weights of other ranks since the last call (ZeRO-3).
    virtual double take_waited_ms() { return 0.0; }
    /// Bytes of activations and workspace of all executables so far.
    virtual std::size_t activation_bytes() const = 0;

    /// This backend's way to make training steps of the model. Collective where the exchange has a group. The model
    /// must outlive the step. Throws ConfigError for what the backend does not support.
    virtual std::unique_ptr<TrainingStep> training_step(const StepOptions& options,
                                                        const GradientExchange& exchange) = 0;

    bool optimizer_step(const OptimizerStep& step) { return optimizer_step(step, {0, layout().total}); }
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;
    /// Throws ConfigError for a precision that this machine cannot compute.
    virtual std::unique_ptr<CompiledModel> compile(const Graph& graph, const CompileOptions& options) = 0;
};

}  // namespace rankscope::engine
