// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What becomes of plans that cuDNN offers but does not run. cuDNN makes the plans, for a GPU that is not here; running
// them is this program's, and CUDA is emulated.

#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/gpu_description.h>
#include <engine/error.h>

#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>
#include <tests/engine/temporary_folder.h>

#include <set>
#include <string>

namespace {

/// What the replaced functions of cuDNN do.
struct Faults {
    bool needs_handle = false;       ///< plans that were made for a device's properties do not run
    bool refuses_all = false;        ///< no plan runs
    int refused = 0;                 ///< the next so many do not run
    bool crashes = false;            ///< … and CUDA has failed for good
    bool cannot_be_written = false;  ///< plans have no text
    int runs = 0;                    ///< plans that ran
    int made_for_handle = 0;         ///< plans
    std::set<cudnnBackendAttributeType_t> factor_types{};  ///< of the alphas and betas of convolutions
    std::set<void*> with_handle{};
};
Faults faults;

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const std::string& h200() {
    static const std::string text = rankscope::engine::cuda::GpuDescription().json();
    return text;
}

}  // namespace

// In place of cuDNN's, for the whole program.
extern "C" {

cudnnStatus_t CUDNNWINAPI cudnnCreate(cudnnHandle_t* handle) {
    static int one = 0;
    *handle = static_cast<cudnnHandle_t>(static_cast<void*>(&one));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t CUDNNWINAPI cudnnDestroy(cudnnHandle_t) {
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t CUDNNWINAPI cudnnSetStream(cudnnHandle_t, cudaStream_t) {
    return CUDNN_STATUS_SUCCESS;
}
void CUDNNWINAPI cudnnGetLastErrorString(char* message, std::size_t size) {
    snprintf(message, size, "%s", faults.refuses_all || faults.needs_handle ? "no such engine here" : "");
}

/// The GPU of the test in place of one of this machine.
cudnnStatus_t CUDNNWINAPI cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                                   cudnnBackendAttributeName_t name,
                                                   cudnnBackendAttributeType_t type, std::int64_t count,
                                                   const void* values) {
    static auto* const set = real<decltype(cudnnBackendSetAttribute)>("cudnnBackendSetAttribute");
    if (name == CUDNN_ATTR_DEVICEPROP_DEVICE_ID) {
        return set(descriptor, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                   static_cast<std::int64_t>(h200().size()), h200().data());
    }
    switch (name) {
        case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA:
        case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA:
        case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA:
        case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA:
        case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA:
        case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA:
            faults.factor_types.insert(type);
            break;
        default:
            break;
    }
    if (name != CUDNN_ATTR_EXECUTION_PLAN_HANDLE) {
        return set(descriptor, name, type, count, values);
    }
    static cudnnBackendDescriptor_t device = [] {
        cudnnBackendDescriptor_t made = nullptr;
        cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &made);
        set(made, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
            static_cast<std::int64_t>(h200().size()), h200().data());
        cudnnBackendFinalize(made);
        return made;
    }();
    faults.with_handle.insert(descriptor);
    ++faults.made_for_handle;
    return set(descriptor, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device);
}

cudnnStatus_t CUDNNWINAPI cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                                   cudnnBackendAttributeName_t name,
                                                   cudnnBackendAttributeType_t type, std::int64_t most,
                                                   std::int64_t* count, void* values) {
    static auto* const get = real<decltype(cudnnBackendGetAttribute)>("cudnnBackendGetAttribute");
    if (faults.cannot_be_written && name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    return get(descriptor, name, type, most, count, values);
}

cudnnStatus_t CUDNNWINAPI cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                              cudnnBackendDescriptor_t) {
    if (faults.crashes) {
        emulated::fail_for_good(cudaErrorIllegalAddress);
        return CUDNN_STATUS_EXECUTION_FAILED;
    }
    if (faults.refused > 0) {
        --faults.refused;
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    if (faults.refuses_all || (faults.needs_handle && faults.with_handle.count(plan) == 0)) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    ++faults.runs;
    return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"

namespace rankscope::engine::cuda::test {
namespace {

using engine::test::TemporaryFolder;

class CudnnFaults : public ::testing::Test {
protected:
    void SetUp() override { faults = {}; }
    void TearDown() override { emulated::fail_for_good(cudaSuccess); }

    ConvolutionLibrary library(Tuning tuning) const {
        return {0, {.exact_fp32 = false, .deterministic = true}, tuning, PlanCache(folder.path())};
    }
    std::string error_of(Tuning tuning) {
        ConvolutionLibrary made = library(tuning);
        try {
            made.make(ConvolutionPass::forward, kShape)->run(kArguments, nullptr);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    static constexpr ConvolutionShape kShape{.batch = 8,
                                             .in_channels = 64,
                                             .height = 8,
                                             .width = 8,
                                             .out_channels = 64,
                                             .kernel = 3,
                                             .padding = 1,
                                             .type = ElementType::bf16};
    static constexpr ConvolutionArguments kArguments{};
    TemporaryFolder folder;
};

TEST_F(CudnnFaults, APlanThatRunsIsNotMadeAgain) {
    ConvolutionLibrary made = library(Tuning::none);
    const auto convolution = made.make(ConvolutionPass::forward, kShape);
    EXPECT_EQ(faults.runs, 1) << "tried";
    convolution->run(kArguments, nullptr);
    convolution->run(kArguments, nullptr);
    EXPECT_EQ(faults.runs, 3);
    EXPECT_EQ(faults.made_for_handle, 0);
}

// cuDNN 9.19 takes doubles, too, and then computes with 0 instead of 1 (an H200, all kernels of all passes).
TEST_F(CudnnFaults, ScalingFactorsAreFloats) {
    ConvolutionLibrary made = library(Tuning::none);
    for (const ConvolutionPass pass :
         {ConvolutionPass::forward, ConvolutionPass::backward_data, ConvolutionPass::backward_weights}) {
        faults.factor_types.clear();
        made.make(pass, kShape);
        EXPECT_EQ(faults.factor_types, std::set{CUDNN_TYPE_FLOAT});
    }
}

TEST_F(CudnnFaults, APlanThatNeedsAHandleIsMadeAgainOnce) {
    faults.needs_handle = true;
    ConvolutionLibrary made = library(Tuning::none);
    for (const ConvolutionPass pass :
         {ConvolutionPass::forward, ConvolutionPass::backward_data, ConvolutionPass::backward_weights}) {
        faults.runs = faults.made_for_handle = 0;
        const auto convolution = made.make(pass, kShape);
        for (int i = 0; i < 3; ++i) {
            convolution->run(kArguments, nullptr);
        }
        EXPECT_EQ(faults.runs, 4) << "one of them a trial";
        EXPECT_EQ(faults.made_for_handle, 1);
    }
}

// Also without measuring: a left-over batch would fail at the end of the first epoch.
TEST_F(CudnnFaults, ASuggestionThatDoesNotRunIsFollowedByTheNext) {
    ConvolutionLibrary made = library(Tuning::none);
    faults.refused = 6;  // each of three twice: as it is and made again
    const auto convolution = made.make(ConvolutionPass::forward, kShape);
    faults.runs = 0;
    convolution->run(kArguments, nullptr);
    EXPECT_EQ(faults.runs, 1);
}

TEST_F(CudnnFaults, AllSuggestionsAreMeasuredAndTheChoiceIsKept) {
    faults.needs_handle = true;
    {
        ConvolutionLibrary made = library(Tuning::quick);
        made.make(ConvolutionPass::forward, kShape);
        EXPECT_GT(faults.made_for_handle, 12) << "cuDNN offers more for this shape";
    }
    faults.runs = 0;
    ConvolutionLibrary again = library(Tuning::quick);
    again.make(ConvolutionPass::forward, kShape);
    EXPECT_EQ(faults.runs, 0) << "measured again";
}

TEST_F(CudnnFaults, ARefusalIsReportedInCudnnsWords) {
    faults.refuses_all = true;
    for (const Tuning tuning : {Tuning::none, Tuning::quick}) {
        const std::string text = error_of(tuning);
        EXPECT_NE(text.find("CUDNN_STATUS_NOT_SUPPORTED"), std::string::npos) << text;
        EXPECT_NE(text.find("no such engine here"), std::string::npos) << text;
        EXPECT_NE(text.find("made again for its handle"), std::string::npos) << text;
    }
}

TEST_F(CudnnFaults, ACrashIsNotAMissingKernel) {
    faults.crashes = true;
    const std::string text = error_of(Tuning::quick);
    EXPECT_NE(text.find("crashed while it was measured"), std::string::npos) << text;
    EXPECT_NE(text.find("CUDNN_STATUS_EXECUTION_FAILED"), std::string::npos) << text;
    EXPECT_EQ(text.find("has no kernel"), std::string::npos) << text;
}

TEST_F(CudnnFaults, APlanThatCannotBeWrittenDownIsUsed) {
    faults.cannot_be_written = true;
    ConvolutionLibrary made = library(Tuning::quick);
    const auto convolution = made.make(ConvolutionPass::forward, kShape);
    faults.runs = 0;
    convolution->run(kArguments, nullptr);
    EXPECT_EQ(faults.runs, 1);
}

}  // namespace
}  // namespace rankscope::engine::cuda::test
