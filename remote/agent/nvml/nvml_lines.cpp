// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/nvml/nvml_lines.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <array>

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestLine = 1024;
constexpr int kMostGpus = 1024;
constexpr std::size_t kMostErrors = 256;  // until they are taken
constexpr std::size_t kMostProcesses = 1024;
constexpr std::uint32_t kFellOffBus = 79;
constexpr std::uint64_t kMostSlowRounds = 64;

struct Reading {
    const char* key;  ///< of the reader and of the sample
    double scale;
};
constexpr auto kReadings = std::to_array<Reading>({{"util", 0.01},
                                                   {"mem_util", 0.01},
                                                   {"mem_used", 1},
                                                   {"mem_total", 1},
                                                   {"power", 1e-3},
                                                   {"power_limit", 1e-3},
                                                   {"temp", 1},
                                                   {"sm_clock", 1e6},
                                                   {"mem_clock", 1e6},
                                                   {"sm_clock_max", 1e6},
                                                   {"mem_clock_max", 1e6},
                                                   {"throttle", 1},
                                                   {"ecc", 1},
                                                   {"ecc_corrected", 1},
                                                   {"pcie_gen", 1},
                                                   {"pcie_width", 1},
                                                   {"pcie_replays", 1},
                                                   {"nvlink_errors", 1}});

struct Counter {
    const char* key;   ///< of the reader, bytes
    const char* rate;  ///< of the sample
};
constexpr auto kCounters = std::to_array<Counter>({{"nvlink_tx_bytes", "nvlink_tx"},
                                                   {"nvlink_rx_bytes", "nvlink_rx"},
                                                   {"pcie_tx_bytes", "pcie_tx"},
                                                   {"pcie_rx_bytes", "pcie_rx"}});
// Measured by the driver; each round for another GPU.
constexpr auto kSlow = std::to_array<Counter>({{"pcie_tx_rate", "pcie_tx"}, {"pcie_rx_rate", "pcie_rx"}});
constexpr double kKilo = 1024;

std::string_view take_word(std::string_view& line) {
    const auto blank = line.find(' ');
    const auto word = line.substr(0, blank);
    line.remove_prefix(blank == line.npos ? line.size() : blank + 1);
    return word;
}

std::optional<int> take_index(std::string_view& line) {
    const auto index = parse_number<int>(take_word(line));
    return index && *index >= 0 && *index < kMostGpus ? index : std::nullopt;
}

std::string words(std::string_view text) {
    return as_utf8(std::string(text));
}

}  // namespace

std::string kernel_pci(std::string_view pci) {
    std::string id = lower_case(pci);
    if (const auto dot = id.rfind('.'); dot != std::string::npos) {
        id.resize(dot);
    }
    const auto colon = id.find(':');
    constexpr std::size_t kDomain = 4;
    if (colon != std::string::npos && colon > kDomain && id.find_first_not_of('0') >= colon - kDomain) {
        id.erase(0, colon - kDomain);
    }
    return id;
}

std::uint64_t NvmlGpu::value(std::string_view key) const {
    const auto it = values.find(key);
    return it == values.end() ? 0 : it->second;
}

std::string NvmlGpu::text(std::string_view key) const {
    const auto it = texts.find(key);
    return it == texts.end() ? std::string() : it->second;
}

std::string describe(const NvmlFailure& failure) {
    const char* words = failure.code == 4    ? "no permission"
                        : failure.code == 9  ? "the driver is not loaded"
                        : failure.code == 15 ? "a GPU is lost"
                        : failure.code == 17 ? "the operating system blocks the device"
                        : failure.code == 18 ? "the driver and its library are of different versions"
                                             : "it fails";
    return failure.code == 0 ? failure.why
                             : failure.why + ": " + words + " (error " + std::to_string(failure.code) + ')';
}

void NvmlLines::add(std::string_view text) {
    unfinished_ += text;
    std::size_t begin = 0;
    for (auto end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', begin)) {
        take_line(std::string_view(unfinished_).substr(begin, end - begin));
        begin = end + 1;
    }
    unfinished_.erase(0, begin);
    if (unfinished_.size() > kLongestLine) {
        unfinished_.clear();
    }
}

