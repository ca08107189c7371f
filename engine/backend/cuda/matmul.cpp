// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/device_memory.h>
#include <engine/backend/cuda/matmul.h>
#include <engine/backend/cuda/measure.h>
#include <engine/backend/cuda/stream.h>
#include <engine/error.h>

#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::engine::cuda {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{32} << 20;
constexpr int kMostCandidates = 16;

void check(cublasStatus_t code, const char* what) {
    if (code != CUBLAS_STATUS_SUCCESS) {
        throw Error(std::string("cuBLASLt: ") + what + ": " + cublasLtGetStatusString(code));
    }
}

cudaDataType_t cuda_type(ElementType type) {
    return type == ElementType::f32 ? CUDA_R_32F : (type == ElementType::bf16 ? CUDA_R_16BF : CUDA_R_16F);
}

/// Owns a cuBLASLt descriptor.
template <typename Handle, cublasStatus_t (*kDestroy)(Handle)>
class Owned {
public:
    Owned() = default;
    ~Owned() {
        if (handle_ != nullptr) {
            kDestroy(handle_);
        }
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Handle get() const { return handle_; }
    Handle* out() { return &handle_; }

private:
    Handle handle_ = nullptr;
};
using Description = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

std::string as_hex(const cublasLtMatmulAlgo_t& algorithm) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::array<unsigned char, sizeof(algorithm)> bytes{};
    std::memcpy(bytes.data(), &algorithm, sizeof(algorithm));
    std::string text;
    for (const unsigned char byte : bytes) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

bool from_hex(const std::string& text, cublasLtMatmulAlgo_t& algorithm) {
    std::array<unsigned char, sizeof(algorithm)> bytes{};
    if (text.size() != 2 * bytes.size()) {
        return false;
    }
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : (c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1);
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = digit(text[2 * i]);
        const int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    std::memcpy(&algorithm, bytes.data(), sizeof(algorithm));
    return true;
}

}  // namespace

std::string MatmulShape::text() const {
    return std::string(name_of(input)) + " -> " + name_of(output) + " m" + std::to_string(m) + " n" +
           std::to_string(n) + " k" + std::to_string(k) + (transpose_a ? " at" : "") +
           (transpose_b ? " bt" : "") + " rows " + std::to_string(a_row) + " " + std::to_string(b_row) + " " +
           std::to_string(d_row) + (bias ? " bias" : "") + (relu ? " relu" : "") +
           (batch == 1 ? ""
                       : " batch " + std::to_string(batch) + " steps " + std::to_string(a_step) + " " +
                             std::to_string(b_step) + " " + std::to_string(d_step));
}

