// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/observe/nccl_inspector/inspector_lines.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = std::size_t{256} << 10U;
constexpr std::size_t kLongestText = 256;
constexpr double kMicro = 1e-6;

const json& member(const json& object, const char* key) {
    static const json none;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() ? none : *found;
}

std::uint64_t number(const json& object, const char* key) {
    const json& value = member(object, key);
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>();
    }
    if (value.is_number_integer()) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(value.get<std::int64_t>(), 0));
    }
    const double real = value.is_number_float() ? value.get<double>() : 0;
    return real > 0 && real < 1e18 ? static_cast<std::uint64_t>(real) : 0;
}

std::int64_t signed_number(const json& object, const char* key) {
    const std::uint64_t value = number(object, key);
    return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : 0;
}

int small_number(const json& object, const char* key, int missing) {
    const json& value = member(object, key);
    if (!value.is_number_integer()) {
        return missing;
    }
    const auto whole = value.get<std::int64_t>();
    return std::in_range<int>(whole) ? static_cast<int>(whole) : missing;
}

std::string words(const json& object, const char* key) {
    const json& value = member(object, key);
    return value.is_string() ? value.get_ref<const std::string&>().substr(0, kLongestText) : std::string();
}

std::optional<CommunicatorHash> hash_of(const std::string& text) {
    const std::string_view digits =
        std::string_view(text).starts_with("0x") ? std::string_view(text).substr(2) : text;
    CommunicatorHash hash;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), hash.value, 16);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return hash;
}

// The kernel's first start where it is said, else the call's.
std::int64_t start_of(const json& operation, const char* prefix) {
    const json& times = member(operation, "event_trace_ts");
    std::int64_t first = 0;
    for (const json& channel : member(times, "kernel_events")) {
        const std::int64_t start = signed_number(channel, "kernel_start_ts");
        first = first == 0 || (start != 0 && start < first) ? start : first;
    }
    return first != 0 ? first : signed_number(times, (std::string(prefix) + "_start_ts").c_str());
}

NcclOperation operation_of(const json& object, bool point_to_point) {
    const std::string prefix = point_to_point ? "p2p" : "coll";
    const auto key = [&](const char* rest) { return prefix + rest; };
    NcclOperation operation;
    operation.function = words(object, prefix.c_str());
    operation.sequence = number(object, key("_sn").c_str());
    operation.bytes = number(object, key("_msg_size_bytes").c_str());
    operation.seconds = static_cast<double>(number(object, key("_exec_time_us").c_str())) * kMicro;
    operation.gpu_s = words(object, key("_timing_source").c_str()) == "kernel_gpu" ? operation.seconds : 0;
    operation.peer_or_root = point_to_point ? small_number(object, "p2p_peer", -1) : -1;
    operation.phase = NcclPhase::Finished;
    operation.start_us = start_of(object, prefix.c_str());
    const json& channels = member(member(object, "event_trace_ts"), "kernel_events");
    operation.channels =
        channels.is_array() ? static_cast<int>(std::min<std::size_t>(channels.size(), 1024)) : 0;
    operation.channels_done = operation.channels;
    operation.point_to_point = point_to_point;
    return operation;
}

}  // namespace

bool may_be_inspector_line(std::string_view line) {
    const auto begin = line.find('{');
    return begin != std::string_view::npos && begin < 256 &&
           line.find("_perf\"", begin) != std::string_view::npos &&
           line.find("\"header\"", begin) != std::string_view::npos;
}

std::optional<InspectorLine> read_inspector_line(std::string_view line) {
    if (line.size() > kLongestLine || !may_be_inspector_line(line)) {
        return std::nullopt;
    }
    // What stands before it is the prefix of a launcher that passes the output on.
    const json read = read_json(line.substr(line.find('{')));
    const json& header = member(read, "header");
    const json& collective = member(read, "coll_perf");
    const json& point_to_point = member(read, "p2p_perf");
    const auto hash = hash_of(words(header, "id"));
    const bool is_p2p = !collective.is_object();
    if (!hash || (is_p2p && !point_to_point.is_object())) {
        return std::nullopt;
    }
    InspectorLine result;
    result.operation = operation_of(is_p2p ? point_to_point : collective, is_p2p);
    if (result.operation.function.empty()) {
        return std::nullopt;
    }
    result.operation.communicator = *hash;
    result.communicator.id = *hash;
    result.communicator.name = words(header, "comm_name");
    if (result.communicator.name == "unknown") {
        result.communicator.name.clear();
    }
    result.communicator.rank = std::max(small_number(header, "rank", -1), -1);
    result.communicator.ranks = std::max(small_number(header, "n_ranks", 0), 0);
    result.nodes = std::max(small_number(header, "nnodes", 0), 0);
    const json& metadata = member(read, "metadata");
    result.host = words(metadata, "hostname");
    result.pid = signed_number(metadata, "pid");
    result.written_us = signed_number(metadata, "dump_timestamp_us");
    return result;
}

}  // namespace rankscope
