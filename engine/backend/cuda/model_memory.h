// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/device_memory.h>
#include <engine/backend/cuda/gpu.h>
#include <engine/backend/cuda/input.h>
#include <engine/backend/cuda/optimizer.h>
#include <engine/backend/cuda/step_memory.h>
#include <engine/backend/cuda/step_request.h>
#include <engine/backend/cuda/step_state.h>
#include <engine/backend/cuda/storage.h>
#include <engine/optim/loss_scale.h>
#include <engine/tensor/element_type.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::engine::cuda {

/// Everything of a model that lives on the GPU between steps: flat arrays of weights, gradients and optimizer
/// state, statistics, loss scale, kept images. Shared by the model's executables. What goes to and from the
/// host waits for the GPU.
class ModelMemory {
public:
    ModelMemory(Gpu& gpu, const Graph& graph, ElementType type, const AllocateMemory& allocate);

    Gpu& gpu() { return gpu_; }
    const ParameterLayout& layout() const { return layout_; }
    /// The caller may write to it: the kernels' copy is made again before the next step.
    std::span<float> weights();
    std::span<float> gradients() { return {gradients_.get(), layout_.total}; }
    std::span<float> running_statistics() {
        return {statistics_.as<float>(), statistics_.bytes() / sizeof(float)};
    }

    void set_weight(ParameterId id, std::span<const float> canonical);
    std::vector<float> weight(ParameterId id) { return read(id, weights_.get()); }
    void read_weight(ParameterId id, std::span<float> canonical) { read(id, weights_.get(), canonical); }
    std::vector<float> gradient(ParameterId id) { return read(id, gradients_.get()); }
    void set_statistic(StatisticId id, std::span<const double> values);
    std::vector<double> statistic(StatisticId id);
    std::vector<float> optimizer_state(std::string_view name, ParameterId id);
    /// False: there is none of this name.
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical);
    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values);

    /// Enqueues the rounding of the weights for the kernels if they have changed.
    void refresh_copy(cudaStream_t stream);
    /// The arrays in the form that the optimizer needs; those that it needs are made if they are not there.
    FlatParameters flat(const OptimizerStep& step, FlatRange range);
    /// Makes the table of lines fit these settings.
    void prepare(const OptimizerStep& step);
    /// Before an update by a step's operations is enqueued: parameters that have no gradient only take a note of it. They
    /// are brought up to date when there are many notes, and before anything else reads or changes them.
    void expect_update(const OptimizerStep& step);
    NormScratch norm_scratch();
    /// The update of a range, with numbers of its own. Waits for it; false: a gradient was not finite.
    bool update(const OptimizerStep& step, FlatRange range);
    double gradient_norm();

    /// A second array of gradients, made at the first call: the sum so far while they are accumulated.
    float* kept_gradients();
    /// The gradients as they travel, 16 bits each at the same places, made at the first call.
    std::byte* wire();
    /// For the operations of a step. What the request needs must be there.
    StepMemory step_memory(const StepRequest& request);
    IndexedVector<ParameterId, ParameterPlace> places() const;
    const IndexedVector<StatisticId, float*>& statistic_places() const { return statistic_at_; }

    void set_pixel_table(std::span<const float> table);
    const float* pixel_table() const { return table_.as<float>(); }
    bool keep_images(const Shape& image, std::span<const std::uint8_t> pixels);
    const KeptImages& images() const { return images_; }
    std::int64_t image_count() const { return image_count_; }

    DeviceLossScale* loss_scale_place() { return loss_scale_.as<DeviceLossScale>(); }
    LossScale loss_scale();
    void set_loss_scale(const LossScale& scale);

    std::int64_t batches_tracked = 0;  ///< the same for all batch norms

private:
    void allocate_statistics();
    std::shared_ptr<float> allocate_flat(const std::string& what, const AllocateMemory& allocate) const;
    void write(ParameterId id, std::span<const float> canonical, float* array);
    std::vector<float> read(ParameterId id, const float* array);
    void read(ParameterId id, const float* array, std::span<float> canonical);
    float* state(std::string_view name);
    /// Enqueues the updates that parameters without a gradient have not made yet.
    void catch_up();
    /// What update() or gradient_norm() reported; waits for it.
    UpdateReport update_report();

    Gpu& gpu_;
    const Graph& graph_;
    ElementType type_;
    AllocateMemory allocate_;
    IndexedVector<ParameterId, StoredParameter> stored_;
    ParameterLayout layout_;
    std::shared_ptr<float> weights_;
    std::shared_ptr<float> gradients_;
    DeviceMemory copy_;  ///< the weights in the kernels' type, where that is not float
    bool copy_is_stale_ = false;
    DeviceMemory halves_;  ///< gradients of convolutions' weights in the kernels' type, likewise
    DeviceMemory lines_;
    std::optional<bool> lines_decay_norm_bias_;
    std::map<std::string, DeviceMemory, std::less<>> optimizer_state_;
    DeviceMemory idle_;            ///< IdleUpdates; empty: every parameter has a gradient
    unsigned idle_updates_ = 0;    ///< at most so many were noted
    OptimizerStep idle_settings_;  ///< of the noted updates, as far as their arrays depend on them
    DeviceMemory kept_;
    std::shared_ptr<float> wire_;
    DeviceMemory statistics_;
    IndexedVector<StatisticId, float*> statistic_at_;  ///< null for batches_tracked
    DeviceMemory numbers_;                             ///< of update()
    DeviceMemory report_;                              ///< of update() and gradient_norm()
    DeviceMemory norm_partials_;
    DeviceMemory norm_counter_;
    DeviceMemory loss_scale_;
    DeviceMemory table_;
    DeviceMemory pixels_;
    KeptImages images_;
    std::int64_t image_count_ = 0;
};

}  // namespace rankscope::engine::cuda
