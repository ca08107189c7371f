// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/hardware/xid_reports.h>

#include <cstddef>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kForTheKernel = 2;
constexpr double kSameError = 10;  // the two reports of one error lie no further apart
constexpr std::size_t kMostWaiting = 64;

}  // namespace

const XidReports::Seen* XidReports::recent(const Place& place, double now) const {
    const auto it = seen_.find(place);
    return it != seen_.end() && now - it->second.at < kSameError ? &it->second : nullptr;
}

bool XidReports::add_of_kernel(const std::string& pci, std::uint32_t xid, double now) {
    const Place place{kernel_pci(pci), xid};
    std::erase_if(waiting_, [&place](const Waiting& entry) {
        return entry.error.pci == place.first && entry.error.xid == place.second;
    });
    const Seen* seen = recent(place, now);
    const bool is_new = seen == nullptr || !seen->of_nvml;
    seen_[place] = {now, false};
    return is_new;
}

void XidReports::add_of_nvml(NvmlError error, bool readable, double now) {
    if (waiting_.size() < kMostWaiting) {
        waiting_.push_back({std::move(error), readable ? now + kForTheKernel : now});
    }
}

std::vector<NvmlError> XidReports::take_due(double now) {
    std::vector<NvmlError> due;
    std::erase_if(waiting_, [&](Waiting& entry) {
        const Place place{entry.error.pci, entry.error.xid};
        if (recent(place, now) != nullptr) {
            return true;
        }
        if (now < entry.until) {
            return false;
        }
        seen_[place] = {now, true};
        due.push_back(std::move(entry.error));
        return true;
    });
    return due;
}

}  // namespace rankscope::agent
