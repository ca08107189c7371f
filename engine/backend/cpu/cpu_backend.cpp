// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/graph/rewrite.h>

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rankscope::engine {
namespace {

using Md = dnnl::memory::desc;

class CpuExecutable final : public Executable {
public:
    CpuExecutable(const dnnl::engine& engine, const Graph& graph, const Schedule& schedule,
                  std::int64_t batch, const std::vector<cpu::ParameterStorage>& storage)
        : batch_(batch),
          classes_(graph.classes),
          input_(static_cast<std::size_t>(batch * element_count(graph.values[0].shape)) * sizeof(float)),
          labels_(static_cast<std::size_t>(batch)),
          plan_(engine) {
        const cpu::BufferId input = plan_.external(input_.data());
        step_ = cpu::Lowering(engine, graph, batch, storage, plan_).lower(schedule, input);
        plan_.bind();
    }

    std::int64_t batch_size() const override { return batch_; }
    std::span<float> input() override { return input_.as<float>(); }
    std::span<std::int32_t> labels() override { return labels_; }

    BatchResult forward() override {
        plan_.run(0, step_.forward_end, {});
        return cpu::cross_entropy(at(step_.logits), labels_, classes_, at(step_.logits_gradient));
    }

    void backward(const GradientReady& ready) override { plan_.run(step_.forward_end, plan_.size(), ready); }

    std::vector<float> logits() override {
        const std::span<float> values = at(step_.logits);
        return {values.begin(), values.end()};
    }

private:
    std::span<float> at(cpu::BufferId id) {
        return {static_cast<float*>(plan_.address(id)), static_cast<std::size_t>(batch_ * classes_)};
    }

    std::int64_t batch_;
    std::int64_t classes_;
    AlignedBuffer input_;
    std::vector<std::int32_t> labels_;
    cpu::StepPlan plan_;
    cpu::LoweredStep step_;
};

class CpuModel final : public CompiledModel {
public:
    CpuModel(const Graph& graph, std::int64_t batch, StorageOrder order)
        : engine_(dnnl::engine::kind::cpu, 0),
          stream_(engine_),
          graph_(fuse_relu_into_max_pool(graph)),
          schedule_(differentiate(graph_)),
          canonical_(cpu::canonical_descriptors(graph_)) {
        allocate(order == StorageOrder::native ? cpu::native_descriptors(engine_, graph_, batch)
                                               : canonical_);
    }

    const ParameterLayout& layout() const override { return layout_; }
    std::span<float> weights() override { return weights_.as<float>(); }
    std::span<float> gradients() override { return gradients_.as<float>(); }

    void set_weight(ParameterId id, std::span<const float> canonical) override {
        if (canonical.size() != static_cast<std::size_t>(element_count(graph_.parameters[id].shape))) {
            throw std::logic_error(graph_.parameters[id].name + ": wrong number of values");
        }
        std::vector<float> copy(canonical.begin(), canonical.end());
        reorder(canonical_[id], copy.data(), storage_[id].descriptor, storage_[id].weight);
    }
    std::vector<float> weight(ParameterId id) override { return exported(id, storage_[id].weight); }
    std::vector<float> gradient(ParameterId id) override { return exported(id, storage_[id].gradient); }

    Executable& executable(std::int64_t batch) override {
        const auto found = std::find_if(executables_.begin(), executables_.end(), [&](const auto& candidate) {
            return candidate->batch_size() == batch;
        });
        if (found != executables_.end()) {
            return **found;
        }
        executables_.push_back(std::make_unique<CpuExecutable>(engine_, graph_, schedule_, batch, storage_));
        return *executables_.back();
    }

    void sgd_step(const SgdOptions& options) override {
        const bool first = momentum_.bytes() == 0;
        if (options.momentum != 0.0F && first) {
            momentum_ = AlignedBuffer(weights_.bytes());
        }
        sgd_update(options, first, gradients(), weights(), momentum_.as<float>());
    }

private:
    void allocate(const std::vector<Md>& descriptors) {
        constexpr std::size_t kLine = 64 / sizeof(float);
        layout_.slots.resize(descriptors.size());
        for (std::size_t id = descriptors.size(); id-- > 0;) {
            const std::size_t size = descriptors[id].get_size() / sizeof(float);
            layout_.slots[id] = {layout_.total, size};
            layout_.total += (size + kLine - 1) / kLine * kLine;
            layout_.fingerprint += dnnl_api::layout_name(descriptors[id]) + "|";
        }
        weights_ = AlignedBuffer(layout_.total * sizeof(float));
        gradients_ = AlignedBuffer(layout_.total * sizeof(float));
        for (std::size_t id = 0; id < descriptors.size(); ++id) {
            const std::size_t offset = layout_.slots[id].offset;
            storage_.push_back(
                {descriptors[id], weights().subspan(offset).data(), gradients().subspan(offset).data()});
        }
    }

    void reorder(const Md& from, float* source, const Md& to, float* target) {
        dnnl::memory in(from, engine_, source);
        dnnl::memory out(to, engine_, target);
        dnnl::reorder(in, out).execute(stream_, in, out);
        stream_.wait();
    }

    std::vector<float> exported(ParameterId id, float* source) {
        std::vector<float> values(static_cast<std::size_t>(element_count(graph_.parameters[id].shape)));
        reorder(storage_[id].descriptor, source, canonical_[id], values.data());
        return values;
    }

    dnnl::engine engine_;
    dnnl::stream stream_;
    Graph graph_;
    Schedule schedule_;
    std::vector<Md> canonical_;
    std::vector<cpu::ParameterStorage> storage_;
    ParameterLayout layout_;
    AlignedBuffer weights_;
    AlignedBuffer gradients_;
    AlignedBuffer momentum_;
    std::vector<std::unique_ptr<CpuExecutable>> executables_;
};

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(int threads) { omp_set_num_threads(threads); }
    std::string_view name() const override { return "cpu"; }
    std::unique_ptr<CompiledModel> compile(const Graph& graph, std::int64_t batch_size,
                                           StorageOrder order) override {
        return std::make_unique<CpuModel>(graph, batch_size, order);
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
