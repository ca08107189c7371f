// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/available_memory.h>
#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/tap_layout.h>
#include <engine/backend/host_step.h>
#include <engine/error.h>
#include <engine/graph/rewrite.h>
#include <engine/optim/decay_ranges.h>
#include <engine/optim/gradient_clip.h>
#include <engine/optim/optimizer_update.h>

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

namespace rankscope::engine {
namespace {

using Md = dnnl::memory::desc;

constexpr double kMiB = 1048576.0;
constexpr const char* kSmallerBatch =
    "A smaller batch_size needs less (with accumulate_steps the effective batch stays the same).";

std::string mib(std::uint64_t bytes) {
    return std::to_string(std::llround(static_cast<double>(bytes) / kMiB)) + " MiB";
}

/// Memory for one purpose; when there is none, the message says for what.
AlignedBuffer allocate_for(const std::string& what, std::size_t bytes, const std::string& remedy) {
    const auto available = cpu::available_memory();
    if (available && bytes > *available) {
        throw Error("out of memory: " + mib(bytes) + " for " + what + ", where " + mib(*available) +
                    " are available. " + remedy);
    }
    try {
        return AlignedBuffer(bytes);
    } catch (const std::bad_alloc&) {
        throw Error("out of memory: " + mib(bytes) + " for " + what + " is unavailable. " + remedy);
    }
}

dnnl::memory::data_type activation_type(Precision precision) {
    return precision == Precision::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

/// Throws ConfigError for what this CPU would only imitate.
void check_precision(Precision precision) {
    if (precision == Precision::fp32 || precision == Precision::tf32) {
        return;  // tf32 permits a GPU to round; fp32 is more exact
    }
    if (precision != Precision::bf16) {
        throw ConfigError("precision: fp16 needs a GPU; a CPU computes in fp32 or bf16");
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bf16")) {
        return;
    }
#endif
    throw ConfigError(
        "precision: bf16 needs a CPU with AVX512-BF16 or AMX, which this one lacks. Choose fp32.");
}

class CpuExecutable final : public Executable {
public:
    CpuExecutable(const dnnl::engine& engine, const Graph& graph, const Schedule& schedule,
                  std::int64_t batch, const IndexedVector<ParameterId, cpu::ParameterStorage>& storage,
                  const CompileOptions& options, IndexedVector<StatisticId, float*> statistics,
                  std::int64_t& batches_tracked)
        : graph_(graph),
          batch_(batch),
          batches_tracked_(batches_tracked),
          loss_{.classes = graph.classes,
                .topk = std::min(options.topk, graph.classes),
                .label_smoothing = options.label_smoothing},
          input_(
              allocate_for("the input of a batch of " + std::to_string(batch),
                           static_cast<std::size_t>(batch * element_count(graph.values[kInputValue].shape)) *
                               sizeof(float),
                           kSmallerBatch)),
          plan_(engine) {
        if (graph.classifies()) {
            labels_.resize(static_cast<std::size_t>(batch * graph.rows));
        } else {
            targets_.resize(static_cast<std::size_t>(batch * graph.classes));
        }
        state_.sum_across_ranks = options.sum_across_ranks;
        state_.statistics = std::move(statistics);
        state_.sample_keys.resize(graph.drops() ? static_cast<std::size_t>(batch) : 0);
        const cpu::BufferId input = plan_.external(input_.data());
        step_ =
            cpu::Lowering(engine, graph, batch, storage, state_, activation_type(options.precision), plan_)
                .lower(schedule, input);
        plan_.bind([&](std::size_t bytes) {
            return allocate_for("the activations of a batch of " + std::to_string(batch), bytes,
                                kSmallerBatch);
        });
    }

    std::int64_t batch_size() const override { return batch_; }
    std::span<float> input() override { return input_.as<float>(); }
    std::span<std::int32_t> labels() override { return labels_; }
    std::span<float> targets() override { return targets_; }
    std::span<std::uint64_t> sample_keys() override { return state_.sample_keys; }
    std::size_t bytes() const { return plan_.arena_bytes() + input_.bytes(); }

    BatchResult forward(ForwardMode mode) override {
        check_labels();
        state_.mode = mode;
        plan_.run(0, step_.forward_end, {});
        batches_tracked_ += mode == ForwardMode::train ? 1 : 0;
        const std::span<float> gradient = at(step_.logits_gradient);
        return graph_.classifies() ? cpu::cross_entropy(loss_, at(step_.logits), labels_, gradient)
                                   : cpu::mean_squared_error(at(step_.logits), targets_, gradient);
    }

    void backward(const GradientReady& ready, GradientMode mode, float loss_scale) override {
        if (loss_scale != 1.0F) {
            cpu::scale_in_place(at(step_.logits_gradient), loss_scale);
        }
        accumulate_(mode);
        plan_.run(step_.forward_end, plan_.size(), [&](ParameterId id) {
            finish_(mode, id);
            ready(id);
        });
    }
    /// Called before a backward pass, and for every parameter that it has written.
    void on_accumulate(std::function<void(GradientMode)> begin,
                       std::function<void(GradientMode, ParameterId)> finish) {
        accumulate_ = std::move(begin);
        finish_ = std::move(finish);
    }

    std::vector<float> logits() override {
        const std::span<float> values = at(step_.logits);
        return {values.begin(), values.end()};
    }

    std::optional<std::string> first_non_finite() override {
        if (!cpu::all_finite<float>(input())) {
            return "input";
        }
        std::size_t done = 0;
        for (const cpu::StepPlan::Result& result : plan_.results()) {
            plan_.run(done, result.steps, {});
            done = result.steps;
            void* const values = plan_.address(result.buffer);
            if (!(result.bf16 ? cpu::all_finite(cpu::contents<const cpu::Bf16>(values, result.count))
                              : cpu::all_finite(cpu::contents<const float>(values, result.count)))) {
                return result.name;
            }
        }
        return std::nullopt;
    }

private:
    std::span<float> at(cpu::BufferId id) {
        return {static_cast<float*>(plan_.address(id)),
                static_cast<std::size_t>(batch_ * graph_.rows * graph_.classes)};
    }
    void check_labels() const {
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (labels_[i] < 0 || labels_[i] >= graph_.classes) {
                throw Error((graph_.predicts_tokens() ? "row " : "sample ") + std::to_string(i) +
                            " of the batch has label " + std::to_string(labels_[i]) +
                            ", but the model has the classes 0 to " + std::to_string(graph_.classes - 1));
            }
        }
    }

    const Graph& graph_;
    std::int64_t batch_;
    std::int64_t& batches_tracked_;
    cpu::CrossEntropyOptions loss_;
    AlignedBuffer input_;
    std::vector<std::int32_t> labels_;
    std::vector<float> targets_;
    cpu::StepState state_;
    cpu::StepPlan plan_;
    cpu::LoweredStep step_;
    std::function<void(GradientMode)> accumulate_;
    std::function<void(GradientMode, ParameterId)> finish_;
};

class CpuModel final : public CompiledModel {
public:
    CpuModel(const Graph& graph, const CompileOptions& options)
        : engine_(dnnl::engine::kind::cpu, 0),
          stream_(engine_),
          graph_(fuse(graph)),
          options_(options),
          schedule_(differentiate(graph_)),
          canonical_(cpu::canonical_descriptors(graph_)) {
        allocate(options.order == StorageOrder::native
                     ? cpu::native_descriptors(engine_, graph_, options.batch_size,
                                               activation_type(options.precision))
                     : canonical_);
    }

