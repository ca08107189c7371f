// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/node/kernel_log.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::agent {

bool read_xid(std::string_view record, wire::GpuError& error) {
    // "4,1234,5678901,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."
    constexpr std::string_view kBegin = "NVRM: Xid (";
    const auto head = record.find(';');
    const auto begin = record.find(kBegin, head == record.npos ? record.size() : head);
    const auto end = record.find("): ", begin == record.npos ? record.size() : begin);
    if (end == record.npos) {
        return false;
    }
    const auto parts = split(record.substr(0, head), ',');
    const auto time = parts.size() > 2 ? parse_number<std::int64_t>(parts[2]) : std::nullopt;
    auto device = record.substr(begin + kBegin.size(), end - begin - kBegin.size());
    auto text = record.substr(end + 3);
    text = text.substr(0, text.find('\n'));
    const auto code = parse_number<std::uint32_t>(text.substr(0, text.find(',')));
    if (!code) {
        return false;
    }
    device.remove_prefix(device.starts_with("PCI:") ? 4 : 0);
    constexpr std::int64_t kMostTime = 1LL << 52U;
    error.set_t_us(std::clamp<std::int64_t>(time.value_or(0), 0, kMostTime));
    error.set_pci(as_utf8(std::string(device)));
    error.set_xid(*code);
    error.set_text(as_utf8(std::string(text)));
    return true;
}

}  // namespace rankscope::agent
