// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <algorithm>
#include <utility>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxLine = 4096;
// Of a program that prints this many lines without a metric, a part is looked at, in runs of lines.
constexpr std::uint64_t kBarren = 10'000;
constexpr std::uint64_t kBlock = 1024;
constexpr std::uint64_t kLookedAt = 64;
constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostRedrawn = 1000;
constexpr std::size_t kMostLengths = 1000;

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
    constexpr std::array<std::string_view, 7> kTraces{"oss", "cc", "CC", "EPOCH", "%", "it [", "/? ["};
    return std::any_of(kTraces.begin(), kTraces.end(),
                       [line](std::string_view trace) { return line.find(trace) != std::string_view::npos; });
}

bool may_be_heading(std::string_view line) {
    constexpr std::array<std::string_view, 8> kTraces{"poch", "POCH", "tep",   "iter",
                                                      "Iter", "ound", "-----", "  #  "};
    return std::any_of(kTraces.begin(), kTraces.end(),
                       [line](std::string_view trace) { return line.find(trace) != std::string_view::npos; });
}

// A bar ends its line with '\r'. (find_first_of() would call a function for each character.)
std::size_t end_of_line(std::string_view bytes) {
    const auto end = std::find_if(bytes.begin(), bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    return end == bytes.end() ? std::string_view::npos : static_cast<std::size_t>(end - bytes.begin());
}

// "Test Error:", "Validation results:"
bool announces_validation(std::string_view line) {
    const auto text = trimmed(line);
    const auto end = text.find(' ');
    return text.ends_with(':') && text.size() < 40 && says_validation(lower_case(text.substr(0, end)));
}

}  // namespace

