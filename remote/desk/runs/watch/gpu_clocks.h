// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// Finds the GPU that runs slower than the others of the run, by the samples of its nodes: ranks that wait for a GPU
/// spin, so that nothing else shows which of them waits. Its clock is compared with the median of the others that are
/// busy, and its driver must name a reason: heat, power, the board.
class GpuClocks {
public:
    /// A sample of a node. `ranks`: those of the node, in order, where they are known. Verdicts: Live, and Over.
    std::vector<Verdict> observe(const Event& event, const SampleEvent& sample,
                                 const std::vector<int>& ranks);
    /// What is live is over.
    std::vector<Verdict> end_all();
    /// Lanes of the link of the node's GPU `index`; 0: not known.
    double pcie_width(const std::string& node, int index) const;

private:
    struct Gpu {
        double clock_hz = 0;
        double busy = 0;
        std::uint64_t throttle = 0;
        double pcie_width = 0;
        std::int64_t t_us = 0;
        std::int64_t slow_since_us = 0;  ///< 0: it is not
        int slow_samples = 0;
        int usual_samples = 0;  ///< in a row, after it was named
        Verdict live = {};      ///< without id: it is not named
    };
    using Key = std::pair<std::string, int>;

    double usual_clock(const Key& but, std::int64_t now_us) const;
    void judge(const Key& key, Gpu& gpu, const std::vector<int>& ranks, std::vector<Verdict>& verdicts);

    std::map<Key, Gpu> gpus_;
};

}  // namespace rankscope::inline runs
