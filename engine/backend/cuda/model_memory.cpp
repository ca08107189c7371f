// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/model_memory.h>
#include <engine/graph/schedule.h>

#include <algorithm>
#include <stdexcept>

namespace rankscope::engine::cuda {
namespace {

constexpr const char* kSmallerModel = "A smaller model needs less.";

template <typename T>
void to_device(T* to, std::span<const T> from) {
    cuda_check(cudaMemcpy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice),
               "cudaMemcpy to the GPU");
    // The call returns once the numbers are on their way; our streams do not wait for the default one.
    cuda_check(cudaStreamSynchronize(nullptr), "cudaMemcpy to the GPU");
}

template <typename T>
void from_device(std::span<T> to, const T* from) {
    cuda_check(cudaMemcpy(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost),
               "cudaMemcpy from the GPU");
}

void require_size(std::size_t given, const Shape& shape, const std::string& name) {
    if (given != static_cast<std::size_t>(element_count(shape))) {
        throw std::logic_error(name + ": wrong number of values");
    }
}

}  // namespace

ModelMemory::ModelMemory(Gpu& gpu, const Graph& graph, ElementType type, const AllocateMemory& allocate)
    : gpu_(gpu),
      graph_(graph),
      type_(type),
      allocate_(allocate),
      stored_(stored_parameters(graph)),
      layout_(layout_of(stored_, arrival_order(differentiate(graph)))),
      weights_(allocate_flat("the weights", allocate)),
      gradients_(allocate_flat("the gradients", allocate)),
      lines_(layout_.total / kLine, "the optimizer's table", kSmallerModel),
      numbers_(sizeof(UpdateNumbers), "an update's settings", kSmallerModel),
      report_(sizeof(UpdateReport), "the gradients' norm", kSmallerModel),
      norm_partials_(kNormBlocks * sizeof(double), "the gradients' norm", kSmallerModel),
      norm_counter_(sizeof(unsigned), "the gradients' norm", kSmallerModel),
      loss_scale_(sizeof(DeviceLossScale), "the loss scale", kSmallerModel) {
    if (type_ != ElementType::f32) {
        copy_ = DeviceMemory(layout_.total * size_of(type_), "the weights in " + std::string(name_of(type_)),
                             kSmallerModel);
        halves_ = DeviceMemory(layout_.total * size_of(type_),
                               "the gradients in " + std::string(name_of(type_)), kSmallerModel);
    }
    const bool has_idle = std::any_of(stored_.begin(), stored_.end(),
                                      [](const StoredParameter& one) { return one.live() != one.size(); });
    if (has_idle) {
        idle_ = DeviceMemory(sizeof(IdleUpdates), "the optimizer's notes", kSmallerModel);
    }
    allocate_statistics();
    set_loss_scale({});
}

std::shared_ptr<float> ModelMemory::allocate_flat(const std::string& what,
                                                  const AllocateMemory& allocate) const {
    if (allocate) {
        return allocate(layout_.total);
    }
    const DeviceMemory memory(layout_.total * sizeof(float), what, kSmallerModel);
    return {memory.shared(), memory.as<float>()};
}

void ModelMemory::allocate_statistics() {
    std::size_t total = 0;
    IndexedVector<StatisticId, std::size_t> offsets;
    const auto size = [](const Statistic& of) {
        return of.kind == Statistic::Kind::batches_tracked ? std::size_t{0}
                                                           : static_cast<std::size_t>(padded(of.shape[0]));
    };
    for (const Statistic& statistic : graph_.statistics) {
        offsets.add(total);
        total += size(statistic);
    }
    std::vector<float> initial(total, 0.0F);
    for (const StatisticId id : offsets.indices()) {
        if (graph_.statistics[id].kind == Statistic::Kind::running_var) {
            std::fill_n(initial.begin() + static_cast<std::ptrdiff_t>(offsets[id]),
                        size(graph_.statistics[id]), 1.0F);
        }
    }
    statistics_ = DeviceMemory(total * sizeof(float), "the batch norms' statistics", kSmallerModel);
    if (total != 0) {
        to_device<float>(statistics_.as<float>(), initial);
    }
    for (const StatisticId id : offsets.indices()) {
        const bool counted = graph_.statistics[id].kind == Statistic::Kind::batches_tracked;
        statistic_at_.add(counted ? nullptr : statistics_.as<float>() + offsets[id]);
    }
}

