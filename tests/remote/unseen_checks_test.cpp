// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/unseen_checks.h>

#include <gtest/gtest.h>

using namespace rankscope;

namespace {

std::vector<Check> unseen_of(const NodeView& view, bool nccl) {
    HostFindings findings;
    unseen_checks(view, nccl, findings);
    return findings.take();
}

void add(NodeView& view, const std::string& what, const std::string& why) {
    auto* entry = view.host.add_unseen();
    entry->set_what(what);
    entry->set_why(why);
}

TEST(UnseenChecks, NameThePartInTheUsersWords) {
    NodeView view;
    view.name = "node1";
    add(view, "limits.memory.max", "no control group is visible");
    const auto checks = unseen_of(view, false);
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].status, CheckStatus::Skip);
    EXPECT_EQ(checks[0].detail, "node1: cannot read the limit memory.max: no control group is visible");
    EXPECT_EQ(unseen_part_text("firewall.rules"), "the rules of the firewall");
    EXPECT_EQ(unseen_part_text("gpus.processes"), "the processes on the GPUs");
    EXPECT_EQ(unseen_part_text("gpus.fabric.state"), "the value fabric.state of the GPUs");
    EXPECT_EQ(unseen_part_text("versions.cudnn.system"), "the version of the system's cuDNN");
}

TEST(UnseenChecks, APartOfANewerAgentKeepsItsName) {
    EXPECT_EQ(unseen_part_text("hyperlinks.state"), "hyperlinks.state");
    EXPECT_EQ(unseen_part_text(""), "");
}

TEST(UnseenChecks, WhatOnlyGpusUseIsLeftOutOfARunWithoutThem) {
    NodeView view;
    view.name = "node1";
    add(view, "versions.cudnn.system", "the name of the library's file does not hold it");
    add(view, "gpu_errors", "this user may not read the kernel log");
    EXPECT_TRUE(unseen_of(view, false).empty());
    EXPECT_EQ(unseen_of(view, true).size(), 1U);
    view.gpus = true;
    const auto checks = unseen_of(view, false);
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].evidence.size(), 2U);
}

}  // namespace