    const ParameterLayout& layout() const override { return layout_; }
    std::span<float> weights() override { return {weights_.get(), layout_.total}; }
    std::span<float> gradients() override { return {gradients_.get(), layout_.total}; }
    std::span<float> running_statistics() override { return statistics_.as<float>(); }

    void set_weight(ParameterId id, std::span<const float> canonical) override {
        if (canonical.size() != static_cast<std::size_t>(element_count(graph_.parameters[id].shape))) {
            throw std::logic_error(graph_.parameters[id].name + ": wrong number of values");
        }
        import_from(id, canonical, storage_[id].weight);
    }
    std::vector<float> weight(ParameterId id) override { return exported(id, storage_[id].weight); }
    std::vector<float> gradient(ParameterId id) override { return exported(id, storage_[id].gradient); }
    void read_weight(ParameterId id, std::span<float> canonical) override {
        export_to(id, storage_[id].weight, canonical);
    }
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) override {
        const auto found = optimizer_state_.find(name);
        if (found == optimizer_state_.end()) {
            return false;
        }
        export_to(id, found->second.as<float>().data() + layout_.slots[id].offset, canonical);
        return true;
    }

    void set_statistic(StatisticId id, std::span<const double> values) override {
        if (values.size() != static_cast<std::size_t>(element_count(graph_.statistics[id].shape))) {
            throw std::logic_error(graph_.statistics[id].name + ": wrong number of values");
        }
        if (statistic_at_[id] == nullptr) {
            batches_tracked_ = static_cast<std::int64_t>(values.front());
        } else {
            std::transform(values.begin(), values.end(), statistic_at_[id],
                           [](double value) { return static_cast<float>(value); });
        }
    }
    std::vector<double> statistic(StatisticId id) override {
        if (statistic_at_[id] == nullptr) {
            return {static_cast<double>(batches_tracked_)};
        }
        return {statistic_at_[id], statistic_at_[id] + element_count(graph_.statistics[id].shape)};
    }

