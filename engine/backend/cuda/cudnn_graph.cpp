// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cudnn_graph.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine::cuda {
namespace {

/// Engine configurations requested in one query.
constexpr std::int64_t kMostConfigurations = 64;

/// The handle belongs to the descriptor, which must outlive what is read through it.
template <typename T>
std::vector<T> read_list(const CudnnDescriptor& from, cudnnBackendAttributeName_t name,
                         cudnnBackendAttributeType_t type, std::size_t most) {
    std::vector<T> values(most);
    std::int64_t count = 0;
    cudnn_check(cudnnBackendGetAttribute(from.get(), name, type, static_cast<std::int64_t>(most), &count,
                                         values.data()),
                "cudnnBackendGetAttribute");
    values.resize(
        static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(most))));
    return values;
}

bool allowed(const CudnnDescriptor& configuration, const CudnnPolicy& policy) {
    CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t handle = engine.get();
    std::int64_t count = 0;
    cudnn_check(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &handle),
                "the engine of a configuration");
    const auto numerical = read_list<cudnnBackendNumericalNote_t>(
        engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    const auto behaviour = read_list<cudnnBackendBehaviorNote_t>(
        engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT);
    const auto has = [](const auto& notes, auto note) {
        return std::find(notes.begin(), notes.end(), note) != notes.end();
    };
    if (policy.deterministic && has(numerical, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) {
        return false;
    }
    if (policy.exact_fp32 && (has(numerical, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
                              has(numerical, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))) {
        return false;
    }
    return policy.compiled || !has(behaviour, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
}

}  // namespace

void cudnn_check(cudnnStatus_t code, const char* what) {
    if (code != CUDNN_STATUS_SUCCESS) {
        std::array<char, 512> detail{};
        cudnnGetLastErrorString(detail.data(), detail.size());
        std::string text = std::string("cuDNN: ") + what + ": " + cudnnGetErrorString(code);
        if (detail[0] != '\0') {
            text += std::string(" (") + detail.data() + ")";
        }
        throw Error(text);
    }
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnn_check(cudnnBackendCreateDescriptor(type, &handle_), "cudnnBackendCreateDescriptor");
}

CudnnDescriptor::~CudnnDescriptor() {
    if (handle_ != nullptr) {
        cudnnBackendDestroyDescriptor(handle_);
    }
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          std::int64_t count, const void* values) {
    cudnn_check(cudnnBackendSetAttribute(handle_, name, type, count, values), "cudnnBackendSetAttribute");
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
    set(name, CUDNN_TYPE_INT64, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    cudnnBackendDescriptor_t handle = value.get();
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle);
}

void CudnnDescriptor::set_bool(cudnnBackendAttributeName_t name, bool value) {
    set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

void CudnnDescriptor::set_float(cudnnBackendAttributeName_t name, float value) {
    set(name, CUDNN_TYPE_FLOAT, 1, &value);
}

void CudnnDescriptor::finalize() {
    cudnn_check(cudnnBackendFinalize(handle_), "cudnnBackendFinalize");
}

CudnnDevice CudnnDevice::of(int cuda_device) {
    CudnnDevice device;
    const std::int32_t id = cuda_device;
    device.descriptor_.set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &id);
    device.descriptor_.finalize();
    return device;
}

CudnnDevice CudnnDevice::described(const std::string& json) {
    CudnnDevice device;
    device.descriptor_.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                           static_cast<std::int64_t>(json.size()), json.data());
    device.descriptor_.finalize();
    return device;
}

void CudnnPlan::read_workspace() {
    workspace_ =
        read_list<std::int64_t>(descriptor_, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1)
            .at(0);
}

std::string CudnnPlan::json() const {
    std::int64_t size = 0;
    cudnn_check(cudnnBackendGetAttribute(descriptor_.get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                         CUDNN_TYPE_CHAR, 0, &size, nullptr),
                "the length of a plan");
    std::string text(static_cast<std::size_t>(size), '\0');
    cudnn_check(cudnnBackendGetAttribute(descriptor_.get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                         CUDNN_TYPE_CHAR, size, &size, text.data()),
                "the text of a plan");
    return text;
}

CudnnPlan CudnnPlan::from_json(const std::string& json, const CudnnDevice& device) {
    CudnnPlan plan;
    plan.descriptor_.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device.descriptor());
    plan.read(json);
    return plan;
}

CudnnPlan CudnnPlan::from_json(const std::string& json, cudnnHandle_t handle) {
    CudnnPlan plan;
    plan.descriptor_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    plan.read(json);
    return plan;
}

void CudnnPlan::read(const std::string& json) {
    descriptor_.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                    static_cast<std::int64_t>(json.size()), json.data());
    descriptor_.finalize();
    read_workspace();
}

void CudnnPlan::execute(cudnnHandle_t handle, std::span<const std::int64_t> uids,
                        std::span<void* const> pointers, void* workspace) const {
    CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
             static_cast<std::int64_t>(pointers.size()), pointers.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    pack.finalize();
    cudnn_check(cudnnBackendExecute(handle, descriptor_.get(), pack.get()), "cudnnBackendExecute");
}

