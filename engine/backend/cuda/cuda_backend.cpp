// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_executable.h>
#include <engine/backend/cuda/library_versions.h>
#include <engine/error.h>
#include <engine/graph/rewrite.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace rankscope::engine {
namespace {

using cuda::CudaExecutable;
using cuda::Gpu;
using cuda::ModelMemory;
using cuda::PlanCache;

class CudaModel final : public CompiledModel {
public:
    CudaModel(const Graph& graph, const CompileOptions& options, const CudaOptions& cuda_options)
        : gpu_(cuda_options.device),
          graph_(fuse(graph)),
          options_(options),
          cuda_options_(cuda_options),
          schedule_(differentiate(graph_)),
          type_(cuda::element_of(options.precision)),
          cache_(PlanCache::for_machine(gpu_.description() + ", " + cuda_backend_library())),
          convolutions_(cuda_options.device, policy(), cuda_options.tuning, cache_),
          products_(policy(), cuda_options.tuning != cuda::Tuning::none, cache_),
          memory_(gpu_, graph_, type_, options.allocate) {
        if (options.sum_across_ranks && !options.enqueue_sum) {
            throw ConfigError(
                "sync_bn on a GPU needs the backend nccl: the sums over the ranks are part of the recorded "
                "step");
        }
    }

    const ParameterLayout& layout() const override { return memory_.layout(); }
    bool has_whole_steps() const override { return true; }
    std::span<float> weights() override { return memory_.weights(); }
    std::span<float> gradients() override { return memory_.gradients(); }
    std::span<float> running_statistics() override { return memory_.running_statistics(); }
    void set_weight(ParameterId id, std::span<const float> canonical) override {
        memory_.set_weight(id, canonical);
    }
    std::vector<float> weight(ParameterId id) override { return memory_.weight(id); }
    void read_weight(ParameterId id, std::span<float> canonical) override {
        memory_.read_weight(id, canonical);
    }
    std::vector<float> gradient(ParameterId id) override { return memory_.gradient(id); }
    void set_statistic(StatisticId id, std::span<const double> values) override {
        memory_.set_statistic(id, values);
    }
    std::vector<double> statistic(StatisticId id) override { return memory_.statistic(id); }

    Executable& executable(std::int64_t batch) override {
        const auto found = std::find_if(executables_.begin(), executables_.end(), [&](const auto& candidate) {
            return candidate->batch_size() == batch;
        });
        if (found != executables_.end()) {
            return **found;
        }
        executables_.push_back(std::make_unique<CudaExecutable>(
            graph_, schedule_, cuda::KernelLibraries{convolutions_, products_}, memory_,
            cuda::ExecutableOptions{batch, type_, options_.label_smoothing,
                                    std::min(options_.topk, graph_.classes), options_.enqueue_sum,
                                    options_.while_waiting, cuda_options_.graphs}));
        return *executables_.back();
    }

    using CompiledModel::optimizer_step;
    void optimizer_step(const OptimizerStep& step, FlatRange range) override { memory_.update(step, range); }
    std::vector<float> optimizer_state(std::string_view name, ParameterId id) override {
        return memory_.optimizer_state(name, id);
    }
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) override {
        return memory_.read_optimizer_state(name, id, canonical);
    }
    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) override {
        memory_.set_optimizer_state(name, id, values);
    }
    double gradient_norm() override { return memory_.gradient_norm(); }

    std::size_t activation_bytes() const override {
        std::size_t bytes = 0;
        for (const auto& executable : executables_) {
            bytes += executable->bytes();
        }
        return bytes;
    }

    void set_pixel_table(std::span<const float> table) override { memory_.set_pixel_table(table); }
    bool keep_images(const Shape& image, std::span<const std::uint8_t> pixels) override {
        return memory_.keep_images(image, pixels);
    }
    LossScale loss_scale() override { return memory_.loss_scale(); }
    void set_loss_scale(const LossScale& scale) override { memory_.set_loss_scale(scale); }

private:
    cuda::KernelPolicy policy() const {
        return {options_.precision == Precision::fp32, options_.deterministic};
    }

    Gpu gpu_;
    Graph graph_;
    CompileOptions options_;
    CudaOptions cuda_options_;
    Schedule schedule_;
    ElementType type_;
    PlanCache cache_;
    cuda::ConvolutionLibrary convolutions_;
    cuda::MatmulLibrary products_;
    ModelMemory memory_;
    std::vector<std::unique_ptr<CudaExecutable>> executables_;  // last: they use all of the above
};

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(const CudaOptions& options) : options_(options) {
        cuda::check_libraries();
        int count = 0;
        cuda_check(cudaGetDeviceCount(&count), "looking for GPUs");
        if (options.device < 0 || options.device >= count) {
            throw ConfigError(
                "GPU " + std::to_string(options.device) + " is asked for, but this machine has " +
                std::to_string(count) +
                " (counted from 0; CUDA_VISIBLE_DEVICES may hide some). A node's ranks take one each.");
        }
    }
    std::string_view name() const override { return "cuda"; }
    std::unique_ptr<CompiledModel> compile(const Graph& graph, const CompileOptions& options) override {
        return std::make_unique<CudaModel>(graph, options, options_);
    }

private:
    CudaOptions options_;
};

}  // namespace

CudaOptions cuda_options_from_environment(int device) {
    const char* graphs = std::getenv("RANKSCOPE_CUDA_GRAPHS");
    return {device, cuda::tuning_from_environment(), graphs == nullptr || std::string_view(graphs) != "0"};
}

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options) {
    return std::make_unique<CudaBackend>(options);
}

std::string cuda_backend_library() {
    return cuda::library_versions();
}

}  // namespace rankscope::engine
