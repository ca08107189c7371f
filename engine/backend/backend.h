// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/optim/sgd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What computes. Two implementations: oneDNN on the CPU (backend/cpu), cuDNN and cuBLASLt on a GPU
/// (backend/cuda).
namespace rankscope::engine {

/// Where a parameter lies in the flat arrays of weights and gradients, in floats.
struct ParameterSlot {
    std::size_t offset = 0;
    std::size_t size = 0;  ///< with the backend's padding; the padding is zero and stays zero
};

/// Flat storage, the same for weights, gradients and momentum, in the order in which gradients arrive (last
/// parameter first), so that a bucket is a contiguous range and gradients are born inside it.
struct ParameterLayout {
    std::vector<ParameterSlot> slots;  ///< by ParameterId
    std::size_t total = 0;             ///< floats
    /// Names the storage order. Ranks whose fingerprints differ (another CPU, another oneDNN) must not add
    /// their gradients element by element: they compile again with StorageOrder::canonical.
    std::string fingerprint;
};

enum class StorageOrder {
    native,    ///< what the backend's kernels like best
    canonical  ///< PyTorch's row-major order: the same on every machine
};

struct BatchResult {
    double loss = 0.0;         ///< mean over the samples
    std::int64_t correct = 0;  ///< samples whose largest logit is the label's
};

using GradientReady = std::function<void(ParameterId)>;

/// The planned step for one batch size: fixed buffers, replayed. Not thread-safe.
class Executable {
public:
    virtual ~Executable() = default;
    virtual std::int64_t batch_size() const = 0;
    /// Host memory to fill before forward(): samples [batch, shape…] row-major, and one label in [0, classes)
    /// each.
    virtual std::span<float> input() = 0;
    virtual std::span<std::int32_t> labels() = 0;
    virtual BatchResult forward() = 0;
    /// After forward(). Writes every gradient (of the mean loss) and reports each parameter as soon as it is
    /// complete.
    virtual void backward(const GradientReady& ready) = 0;
    /// The logits of the last forward(), [batch, classes], for tests.
    virtual std::vector<float> logits() = 0;
};

/// A graph made ready for one backend: parameters plus one executable per batch size.
class CompiledModel {
public:
    virtual ~CompiledModel() = default;
    virtual const ParameterLayout& layout() const = 0;
    /// Flat arrays of layout().total floats, in the backend's memory.
    virtual std::span<float> weights() = 0;
    virtual std::span<float> gradients() = 0;
    /// Parameter values and gradients in canonical order (host memory); sizes are those of the parameter's
    /// shape.
    virtual void set_weight(ParameterId id, std::span<const float> canonical) = 0;
    virtual std::vector<float> weight(ParameterId id) = 0;
    virtual std::vector<float> gradient(ParameterId id) = 0;
    /// Compiled at the first call with this batch size, kept afterwards.
    virtual Executable& executable(std::int64_t batch_size) = 0;
    virtual void sgd_step(const SgdOptions& options) = 0;
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;
    /// `batch_size` is the one whose kernels choose the native storage order.
    virtual std::unique_ptr<CompiledModel> compile(const Graph& graph, std::int64_t batch_size,
                                                   StorageOrder order) = 0;
};

}  // namespace rankscope::engine
