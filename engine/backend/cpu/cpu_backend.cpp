// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/available_memory.h>
#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cpu/cpu_executable.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/tap_layout.h>
#include <engine/backend/host_step.h>
#include <engine/error.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>
#include <engine/optim/decay_ranges.h>
#include <engine/optim/gradient_clip.h>
#include <engine/optim/optimizer_update.h>

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

namespace rankscope::engine {
namespace {

using Md = dnnl::memory::desc;

constexpr const char* kSmallerModel = "A smaller model needs less.";

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

class CpuModel final : public CompiledModel {
public:
    CpuModel(const Graph& graph, const CompileOptions& options)
        : engine_(dnnl::engine::kind::cpu, 0),
          stream_(engine_),
          graph_(fuse(graph)),
          options_(options),
          schedule_(options.recompute ? differentiate_with_recomputation(graph_) : differentiate(graph_)),
          canonical_(cpu::canonical_descriptors(graph_)) {
        allocate(options.order == StorageOrder::native
                     ? cpu::native_descriptors(engine_, graph_, options.batch_size,
                                               cpu::activation_type(options.precision))
                     : canonical_);
    }

    const ParameterLayout& layout() const override { return layout_; }
    std::span<float> weights() override {
        return {weights_.get(), gathers() ? shards_->weight_window_size() : layout_.total};
    }
    std::span<float> gradients() override {
        return {gradients_.get(), windowed() ? shards_->window_size() : layout_.total};
    }
    const ShardPlan* shards() const override { return shards_ ? &*shards_ : nullptr; }
    std::span<float> owned_gradients() override { return owned_gradients_.as<float>(); }
    std::span<float> owned_weights() override { return owned_weights_.as<float>(); }
    std::map<std::string, std::span<float>, std::less<>> optimizer_arrays() override {
        std::map<std::string, std::span<float>, std::less<>> arrays;
        for (auto& [name, buffer] : optimizer_state_) {
            arrays.emplace(name, buffer.as<float>());
        }
        return arrays;
    }
    void lend_array(const std::string& name, std::span<float> all) override { lent_[name] = all; }
    std::span<float> running_statistics() override { return statistics_.as<float>(); }

    void set_weight(ParameterId id, std::span<const float> canonical) override {
        if (canonical.size() != static_cast<std::size_t>(element_count(graph_.parameters[id].shape))) {
            throw std::logic_error(graph_.parameters[id].name + ": wrong number of values");
        }
        if (gathers()) {
            import_owned(id, canonical, owned_weights());
        } else {
            import_from(id, canonical, storage_[id].weight);
        }
    }
    std::vector<float> weight(ParameterId id) override { return exported(id, whole_weight(id)); }
    std::vector<float> gradient(ParameterId id) override { return exported(id, storage_[id].gradient); }
    void read_weight(ParameterId id, std::span<float> canonical) override {
        export_to(id, whole_weight(id), canonical);
    }
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) override {
        float* const all = whole_state(name);
        if (all == nullptr) {
            return false;
        }
        export_to(id, all + layout_.slots[id].offset, canonical);
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

    using CompiledModel::executable;
    Executable& executable(std::int64_t batch, std::size_t copy) override {
        const auto found = std::find_if(executables_.begin(), executables_.end(), [&](const auto& candidate) {
            return candidate->batch_size() == batch && candidate->copy() == copy;
        });
        if (found != executables_.end()) {
            return **found;
        }
        executables_.push_back(std::make_unique<cpu::CpuExecutable>(
            engine_, graph_, schedule_, batch, storage_, options_, step_state(), batches_tracked_, copy));
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
        float* const all = whole_state(name);
        return all == nullptr ? std::vector<float>() : exported(id, all + layout_.slots[id].offset);
    }

    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) override {
        if (values.size() != static_cast<std::size_t>(element_count(graph_.parameters[id].shape))) {
            throw std::logic_error(std::string(name) + " of " + graph_.parameters[id].name +
                                   ": wrong number of values");
        }
        const std::span<float> kept = state(name);
        if (shards_) {
            import_owned(id, values, kept);
        } else {
            import_from(id, values, kept.data() + layout_.slots[id].offset);
        }
    }

