// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace rankscope {
namespace {

constexpr std::size_t kMostOrderedMembers = 16384;

/// Counts levels and values without building any. Up to the first fault of the text, where nlohmann's parser stops,
/// both see the same strings and brackets.
class Measure {
public:
    explicit Measure(const JsonLimits& limits) : limits_(limits) {}

    /// nullptr: within the limits.
    const char* excess(std::string_view text) {
        if (text.size() > limits_.bytes) {
            return "the text is too long";
        }
        for (std::size_t at = 0; at < text.size(); ++at) {
            switch (text[at]) {
                case '"':
                    at = end_of_string(text, at);
                    break;
                case '[':
                case '{':
                    if (members_.size() == limits_.depth) {
                        return "it is nested too deeply";
                    }
                    members_.push_back(0);
                    if (!count()) {
                        return "it has too many values";
                    }
                    break;
                case ']':
                case '}':
                    if (!members_.empty()) {
                        members_.pop_back();
                    }
                    break;
                case ',':
                    if (!count()) {
                        return "it has too many values";
                    }
                    break;
                default:
                    break;
            }
        }
        return nullptr;
    }

private:
    static std::size_t end_of_string(std::string_view text, std::size_t at) {
        for (++at; at < text.size() && text[at] != '"'; ++at) {
            at += text[at] == '\\' ? std::size_t{1} : std::size_t{0};
        }
        return at;
    }

    bool count() {
        return ++values_ <= limits_.values && (members_.empty() || ++members_.back() <= limits_.members);
    }

    const JsonLimits& limits_;
    std::vector<std::size_t> members_;  ///< of the open objects and lists
    std::size_t values_ = 0;
};

template <typename Json>
Json read(std::string_view text, const JsonLimits& limits, std::string* why) {
    const char* excess = Measure(limits).excess(text);
    if (excess == nullptr) {
        Json value = Json::parse(text.begin(), text.end(), nullptr, false);
        if (!value.is_discarded() || why == nullptr) {
            return value;
        }
        try {
            const Json again = Json::parse(text.begin(), text.end());
        } catch (const typename Json::parse_error& error) {
            *why = error.what();
        }
    } else if (why != nullptr) {
        *why = excess;
    }
    return Json(Json::value_t::discarded);
}

template <typename Json>
std::string line_of(const Json& value) {
    const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string out;
    out.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        const auto next = i + 1 < line.size() ? static_cast<unsigned char>(line[i + 1]) : 0U;
        if (byte == 0x7F) {
            out += "\\u007f";
        } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
            constexpr const char* kDigits = "0123456789abcdef";
            out += "\\u00";
            out += kDigits[next >> 4U];
            out += kDigits[next & 0xFU];
            ++i;
        } else {
            out += line[i];
        }
    }
    return out;
}

}  // namespace

nlohmann::json read_json(std::string_view text, const JsonLimits& limits, std::string* why) {
    return read<nlohmann::json>(text, limits, why);
}

nlohmann::ordered_json read_ordered_json(std::string_view text, JsonLimits limits, std::string* why) {
    limits.members = std::min(limits.members, kMostOrderedMembers);
    return read<nlohmann::ordered_json>(text, limits, why);
}

std::string json_line(const nlohmann::json& value) {
    return line_of(value);
}

std::string json_line(const nlohmann::ordered_json& value) {
    return line_of(value);
}

}  // namespace rankscope
