// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/whole_step.h>
#include <engine/graph/graph.h>
#include <engine/optim/optimizer_step.h>
#include <engine/tensor/parameter_layout.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// What computes. Two implementations: oneDNN on the CPU (backend/cpu), cuDNN and cuBLASLt on a GPU
/// (backend/cuda).
namespace rankscope::engine {

enum class StorageOrder {
    native,    ///< what the backend's kernels like best
    canonical  ///< PyTorch's row-major order: the same on every machine
};

/// What multiplies: activations, and the copy of the weights that the kernels read. Master weights, gradients
/// and statistics are always float.
enum class Precision { fp32, tf32, bf16, fp16 };

/// Adds up small vectors over the ranks: the statistics of a synchronised batch norm.
using SumAcrossRanks = std::function<void(std::span<double>)>;

/// Memory for weights and gradients that the process group can reduce without copying (shared memory,
/// ncclMemAlloc). Zeroed, aligned to 64 bytes at least; freed with the last copy of the pointer.
using AllocateMemory = std::function<std::shared_ptr<float>(std::size_t floats)>;

struct CompileOptions {
    std::int64_t batch_size = 1;  ///< the one whose kernels choose the native storage order
    StorageOrder order = StorageOrder::native;
    Precision precision = Precision::fp32;
    double label_smoothing = 0.0;       ///< as torch.nn.CrossEntropyLoss
    std::int64_t topk = 5;              ///< BatchResult::correct_topk; at most the number of classes
    SumAcrossRanks sum_across_ranks{};  ///< set: every batch norm is synchronised (SyncBatchNorm)
    EnqueueSum enqueue_sum{};           ///< the same for a backend with a queue of its own
    AllocateMemory allocate{};          ///< empty: the backend's own
    /// Called now and then while the host waits for a backend's queue, with how long it has waited; what it
    /// throws ends the wait: other ranks' part of a step may never come.
    std::function<void(std::chrono::milliseconds waited)> while_waiting{};
    bool deterministic = true;  ///< only kernels that give the same bits in every run
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
    /// Host memory to fill before forward(): samples [batch, shape…] row-major, and one label in [0, classes)
    /// each, or, for a mean squared error, targets [batch, outputs]. Ask for it anew for every step: a
    /// backend that works in the background gives other memory while it still reads this.
    virtual std::span<float> input() = 0;
    virtual std::span<std::int32_t> labels() = 0;
    virtual std::span<float> targets() = 0;
    /// Other forms in which samples may be given (take_input()); empty where the backend does not take them.
    /// byte_input(): [batch, shape…], looked up in the model's pixel table; windows(): from the images it
    /// keeps.
    virtual std::span<std::uint8_t> byte_input() { return {}; }
    virtual std::span<ImageWindow> windows() { return {}; }
    /// What the next forward pass reads; floats unless told.
    virtual void take_input(SampleForm form) {
        if (form != SampleForm::floats) {
            throw std::logic_error("this backend takes floats only");
        }
    }
    virtual BatchResult forward(ForwardMode mode) = 0;
    /// After forward(train). Writes every gradient (of the mean loss times `loss_scale`) and reports each
    /// parameter as soon as it is complete.
    virtual void backward(const GradientReady& ready, GradientMode mode, float loss_scale) = 0;
    /// The logits of the last forward(), [batch, classes], for tests.
    virtual std::vector<float> logits() = 0;
    /// Runs the last forward() again, layer by layer: the name of the first one whose result is not finite
    /// ("input" for the batch itself). For the message of an error: running statistics are not kept right.
    virtual std::optional<std::string> first_non_finite() = 0;

    /// Where the model has whole steps: begins one on what input() and labels() hold and returns, as a rule
    /// before it has run; they may be filled for the next one then. Throws Error for a label out of range.
    virtual void enqueue_step(const StepRequest& /*request*/) {
        throw std::logic_error("this backend has no whole steps");
    }
    /// The result of the earliest step whose result was not asked for yet; waits for it.
    virtual StepResult next_result() { throw std::logic_error("this backend has no whole steps"); }

