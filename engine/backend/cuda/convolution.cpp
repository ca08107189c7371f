// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/cudnn_graph.h>
#include <engine/backend/cuda/device_memory.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/measure.h>
#include <engine/backend/cuda/stream.h>
#include <engine/error.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::engine::cuda {
namespace {

// Names of a graph's tensors.
constexpr std::int64_t kFirst = 1;
constexpr std::int64_t kSecond = 2;
constexpr std::int64_t kBias = 3;
constexpr std::int64_t kResult = 4;
constexpr std::int64_t kBetween = 5;

/// A kernel that needs more scratch memory is not used, however fast it is.
constexpr std::int64_t kMostWorkspace = std::int64_t{512} << 20;
/// All that cuDNN offers (about 40 for a bfloat16 convolution).
constexpr int kMostCandidates = 64;

cudnnDataType_t cudnn_type(ElementType type) {
    return type == ElementType::f32 ? CUDNN_DATA_FLOAT
                                    : (type == ElementType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF);
}

struct Tensors {
    CudnnTensor image;
    CudnnTensor weights;
    CudnnTensor result;
};

/// Input, weights and output; the caller gives them their names.
Tensors tensors_of(const ConvolutionShape& shape) {
    const cudnnDataType_t type = cudnn_type(shape.type);
    return {{0, {shape.batch, shape.in_channels, shape.height, shape.width}, type},
            {0, {shape.out_channels, shape.weight_channels(), shape.kernel, shape.kernel}, type},
            {0, {shape.batch, shape.out_channels, shape.out_height(), shape.out_width()}, type}};
}

std::size_t bytes_of(const CudnnTensor& tensor) {
    const std::int64_t count = tensor.dims[0] * tensor.dims[1] * tensor.dims[2] * tensor.dims[3];
    return static_cast<std::size_t>(count) * (tensor.type == CUDNN_DATA_FLOAT ? 4 : 2);
}

/// A way to compute a pass: what to ask cuDNN for, and what is left to do.
struct Recipe {
    ConvolutionPass pass = ConvolutionPass::forward;
    bool finishes = true;  ///< forward: with bias and ReLU

    std::string name() const {
        return pass == ConvolutionPass::forward
                   ? (finishes ? "forward" : "forward bare")
                   : (pass == ConvolutionPass::backward_data ? "data" : "weights");
    }
};

CudnnGraph graph_of(const Recipe& recipe, const ConvolutionShape& shape) {
    const CudnnConvolution how{shape.stride, shape.padding, shape.dilation};
    Tensors t = tensors_of(shape);
    CudnnGraph graph;
    if (recipe.pass == ConvolutionPass::backward_data) {
        t.result.uid = kFirst;
        t.weights.uid = kSecond;
        t.image.uid = kResult;
        graph.convolution_backward_data(how, t.result, t.weights, t.image);
    } else if (recipe.pass == ConvolutionPass::backward_weights) {
        t.image.uid = kFirst;
        t.result.uid = kSecond;
        t.weights.uid = kResult;
        graph.convolution_backward_weights(how, t.image, t.result, t.weights);
    } else {
        t.image.uid = kFirst;
        t.weights.uid = kSecond;
        t.result.uid = kResult;
        if (!recipe.finishes || !shape.bias) {
            graph.convolution(how, t.image, t.weights, t.result);
        } else {
            CudnnTensor sum = t.result;
            sum.uid = kBetween;
            sum.type = CUDNN_DATA_FLOAT;
            sum.kept = false;
            CudnnTensor biased = sum;
            biased.uid = kBetween + 1;
            const CudnnTensor bias{kBias, {1, shape.out_channels, 1, 1}, t.result.type};
            graph.convolution(how, t.image, t.weights, sum);
            graph.pointwise(CUDNN_POINTWISE_ADD, sum, bias, shape.relu ? biased : t.result);
            if (shape.relu) {
                graph.pointwise(CUDNN_POINTWISE_RELU_FWD, biased, t.result);
            }
        }
    }
    graph.finish();
    return graph;
}

/// In the order in which they are tried.
std::vector<Recipe> recipes_of(ConvolutionPass pass, const ConvolutionShape& shape) {
    if (pass != ConvolutionPass::forward) {
        return {{pass, true}};
    }
    if (shape.bias) {
        return {{pass, true}, {pass, false}};
    }
    return {{pass, !shape.relu}};
}

}  // namespace

