// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Which results of NCCL mean that another rank is lost. Needs NCCL, no GPU.

#include <engine/comm/nccl_error.h>
#include <engine/error.h>

#include <gtest/gtest.h>

#include <string>

namespace rankscope::engine::test {
namespace {

/// What the result throws; empty: nothing.
std::string thrown_by(ncclResult_t code, bool& lost) {
    lost = false;
    try {
        nccl_check(code, "ncclAllReduce");
    } catch (const PeerLostError& error) {
        lost = true;
        return error.what();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(NcclError, OnlyRemoteAndSystemErrorsMeanALostRank) {
    bool lost = false;
    EXPECT_EQ(thrown_by(ncclSuccess, lost), "");
    EXPECT_EQ(thrown_by(ncclInProgress, lost), "");
    for (const ncclResult_t code : {ncclRemoteError, ncclSystemError}) {
        EXPECT_NE(thrown_by(code, lost).find(ncclGetErrorString(code)), std::string::npos);
        EXPECT_TRUE(lost) << ncclGetErrorString(code);
    }
    for (const ncclResult_t code :
         {ncclUnhandledCudaError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage}) {
        const std::string text = thrown_by(code, lost);
        EXPECT_FALSE(lost) << text;
        EXPECT_NE(text.find(std::string("NCCL: ncclAllReduce: ") + ncclGetErrorString(code)),
                  std::string::npos)
            << text;
    }
}

TEST(NcclError, HasNcclsLastMessage) {
    // A wrong use that needs no GPU: NCCL keeps a sentence on it.
    ASSERT_EQ(ncclCommCount(nullptr, nullptr), ncclInvalidArgument);
    const std::string detail = ncclGetLastError(nullptr);
    bool lost = false;
    const std::string text = thrown_by(ncclInvalidArgument, lost);
    EXPECT_EQ(detail.empty() || text.find("(" + detail + ")") != std::string::npos, true) << text;
    EXPECT_FALSE(detail.empty());
}

}  // namespace
}  // namespace rankscope::engine::test