/// cuBLASLt uses column-major order: D' [n × m] = B' · A', where our row-major matrices are its transposed ones.
struct Matmul::Plan {
    Plan(cublasLtHandle_t cublas, const MatmulShape& shape, const KernelPolicy& policy) : handle(cublas) {
        const cublasComputeType_t compute = shape.input == ElementType::f32 && !policy.exact_fp32
                                                ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                : CUBLAS_COMPUTE_32F;
        check(cublasLtMatmulDescCreate(description.out(), compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
        const cublasOperation_t left = shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
        const cublasOperation_t right = shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
        set(CUBLASLT_MATMUL_DESC_TRANSA, left);
        set(CUBLASLT_MATMUL_DESC_TRANSB, right);
        const cublasLtEpilogue_t epilogue =
            shape.bias ? (shape.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
                       : (shape.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        with_bias = shape.bias;
        const auto rows = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
        check(cublasLtMatrixLayoutCreate(a.out(), cuda_type(shape.input),
                                         rows(shape.transpose_b ? shape.k : shape.n),
                                         rows(shape.transpose_b ? shape.n : shape.k), shape.b_row),
              "cublasLtMatrixLayoutCreate");
        check(cublasLtMatrixLayoutCreate(b.out(), cuda_type(shape.input),
                                         rows(shape.transpose_a ? shape.m : shape.k),
                                         rows(shape.transpose_a ? shape.k : shape.m), shape.a_row),
              "cublasLtMatrixLayoutCreate");
        check(cublasLtMatrixLayoutCreate(d.out(), cuda_type(shape.output), rows(shape.n), rows(shape.m),
                                         shape.d_row),
              "cublasLtMatrixLayoutCreate");
        if (shape.batch > 1) {
            repeat(a, shape.batch, shape.b_step);
            repeat(b, shape.batch, shape.a_step);
            repeat(d, shape.batch, shape.d_step);
        }
    }

    static void repeat(const Layout& layout, std::int64_t count, std::int64_t step) {
        const auto matrices = static_cast<std::int32_t>(count);
        check(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &matrices,
                                               sizeof(matrices)),
              "cublasLtMatrixLayoutSetAttribute");
        check(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                               &step, sizeof(step)),
              "cublasLtMatrixLayoutSetAttribute");
    }

    template <typename T>
    void set(cublasLtMatmulDescAttributes_t name, const T& value) {
        check(cublasLtMatmulDescSetAttribute(description.get(), name, &value, sizeof(value)),
              "cublasLtMatmulDescSetAttribute");
    }

    std::vector<cublasLtMatmulHeuristicResult_t> candidates(int most) {
        Preference preference;
        check(cublasLtMatmulPreferenceCreate(preference.out()), "cublasLtMatmulPreferenceCreate");
        const std::size_t limit = kMostWorkspace;
        check(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &limit, sizeof(limit)),
              "cublasLtMatmulPreferenceSetAttribute");
        // Matrices begin inside flat arrays, on 16-byte boundaries; 256 is what would be taken for granted.
        constexpr std::uint32_t kAlignment = 16;
        for (const auto name :
             {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
            check(
                cublasLtMatmulPreferenceSetAttribute(preference.get(), name, &kAlignment, sizeof(kAlignment)),
                "cublasLtMatmulPreferenceSetAttribute");
        }
        std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
        int count = 0;
        if (cublasLtMatmulAlgoGetHeuristic(handle, description.get(), a.get(), b.get(), d.get(), d.get(),
                                           preference.get(), most, results.data(),
                                           &count) != CUBLAS_STATUS_SUCCESS) {
            count = 0;
        }
        results.resize(static_cast<std::size_t>(count));
        const auto usable = [](const cublasLtMatmulHeuristicResult_t& one) {
            return one.state == CUBLAS_STATUS_SUCCESS;
        };
        results.erase(std::stable_partition(results.begin(), results.end(), usable), results.end());
        return results;
    }

    cublasStatus_t try_run(const void* first, const void* second, const void* bias, void* result,
                           void* scratch, cudaStream_t stream) {
        if (with_bias) {
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
        }
        const float one = 1.0F;
        const float zero = 0.0F;
        return cublasLtMatmul(handle, description.get(), &one, second, a.get(), first, b.get(), &zero, result,
                              d.get(), result, d.get(), &algorithm, scratch, workspace, stream);
    }

    cublasLtHandle_t handle;
    Description description;
    Layout a;
    Layout b;
    Layout d;
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspace = 0;
    bool with_bias = false;
    bool finishes = true;
};

Matmul::Matmul(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Matmul::~Matmul() = default;

std::size_t Matmul::workspace_bytes() const {
    return plan_->workspace;
}
bool Matmul::finishes() const {
    return plan_->finishes;
}

void Matmul::run(const void* a, const void* b, const void* bias, void* d, void* workspace,
                 cudaStream_t stream) const {
    check(plan_->try_run(a, b, bias, d, workspace, stream), "cublasLtMatmul");
}

struct MatmulLibrary::State {
    State(const KernelPolicy& kernel_policy, bool with_measuring, PlanCache plan_cache)
        : policy(kernel_policy), measure(with_measuring), cache(std::move(plan_cache)) {
        check(cublasLtCreate(&handle), "cublasLtCreate");
    }
    explicit State(const KernelPolicy& kernel_policy)
        : policy(kernel_policy), measure(false), cache(std::filesystem::path()) {}
    ~State() {
        if (handle != nullptr) {
            cublasLtDestroy(handle);
        }
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// The fastest of the candidates becomes the plan's; without measuring the first that runs. False: none runs.
    bool choose(Matmul::Plan& plan, const MatmulShape& shape,
                const std::vector<cublasLtMatmulHeuristicResult_t>& candidates, bool measures);
    /// The cache's choice, if this library still takes it.
    bool recall(Matmul::Plan& plan, const std::string& key) const;

    cublasLtHandle_t handle = nullptr;  ///< null: nothing is run
    KernelPolicy policy;
    bool measure;
    PlanCache cache;
    std::optional<Stream> measuring;  ///< made when something is measured
    std::map<std::string, std::shared_ptr<const Matmul>> made;
};

bool MatmulLibrary::State::choose(Matmul::Plan& plan, const MatmulShape& shape,
                                  const std::vector<cublasLtMatmulHeuristicResult_t>& candidates,
                                  bool measures) {
    const auto take = [&](const cublasLtMatmulHeuristicResult_t& candidate) {
        plan.algorithm = candidate.algo;
        plan.workspace = candidate.workspaceSize;
    };
    if (!measuring) {
        measuring.emplace();
    }
    const cudaStream_t stream = measuring->get();
    const std::string what = "measuring a matrix product (" + shape.text() + ")";
    const std::string remedy = "A smaller batch_size needs less.";
    const auto bytes = [&](std::int64_t rows, std::int64_t row, std::int64_t step, ElementType type) {
        return static_cast<std::size_t>(rows * row + (shape.batch - 1) * step) * size_of(type);
    };
    const DeviceMemory a(bytes(shape.transpose_a ? shape.k : shape.m, shape.a_row, shape.a_step, shape.input),
                         what, remedy);
    const DeviceMemory b(bytes(shape.transpose_b ? shape.n : shape.k, shape.b_row, shape.b_step, shape.input),
                         what, remedy);
    const DeviceMemory d(bytes(shape.m, shape.d_row, shape.d_step, shape.output), what, remedy);
    const DeviceMemory bias(static_cast<std::size_t>(shape.n) * size_of(shape.output), what, remedy);
    const DeviceMemory workspace(kMostWorkspace, what, remedy);
    constexpr int kSmallNumber = 0x3c;
    for (const DeviceMemory* memory : {&a, &b, &bias}) {
        cuda_check(cudaMemsetAsync(memory->data(), kSmallNumber, memory->bytes(), stream), "cudaMemset");
    }
    const cublasLtMatmulHeuristicResult_t* best = nullptr;
    double best_us = 0.0;
    for (const cublasLtMatmulHeuristicResult_t& candidate : candidates) {
        take(candidate);
        const auto work = [&](cudaStream_t on) {
            check(plan.try_run(a.data(), b.data(), bias.data(), d.data(), workspace.data(), on),
                  "cublasLtMatmul");
        };
        try {
            if (!measures) {
                work(stream);
                cuda_check(cudaStreamSynchronize(stream), "the matrix product");
                return true;
            }
            const double us =
                measure_us(stream, work,
                           best != nullptr ? hopeless_us(best_us) : std::numeric_limits<double>::infinity());
            if (best == nullptr || us < best_us) {
                best = &candidate;
                best_us = us;
            }
        } catch (const Error& error) {
            require_working(stream, "the matrix product " + shape.text(), error.what());
            continue;  // promised more than it can do
        }
    }
    take(best == nullptr ? candidates.front() : *best);
    return best != nullptr;
}

bool MatmulLibrary::State::recall(Matmul::Plan& plan, const std::string& key) const {
    const auto cached = cache.find(key);
    cublasLtMatmulAlgo_t algorithm{};
    if (!cached || !from_hex(*cached, algorithm)) {
        return false;
    }
    cublasLtMatmulHeuristicResult_t result{};
    if (cublasLtMatmulAlgoCheck(handle, plan.description.get(), plan.a.get(), plan.b.get(), plan.d.get(),
                                plan.d.get(), &algorithm, &result) != CUBLAS_STATUS_SUCCESS ||
        result.workspaceSize > kMostWorkspace) {
        return false;
    }
    plan.algorithm = algorithm;
    plan.workspace = result.workspaceSize;
    return true;
}

MatmulLibrary::MatmulLibrary(const KernelPolicy& policy, bool measure, PlanCache cache)
    : state_(std::make_unique<State>(policy, measure, std::move(cache))) {}
MatmulLibrary::MatmulLibrary(const KernelPolicy& policy) : state_(std::make_unique<State>(policy)) {}
MatmulLibrary::~MatmulLibrary() = default;

std::shared_ptr<const Matmul> MatmulLibrary::make(const MatmulShape& shape, bool measure) {
    const bool measures = measure && state_->measure;
    const std::string key = "matmul " + shape.text() + (state_->policy.exact_fp32 ? " exact" : "");
    if (const auto known = state_->made.find(key); known != state_->made.end()) {
        return known->second;
    }
    auto plan = std::make_unique<Matmul::Plan>(state_->handle, shape, state_->policy);
    if (state_->handle != nullptr && !state_->recall(*plan, key)) {
        const auto candidates = plan->candidates(measures ? kMostCandidates : 1);
        if (candidates.empty() && (shape.bias || shape.relu)) {
            MatmulShape bare = shape;
            bare.bias = false;
            bare.relu = false;
            plan = std::make_unique<Matmul::Plan>(state_->handle, bare, state_->policy);
            const auto fewer = plan->candidates(1);
            if (!fewer.empty()) {
                plan->algorithm = fewer.front().algo;
                plan->workspace = fewer.front().workspaceSize;
                plan->finishes = false;
                return state_->made[key] = std::make_shared<const Matmul>(std::move(plan));
            }
        }
        if (candidates.empty()) {
            throw Error("cuBLASLt has no kernel for the matrix product " + shape.text());
        }
        if (!state_->choose(*plan, shape, candidates, measures) && !measures) {
            state_->choose(*plan, shape, plan->candidates(kMostCandidates), measures);
        }
        if (measures) {
            state_->cache.put(key, as_hex(plan->algorithm));
        }
    }
    return state_->made[key] = std::make_shared<const Matmul>(std::move(plan));
}

}  // namespace rankscope::engine::cuda
