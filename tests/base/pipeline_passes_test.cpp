// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pipeline_passes.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(PipelinePasses, AreReadAsTheyAreWritten) {
    const std::vector<PipelinePass> passes{{0, true, -61.25, 10.5}, {12, false, -0.75, 0}};
    EXPECT_EQ(passes_text(passes), "F0@-61.25+10.50 B12@-0.75+0.00");
    EXPECT_EQ(read_passes(passes_text(passes)), passes);
}

TEST(PipelinePasses, ALineOfThemIsWrittenAtOnce) {
    const std::vector<PipelinePass> many(400, {1000, true, -1000, 1});
    EXPECT_EQ(passes_text(many), "");
    EXPECT_EQ(passes_text({}), "");
}

TEST(PipelinePasses, OtherTextsAreNone) {
    for (const char* text :
         {"", " ", "F", "F0", "F0@", "F0@1", "F0@1+", "F@1+1", "X0@1+1", "F0@1+-1", "F-1@1+1", "F0@nan+1",
          "F0@1+inf", "F0@1e300+1", "F0@1+1  B0@1+1", "F0+1@1", "@+F"}) {
        EXPECT_FALSE(read_passes(text)) << text;
    }
}

}  // namespace
}  // namespace rankscope