const CudnnDescriptor& CudnnGraph::tensor(const CudnnTensor& tensor) {
    const auto known = std::find_if(tensors_.begin(), tensors_.end(),
                                    [&](const auto& one) { return one.first == tensor.uid; });
    if (known != tensors_.end()) {
        return known->second;
    }
    const auto [n, c, h, w] = tensor.dims;
    const std::array<std::int64_t, 4> strides{h * w * c, 1, w * c, c};
    CudnnDescriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, tensor.type);
    made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.dims);
    made.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, tensor.uid);
    // Everything in our memory begins on such a boundary.
    constexpr std::int64_t kAlignment = 16;
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
    made.set_bool(CUDNN_ATTR_TENSOR_IS_VIRTUAL, !tensor.kept);
    made.finalize();
    tensors_.emplace_back(tensor.uid, std::move(made));
    return tensors_.back().second;
}

CudnnDescriptor CudnnGraph::convolution_descriptor(const CudnnConvolution& shape) const {
    constexpr std::int64_t kSpatial = 2;
    const std::array<std::int64_t, 2> strides{shape.stride, shape.stride};
    const std::array<std::int64_t, 2> padding{shape.padding, shape.padding};
    const std::array<std::int64_t, 2> dilation{shape.dilation, shape.dilation};
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    CudnnDescriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, kSpatial);
    made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding);
    made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding);
    made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation);
    made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides);
    made.finalize();
    return made;
}

void CudnnGraph::convolution(const CudnnConvolution& shape, const CudnnTensor& x, const CudnnTensor& weights,
                             const CudnnTensor& y) {
    CudnnDescriptor made(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    parts_.push_back(convolution_descriptor(shape));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, parts_.back());
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor(x));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensor(weights));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensor(y));
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0F);
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0F);
    made.finalize();
    operations_.push_back(std::move(made));
}

void CudnnGraph::convolution_backward_data(const CudnnConvolution& shape, const CudnnTensor& dy,
                                           const CudnnTensor& weights, const CudnnTensor& dx) {
    CudnnDescriptor made(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
    parts_.push_back(convolution_descriptor(shape));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, parts_.back());
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, tensor(dy));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, tensor(weights));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, tensor(dx));
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1.0F);
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0.0F);
    made.finalize();
    operations_.push_back(std::move(made));
}

void CudnnGraph::convolution_backward_weights(const CudnnConvolution& shape, const CudnnTensor& x,
                                              const CudnnTensor& dy, const CudnnTensor& dw) {
    CudnnDescriptor made(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
    parts_.push_back(convolution_descriptor(shape));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, parts_.back());
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, tensor(x));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, tensor(dy));
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, tensor(dw));
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1.0F);
    made.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0.0F);
    made.finalize();
    operations_.push_back(std::move(made));
}

void CudnnGraph::pointwise(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor& y) {
    pointwise(mode, x, x, y);
}

void CudnnGraph::pointwise(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor& b,
                           const CudnnTensor& y) {
    CudnnDescriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
    how.finalize();
    parts_.push_back(std::move(how));
    CudnnDescriptor made(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, parts_.back());
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(x));
    if (b.uid != x.uid) {
        made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(b));
    }
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(y));
    made.finalize();
    operations_.push_back(std::move(made));
}

void CudnnGraph::finish() {
    std::vector<cudnnBackendDescriptor_t> handles;
    for (const CudnnDescriptor& operation : operations_) {
        handles.push_back(operation.get());
    }
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
               static_cast<std::int64_t>(handles.size()), handles.data());
    graph_.finalize();
}

std::vector<CudnnPlan> CudnnGraph::plans(const CudnnDevice& device, const CudnnPolicy& policy,
                                         int most) const {
    std::vector<CudnnPlan> result;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device.descriptor());
        if (cudnnBackendFinalize(heuristic.get()) != CUDNN_STATUS_SUCCESS) {
            continue;  // no engine for this pattern in this mode
        }
        std::vector<CudnnDescriptor> configurations;
        std::vector<cudnnBackendDescriptor_t> handles;
        for (std::int64_t i = 0; i < kMostConfigurations; ++i) {
            configurations.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
            handles.push_back(configurations.back().get());
        }
        std::int64_t count = 0;
        cudnn_check(cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                             CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostConfigurations, &count,
                                             handles.data()),
                    "the configurations that cuDNN suggests");
        count = std::min(count, kMostConfigurations);  // cuDNN may report how many there are
        for (std::int64_t i = 0; i < count && result.size() < static_cast<std::size_t>(most); ++i) {
            const CudnnDescriptor& configuration = configurations[static_cast<std::size_t>(i)];
            if (!allowed(configuration, policy)) {
                continue;
            }
            CudnnPlan plan;
            plan.descriptor_.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device.descriptor());
            plan.descriptor_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
            if (cudnnBackendFinalize(plan.descriptor_.get()) == CUDNN_STATUS_SUCCESS) {
                plan.read_workspace();
                result.push_back(std::move(plan));
            }
        }
    }
    return result;
}

}  // namespace rankscope::engine::cuda
