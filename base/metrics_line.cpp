// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/metrics_line.h>
#include <base/python_json.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope {
namespace {

using nlohmann::json;

void say(std::string* why, std::string text) {
    if (why != nullptr) {
        *why = std::move(text);
    }
}

// Of its kinds of values none is deeper.
constexpr JsonLimits kLimits{.bytes = 2 * kMaxMetricsLine, .depth = 8};

// What JSON has no number for: null is not-a-number, infinity is a text.
constexpr std::string_view kInfinity = "inf";
constexpr std::string_view kMinusInfinity = "-inf";

std::optional<double> infinity_of(std::string_view text) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return text == kInfinity        ? std::optional(kInfinite)
           : text == kMinusInfinity ? std::optional(-kInfinite)
                                    : std::nullopt;
}

// "step" and "epoch" are numbers or null, never something else that only looks like a series of that name.
bool read_place(const std::string& key, const json& value, MetricsLine& result, std::string* why) {
    if (value.is_null()) {
        return true;
    }
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (key == "epoch") {
        if (!std::isfinite(number)) {
            say(why, "\"epoch\" must be a number");
            return false;
        }
        result.epoch = number;
        return true;
    }
    if (!(number >= 0 && number <= 9e15) || number != std::floor(number)) {
        say(why, "\"step\" must be a whole number from 0");
        return false;
    }
    result.step = static_cast<std::int64_t>(number);
    return true;
}

std::vector<int> read_ranks(const json& value) {
    std::vector<int> ranks;
    for (const auto& rank : value.is_array() ? value : json::array()) {
        if (rank.is_number_unsigned() && rank.get<std::uint64_t>() <= 0x7FFFFFFF &&
            ranks.size() < kMaxWaitingFor) {
            ranks.push_back(rank.get<int>());
        }
    }
    return ranks;
}

std::optional<FailedDial> read_dial(const json& value) {
    const auto number = [&value](const char* key, std::uint64_t most) -> std::optional<int> {
        const auto at = value.find(key);
        return at != value.end() && at->is_number_unsigned() && at->get<std::uint64_t>() <= most
                   ? std::optional(at->get<int>())
                   : std::nullopt;
    };
    if (!value.is_object() || !value.contains("address") || !value["address"].is_string()) {
        return std::nullopt;
    }
    const auto port = number("port", 65535);
    const auto error = number("errno", 4095);
    return port && error ? std::optional(FailedDial{value["address"].get<std::string>(), *port, *error})
                         : std::nullopt;
}

}  // namespace

std::optional<MetricsLine> parse_metrics_line(std::string_view line, std::string* why) {
    if (line.size() > kMaxMetricsLine) {
        say(why, "line of " + std::to_string(line.size()) + " bytes; the limit is " +
                     std::to_string(kMaxMetricsLine));
        return std::nullopt;
    }
    json object = read_json(line, kLimits);
    if (object.is_discarded()) {
        if (const auto repaired = without_non_finite(line)) {
            object = read_json(*repaired, kLimits);
        }
    }
    if (object.is_discarded()) {
        say(why, "not a JSON object");
        return std::nullopt;
    }
    if (!object.is_object()) {
        say(why, std::string("a JSON object is expected, this is ") + object.type_name());
        return std::nullopt;
    }
    MetricsLine result;
    std::string unknown_stage;
    for (const auto& [key, value] : object.items()) {
        if (key == "step" || key == "epoch") {
            if (!read_place(key, value, result, why)) {
                return std::nullopt;
            }
        } else if (value.is_number()) {
            result.values.emplace_back(key, value.get<double>());
        } else if (value.is_null()) {
            result.values.emplace_back(key, std::numeric_limits<double>::quiet_NaN());
        } else if (value.is_string()) {
            const auto& text = value.get_ref<const std::string&>();
            if (key == "stage") {
                result.stage = enum_from<StageName>(text);
                unknown_stage = result.stage ? std::string() : text;
            } else if (key == "detail") {
                result.detail = text;
            } else if (const auto infinity = infinity_of(text)) {
                result.values.emplace_back(key, *infinity);
            } else {
                result.texts.emplace_back(key, text);
            }
        } else if (key == "waiting_for") {
            result.waiting_for = read_ranks(value);
        } else if (key == "failed_dial") {
            result.failed_dial = read_dial(value);
        }
    }
    if (!unknown_stage.empty()) {
        result.stage = StageName::Note;
        result.detail = unknown_stage + (result.detail.empty() ? "" : ": " + result.detail);
    }
    return result;
}

std::string format_metrics_line(const MetricsLine& line) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    if (line.stage) {
        object["stage"] = to_string(*line.stage);
    }
    if (!line.detail.empty()) {
        object["detail"] = line.detail;
    }
    if (line.step) {
        object["step"] = *line.step;
    }
    if (line.epoch) {
        object["epoch"] = *line.epoch;
    }
    for (const auto& [key, value] : line.values) {
        if (std::isfinite(value)) {
            object[key] = value;
        } else if (std::isnan(value)) {
            object[key] = nullptr;
        } else {
            object[key] = value > 0 ? kInfinity : kMinusInfinity;
        }
    }
    for (const auto& [key, value] : line.texts) {
        object[key] = value;
    }
    if (!line.waiting_for.empty()) {
        object["waiting_for"] = std::vector<int>(
            line.waiting_for.begin(),
            line.waiting_for.begin() +
                static_cast<std::ptrdiff_t>(std::min(line.waiting_for.size(), kMaxWaitingFor)));
    }
    if (line.failed_dial) {
        object["failed_dial"] = {{"address", line.failed_dial->address},
                                 {"port", line.failed_dial->port},
                                 {"errno", line.failed_dial->error}};
    }
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace rankscope
