// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/backend/cuda/device_memory.h>
#include <engine/cuda_check.h>
#include <engine/tensor/element_type.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

/// Arrays on the GPU for tests of kernels.
namespace rankscope::engine::cuda::test {

/// Skips where there is no GPU.
class OnGpu : public ::testing::Test {
protected:
    void SetUp() override {
        int count = 0;
        const cudaError_t code = cudaGetDeviceCount(&count);
        if (code != cudaSuccess || count == 0) {
            cudaGetLastError();
            GTEST_SKIP() << "no GPU: " << cudaGetErrorString(code);
        }
    }
};

inline float rounded(float value, ElementType type) {
    return type == ElementType::f32    ? value
           : type == ElementType::bf16 ? __bfloat162float(__float2bfloat16(value))
                                       : __half2float(__float2half(value));
}

inline std::vector<float> rounded(std::vector<float> values, ElementType type) {
    for (float& value : values) {
        value = rounded(value, type);
    }
    return values;
}

inline std::vector<float> noise(std::size_t count, unsigned seed, float low = -2.0F, float high = 3.0F) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> values(count);
    for (float& value : values) {
        value = uniform(random);
    }
    return values;
}

/// Numbers of an element type.
class Array {
public:
    Array(ElementType type, const std::vector<float>& values)
        : type_(type), count_(values.size()), memory_(values.size() * size_of(type), "a test", "") {
        std::vector<std::byte> bytes(memory_.bytes());
        for (std::size_t i = 0; i < count_; ++i) {
            if (type == ElementType::f32) {
                std::memcpy(&bytes[i * 4], &values[i], 4);
            } else if (type == ElementType::bf16) {
                const __nv_bfloat16 value = __float2bfloat16(values[i]);
                std::memcpy(&bytes[i * 2], &value, 2);
            } else {
                const __half value = __float2half(values[i]);
                std::memcpy(&bytes[i * 2], &value, 2);
            }
        }
        if (!bytes.empty()) {
            cuda_check(cudaMemcpy(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                       "cudaMemcpy");
            cuda_check(cudaStreamSynchronize(nullptr), "cudaMemcpy");
        }
    }
    /// Filled with what is not a number: a missing write is noticed.
    Array(ElementType type, std::size_t count)
        : Array(type, std::vector<float>(count, std::numeric_limits<float>::quiet_NaN())) {}

    void* data() const { return memory_.data(); }
    float* floats() const { return memory_.as<float>(); }
    /// After the stream has been waited for.
    std::vector<float> values() const {
        std::vector<std::byte> bytes(memory_.bytes());
        cuda_check(cudaMemcpy(bytes.data(), memory_.data(), bytes.size(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        std::vector<float> result(count_);
        for (std::size_t i = 0; i < count_; ++i) {
            if (type_ == ElementType::f32) {
                std::memcpy(&result[i], &bytes[i * 4], 4);
            } else if (type_ == ElementType::bf16) {
                __nv_bfloat16 value;
                std::memcpy(&value, &bytes[i * 2], 2);
                result[i] = __bfloat162float(value);
            } else {
                __half value;
                std::memcpy(&value, &bytes[i * 2], 2);
                result[i] = __half2float(value);
            }
        }
        return result;
    }

private:
    ElementType type_;
    std::size_t count_;
    DeviceMemory memory_;
};

/// Anything else, copied there and back.
template <typename T>
class Objects {
public:
    explicit Objects(const std::vector<T>& values)
        : count_(values.size()), memory_(values.size() * sizeof(T), "a test", "") {
        cuda_check(cudaMemcpy(memory_.data(), values.data(), memory_.bytes(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
        cuda_check(cudaStreamSynchronize(nullptr), "cudaMemcpy");
    }
    T* data() const { return memory_.as<T>(); }
    std::vector<T> values() const {
        std::vector<T> result(count_);
        cuda_check(cudaMemcpy(result.data(), memory_.data(), memory_.bytes(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        return result;
    }

private:
    std::size_t count_;
    DeviceMemory memory_;
};

}  // namespace rankscope::engine::cuda::test