std::span<float> ModelMemory::weights() {
    if (idle_updates_ != 0) {
        catch_up();
        gpu_.main.wait();
    }
    copy_is_stale_ = copy_.bytes() != 0;
    return {weights_.get(), layout_.total};
}

void ModelMemory::catch_up() {
    if (idle_updates_ != 0) {
        cuda::catch_up(idle_settings_.kind, flat(idle_settings_, {0, layout_.total}), idle_.as<IdleUpdates>(),
                       gpu_.main.get());
        idle_updates_ = 0;
    }
}

void ModelMemory::expect_update(const OptimizerStep& step) {
    if (idle_.bytes() == 0) {
        return;
    }
    const bool same =
        step.kind == idle_settings_.kind && (step.momentum != 0.0) == (idle_settings_.momentum != 0.0);
    if (idle_updates_ == IdleUpdates::kMost || !same) {
        catch_up();
    }
    idle_settings_ = step;
    ++idle_updates_;
}

void ModelMemory::write(ParameterId id, std::span<const float> canonical, float* array) {
    require_size(canonical.size(), graph_.parameters[id].shape, graph_.parameters[id].name);
    std::vector<float> stored(stored_[id].size());
    stored_[id].store(canonical, stored);
    catch_up();
    gpu_.main.wait();
    to_device<float>(array + layout_.slots[id].offset, stored);
}

void ModelMemory::read(ParameterId id, const float* array, std::span<float> canonical) {
    require_size(canonical.size(), graph_.parameters[id].shape, graph_.parameters[id].name);
    std::vector<float> stored(stored_[id].size());
    catch_up();
    gpu_.main.wait();
    from_device<float>(stored, array + layout_.slots[id].offset);
    stored_[id].canonical(stored, canonical);
}

std::vector<float> ModelMemory::read(ParameterId id, const float* array) {
    std::vector<float> canonical(static_cast<std::size_t>(element_count(graph_.parameters[id].shape)));
    read(id, array, canonical);
    return canonical;
}

void ModelMemory::set_weight(ParameterId id, std::span<const float> canonical) {
    write(id, canonical, weights().data());
}

void ModelMemory::set_statistic(StatisticId id, std::span<const double> values) {
    require_size(values.size(), graph_.statistics[id].shape, graph_.statistics[id].name);
    if (statistic_at_[id] == nullptr) {
        batches_tracked = static_cast<std::int64_t>(values.front());
        return;
    }
    std::vector<float> floats(values.size());
    std::transform(values.begin(), values.end(), floats.begin(),
                   [](double v) { return static_cast<float>(v); });
    gpu_.main.wait();
    to_device<float>(statistic_at_[id], floats);
}

std::vector<double> ModelMemory::statistic(StatisticId id) {
    if (statistic_at_[id] == nullptr) {
        return {static_cast<double>(batches_tracked)};
    }
    std::vector<float> floats(static_cast<std::size_t>(element_count(graph_.statistics[id].shape)));
    gpu_.main.wait();
    from_device<float>(floats, statistic_at_[id]);
    return {floats.begin(), floats.end()};
}

float* ModelMemory::state(std::string_view name) {
    auto found = optimizer_state_.find(name);
    if (found == optimizer_state_.end()) {
        found = optimizer_state_
                    .emplace(std::string(name), DeviceMemory(layout_.total * sizeof(float),
                                                             "the optimizer's " + std::string(name),
                                                             "SGD without momentum needs none."))
                    .first;
    }
    return found->second.as<float>();
}

std::vector<float> ModelMemory::optimizer_state(std::string_view name, ParameterId id) {
    const auto found = optimizer_state_.find(name);
    return found == optimizer_state_.end() ? std::vector<float>() : read(id, found->second.as<float>());
}