/// A handle for every stream, made at the stream's first use: what runs side by side shares nothing inside
/// cuDNN, and no handle is created while a stream is being recorded (everything is run once before).
class CudnnHandles {
public:
    CudnnHandles() = default;
    ~CudnnHandles() {
        for (const auto& [stream, handle] : handles_) {
            cudnnDestroy(handle);
        }
    }
    CudnnHandles(const CudnnHandles&) = delete;
    CudnnHandles& operator=(const CudnnHandles&) = delete;

    cudnnHandle_t of(cudaStream_t stream) {
        const auto known = handles_.find(stream);
        if (known != handles_.end()) {
            return known->second;
        }
        cudnnHandle_t handle = nullptr;
        cudnn_check(cudnnCreate(&handle), "cudnnCreate");
        handles_[stream] = handle;
        cudnn_check(cudnnSetStream(handle, stream), "cudnnSetStream");
        return handle;
    }

private:
    std::map<cudaStream_t, cudnnHandle_t> handles_;
};

struct Convolution::Plan {
    /// Plans are made for the device's properties. Where cuDNN refuses to run such a plan, it is made again from its text
    /// for the handle.
    void first_run(cudnnHandle_t handle, std::span<const std::int64_t> uids, std::span<void* const> pointers,
                   void* workspace);

    std::shared_ptr<CudnnHandles> handles;
    CudnnPlan plan;
    Recipe recipe;
    bool with_bias = false;
    bool has_run = false;
};

void Convolution::Plan::first_run(cudnnHandle_t handle, std::span<const std::int64_t> uids,
                                  std::span<void* const> pointers, void* workspace) {
    try {
        plan.execute(handle, uids, pointers, workspace);
    } catch (const Error& error) {
        try {
            CudnnPlan again = CudnnPlan::from_json(plan.json(), handle);
            if (again.workspace_bytes() > plan.workspace_bytes()) {
                throw Error("it needs more memory");
            }
            again.execute(handle, uids, pointers, workspace);
            plan = std::move(again);
        } catch (const Error& second) {
            throw Error(std::string(error.what()) + "; made again for its handle: " + second.what());
        }
    }
    has_run = true;
}

