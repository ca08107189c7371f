// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <protocol/metrics_line.h>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace rankscope::protocol {
namespace {

using nlohmann::json;

void say(std::string* why, std::string text) {
    if (why != nullptr) {
        *why = std::move(text);
    }
}

}  // namespace

std::optional<MetricsLine> parse_metrics_line(std::string_view line, std::string* why) {
    if (line.size() > kMaxMetricsLine) {
        say(why, "line of " + std::to_string(line.size()) + " bytes; the limit is " +
                     std::to_string(kMaxMetricsLine));
        return std::nullopt;
    }
    // Depth is bounded by the parser's callback: a hostile "[[[[…" must not exhaust the agent's stack.
    bool too_deep = false;
    const json object = json::parse(
        line.begin(), line.end(),
        [&too_deep](int depth, json::parse_event_t, json&) {
            too_deep = too_deep || depth > 8;
            return depth <= 8;
        },
        /*allow_exceptions=*/false);
    if (object.is_discarded() || too_deep) {
        say(why, "not a JSON object");
        return std::nullopt;
    }
    if (!object.is_object()) {
        say(why, std::string("a JSON object is expected, this is ") + object.type_name());
        return std::nullopt;
    }
    MetricsLine result;
    for (const auto& [key, value] : object.items()) {
        if (value.is_number()) {
            const double number = value.get<double>();
            if (key == "step") {
                if (value.is_number_float() || number < 0 || number > 9e15) {
                    say(why, "\"step\" must be a whole number from 0");
                    return std::nullopt;
                }
                result.step = value.get<std::int64_t>();
            } else if (key == "epoch") {
                result.epoch = number;
            } else {
                result.values.emplace_back(key, number);
            }
        } else if (value.is_null() && key != "step" && key != "epoch") {
            result.values.emplace_back(key, std::numeric_limits<double>::quiet_NaN());
        } else if (value.is_string()) {
            const auto& text = value.get_ref<const std::string&>();
            if (key == "stage") {
                result.stage = text;
            } else if (key == "detail") {
                result.detail = text;
            } else {
                result.texts.emplace_back(key, text);
            }
        }
    }
    return result;
}

std::string format_metrics_line(const MetricsLine& line) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    if (!line.stage.empty()) {
        object["stage"] = line.stage;
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
        } else {
            object[key] = nullptr;
        }
    }
    for (const auto& [key, value] : line.texts) {
        object[key] = value;
    }
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace rankscope::protocol
