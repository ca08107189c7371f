// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/backend/cuda/plan_cache.h>
#include <engine/backend/cuda/precision.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rankscope::engine::cuda {

enum class ConvolutionPass { forward, backward_data, backward_weights };

/// Images [batch][height][width][channels], weights [out][kernel][kernel][in / groups]; channels are stored ones,
/// multiples of kGroup.
struct ConvolutionShape {
    std::int64_t batch = 0;
    std::int64_t in_channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t out_channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    ElementType type = ElementType::f32;
    bool bias = false;  ///< forward: a bias is added …
    bool relu = false;  ///< … and the result clamped at 0
    std::int64_t dilation = 1;
    std::int64_t groups = 1;  ///< of the stored channels

    std::int64_t out_height() const { return windows(height); }
    std::int64_t out_width() const { return windows(width); }
    std::int64_t weight_channels() const { return in_channels / groups; }
    std::string text() const;

private:
    std::int64_t windows(std::int64_t size) const {
        return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    }
};

/// What a pass reads and writes, all of the images' type: forward x, weights → y; backward_data dy, weights → dx;
/// backward_weights x, dy → dw. (cuDNN 9.19 has no kernel that gives floats for 16-bit images.)
struct ConvolutionArguments {
    const void* first = nullptr;
    const void* second = nullptr;
    const void* bias = nullptr;  ///< forward, where the plan adds it; of the images' type
    void* result = nullptr;
    void* workspace = nullptr;
};

/// One pass of a convolution by cuDNN, ready to run.
class Convolution {
public:
    struct Plan;
    explicit Convolution(std::unique_ptr<Plan> plan);
    ~Convolution();

    std::size_t workspace_bytes() const;
    /// forward: bias and ReLU of the shape are part of it; otherwise they remain to be done.
    bool finishes() const;
    void run(const ConvolutionArguments& arguments, cudaStream_t stream) const;

private:
    std::unique_ptr<Plan> plan_;
};

/// How much time may go into finding the fastest kernels of a shape that is not in the cache.
enum class Tuning {
    none,   ///< cuDNN's first suggestion that runs
    quick,  ///< all its suggestions are measured, but those that must be compiled first
    full    ///< those too: seconds per shape
};
/// RANKSCOPE_CUDA_TUNING: none, quick (if it is not set) or full. Throws ConfigError for another word.
Tuning tuning_from_environment();

/// Makes convolutions for one GPU. Which of cuDNN's engines is fastest is measured once and remembered.
class ConvolutionLibrary {
public:
    ConvolutionLibrary(int device, const KernelPolicy& policy, Tuning tuning, PlanCache cache);
    /// For a GPU that is not here, by cuDNN's description of one (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION):
    /// what cuDNN would suggest there, not to be run.
    ConvolutionLibrary(const std::string& device_description, const KernelPolicy& policy);
    ~ConvolutionLibrary();
    ConvolutionLibrary(const ConvolutionLibrary&) = delete;
    ConvolutionLibrary& operator=(const ConvolutionLibrary&) = delete;

    /// `measure`: false: what is not in the cache is cuDNN's first suggestion that runs. Throws Error when cuDNN cannot do this
    /// shape at all.
    std::shared_ptr<const Convolution> make(ConvolutionPass pass, const ConvolutionShape& shape,
                                            bool measure = true);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankscope::engine::cuda
