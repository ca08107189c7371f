// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/diagnosis/verdict.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the kernels of the nodes have said about GPUs and links during a run, as a cause of its stall or end.
class HardwareFaults {
public:
    void observe(const Event& event);

    /// The worst fault since this time (µs since 1970, by the desk's clock), on this node, or on any where it is empty. Of
    /// links, only those that the run uses. The phase is Live.
    std::optional<Verdict> cause(std::int64_t since_us, const std::string& node,
                                 const LaunchPlan& plan) const;

    /// The fault shortly before a rank failed, where what it wrote fits: the verdict on its end.
    std::optional<Verdict> cause_of_exit(const std::string& node, int rank, std::int64_t t_us,
                                         const ExitEvent& exit, const LaunchPlan& plan) const;

private:
    struct Fault {
        std::string node;
        std::int64_t t_us = 0;
        NoticeEvent notice;
    };
    std::vector<Fault> faults_;
};

}  // namespace rankscope::inline runs