    double gradient_norm() override {
        if (!shards_) {
            return std::sqrt(sum_of_squares(gradients()));
        }
        if (windowed()) {
            return std::sqrt(sum_of_squares(owned_gradients()));
        }
        double sum = 0.0;
        for (std::size_t bucket = 0; bucket < shards_->buckets().size(); ++bucket) {
            for (const ShardPlan::Owned& owned : shards_->owned(bucket)) {
                sum += sum_of_squares(gradients().subspan(owned.flat.offset, owned.flat.size));
            }
        }
        return std::sqrt(sum);
    }

    double take_waited_ms() override { return std::exchange(waited_ms_, 0.0); }

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
        for (const ParameterId id : descriptors.indices()) {
            storage_.add({.descriptor = descriptors[id]});
        }
        mark_live_taps();
        if (options_.sharding) {
            shards_.emplace(layout_, *options_.sharding, graph_, schedule_);
        }
        allocate_weights();
        allocate_gradients();
        std::sort(dead_.begin(), dead_.end(),
                  [](const FlatRange& a, const FlatRange& b) { return a.offset < b.offset; });
        allocate_statistics();
    }

    bool windowed() const { return shards_ && shards_->windowed(); }
    bool gathers() const { return shards_ && shards_->gathers(); }

    void allocate_weights() {
        weights_ = allocate_flat("the weights", gathers() ? shards_->weight_window_size() : layout_.total);
        for (const ParameterId id : storage_.indices()) {
            const std::size_t offset = layout_.slots[id].offset;
            if (!gathers()) {
                storage_[id].weight = weights_.get() + offset;
                continue;
            }
            const auto at = [&](bool backward) {
                return weights_.get() + shards_->weight_place(shards_->gathering(id, backward), offset);
            };
            storage_[id].weight = at(false);
            storage_[id].weight_in_backward = at(true);
        }
        if (gathers()) {
            owned_weights_ =
                cpu::allocate_for("the weights", shards_->owned_size() * sizeof(float), kSmallerModel);
            gathered_.resize(shards_->gatherings().size());
        }
    }

    cpu::StepState step_state() {
        cpu::StepState state;
        state.sum_across_ranks = options_.sum_across_ranks;
        state.sum_over_slices = options_.sum_over_slices;
        state.statistics = statistic_at_;
        if (gathers()) {
            state.gatherings = shards_->gatherings();
            state.gather = [this](std::size_t number) { gather(number); };
        }
        return state;
    }

    /// The next one comes while this one's operations run.
    void gather(std::size_t number) {
        const std::span<const ShardPlan::Gathering> all = shards_->gatherings();
        begin_gathering(number);
        const auto begin = std::chrono::steady_clock::now();
        gathered_[number]->wait();
        const std::chrono::duration<double, std::milli> waited = std::chrono::steady_clock::now() - begin;
        waited_ms_ += waited.count();
        gathered_[number].reset();
        if (number + 1 < all.size() && all[number + 1].backward == all[number].backward) {
            begin_gathering(number + 1);
        }
    }

    void begin_gathering(std::size_t number) {
        if (gathered_[number]) {
            return;
        }
        const ShardPlan::Gathering& one = shards_->gatherings()[number];
        const auto place = [&](std::size_t flat) {
            return weights_.get() + shards_->weight_place(one, flat);
        };
        for (const ShardPlan::Owned& owned : shards_->owned(one.bucket)) {
            std::copy_n(owned_weights().data() + owned.at, owned.flat.size, place(owned.flat.offset));
        }
        std::vector<Piece> pieces;
        for (const FlatRange& range : shards_->buckets()[one.bucket].ranges) {
            pieces.push_back({place(range.offset), range.size});
        }
        gathered_[number] = options_.gather_shares(pieces, shards_->weight_shares(one.bucket), When::soon);
    }

    /// The parameter's weights as they are stored; with ZeRO-3 within TrainingStep::with_whole_arrays() only.
    float* whole_weight(ParameterId id) {
        return gathers() ? lent(kWeights) + layout_.slots[id].offset : storage_[id].weight;
    }

