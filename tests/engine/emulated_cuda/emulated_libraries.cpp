// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// cuDNN's convolutions and cuBLASLt's products as loops.

#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/library_versions.h>
#include <engine/backend/cuda/matmul.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tests/engine/emulated_cuda/emulated_libraries.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>

#include <cstring>

namespace emulated {

LibraryBehaviour& library_behaviour() {
    static LibraryBehaviour one;
    return one;
}

std::vector<MadeKernel>& made_kernels() {
    static std::vector<MadeKernel> all;
    return all;
}

}  // namespace emulated

namespace rankscope::engine::cuda {
namespace {

double get(const void* data, std::int64_t at, ElementType type) {
    if (type == ElementType::f32) {
        return static_cast<double>(static_cast<const float*>(data)[at]);
    }
    if (type == ElementType::bf16) {
        return static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]));
    }
    return static_cast<double>(__half2float(static_cast<const __half*>(data)[at]));
}

void put(void* data, std::int64_t at, ElementType type, double value) {
    const auto rounded = static_cast<float>(value);
    if (type == ElementType::f32) {
        static_cast<float*>(data)[at] = rounded;
    } else if (type == ElementType::bf16) {
        static_cast<__nv_bfloat16*>(data)[at] = __float2bfloat16(rounded);
    } else {
        static_cast<__half*>(data)[at] = __float2half(rounded);
    }
}

double finished(double value, const void* bias, std::int64_t channel, ElementType type, bool relu) {
    const double sum = bias == nullptr ? value : value + get(bias, channel, type);
    return relu && sum < 0.0 ? 0.0 : sum;
}

/// Calls visit(offset in x, in w, in y) for every product of the convolution.
template <typename Visit>
void each_product(const ConvolutionShape& s, Visit visit) {
    for (std::int64_t n = 0; n < s.batch; ++n) {
        for (std::int64_t oy = 0; oy < s.out_height(); ++oy) {
            for (std::int64_t ox = 0; ox < s.out_width(); ++ox) {
                for (std::int64_t ky = 0; ky < s.kernel; ++ky) {
                    for (std::int64_t kx = 0; kx < s.kernel; ++kx) {
                        const std::int64_t iy = oy * s.stride - s.padding + ky * s.dilation;
                        const std::int64_t ix = ox * s.stride - s.padding + kx * s.dilation;
                        if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) {
                            continue;
                        }
                        visit(((n * s.height + iy) * s.width + ix) * s.in_channels,
                              (ky * s.kernel + kx) * s.weight_channels(),
                              ((n * s.out_height() + oy) * s.out_width() + ox) * s.out_channels);
                    }
                }
            }
        }
    }
}

std::vector<double> numbers(const void* data, std::int64_t count, ElementType type) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(i)] = get(data, i, type);
    }
    return values;
}

}  // namespace

struct Convolution::Plan {
    ConvolutionPass pass;
    ConvolutionShape shape;
    bool finishes;
};

Convolution::Convolution(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Convolution::~Convolution() = default;
std::size_t Convolution::workspace_bytes() const {
    return 64;
}
bool Convolution::finishes() const {
    return plan_->finishes;
}

void Convolution::run(const ConvolutionArguments& arguments, cudaStream_t stream) const {
    const Plan plan = *plan_;
    emulated::enqueue(stream, [=] {
        const ConvolutionShape& s = plan.shape;
        const std::int64_t images = s.batch * s.height * s.width * s.in_channels;
        const std::int64_t results = s.batch * s.out_height() * s.out_width() * s.out_channels;
        const std::int64_t row = s.kernel * s.kernel * s.weight_channels();  // of the weights
        const std::int64_t weights = s.out_channels * row;
        std::memset(arguments.workspace, 0xff, 64);
        const bool forward = plan.pass == ConvolutionPass::forward;
        const bool data = plan.pass == ConvolutionPass::backward_data;
        const std::vector<double> a = numbers(arguments.first, data ? results : images, s.type);
        const std::vector<double> b = numbers(
            arguments.second, plan.pass == ConvolutionPass::backward_weights ? results : weights, s.type);
        const std::int64_t count = forward ? results : (data ? images : weights);
        std::vector<double> sum(static_cast<std::size_t>(count), 0.0);
        each_product(s, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
            for (std::int64_t o = 0; o < s.out_channels; ++o) {
                const std::int64_t group = o / (s.out_channels / s.groups);
                for (std::int64_t i = 0; i < s.weight_channels(); ++i) {
                    const auto at_x = static_cast<std::size_t>(x + group * s.weight_channels() + i);
                    const auto at_w = static_cast<std::size_t>(w + o * row + i);
                    const auto at_y = static_cast<std::size_t>(y + o);
                    if (forward) {
                        sum[at_y] += a[at_x] * b[at_w];
                    } else if (data) {
                        sum[at_x] += a[at_y] * b[at_w];
                    } else {
                        sum[at_w] += a[at_x] * b[at_y];
                    }
                }
            }
        });
        for (std::int64_t i = 0; i < count; ++i) {
            double value = sum[static_cast<std::size_t>(i)];
            if (forward && plan.finishes) {
                value =
                    finished(value, s.bias ? arguments.bias : nullptr, i % s.out_channels, s.type, s.relu);
            }
            put(arguments.result, i, s.type, value);
        }
    });
}

