// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/archive/compare/metric_sense.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace rankscope::inline archive {
namespace {

template <std::size_t N>
bool has_any(const std::string& name, const std::array<std::string_view, N>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

}  // namespace

bool is_rate(std::string_view metric) {
    return metric.ends_with("_per_s") || metric.ends_with("_per_sec") || metric.ends_with("_per_second") ||
           metric.ends_with("/s") || metric.ends_with("/sec");
}

Better better_values(std::string_view metric) {
    constexpr std::array<std::string_view, 6> kHigher{"acc", "top", "f1", "iou", "bleu", "score"};
    constexpr std::array<std::string_view, 6> kLower{"loss", "err", "perplexity", "ppl", "mse", "mae"};
    const std::string name = lower_case(metric);
    if (is_rate(name)) {
        return Better::Higher;
    }
    if (has_any(name, kLower) || name.ends_with("_ms")) {
        return Better::Lower;
    }
    return has_any(name, kHigher) ? Better::Higher : Better::Unknown;
}

}  // namespace rankscope::inline archive