    BatchResult forward() { return forward(ForwardMode::train); }
    void backward(const GradientReady& ready) { backward(ready, GradientMode::overwrite, 1.0F); }
};

/// A graph made ready for one backend: parameters plus one executable per batch size.
class CompiledModel {
public:
    virtual ~CompiledModel() = default;
    virtual const ParameterLayout& layout() const = 0;
    /// Whether Executable::enqueue_step() is there: a training step that runs without the host between its
    /// parts (on a GPU one recorded CUDA graph). Elsewhere the caller makes it of forward(), backward() and
    /// optimizer_step().
    virtual bool has_whole_steps() const { return false; }
    /// Flat arrays of layout().total floats, in the backend's memory.
    virtual std::span<float> weights() = 0;
    virtual std::span<float> gradients() = 0;
    /// Running means and variances of all batch norms, flat, in the backend's memory: for DDP's broadcast.
    virtual std::span<float> running_statistics() = 0;
    /// Parameter values and gradients in canonical order (host memory); sizes are those of the parameter's
    /// shape.
    virtual void set_weight(ParameterId id, std::span<const float> canonical) = 0;
    virtual std::vector<float> weight(ParameterId id) = 0;
    virtual std::vector<float> gradient(ParameterId id) = 0;
    /// weight() and optimizer_state() into memory that is there, which a checkpoint's buffers are. False: the
    /// optimizer has no such memory.
    virtual void read_weight(ParameterId id, std::span<float> canonical) {
        const std::vector<float> values = weight(id);
        std::copy(values.begin(), values.end(), canonical.begin());
    }
    virtual bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) {
        const std::vector<float> values = optimizer_state(name, id);
        std::copy(values.begin(), values.end(), canonical.begin());
        return !values.empty();
    }
    /// A batch norm's running mean or variance, or the number of batches it has seen (one element).
    virtual void set_statistic(StatisticId id, std::span<const double> values) = 0;
    virtual std::vector<double> statistic(StatisticId id) = 0;
    /// Compiled at the first call with this batch size, kept afterwards.
    virtual Executable& executable(std::int64_t batch_size) = 0;
    /// Updates the weights of a range from their gradients. The ranges of one step must cover everything
    /// once; with a bucket's range, it is updated while others are still being reduced.
    virtual void optimizer_step(const OptimizerStep& step, FlatRange range) = 0;
    /// The optimizer's memory of a parameter ("momentum_buffer", "exp_avg", "exp_avg_sq") in canonical order;
    /// empty: it has none yet. PyTorch's names.
    virtual std::vector<float> optimizer_state(std::string_view name, ParameterId id) = 0;
    virtual void set_optimizer_state(std::string_view name, ParameterId id,
                                     std::span<const float> values) = 0;
    /// Square root of the sum of all gradients' squares; not finite when one of them is not.
    virtual double gradient_norm() = 0;
    /// Bytes of activations and workspace of all executables so far.
    virtual std::size_t activation_bytes() const = 0;

    /// What byte v of channel c means: table[256·c + v]. For SampleForm bytes and windows; not while steps run.
    virtual void set_pixel_table(std::span<const float> /*table*/) {}
    /// Takes a whole set of images into the backend's memory, so that batches can be drawn from it: bytes
    /// [count, channels, height, width], all of this size; labels still come with each batch. Once in a
    /// model's life. False: not this backend, or no room there.
    virtual bool keep_images(const Shape& /*image*/, std::span<const std::uint8_t> /*pixels*/) {
        return false;
    }
    /// fp16: the factor on the loss that whole steps keep on the device; for checkpoints.
    virtual LossScale loss_scale() { return {}; }
    virtual void set_loss_scale(const LossScale& /*scale*/) {}

    void optimizer_step(const OptimizerStep& step) { optimizer_step(step, {0, layout().total}); }
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;
    /// Throws ConfigError for a precision that this machine cannot compute.
    virtual std::unique_ptr<CompiledModel> compile(const Graph& graph, const CompileOptions& options) = 0;
};

}  // namespace rankscope::engine