struct ConvolutionLibrary::State {};
ConvolutionLibrary::ConvolutionLibrary(int, const KernelPolicy&, Tuning, PlanCache)
    : state_(std::make_unique<State>()) {}
ConvolutionLibrary::~ConvolutionLibrary() = default;

std::shared_ptr<const Convolution> ConvolutionLibrary::make(ConvolutionPass pass,
                                                            const ConvolutionShape& shape, bool measure) {
    emulated::made_kernels().push_back({shape.batch, measure});
    const emulated::LibraryBehaviour& behaviour = emulated::library_behaviour();
    return std::make_shared<const Convolution>(std::make_unique<Convolution::Plan>(
        Convolution::Plan{pass, shape, behaviour.finishes && (shape.bias || !shape.relu)}));
}

struct Matmul::Plan {
    MatmulShape shape;
    bool finishes;
};
namespace {

/// A matrix that begins at an element of an array.
template <typename Data>
struct Begins {
    Data* data;
    std::int64_t at;
};

void multiply(const Matmul::Plan& plan, Begins<const void> a, Begins<const void> b, const void* bias,
              Begins<void> d) {
    const MatmulShape& s = plan.shape;
    std::vector<double> results(static_cast<std::size_t>(s.m * s.n));
    for (std::int64_t m = 0; m < s.m; ++m) {
        for (std::int64_t n = 0; n < s.n; ++n) {
            double sum = 0.0;
            for (std::int64_t k = 0; k < s.k; ++k) {
                sum += get(a.data, a.at + (s.transpose_a ? k * s.a_row + m : m * s.a_row + k), s.input) *
                       get(b.data, b.at + (s.transpose_b ? n * s.b_row + k : k * s.b_row + n), s.input);
            }
            results[static_cast<std::size_t>(m * s.n + n)] =
                plan.finishes ? finished(sum, s.bias ? bias : nullptr, n, s.output, s.relu) : sum;
        }
    }
    for (std::int64_t m = 0; m < s.m; ++m) {
        for (std::int64_t n = 0; n < s.n; ++n) {
            put(d.data, d.at + m * s.d_row + n, s.output, results[static_cast<std::size_t>(m * s.n + n)]);
        }
    }
}

}  // namespace

Matmul::Matmul(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Matmul::~Matmul() = default;
std::size_t Matmul::workspace_bytes() const {
    return 64;
}
bool Matmul::finishes() const {
    return plan_->finishes;
}

void Matmul::run(const void* a, const void* b, const void* bias, void* d, void* workspace,
                 cudaStream_t stream) const {
    const Plan plan = *plan_;
    emulated::enqueue(stream, [=] {
        const MatmulShape& s = plan.shape;
        std::memset(workspace, 0xff, 64);
        for (std::int64_t one = 0; one < s.batch; ++one) {
            multiply(plan, {a, one * s.a_step}, {b, one * s.b_step}, bias, {d, one * s.d_step});
        }
    });
}

struct MatmulLibrary::State {};
MatmulLibrary::MatmulLibrary(const KernelPolicy&, bool, PlanCache) : state_(std::make_unique<State>()) {}
MatmulLibrary::~MatmulLibrary() = default;

std::shared_ptr<const Matmul> MatmulLibrary::make(const MatmulShape& shape, bool /*measure*/) {
    const bool bare = !shape.bias && !shape.relu;
    return std::make_shared<const Matmul>(
        std::make_unique<Matmul::Plan>(Matmul::Plan{shape, bare || emulated::library_behaviour().finishes}));
}

std::string library_versions() {
    return "emulated";
}
void check_libraries() {}

}  // namespace rankscope::engine::cuda
