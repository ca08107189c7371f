// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/failure_id.h>

#include <mutex>
#include <set>

namespace rankscope {
namespace {

constexpr std::size_t kLongest = 64;
constexpr std::size_t kMostForeign = 4096;  // names come from nodes: they must not fill the memory

bool is_well_formed(std::string_view text) {
    return !text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// The names outside of the list that this program has seen. Never shrinks: ids point into it.
std::string_view intern(std::string_view text) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> names;
    const std::lock_guard lock(mutex);
    if (const auto it = names.find(text); it != names.end()) {
        return *it;
    }
    return names.size() < kMostForeign ? std::string_view(*names.emplace(text).first) : std::string_view();
}

}  // namespace

FailureId FailureId::from(std::string_view text) {
    FailureId id;
    if (text.empty()) {
        return id;
    }
    const auto* const it = std::find(kFailureIds.begin(), kFailureIds.end(), text);
    if (it != kFailureIds.end()) {
        id.text_ = *it;
    } else if (is_well_formed(text)) {
        id.text_ = intern(text);
    }
    return id.empty() ? FailureId("unknown-failure") : id;
}

}  // namespace rankscope
