// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

/// What the plugin of a user saw (chained_plugin.cpp).
namespace rankscope::nccl::test {

struct ChainedCounts {
    int contexts = 0;
    int finalized = 0;
    int started = 0;
    int stopped = 0;
    int states = 0;
    int with_parent = 0;
    int with_group = 0;
    int wrong = 0;  ///< a pointer that is not one of its own
    int* mask = nullptr;
};

}  // namespace rankscope::nccl::test
