// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_model.h>
#include <engine/backend/cuda/library_versions.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/error.h>

#include <cstdlib>
#include <string_view>

namespace rankscope::engine {
namespace {

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(const CudaOptions& options) : options_(options) {
        cuda::check_libraries();
        int count = 0;
        cuda_check(cudaGetDeviceCount(&count), "looking for GPUs");
        if (options.device < 0 || options.device >= count) {
            throw ConfigError(
                "GPU " + std::to_string(options.device) + " was requested, but this machine has " +
                std::to_string(count) +
                " (counted from 0; CUDA_VISIBLE_DEVICES may hide some). A node's ranks take one each.");
        }
    }
    std::string_view name() const override { return "cuda"; }
    std::unique_ptr<CompiledModel> compile(const Graph& graph, const CompileOptions& options) override {
        if (options.sharding) {
            throw ConfigError("parallel.zero is not available on GPUs: set device: cpu, or leave it out");
        }
        if (graph.sliced()) {
            throw ConfigError("parallel.tensor is not available on GPUs: set device: cpu, or leave it out");
        }
        for (const Node& node : graph.nodes) {
            if (const auto* attention = std::get_if<Attention>(&node.operation)) {
                cuda::check_attention(node.name, graph.values[node.input()].shape, *attention);
            }
        }
        return std::make_unique<cuda::CudaModel>(graph, options, options_);
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