    Executable& executable(std::int64_t batch) override {
        const auto found = std::find_if(executables_.begin(), executables_.end(), [&](const auto& candidate) {
            return candidate->batch_size() == batch;
        });
        if (found != executables_.end()) {
            return **found;
        }
        executables_.push_back(std::make_unique<CpuExecutable>(engine_, graph_, schedule_, batch, storage_,
                                                               options_, statistic_at_, batches_tracked_));
        executables_.back()->on_accumulate(
            [this](GradientMode mode) { begin_accumulation(mode); },
            [this](GradientMode mode, ParameterId id) { accumulate(mode, id); });
        return *executables_.back();
    }

    std::unique_ptr<TrainingStep> training_step(const StepOptions& options,
                                                const GradientExchange& exchange) override {
        return std::make_unique<HostStep>(*this, options, exchange);
    }

    using CompiledModel::optimizer_step;
    bool optimizer_step(const OptimizerStep& step, FlatRange range) override {
        bool finite = true;
        const int arrays = optimizer_state_count(step.kind, step.momentum);
        const auto state_of = [&](int i) {
            return i < arrays ? state(optimizer_state_name(step.kind, i)) : std::span<float>();
        };
        const OptimizerState all{state_of(0), state_of(1)};
        for (const DecayRange& part : groups(step)) {
            const std::size_t begin = std::max(part.offset, range.offset);
            const std::size_t end = std::min(part.offset + part.size, range.offset + range.size);
            if (begin >= end) {
                continue;
            }
            std::size_t at = begin;
            for (const FlatRange& dead : dead_) {
                const std::size_t from = std::clamp(dead.offset, at, end);
                const std::size_t to = std::clamp(dead.offset + dead.size, from, end);
                finite = update(step, part.decayed, {at, from - at}, true, all) && finite;
                update(step, part.decayed, {from, to - from}, false, all);
                at = to;
            }
            finite = update(step, part.decayed, {at, end - at}, true, all) && finite;
        }
        return finite;
    }

    std::vector<float> optimizer_state(std::string_view name, ParameterId id) override {
        const auto found = optimizer_state_.find(name);
        return found == optimizer_state_.end()
                   ? std::vector<float>()
                   : exported(id, found->second.as<float>().data() + layout_.slots[id].offset);
    }

    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) override {
        if (values.size() != static_cast<std::size_t>(element_count(graph_.parameters[id].shape))) {
            throw std::logic_error(std::string(name) + " of " + graph_.parameters[id].name +
                                   ": wrong number of values");
        }
        import_from(id, values, state(name).data() + layout_.slots[id].offset);
    }

    double gradient_norm() override { return std::sqrt(sum_of_squares(gradients())); }

    std::size_t activation_bytes() const override {
        std::size_t bytes = 0;
        for (const auto& executable : executables_) {
            bytes += executable->bytes();
        }
        return bytes;
    }

private:
    void allocate(const IndexedVector<ParameterId, Md>& descriptors) {
        constexpr std::size_t kLine = 64 / sizeof(float);
        layout_.slots.assign(descriptors.size(), {});
        for (const ParameterId id : arrival_order(schedule_)) {
            const std::size_t size = descriptors[id].get_size() / sizeof(float);
            layout_.slots[id] = {layout_.total, size, {}};
            layout_.total += (size + kLine - 1) / kLine * kLine;
            layout_.fingerprint += dnnl_api::layout_name(descriptors[id]) + "|";
        }
        weights_ = allocate_flat("the weights");
        gradients_ = allocate_flat("the gradients");
        for (const ParameterId id : descriptors.indices()) {
            const std::size_t offset = layout_.slots[id].offset;
            storage_.add({descriptors[id], weights_.get() + offset, gradients_.get() + offset});
        }
        mark_live_taps();
        std::sort(dead_.begin(), dead_.end(),
                  [](const FlatRange& a, const FlatRange& b) { return a.offset < b.offset; });
        allocate_statistics();
    }

