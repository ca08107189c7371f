// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/probes/host_text.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace rankscope::agent {
namespace {

std::optional<double> real(std::string_view word) {
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (hex) {
        std::uint64_t bits = 0;
        const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), bits, 16);
        return error == std::errc() && end == word.data() + word.size()
                   ? std::optional(static_cast<double>(bits))
                   : std::nullopt;
    }
    const auto value = parse_number<double>(word);
    return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

struct Column {
    const char* key;
    double scale;
};
constexpr double kMebi = 1 << 20;
constexpr std::array<Column, 11> kColumns{{{"util", 0.01},
                                           {"mem_used", kMebi},
                                           {"mem_total", kMebi},
                                           {"temp", 1},
                                           {"power", 1},
                                           {"sm_clock", 1e6},
                                           {"mem_clock", 1e6},
                                           {"throttle", 1},
                                           {"ecc", 1},
                                           {"pcie_gen", 1},
                                           {"pcie_width", 1}}};

}  // namespace

const char* const kNvidiaSmiFields =
    "index,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,clocks.sm,clocks.mem,"
    "clocks_throttle_reasons.active,ecc.errors.uncorrected.volatile.total,pcie.link.gen.current,"
    "pcie.link.width.current";
const char* const kNvidiaSmiBasicFields = "index,utilization.gpu,memory.used,memory.total,temperature.gpu";

std::optional<CpuTime> parse_proc_stat(std::string_view text) {
    std::string_view line = next_line(text);
    if (next_word(line) != "cpu") {
        return std::nullopt;
    }
    // user nice system idle iowait irq softirq steal; guest time is in user already.
    CpuTime time;
    int column = 0;
    for (; column < 8; ++column) {
        const auto value = parse_number<std::uint64_t>(next_word(line));
        if (!value) {
            break;
        }
        time.total += *value;
        time.busy += column == 3 || column == 4 ? 0 : *value;
    }
    return column >= 4 ? std::optional(time) : std::nullopt;
}

std::optional<MemoryUse> parse_meminfo(std::string_view text) {
    std::map<std::string_view, std::uint64_t> kib;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        const auto key = line.substr(0, colon);
        line.remove_prefix(colon + 1);
        if (const auto value = parse_number<std::uint64_t>(next_word(line));
            value && *value < (1ULL << 53U)) {
            kib.emplace(key, *value);
        }
    }
    const auto total = kib.find("MemTotal");
    if (total == kib.end()) {
        return std::nullopt;
    }
    const auto available = kib.find("MemAvailable");
    const std::uint64_t left =
        available != kib.end() ? available->second : kib["MemFree"] + kib["Buffers"] + kib["Cached"];
    return MemoryUse{total->second * 1024, std::min(left, total->second) * 1024};
}

std::map<std::string, Traffic> parse_net_dev(std::string_view text) {
    std::map<std::string, Traffic> all;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        const auto colon = line.rfind(':');  // an alias may hold one
        if (colon == std::string_view::npos) {
            continue;
        }
        const auto name = trimmed(line.substr(0, colon));
        line.remove_prefix(colon + 1);
        std::array<std::uint64_t, 12> columns{};
        bool fine = !name.empty() && name != "lo";
        for (auto& column : columns) {
            const auto value = parse_number<std::uint64_t>(next_word(line));
            fine = fine && value;
            column = value.value_or(0);
        }
        if (fine) {
            all[as_utf8(std::string(name))] = {columns[0], columns[8], columns[2] + columns[10],
                                               columns[3] + columns[11]};
        }
    }
    return all;
}

std::vector<std::pair<std::string, double>> parse_nvidia_smi_line(std::string_view line) {
    const auto take = [&line] {
        const auto comma = line.find(',');
        const auto field = trimmed(line.substr(0, comma));
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
        return field;
    };
    std::vector<std::pair<std::string, double>> values;
    const auto index = parse_number<std::uint64_t>(take());
    if (!index || *index > 1023 || line.empty()) {
        return values;
    }
    for (const auto& column : kColumns) {
        if (line.empty()) {
            break;
        }
        if (const auto value = real(take()); value && std::isfinite(*value * column.scale)) {
            values.emplace_back(sample_key::gpu(static_cast<int>(*index), column.key), *value * column.scale);
        }
    }
    return values;
}

}  // namespace rankscope::agent
