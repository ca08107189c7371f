// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// cuDNN's graph API in plain C, made safe: a few operations become one operation graph, for which cuDNN
/// offers engine configurations, of which each becomes a plan that can be run. Plans are made for a device's
/// properties, so they can be made (not run) on a machine without one. Everything throws Error with cuDNN's
/// own words.
/// Source: cuDNN 9 backend API reference; needs 9.8 or later.
namespace rankscope::engine::cuda {

/// A descriptor of the backend API, of any type. Freed by its owner.
class CudnnDescriptor {
public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
    ~CudnnDescriptor();
    CudnnDescriptor(CudnnDescriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    CudnnDescriptor(const CudnnDescriptor&) = delete;
    CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;

    cudnnBackendDescriptor_t get() const { return handle_; }

    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values);
    void set(cudnnBackendAttributeName_t name, std::int64_t value);
    void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
    void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
    void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
    void set_bool(cudnnBackendAttributeName_t name, bool value);
    void set_float(cudnnBackendAttributeName_t name, float value);
    void finalize();

private:
    cudnnBackendDescriptor_t handle_ = nullptr;
};

/// What plans are made for: a GPU of this machine, or one known by its description only.
class CudnnDevice {
public:
    static CudnnDevice of(int cuda_device);
    static CudnnDevice described(const std::string& json);
    const CudnnDescriptor& descriptor() const { return descriptor_; }

private:
    CudnnDevice() : descriptor_(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR) {}
    CudnnDescriptor descriptor_;
};

/// Dimensions {batch, channels, height, width} of an image stored channels last, or of weights {out, in,
/// height, width} stored {out, height, width, in}. Where a convolution's weights have fewer inputs than its image has
/// channels, it has groups.
struct CudnnTensor {
    std::int64_t uid = 0;  ///< names the argument of execute(); unique in its graph
    std::array<std::int64_t, 4> dims{};
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    bool kept = true;  ///< false: only between operations of the graph, never in memory
};

struct CudnnConvolution {
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;
};

/// Which engine configurations may be taken.
struct CudnnPolicy {
    bool deterministic = true;  ///< only those that give the same bits in every run
    bool exact_fp32 = false;    ///< no tensor cores and no shortened inputs for float tensors (TF32)
    bool compiled = false;      ///< also those that cuDNN compiles for the purpose, which takes seconds
};

class CudnnPlan {
public:
    std::int64_t workspace_bytes() const { return workspace_; }
    /// Restores the plan on the same kind of device with the same cuDNN.
    std::string json() const;
    static CudnnPlan from_json(const std::string& json, const CudnnDevice& device);
    /// The same for a handle, thus for its device.
    static CudnnPlan from_json(const std::string& json, cudnnHandle_t handle);

    /// Enqueued on the handle's stream. `pointers` in the order of `uids`.
    void execute(cudnnHandle_t handle, std::span<const std::int64_t> uids, std::span<void* const> pointers,
                 void* workspace) const;

private:
    friend class CudnnGraph;
    CudnnPlan() : descriptor_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {}
    void read(const std::string& json);
    void read_workspace();

    CudnnDescriptor descriptor_;
    std::int64_t workspace_ = 0;
};

/// Operations over tensors, in the order in which they are added; then finish(), then plans.
class CudnnGraph {
public:
    void convolution(const CudnnConvolution& shape, const CudnnTensor& x, const CudnnTensor& weights,
                     const CudnnTensor& y);
    void convolution_backward_data(const CudnnConvolution& shape, const CudnnTensor& dy,
                                   const CudnnTensor& weights, const CudnnTensor& dx);
    void convolution_backward_weights(const CudnnConvolution& shape, const CudnnTensor& x,
                                      const CudnnTensor& dy, const CudnnTensor& dw);
    /// y = mode(x), or y = mode(x, b).
    void pointwise(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor& y);
    void pointwise(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor& b,
                   const CudnnTensor& y);
    void finish();

    /// Plans of the configurations that cuDNN suggests for the device and the policy allows, best guess
    /// first, at most `most`. Those that cannot be built are passed over. Empty: cuDNN cannot do this.
    std::vector<CudnnPlan> plans(const CudnnDevice& device, const CudnnPolicy& policy, int most) const;

private:
    const CudnnDescriptor& tensor(const CudnnTensor& tensor);
    CudnnDescriptor convolution_descriptor(const CudnnConvolution& shape) const;

    std::vector<std::pair<std::int64_t, CudnnDescriptor>> tensors_;
    std::vector<CudnnDescriptor> parts_;  ///< what operations refer to
    std::vector<CudnnDescriptor> operations_;
    CudnnDescriptor graph_{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
};

/// Throws Error saying what failed and why, in cuDNN's words.
void cudnn_check(cudnnStatus_t code, const char* what);

}  // namespace rankscope::engine::cuda