    std::shared_ptr<float> allocate_flat(const std::string& what) const {
        if (options_.allocate) {
            return options_.allocate(layout_.total);
        }
        auto buffer = std::make_shared<AlignedBuffer>(
            allocate_for(what, layout_.total * sizeof(float), "A smaller model needs less."));
        return {buffer, buffer->as<float>().data()};
    }

    void mark_live_taps() {
        for (const Node& node : graph_.nodes) {
            const auto* conv = std::get_if<Conv2d>(&node.operation);
            if (conv == nullptr || !conv->dense() ||
                !cpu::stored_by_taps(storage_[node.parameters[0]].descriptor)) {
                continue;
            }
            const cpu::TapConvolution shape = cpu::tap_shape(graph_, node, 1);
            std::set<std::int64_t> taps;
            for (const cpu::TapRun& run : cpu::tap_runs(shape)) {
                taps.insert(run.tap);
            }
            ParameterSlot& slot = layout_.slots[node.parameters[0]];
            const auto size = static_cast<std::size_t>(shape.in_channels * shape.out_channels);
            if (taps.size() == static_cast<std::size_t>(shape.kernel * shape.kernel)) {
                continue;
            }
            for (std::int64_t tap = 0; tap < shape.kernel * shape.kernel; ++tap) {
                if (taps.count(tap) == 0) {
                    dead_.push_back({slot.offset + static_cast<std::size_t>(tap) * size, size});
                }
            }
            for (const std::int64_t tap : taps) {
                const std::size_t offset = slot.offset + static_cast<std::size_t>(tap) * size;
                if (!slot.live.empty() && slot.live.back().offset + slot.live.back().size == offset) {
                    slot.live.back().size += size;
                } else {
                    slot.live.push_back({offset, size});
                }
            }
        }
    }

    void allocate_statistics() {
        std::size_t total = 0;
        IndexedVector<StatisticId, std::size_t> offsets;
        for (const Statistic& statistic : graph_.statistics) {
            offsets.add(total);
            total += statistic.kind == Statistic::Kind::batches_tracked
                         ? 0
                         : static_cast<std::size_t>(element_count(statistic.shape));
        }
        statistics_ = AlignedBuffer(total * sizeof(float));
        for (const StatisticId id : offsets.indices()) {
            const Statistic& statistic = graph_.statistics[id];
            const bool counted = statistic.kind == Statistic::Kind::batches_tracked;
            statistic_at_.add(counted ? nullptr : statistics_.as<float>().data() + offsets[id]);
            if (statistic.kind == Statistic::Kind::running_var) {
                std::fill_n(statistic_at_[id], element_count(statistic.shape), 1.0F);
            }
        }
    }

    void begin_accumulation(GradientMode mode) {
        if (mode == GradientMode::accumulate) {
            kept_.assign(gradients().begin(), gradients().end());
        }
    }
    void accumulate(GradientMode mode, ParameterId id) {
        if (mode == GradientMode::accumulate) {
            const ParameterSlot& slot = layout_.slots[id];
            cpu::add_in_place<float>(gradients().subspan(slot.offset, slot.size),
                                     std::span<const float>(kept_).subspan(slot.offset, slot.size));
        }
    }

    /// One of the optimizer's arrays; zero when it is new.
    std::span<float> state(std::string_view name) {
        auto found = optimizer_state_.find(name);
        if (found == optimizer_state_.end()) {
            found = optimizer_state_
                        .emplace(std::string(name), allocate_for("the optimizer's " + std::string(name),
                                                                 layout_.total * sizeof(float),
                                                                 "SGD without momentum needs none."))
                        .first;
        }
        return found->second.as<float>();
    }