bool ModelMemory::read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) {
    const auto found = optimizer_state_.find(name);
    if (found == optimizer_state_.end()) {
        return false;
    }
    read(id, found->second.as<float>(), canonical);
    return true;
}

void ModelMemory::set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) {
    write(id, values, state(name));
}

void ModelMemory::refresh_copy(cudaStream_t stream) {
    if (copy_is_stale_) {
        from_floats(type_, static_cast<std::int64_t>(layout_.total), weights_.get(), copy_.data(), stream);
        copy_is_stale_ = false;
    }
}

void ModelMemory::prepare(const OptimizerStep& step) {
    for (int i = 0; i < optimizer_state_count(step.kind, step.momentum); ++i) {
        state(optimizer_state_name(step.kind, i));
    }
    if (lines_decay_norm_bias_ == step.decay_norm_bias) {
        return;
    }
    catch_up();  // by the table that they were noted with
    std::vector<std::uint8_t> lines(layout_.total / kLine, 0);
    constexpr std::size_t kFloats = kLine;
    for (const ParameterId id : layout_.slots.indices()) {
        const ParameterSlot& slot = layout_.slots[id];
        const bool decayed = step.decay_norm_bias || graph_.parameters[id].shape.size() > 1;
        for (std::size_t at = slot.offset; at < slot.offset + slot.size; at += kFloats) {
            const bool live = at < slot.offset + stored_[id].live();
            lines[at / kFloats] = static_cast<std::uint8_t>((decayed ? kDecayed : 0) | (live ? kLive : 0));
        }
    }
    gpu_.main.wait();
    to_device<std::uint8_t>(lines_.as<std::uint8_t>(), lines);
    lines_decay_norm_bias_ = step.decay_norm_bias;
}

FlatParameters ModelMemory::flat(const OptimizerStep& step, FlatRange range) {
    const int arrays = optimizer_state_count(step.kind, step.momentum);
    FlatParameters flat;
    flat.begin = range.offset;
    flat.end = range.offset + range.size;
    flat.lines = lines_.as<std::uint8_t>();
    flat.gradients = gradients_.get();
    flat.parameters = weights_.get();
    flat.first = arrays > 0 ? state(optimizer_state_name(step.kind, 0)) : nullptr;
    flat.second = arrays > 1 ? state(optimizer_state_name(step.kind, 1)) : nullptr;
    flat.copy = copy_.data();
    flat.copy_type = type_;
    return flat;
}

StepMemory ModelMemory::step_memory(const StepRequest& request) {
    return {.layout = &layout_,
            .gradients = gradients(),
            .kept_gradients = kept_.as<float>(),
            .wire = static_cast<std::byte*>(static_cast<void*>(wire_.get())),
            .parameters = request.update ? flat(request.optimizer, {0, layout_.total}) : FlatParameters(),
            .idle = idle_.as<IdleUpdates>(),
            .norm = norm_scratch(),
            .loss_scale = loss_scale_place()};
}

NormScratch ModelMemory::norm_scratch() {
    return {norm_partials_.as<double>(), norm_counter_.as<unsigned>()};
}

bool ModelMemory::update(const OptimizerStep& step, FlatRange range) {
    prepare(step);
    catch_up();
    UpdateNumbers numbers;
    set_update_numbers(step, numbers);
    // From ordinary memory: the call returns when it has been read.
    cuda_check(
        cudaMemcpyAsync(numbers_.data(), &numbers, sizeof(numbers), cudaMemcpyHostToDevice, gpu_.main.get()),
        "cudaMemcpyAsync");
    update_parameters(step.kind, flat(step, range), numbers_.as<UpdateNumbers>(),
                      {.report = report_.as<UpdateReport>()}, gpu_.main.get());
    return update_report().not_finite_in != step.step;
}

UpdateReport ModelMemory::update_report() {
    UpdateReport report;
    gpu_.main.wait();
    from_device<UpdateReport>({&report, 1}, report_.as<UpdateReport>());
    return report;
}

