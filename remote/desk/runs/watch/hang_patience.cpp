// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/watch/hang_patience.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

std::string with_least_age(const HangView& view, const std::string& what, double seconds) {
    return view.brief ? text("Watcher", "%1, for at least %2 s", {what, std::to_string(std::lround(seconds))})
                      : what;
}

bool names_a_long_phase(const RankSnapshot& state) {
    constexpr std::array<std::string_view, 9> kWords = {
        "valid", "eval", "checkpoint", "save", "compile", "download", "preprocess", "tokenize", "prepare"};
    constexpr std::array<std::string_view, 3> kParts = {"torch/_dynamo/", "torch/_inductor/",
                                                        "torch/serialization.py"};
    return std::any_of(state.python_stack.begin(), state.python_stack.end(), [&](std::string_view frame) {
        const std::string name = lower_case(frame.substr(frame.rfind('/') + 1));
        const auto has = [](std::string_view text, std::string_view part) {
            return text.find(part) != std::string_view::npos;
        };
        return std::any_of(kWords.begin(), kWords.end(),
                           [&](std::string_view word) { return has(name, word); }) ||
               std::any_of(kParts.begin(), kParts.end(),
                           [&](std::string_view part) { return has(frame, part); });
    });
}

double hang_patience_s(const HangView& view, double least, const RankSeen* seen) {
    constexpr double kTimesUsual = 3;
    if (view.hang_after_s > 0) {
        return view.hang_after_s;
    }
    const bool long_phase =
        view.long_phase || (seen != nullptr && (!view.finished.empty() || names_a_long_phase(seen->state)));
    return std::max(least * (long_phase ? kHangLongPhase : 1), kTimesUsual * view.usual_s);
}

}  // namespace rankscope::inline runs