void NvmlLines::take_line(std::string_view line) {
    if (line.size() > kLongestLine) {
        return;
    }
    const auto kind = take_word(line);
    if (kind == "begin") {
        in_round_ = true;
        next_ = {.at_us = parse_number<std::uint64_t>(line).value_or(0), .gpus = {}};
    } else if (kind == "end") {
        cost_us_ = parse_number<std::uint64_t>(line).value_or(0);
        end_round();
    } else if (kind == "driver") {
        driver_ = words(line);
    } else if (kind == "cuda") {
        cuda_ = parse_number<std::uint64_t>(line).value_or(0);
    } else if (kind == "failed") {
        const auto what = take_word(line);
        const auto code = parse_number<std::uint32_t>(take_word(line)).value_or(0);
        failure_ = NvmlFailure{words(what), code, words(line)};
    } else if (const auto gpu = take_index(line)) {
        if (kind == "value") {
            const auto key = take_word(line);
            if (const auto number = parse_number<std::uint64_t>(line); number && !key.empty()) {
                (in_round_ ? next_.gpus[*gpu].values : facts_[*gpu])[words(key)] = *number;
            }
        } else if (kind == "text") {
            const auto key = take_word(line);
            texts_[*gpu][words(key)] = words(line);
        } else if (kind == "process" && in_round_) {
            const auto pid = parse_number<pid_t>(take_word(line));
            const auto bytes = parse_number<std::uint64_t>(line);
            if (auto& all = next_.gpus[*gpu].processes;
                pid && *pid > 0 && bytes && all.size() < kMostProcesses) {
                all.push_back({*pid, *bytes});
            }
        } else if (kind == "xid") {
            if (const auto xid = parse_number<std::uint32_t>(line)) {
                add_error(*gpu, *xid, false);
            }
        } else if (kind == "lost") {
            add_error(*gpu, kFellOffBus, true);
        }
    }
}

void NvmlLines::add_error(int gpu, std::uint32_t xid, bool lost) {
    const auto texts = texts_.find(gpu);
    std::string pci;
    if (texts != texts_.end()) {
        if (const auto it = texts->second.find("pci"); it != texts->second.end()) {
            pci = kernel_pci(it->second);
        }
    }
    if (errors_.size() < kMostErrors) {
        errors_.push_back({std::move(pci), xid, lost});
    }
}

void NvmlLines::end_round() {
    if (!in_round_) {
        return;
    }
    in_round_ = false;
    ++rounds_;
    const double passed =
        at_us_ > 0 && next_.at_us > at_us_ ? static_cast<double>(next_.at_us - at_us_) * 1e-6 : 0;
    const auto older = std::move(rates_);
    rates_.clear();
    for (auto& [index, gpu] : next_.gpus) {
        auto& rates = rates_[index];
        const auto before = gpus_.find(index);
        for (const auto& [key, rate] : kSlow) {
            if (const auto it = gpu.values.find(key); it != gpu.values.end()) {
                rates[rate] = static_cast<double>(it->second) * kKilo;
            } else if (const auto kept = older.find(index);
                       kept != older.end() && kept->second.contains(rate) &&
                       !gpu.values.contains(std::string(rate) + "_bytes") && rounds_ % kMostSlowRounds != 0) {
                rates[rate] = kept->second.at(rate);
            }
        }
        for (const auto& [key, rate] : kCounters) {
            const auto now = gpu.values.find(key);
            if (passed <= 0 || now == gpu.values.end() || before == gpus_.end()) {
                continue;
            }
            // A counter that is smaller than before was wrapped or reset.
            if (const auto then = before->second.values.find(key);
                then != before->second.values.end() && now->second >= then->second) {
                rates[rate] = static_cast<double>(now->second - then->second) / passed;
            }
        }
        gpu.values.insert(facts_[index].begin(), facts_[index].end());
        gpu.texts = texts_[index];
    }
    at_us_ = next_.at_us;
    gpus_ = std::move(next_.gpus);
    next_ = {};
}

std::vector<std::pair<std::string, double>> NvmlLines::sample() const {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [index, gpu] : gpus_) {
        for (const auto& [key, scale] : kReadings) {
            if (const auto it = gpu.values.find(std::string_view(key)); it != gpu.values.end()) {
                all.emplace_back(sample_key::gpu(index, key), static_cast<double>(it->second) * scale);
            }
        }
        if (const auto rates = rates_.find(index); rates != rates_.end()) {
            for (const auto& [key, value] : rates->second) {
                all.emplace_back(sample_key::gpu(index, key.c_str()), value);
            }
        }
    }
    return all;
}

}  // namespace rankscope::agent
