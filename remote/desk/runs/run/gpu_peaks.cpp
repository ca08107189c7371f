// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/run/gpu_peaks.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rankscope::inline runs {
namespace {

struct Peak {
    std::string_view model;  // the first words of the name; "x|y": either form
    double tflops;
};

// By the longest that fits. Where forms of one model differ (SXM, PCIe, NVL), each has its entry.
constexpr Peak kPeaks[]{
    {"a100", 312},
    {"a800", 312},
    {"h100 80gb hbm3", 989},
    {"h100 pcie", 756},
    {"h100 nvl", 835},
    {"h200", 989},
    {"h200 nvl", 835},
    {"h800", 989},
    {"h800 pcie", 756},
    {"h20", 148},
    {"gh200", 989},
    {"b200", 2250},
    {"l40s", 362},
    {"l40", 181},
    {"l4", 121},
    {"a30", 165},
    {"a40", 149.7},
    {"a10", 125},
    {"v100-sxm2", 125},
    {"v100-sxm3", 125},
    {"v100-pcie", 112},
    {"t4", 65},
    {"rtx a6000", 154.8},
    {"rtx 6000 ada", 364.2},
    {"geforce rtx 3090", 71},
    {"geforce rtx 4090", 165.2},
};

bool begins_with_word(std::string_view name, std::string_view model) {
    return name.starts_with(model) &&
           (name.size() == model.size() || name[model.size()] == ' ' || name[model.size()] == '-');
}

}  // namespace

std::optional<double> gpu_peak_tflops(std::string_view name) {
    std::string lower = lower_case(name);
    for (const std::string_view maker : {"nvidia ", "tesla "}) {
        if (lower.starts_with(maker)) {
            lower.erase(0, maker.size());
        }
    }
    if (lower.find("mig") != std::string::npos || lower.starts_with("geforce rtx 3090 ti") ||
        lower.starts_with("geforce rtx 4090 d") || lower.find("laptop") != std::string::npos) {
        return std::nullopt;
    }
    const Peak* best = nullptr;
    for (const Peak& peak : kPeaks) {
        if (begins_with_word(lower, peak.model) &&
            (best == nullptr || peak.model.size() > best->model.size())) {
            best = &peak;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->tflops);
}

}  // namespace rankscope::inline runs
