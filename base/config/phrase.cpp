// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>

#include <atomic>

namespace rankscope::config {
namespace {

std::atomic<Translation>& translation() {
    static std::atomic<Translation> installed{nullptr};
    return installed;
}

}  // namespace

void set_translation(Translation function) {
    translation() = function;
}

std::string phrase(const char* pattern, std::initializer_list<std::string> arguments) {
    const Translation translate = translation();
    const std::string source = translate != nullptr ? translate(pattern) : std::string(pattern);
    // In one pass: an argument that itself holds "%2" must not be replaced again.
    std::string result;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '%' && i + 1 < source.size() && source[i + 1] >= '1' && source[i + 1] <= '9') {
            const auto index = static_cast<std::size_t>(source[i + 1] - '1');
            if (index < arguments.size()) {
                result += arguments.begin()[index];
                ++i;
                continue;
            }
        }
        result += source[i];
    }
    return result;
}

}  // namespace rankscope::config
