// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gtest/gtest.h>
#include <tests/engine/cuda_arrays.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

/// What the tests of CUDA kernels share: one case per element type, and comparisons with a slow twin.
namespace rankscope::engine::cuda::test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Of a result that is rounded once to the type.
inline double tolerance(ElementType type) {
    return type == ElementType::f32 ? 2e-6 : (type == ElementType::bf16 ? 8e-3 : 1e-3);
}

/// Compares with a tolerance relative to the largest expected value.
inline void expect_near(const Floats& got, const Doubles& wanted, double relative, const char* what) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    double largest = 1e-6;
    for (const double value : wanted) {
        largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], wanted[i], relative * largest) << what << "[" << i << "]";
    }
}

/// One case per element type.
class KernelTest : public OnGpu, public testing::WithParamInterface<ElementType> {
protected:
    ElementType type() const { return GetParam(); }
};

inline auto all_element_types() {
    return ::testing::Values(ElementType::f32, ElementType::bf16, ElementType::f16);
}

inline std::string element_type_name(const ::testing::TestParamInfo<ElementType>& tested) {
    return std::string(name_of(tested.param));
}

}  // namespace rankscope::engine::cuda::test
