// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/line_metrics.h>

#include <algorithm>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxLine = 4096;

// Colours and cursor movements: ESC [ … letter.
std::string without_escapes(std::string_view line) {
    std::string plain;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] != '\x1b') {
            plain += line[at];
            continue;
        }
        if (at + 1 < line.size() && line[at + 1] == '[') {
            at += 2;
            while (at < line.size() && (line[at] < '@' || line[at] > '~')) {
                ++at;
            }
        }
    }
    return plain;
}

// Every known shape holds one of these. Most lines of a chatty program hold none, and are done with here.
bool may_be_known(std::string_view line) {
    constexpr std::array<std::string_view, 6> kTraces{"oss", "cc", "CC", "EPOCH", "%|", "it ["};
    return std::any_of(kTraces.begin(), kTraces.end(),
                       [line](std::string_view trace) { return line.find(trace) != std::string_view::npos; });
}

}  // namespace

std::vector<MetricsLine> LineMetrics::feed(bool is_stderr, std::string_view bytes) {
    std::vector<MetricsLine> out;
    Stream& stream = streams_[is_stderr ? 1 : 0];
    while (!bytes.empty()) {
        const auto end = bytes.find_first_of("\n\r");  // a bar ends its line with '\r'
        const auto part = bytes.substr(0, end);
        stream.too_long = stream.too_long || stream.line.size() + part.size() > kMaxLine;
        if (!stream.too_long) {
            stream.line += part;
        }
        if (end == std::string_view::npos) {
            break;
        }
        if (!stream.too_long) {
            read_line(stream.line, out);
        }
        stream.line.clear();
        stream.too_long = false;
        bytes.remove_prefix(end + 1);
    }
    if (stream.too_long) {
        stream.line.clear();
    }
    return out;
}

std::vector<MetricsLine> LineMetrics::finish() {
    std::vector<MetricsLine> out;
    for (auto& stream : streams_) {
        if (!stream.too_long) {
            read_line(stream.line, out);
        }
        stream = Stream();
    }
    return out;
}

void LineMetrics::given(const MetricsLine& line) {
    for (const auto& [key, value] : line.values) {
        given_.insert(key);
    }
}

std::optional<Reading> LineMetrics::read(std::string_view line) const {
    for (const auto& pattern : patterns_) {
        if (auto reading = pattern.match(line)) {
            return reading;
        }
    }
    if (known_shapes_ && may_be_known(line)) {
        for (const auto& shape : metric_lines::known_shapes()) {
            if (auto reading = shape.read(line)) {
                return reading;
            }
        }
    }
    return std::nullopt;
}

void LineMetrics::read_line(std::string_view line, std::vector<MetricsLine>& out) {
    // A metric needs a digit.
    if (line.find_first_of("0123456789") == std::string_view::npos) {
        return;
    }
    const bool coloured = line.find('\x1b') != std::string_view::npos;
    const std::string plain = coloured ? without_escapes(line) : std::string();
    if (auto reading = read(coloured ? std::string_view(plain) : line)) {
        add(*reading, out);
    }
}

void LineMetrics::add(Reading& reading, std::vector<MetricsLine>& out) {
    if (reading.values.empty()) {
        if (reading.in_epoch && !reading.validation) {
            counter_.bar(*reading.in_epoch);
        }
        return;
    }
    std::erase_if(reading.values, [this](const auto& pair) { return given_.count(pair.first) != 0; });
    if (reading.values.empty()) {
        return;
    }
    const auto place = counter_.place(reading);
    MetricsLine line;
    line.step = place.step;
    line.epoch = place.epoch;
    for (const auto& [key, value] : reading.values) {
        line.values.emplace_back(key, accuracy_.of(key, value));
    }
    if (line == last_) {
        return;  // a bar is drawn more often than it changes
    }
    last_ = line;
    // For progress and the time that is left, once.
    const auto once = [&line, this](const char* key, const std::optional<double>& value,
                                    std::optional<double>& reported) {
        if (value && value != reported && given_.count(key) == 0) {
            line.values.emplace_back(key, *value);
            reported = value;
        }
    };
    if (!reading.validation) {
        once("steps_per_epoch", reading.per_epoch, steps_per_epoch_);
        once("epochs", reading.epochs, epochs_);
    }
    out.push_back(std::move(line));
}

}  // namespace rankscope::metric_lines