double ModelMemory::gradient_norm() {
    const OptimizerStep plain;
    if (!lines_decay_norm_bias_) {
        prepare(plain);
    }
    FlatParameters all;
    all.end = layout_.total;
    all.lines = lines_.as<std::uint8_t>();
    all.gradients = gradients_.get();
    UpdateNumbers numbers;
    set_update_numbers(plain, numbers);
    cuda_check(
        cudaMemcpyAsync(numbers_.data(), &numbers, sizeof(numbers), cudaMemcpyHostToDevice, gpu_.main.get()),
        "cudaMemcpyAsync");
    measure_gradients(all, {}, numbers_.as<UpdateNumbers>(), report_.as<UpdateReport>(), norm_scratch(),
                      gpu_.main.get());
    return update_report().norm;
}

float* ModelMemory::kept_gradients() {
    if (kept_.bytes() == 0) {
        kept_ = DeviceMemory(layout_.total * sizeof(float), "gradients that are accumulated",
                             "accumulate_steps: 1 needs none.");
    }
    return kept_.as<float>();
}

std::byte* ModelMemory::wire() {
    if (!wire_) {
        wire_ = allocate_ ? allocate_((layout_.total + 1) / 2) : allocate_flat("gradients in 16 bits", {});
    }
    return static_cast<std::byte*>(static_cast<void*>(wire_.get()));
}

IndexedVector<ParameterId, ParameterPlace> ModelMemory::places() const {
    IndexedVector<ParameterId, ParameterPlace> places;
    for (const ParameterSlot& slot : layout_.slots) {
        const float* weight = weights_.get() + slot.offset;
        const void* kernel =
            copy_.bytes() == 0
                ? static_cast<const void*>(weight)
                : static_cast<const void*>(copy_.as<std::byte>() + slot.offset * size_of(type_));
        void* const half =
            halves_.bytes() == 0 ? nullptr : halves_.as<std::byte>() + slot.offset * size_of(type_);
        places.add({kernel, weight, gradients_.get() + slot.offset, half, slot.size});
    }
    return places;
}

void ModelMemory::set_pixel_table(std::span<const float> table) {
    gpu_.main.wait();
    if (table_.bytes() != table.size_bytes()) {  // else it stays where recorded steps find it
        table_ = DeviceMemory(table.size_bytes(), "the pixel table", kSmallerModel);
    }
    to_device<float>(table_.as<float>(), table);
}

bool ModelMemory::keep_images(const Shape& image, std::span<const std::uint8_t> pixels) {
    // So much must stay free for the rest.
    constexpr std::size_t kShare = 4;
    std::size_t available = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    if (image_count_ != 0 || image.size() != 3 || pixels.empty() || pixels.size() > available / kShare) {
        return false;
    }
    gpu_.main.wait();
    pixels_ = DeviceMemory(pixels.size(), "the images of the data set", "A smaller data set needs less.");
    to_device<std::uint8_t>(pixels_.as<std::uint8_t>(), pixels);
    images_ = {pixels_.as<std::uint8_t>(), static_cast<int>(image[1]), static_cast<int>(image[2])};
    image_count_ = static_cast<std::int64_t>(pixels.size()) / element_count(image);
    return true;
}

LossScale ModelMemory::loss_scale() {
    DeviceLossScale on_device;
    gpu_.main.wait();
    from_device<DeviceLossScale>({&on_device, 1}, loss_scale_place());
    return {static_cast<double>(on_device.scale), on_device.growth, on_device.backoff,
            on_device.growth_interval, on_device.finite_in_a_row};
}

void ModelMemory::set_loss_scale(const LossScale& scale) {
    DeviceLossScale on_device;
    on_device.scale = static_cast<float>(scale.scale);
    on_device.growth = scale.growth;
    on_device.backoff = scale.backoff;
    on_device.growth_interval = scale.growth_interval;
    on_device.finite_in_a_row = scale.finite_in_a_row;
    gpu_.main.wait();
    to_device<DeviceLossScale>(loss_scale_place(), {&on_device, 1});
}

}  // namespace rankscope::engine::cuda