std::vector<MetricsLine> LineMetrics::feed(bool is_stderr, std::string_view bytes) {
    std::vector<MetricsLine> out;
    Stream& stream = streams_[is_stderr ? 1 : 0];
    while (!bytes.empty()) {
        const auto end = end_of_line(bytes);
        std::string_view line = bytes.substr(0, end);
        stream.too_long = stream.too_long || stream.line.size() + line.size() > kMaxLine;
        if (!stream.too_long && (end == std::string_view::npos || !stream.line.empty())) {
            line = stream.line += line;
        }
        if (end == std::string_view::npos) {
            break;
        }
        if (!stream.too_long) {
            // tqdm's way to wipe a bar, before another line is printed above it.
            cleared_ = cleared_ || (bytes[end] == '\r' && !line.empty() &&
                                    line.find_first_not_of(' ') == std::string_view::npos);
            read_line(line, out);
        }
        stream.line.clear();
        stream.too_long = false;
        bytes.remove_prefix(end + 1);
    }
    if (stream.too_long) {
        stream.line.clear();
    } else if (stream.line.ends_with(']')) {
        // A bar is drawn before the next one ends its line.
        if (auto bar = read(stream.line); bar && bar->values.empty()) {
            take(std::move(*bar), out);
        }
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
    for (auto& bar : bars_.rest()) {
        take(std::move(bar), out);
    }
    while (!waiting_.empty()) {
        resolve_first(std::nullopt, out);
    }
    return out;
}

void LineMetrics::given(const MetricsLine& line) {
    any_ = true;
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
    const bool coloured = line.find('\x1b') != std::string_view::npos;
    const std::string plain = coloured ? without_escapes(line) : std::string();
    const std::string_view text = coloured ? std::string_view(plain) : line;
    // A metric needs a digit; the heading of a table does not.
    const bool digits = std::any_of(text.begin(), text.end(), is_digit);
    // Neither a user's pattern nor a table may want the line.
    const bool alike = digits && known_shapes_ && patterns_.empty() && !table_.is_open();
    if (const auto* fields = alike ? templates_.find(text) : nullptr; fields != nullptr) {
        for (auto& reading : general_.read(*fields, counter_.last())) {
            barren_ = 0;
            take_of_line(text, std::move(reading), out);
        }
        general_.announce_validation(false);
        return;
    }
    if (known_shapes_ && (table_.is_open() || may_be_heading(text)) && read_table(text, out)) {
        return;
    }
    if (!digits) {
        general_.announce_validation(announces_validation(text));
        return;
    }
    if (auto reading = read(text)) {
        general_.known(*reading);
        barren_ = reading->values.empty() ? barren_ : 0;
        take_of_line(text, std::move(*reading), out);
    } else if (known_shapes_) {
        read_unknown(text, alike, out);
    }
    general_.announce_validation(false);
}

bool LineMetrics::read_table(std::string_view line, std::vector<MetricsLine>& out) {
    const auto row = table_.read(line);
    if (row.pairs) {
        barren_ = 0;
        for (auto& reading : general_.read(fields_of(tokens_of(*row.pairs)), counter_.last(), true)) {
            take(std::move(reading), out);
        }
    }
    return row.is_of_table;
}

void LineMetrics::read_unknown(std::string_view line, bool alike, std::vector<MetricsLine>& out) {
    if (++barren_ > kBarren && barren_ % kBlock >= kLookedAt) {
        return;
    }
    const auto tokens = tokens_of(line);
    // A bar counts: there is no line to wait for.
    const bool certain =
        BarValues::has(line) && (line.find("loss") != line.npos || line.find("acc") != line.npos);
    const LineFields fields = fields_of(tokens);
    auto readings = general_.read(fields, counter_.last(), certain);
    for (auto& reading : readings) {
        barren_ = 0;
        take_of_line(line, std::move(reading), out);
    }
    if (alike && !readings.empty() && !BarValues::has(line)) {
        templates_.remember(line, tokens, fields);
    }
    if (!any_ && readings.empty() && !general_.waits()) {
        unread_.add(line, tokens);
    }
}

void LineMetrics::take_of_line(std::string_view line, Reading reading, std::vector<MetricsLine>& out) {
    if (reading.in_epoch && !reading.per_epoch && !reading.validation && BarValues::has(line)) {
        counter_.drawn(*reading.in_epoch);
    }
    if (reading.values.empty()) {
        take(std::move(reading), out);
        return;
    }
    const bool bar = (reading.in_epoch || reading.step) && !reading.validation && BarValues::has(line);
    if (!bar) {
        for (auto& one : bars_.rest()) {
            take(std::move(one), out);
        }
        take(std::move(reading), out);
        return;
    }
    for (auto& one : bars_.draw(line, std::move(reading))) {
        take(std::move(one), out);
    }
}

// What a line says goes its way at once, but for lines whose step the next bar has.
void LineMetrics::take(Reading reading, std::vector<MetricsLine>& out) {
    if (reading.values.empty()) {
        if (reading.in_epoch && !reading.validation) {
            take_bar(reading, out);
        }
        return;
    }
    if (!reading.before_its_bar || !counter_.has_bar()) {
        add(reading, out);
        return;
    }
    if (waiting_.size() >= kMostWaiting) {
        resolve_first(std::nullopt, out);
    }
    waiting_.push_back(std::move(reading));
    if (!redrawn_.empty()) {
        const double step = redrawn_.front();
        redrawn_.pop_front();
        resolve_first(step, out);
    }
}

void LineMetrics::take_bar(const Reading& bar, std::vector<MetricsLine>& out) {
    if (!cleared_ && bar.in_epoch == last_bar_) {
        return;  // seen while its line had no end
    }
    last_bar_ = bar.in_epoch;
    while (!cleared_ && !clears_ && !waiting_.empty()) {
        resolve_first(std::nullopt, out);  // this program does not draw its bar behind the line
    }
    counter_.bar(*bar.in_epoch, bar.per_epoch);
    // A wiped bar that is not drawn again has only ended.
    const double length = bar.per_epoch.value_or(0);
    const bool drawn_before = lengths_.count(length) > 0;
    if (lengths_.size() < kMostLengths) {
        lengths_.insert(length);
    }
    if (!std::exchange(cleared_, false) || !drawn_before) {
        return;
    }
    clears_ = true;
    if (!waiting_.empty()) {
        resolve_first(bar.in_epoch, out);
    } else if (redrawn_.size() < kMostRedrawn) {
        redrawn_.push_back(*bar.in_epoch);
    }
}

void LineMetrics::resolve_first(std::optional<double> step, std::vector<MetricsLine>& out) {
    Reading reading = std::move(waiting_.front());
    waiting_.pop_front();
    if (step && reading.validation && *step >= counter_.last()) {
        reading.behind = step;
    } else if (step && !reading.validation && *step > counter_.last()) {
        reading.step = step;
    }
    add(reading, out);
}

void LineMetrics::add(Reading& reading, std::vector<MetricsLine>& out) {
    if (!given_.empty()) {
        std::erase_if(reading.values, [this](const auto& pair) { return given_.count(pair.first) != 0; });
    }
    if (reading.values.empty()) {
        return;
    }
    const auto place = counter_.place(reading);
    MetricsLine line;
    line.step = place.step;
    line.epoch = place.epoch;
    for (auto& [key, value] : reading.values) {
        value = accuracy_.of(key, value);
    }
    line.values = std::move(reading.values);
    if (line == last_) {
        return;  // a bar is drawn more often than it changes
    }
    last_ = line;
    any_ = true;
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
        once("steps", reading.steps, steps_);
    }
    out.push_back(std::move(line));
}

std::optional<LineOffer> LineMetrics::offer(double now_s, bool ended) {
    return any_ || !known_shapes_ ? std::nullopt : unread_.offer(now_s, ended);
}

}  // namespace rankscope::metric_lines