Convolution::Convolution(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Convolution::~Convolution() = default;

std::size_t Convolution::workspace_bytes() const {
    return static_cast<std::size_t>(plan_->plan.workspace_bytes());
}
bool Convolution::finishes() const {
    return plan_->recipe.finishes;
}

void Convolution::run(const ConvolutionArguments& arguments, cudaStream_t stream) const {
    std::vector<std::int64_t> uids{kFirst, kSecond, kResult};
    std::vector<void*> pointers{const_cast<void*>(arguments.first), const_cast<void*>(arguments.second),
                                arguments.result};
    if (plan_->with_bias) {
        uids.push_back(kBias);
        pointers.push_back(const_cast<void*>(arguments.bias));
    }
    cudnnHandle_t const handle = plan_->handles->of(stream);
    if (plan_->has_run) {
        plan_->plan.execute(handle, uids, pointers, arguments.workspace);
    } else {
        plan_->first_run(handle, uids, pointers, arguments.workspace);
    }
}

struct ConvolutionLibrary::State {
    State(CudnnDevice of, const KernelPolicy& kernel_policy, Tuning how_much, PlanCache plan_cache)
        : device(std::move(of)),
          policy{.deterministic = kernel_policy.deterministic,
                 .exact_fp32 = kernel_policy.exact_fp32,
                 .compiled = how_much == Tuning::full},
          tuning(how_much),
          cache(std::move(plan_cache)) {}

    std::string key(const Recipe& recipe, const ConvolutionShape& shape) const {
        return recipe.name() + " " + shape.text() + (policy.exact_fp32 ? " exact" : "") +
               (policy.deterministic ? "" : " any") + (policy.compiled ? " full" : "");
    }

    std::vector<CudnnPlan> candidates(const Recipe& recipe, const ConvolutionShape& shape, bool measure) {
        CudnnPolicy allowed = policy;
        allowed.exact_fp32 = policy.exact_fp32 && shape.type == ElementType::f32;
        const auto fitting = [&](int most) {
            std::vector<CudnnPlan> plans = graph_of(recipe, shape).plans(device, allowed, most);
            const auto fits = [](const CudnnPlan& plan) { return plan.workspace_bytes() <= kMostWorkspace; };
            plans.erase(std::stable_partition(plans.begin(), plans.end(), fits), plans.end());
            return plans;
        };
        try {
            std::vector<CudnnPlan> plans = fitting(measure ? kMostCandidates : 1);
            return plans.empty() && !measure ? fitting(kMostCandidates) : std::move(plans);
        } catch (const Error& error) {
            refusal = error.what();
            return {};  // cuDNN does not support this combination of operations
        }
    }

    /// The fastest, and how long it takes with what is left to do after it; without measuring the first that runs.
    std::optional<std::pair<CudnnPlan, double>> fastest(const Recipe& recipe, const ConvolutionShape& shape,
                                                        bool measure);
    std::optional<std::pair<CudnnPlan, double>> best_of(std::vector<CudnnPlan> plans, const Recipe& recipe,
                                                        const ConvolutionShape& shape, bool measure);

    bool has_gpu = true;              ///< false: plans are only made
    std::optional<Stream> measuring;  ///< made when something is measured; outlives the handle bound to it
    std::shared_ptr<CudnnHandles> handles = std::make_shared<CudnnHandles>();
    CudnnDevice device;
    CudnnPolicy policy;
    Tuning tuning;
    PlanCache cache;
    std::map<std::string, std::shared_ptr<const Convolution>> made;
    std::string refusal;  ///< why the last plan could not be made or run
};

std::optional<std::pair<CudnnPlan, double>> ConvolutionLibrary::State::fastest(const Recipe& recipe,
                                                                               const ConvolutionShape& shape,
                                                                               bool measure) {
    std::vector<CudnnPlan> plans = candidates(recipe, shape, measure);
    if (plans.empty()) {
        return std::nullopt;
    }
    if (!has_gpu) {
        return std::pair(std::move(plans.front()), 0.0);
    }
    auto best = best_of(std::move(plans), recipe, shape, measure);
    if (!best && !measure) {
        best = best_of(candidates(recipe, shape, true), recipe, shape, measure);
    }
    return best;
}

std::optional<std::pair<CudnnPlan, double>> ConvolutionLibrary::State::best_of(std::vector<CudnnPlan> plans,
                                                                               const Recipe& recipe,
                                                                               const ConvolutionShape& shape,
                                                                               bool measure) {
    if (!measuring) {
        measuring.emplace();
    }
    const cudaStream_t stream = measuring->get();
    const Tensors t = tensors_of(shape);
    const std::string what = "measuring the kernels of a convolution (" + shape.text() + ")";
    const std::string remedy =
        "A smaller batch_size needs less; RANKSCOPE_CUDA_TUNING=none measures nothing.";
    const std::size_t largest = std::max({bytes_of(t.image), bytes_of(t.result), bytes_of(t.weights)});
    const DeviceMemory first(largest, what, remedy);
    const DeviceMemory second(largest, what, remedy);
    const DeviceMemory result(largest, what, remedy);
    const DeviceMemory bias(static_cast<std::size_t>(shape.out_channels) * 4, what, remedy);
    std::int64_t most = 0;
    for (const CudnnPlan& plan : plans) {
        most = std::max(most, plan.workspace_bytes());
    }
    const DeviceMemory workspace(static_cast<std::size_t>(most), what, remedy);
    // Zeros would be flattered: fewer bits flip.
    constexpr int kSmallNumber = 0x3c;
    for (const DeviceMemory* memory : {&first, &second, &bias}) {
        cuda_check(cudaMemsetAsync(memory->data(), kSmallNumber, memory->bytes(), stream), "cudaMemset");
    }
    const std::int64_t rows = shape.batch * shape.out_height() * shape.out_width();
    std::optional<std::pair<CudnnPlan, double>> best;
    for (CudnnPlan& plan : plans) {
        auto candidate = std::make_unique<Convolution::Plan>(
            Convolution::Plan{handles, std::move(plan), recipe,
                              recipe.pass == ConvolutionPass::forward && recipe.finishes && shape.bias});
        Convolution::Plan* const kept = candidate.get();
        const Convolution convolution(std::move(candidate));
        const ConvolutionArguments arguments{first.data(), second.data(), bias.data(), result.data(),
                                             workspace.data()};
        const auto work = [&](cudaStream_t on) {
            convolution.run(arguments, on);
            if (!recipe.finishes) {
                add_bias(shape.type, rows, static_cast<int>(shape.out_channels),
                         shape.bias ? bias.data() : nullptr, shape.relu, result.data(), on);
            }
        };
        double us = 0.0;
        try {
            if (measure) {
                us = measure_us(stream, work,
                                best ? hopeless_us(best->second) : std::numeric_limits<double>::infinity());
            } else {
                work(stream);
                cuda_check(cudaStreamSynchronize(stream), "the convolution");
            }
        } catch (const Error& error) {
            require_working(stream, "the convolution " + shape.text(), error.what());
            refusal = error.what();
            continue;  // an engine that promised more than it can do
        }
        if (!best || us < best->second) {
            best.emplace(std::move(kept->plan), us);
        }
        if (!measure) {
            break;
        }
    }
    return best;
}

ConvolutionLibrary::ConvolutionLibrary(int device, const KernelPolicy& policy, Tuning tuning, PlanCache cache)
    : state_(std::make_unique<State>(CudnnDevice::of(device), policy, tuning, std::move(cache))) {}
ConvolutionLibrary::ConvolutionLibrary(const std::string& device_description, const KernelPolicy& policy)
    : state_(std::make_unique<State>(CudnnDevice::described(device_description), policy, Tuning::none,
                                     PlanCache({}))) {
    state_->has_gpu = false;
}
ConvolutionLibrary::~ConvolutionLibrary() = default;

std::shared_ptr<const Convolution> ConvolutionLibrary::make(ConvolutionPass pass,
                                                            const ConvolutionShape& shape, bool measure) {
    const bool measures = measure && state_->tuning != Tuning::none;
    const std::vector<Recipe> recipes = recipes_of(pass, shape);
    const std::string name = state_->key(recipes.front(), shape);
    if (const auto known = state_->made.find(name); known != state_->made.end()) {
        return known->second;
    }
    const auto remember = [&](CudnnPlan plan, const Recipe& recipe) {
        auto made = std::make_shared<const Convolution>(std::make_unique<Convolution::Plan>(
            Convolution::Plan{state_->handles, std::move(plan), recipe,
                              pass == ConvolutionPass::forward && recipe.finishes && shape.bias}));
        state_->made[name] = made;
        return made;
    };
    if (const auto cached = state_->cache.find(name)) {
        // "<recipe>\n<plan>"; what cannot be read any more is measured again.
        const std::size_t end = cached->find('\n');
        for (const Recipe& recipe : recipes) {
            if (end != std::string::npos && cached->substr(0, end) == recipe.name()) {
                try {
                    return remember(CudnnPlan::from_json(cached->substr(end + 1), state_->device), recipe);
                } catch (const Error&) {
                    break;
                }
            }
        }
    }
    state_->refusal.clear();
    std::optional<std::pair<CudnnPlan, double>> best;
    Recipe chosen;
    for (const Recipe& recipe : recipes) {
        auto found = state_->fastest(recipe, shape, measures);
        if (found && (!best || found->second < best->second)) {
            best = std::move(found);
            chosen = recipe;
        }
        if (best && !measures) {
            break;
        }
    }
    if (!best) {
        throw Error("cuDNN has no kernel for the convolution " + recipes.front().name() + " " + shape.text() +
                    (state_->policy.deterministic
                         ? " that is deterministic (train.deterministic: false allows more)"
                         : "") +
                    (state_->refusal.empty() ? "" : ". " + state_->refusal));
    }
    if (measures) {
        try {
            state_->cache.put(name, chosen.name() + "\n" + best->first.json());
        } catch (const Error&) {
            // A plan that cannot be written down is measured again in the next run.
        }
    }
    return remember(std::move(best->first), chosen);
}

}  // namespace rankscope::engine::cuda
