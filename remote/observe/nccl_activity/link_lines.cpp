// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_activity/link_lines.h>

#include <charconv>

namespace rankscope {
namespace {

constexpr std::size_t kMostHosts = 16384;
constexpr std::size_t kMostDevices = 64;
constexpr double kBytesPerMbit = 125'000;

}  // namespace

bool LinkLines::take(std::string_view host, std::string_view message) {
    constexpr std::string_view kBegin = "NET/IB";
    constexpr std::string_view kSpeed = " speed=";
    const auto begin = message.find(kBegin);
    const auto speed = message.find(kSpeed);
    const auto device = message.find("] ");
    if (begin == std::string_view::npos || speed == std::string_view::npos ||
        device == std::string_view::npos || begin > device || device > speed ||
        message.find(" provider=") == std::string_view::npos) {
        return false;
    }
    const std::string_view name =
        message.substr(device + 2, message.find_first_of(": ", device + 2) - device - 2);
    const std::string_view digits = message.substr(speed + kSpeed.size());
    double mbit = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), mbit).ec != std::errc() ||
        !(mbit > 0) || mbit > 1e8 || name.empty()) {
        return false;
    }
    auto at = hosts_.find(host);
    if (at == hosts_.end()) {
        if (hosts_.size() == kMostHosts) {
            return false;
        }
        at = hosts_.emplace(host, std::map<std::string, double>()).first;
    }
    if (at->second.size() == kMostDevices) {
        return false;
    }
    at->second[std::string(name)] = mbit * kBytesPerMbit;
    return true;
}

LinkRate LinkLines::rate() const {
    LinkRate least;
    for (const auto& [host, devices] : hosts_) {
        LinkRate rate;
        for (const auto& [name, bytes_per_s] : devices) {
            rate.bytes_per_s += bytes_per_s;
            rate.source += (rate.source.empty() ? "" : ", ") + name;
        }
        rate.source += host.empty() ? "" : " of " + host;
        if (least.bytes_per_s == 0 || rate.bytes_per_s < least.bytes_per_s) {
            least = rate;
        }
    }
    return least;
}

}  // namespace rankscope