    /// A range whose gradients are not live takes zeros from the cache: its own would cost a pass over
    /// memory, and pages that nothing else ever touches (28 MB of a ResNet-18's 45). False: optimizer_update().
    bool update(const OptimizerStep& step, bool decayed, FlatRange range, bool live,
                const OptimizerState& all) {
        constexpr std::size_t kZeros = std::size_t{1} << 16U;
        static const std::array<float, kZeros> zeros{};
        bool finite = true;
        for (std::size_t done = 0; done < range.size;) {
            const std::size_t begin = range.offset + done;
            const std::size_t count = live ? range.size : std::min(kZeros, range.size - done);
            const auto part = [&](std::span<float> values) {
                return values.empty() ? values : values.subspan(begin, count);
            };
            const std::span<const float> g = live ? std::span<const float>(gradients()).subspan(begin, count)
                                                  : std::span<const float>(zeros).first(count);
            finite = optimizer_update(step, decayed, g, weights().subspan(begin, count),
                                      {part(all.first), part(all.second)}) &&
                     finite;
            done += count;
        }
        return finite;
    }

    std::vector<DecayRange> groups(const OptimizerStep& step) const {
        if (step.decay_norm_bias) {
            return {{0, layout_.total, true}};
        }
        std::vector<DecaySlot> slots;
        for (const ParameterId id : graph_.parameters.indices()) {
            slots.push_back(
                {layout_.slots[id].offset, layout_.slots[id].size, graph_.parameters[id].shape.size() > 1});
        }
        return decay_ranges(slots, layout_.total);
    }

    void reorder(const Md& from, float* source, const Md& to, float* target) {
        dnnl::memory in(from, engine_, source);
        dnnl::memory out(to, engine_, target);
        dnnl::reorder(in, out).execute(stream_, in, out);
        stream_.wait();
    }

    void import_from(ParameterId id, std::span<const float> canonical, float* target) {
        if (storage_[id].descriptor == canonical_[id]) {
            std::copy(canonical.begin(), canonical.end(), target);
        } else if (cpu::stored_by_taps(storage_[id].descriptor)) {
            const auto dims = dnnl_api::dims_of(storage_[id].descriptor);
            cpu::to_tap_major(dims[0], dims[1], dims[2] * dims[3], canonical.data(), target);
        } else {
            std::vector<float> copy(canonical.begin(), canonical.end());  // oneDNN takes writable memory only
            reorder(canonical_[id], copy.data(), storage_[id].descriptor, target);
        }
    }

    std::vector<float> exported(ParameterId id, float* source) {
        std::vector<float> values(static_cast<std::size_t>(element_count(graph_.parameters[id].shape)));
        export_to(id, source, values);
        return values;
    }

    void export_to(ParameterId id, float* source, std::span<float> canonical) {
        if (storage_[id].descriptor == canonical_[id]) {
            std::copy_n(source, canonical.size(), canonical.begin());
        } else if (cpu::stored_by_taps(storage_[id].descriptor)) {
            const auto dims = dnnl_api::dims_of(storage_[id].descriptor);
            cpu::from_tap_major(dims[0], dims[1], dims[2] * dims[3], source, canonical.data());
        } else {
            reorder(storage_[id].descriptor, source, canonical_[id], canonical.data());
        }
    }

    dnnl::engine engine_;
    dnnl::stream stream_;
    Graph graph_;
    CompileOptions options_;
    Schedule schedule_;
    IndexedVector<ParameterId, Md> canonical_;
    IndexedVector<ParameterId, cpu::ParameterStorage> storage_;
    ParameterLayout layout_;
    std::vector<FlatRange> dead_;  ///< of the flat arrays, in order: no gradient ever reaches them
    std::shared_ptr<float> weights_;
    std::shared_ptr<float> gradients_;
    std::map<std::string, AlignedBuffer, std::less<>> optimizer_state_;
    std::vector<float> kept_;  ///< the sum so far while gradients are accumulated
    AlignedBuffer statistics_;
    IndexedVector<StatisticId, float*> statistic_at_;  ///< null for batches_tracked
    std::int64_t batches_tracked_ = 0;                 ///< the same for all batch norms
    std::vector<std::unique_ptr<CpuExecutable>> executables_;
};

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(int threads) { omp_set_num_threads(threads); }
    std::string_view name() const override { return "cpu"; }
    std::unique_ptr<CompiledModel> compile(const Graph& graph, const CompileOptions& options) override {
        check_precision(options.precision);
        return std::make_unique<CpuModel>(graph, options);
    }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
    return std::make_unique<CpuBackend>(threads);
}

std::string cpu_backend_library() {
    return "oneDNN " + dnnl_api::version();
}

}  // namespace rankscope::engine