    /// What this rank owns of the values.
    void import_owned(ParameterId id, std::span<const float> canonical, std::span<float> kept) {
        const ParameterSlot& slot = layout_.slots[id];
        AlignedBuffer whole(slot.size * sizeof(float));
        import_from(id, canonical, whole.as<float>().data());
        for (const ShardPlan::Owned& owned : shards_->owned(shards_->bucket_of(id))) {
            const std::size_t begin = std::max(owned.flat.offset, slot.offset);
            const std::size_t end = std::min(owned.flat.offset + owned.flat.size, slot.offset + slot.size);
            if (begin < end) {
                std::copy_n(whole.as<float>().data() + begin - slot.offset, end - begin,
                            kept.data() + owned.at + begin - owned.flat.offset);
            }
        }
    }

    void allocate_gradients() {
        gradients_ = allocate_flat("the gradients", windowed() ? shards_->window_size() : layout_.total);
        for (const ParameterId id : storage_.indices()) {
            const std::size_t offset = layout_.slots[id].offset;
            storage_[id].gradient =
                gradients_.get() +
                (windowed() ? shards_->window_place(shards_->bucket_of(id), offset) : offset);
        }
        if (windowed()) {
            owned_gradients_ =
                cpu::allocate_for("the gradients", shards_->owned_size() * sizeof(float), kSmallerModel);
        }
    }

    std::shared_ptr<float> allocate_flat(const std::string& what, std::size_t floats) const {
        if (options_.allocate) {
            return options_.allocate(floats);
        }
        auto buffer =
            std::make_shared<AlignedBuffer>(cpu::allocate_for(what, floats * sizeof(float), kSmallerModel));
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

    /// One of the optimizer's arrays, of all parameters; null: it has none yet.
    float* whole_state(std::string_view name) {
        const auto found = optimizer_state_.find(name);
        if (found == optimizer_state_.end()) {
            return nullptr;
        }
        return shards_ ? lent(name) : found->second.as<float>().data();
    }

    /// Of all ranks' shares.
    float* lent(std::string_view name) {
        const auto found = lent_.find(name);
        if (found == lent_.end() || found->second.empty()) {
            throw std::logic_error("each rank has a share of " + std::string(name));
        }
        return found->second.data();
    }

    /// One of the optimizer's arrays; zero when it is new.
    std::span<float> state(std::string_view name) {
        auto found = optimizer_state_.find(name);
        if (found == optimizer_state_.end()) {
            const std::size_t floats = shards_ ? shards_->owned_size() : layout_.total;
            found = optimizer_state_
                        .emplace(std::string(name), cpu::allocate_for("the optimizer's " + std::string(name),
                                                                      floats * sizeof(float),
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
            const std::size_t kept = shards_ ? shards_->place_of(begin) : begin;
            const auto part = [&](std::span<float> values) {
                return values.empty() ? values : values.subspan(kept, count);
            };
            const std::span<const float> g =
                !live        ? std::span<const float>(zeros).first(count)
                : windowed() ? std::span<const float>(owned_gradients()).subspan(kept, count)
                             : std::span<const float>(gradients()).subspan(begin, count);
            const std::span<float> updated =
                gathers() ? owned_weights().subspan(kept, count) : weights().subspan(begin, count);
            finite =
                optimizer_update(step, decayed, g, updated, {part(all.first), part(all.second)}) && finite;
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
    std::optional<ShardPlan> shards_;
    AlignedBuffer owned_gradients_;
    AlignedBuffer owned_weights_;
    double waited_ms_ = 0;
    std::vector<std::optional<Work>> gathered_;                  ///< ShardPlan::gatherings() that have begun
    std::map<std::string, std::span<float>, std::less<>> lent_;  ///< lend_array()
    std::map<std::string, AlignedBuffer, std::less<>> optimizer_state_;
    std::vector<float> kept_;  ///< the sum so far while gradients are accumulated
    AlignedBuffer statistics_;
    IndexedVector<StatisticId, float*> statistic_at_;  ///< null for batches_tracked
    std::int64_t batches_tracked_ = 0;                 ///< the same for all batch norms
    std::vector<std::unique_ptr<cpu::CpuExecutable>> executables_;
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
