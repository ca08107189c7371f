// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/story/progress.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace rankscope::logs {
namespace {

constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kMostCounters = 8;  // of a rank

constexpr std::array<std::string_view, 6> kCounters{"step", "iter", "iteration", "epoch", "batch", "update"};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

struct Count {
    std::string_view name;
    double number = 0;
};

// Reads lines by hand: every line of a program passes here, and few count anything.
class CountScan {
public:
    explicit CountScan(std::string_view text) : text_(text) {}

    // "step 10", "Step: 10", "[step=10", "'epoch': 0.5", "iteration      100/ 500000", "Epoch: [3]".
    std::optional<Count> named() {
        for (std::size_t i = 0; i < text_.size();) {
            if (!is_letter(text_[i])) {
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < text_.size() && is_letter(text_[end])) {
                ++end;
            }
            const auto name = counter(text_.substr(i, end - i));
            i = end;
            if (!name.empty()) {
                if (const auto value = value_after(end)) {
                    return Count{name, *value};
                }
            }
        }
        return std::nullopt;
    }

    // "12/100 [00:03<00:21" of tqdm, "[ 120/5005]".
    std::optional<double> bar() {
        for (auto slash = text_.find('/'); slash != text_.npos; slash = text_.find('/', slash + 1)) {
            std::size_t begin = slash;
            while (begin > 0 && is_digit(text_[begin - 1])) {
                --begin;
            }
            at_ = slash + 1;
            skip(" ", 1);
            if (begin < slash && slash - begin <= kDigits && digits() > 0 && ends_bar()) {
                return number(begin, slash);
            }
        }
        return std::nullopt;
    }

private:
    static constexpr std::size_t kDigits = 12;
    static constexpr std::size_t kSpaces = 8;

    static std::string_view counter(std::string_view word) {
        for (const auto name : kCounters) {
            const bool plural = word.size() == name.size() + 1 && lower(word.back()) == 's';
            if ((word.size() == name.size() || plural) &&
                std::equal(name.begin(), name.end(), word.begin(),
                           [](char known, char given) { return known == lower(given); })) {
                return name;
            }
        }
        return {};
    }

    std::optional<double> value_after(std::size_t end) {
        at_ = end;
        skip("\"'", 1);
        skip(" \t", kSpaces);
        skip(":=#", 1);
        skip(" \t", kSpaces);
        skip("[", 1);
        skip(" ", 1);
        const auto begin = at_;
        if (begin == end || digits() == 0) {
            return std::nullopt;  // "step10" is a name
        }
        if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
            ++at_;
            digits();
        }
        return number(begin, at_);
    }

    bool ends_bar() {
        if (at_ < text_.size() && text_[at_] == ']') {
            return true;
        }
        if (!text_.substr(at_).starts_with(" [")) {
            return false;
        }
        at_ += 2;
        return digits() > 0 && at_ + 1 < text_.size() && text_[at_] == ':' && is_digit(text_[at_ + 1]);
    }

    void skip(std::string_view characters, std::size_t most) {
        for (std::size_t i = 0;
             i < most && at_ < text_.size() && characters.find(text_[at_]) != characters.npos; ++i) {
            ++at_;
        }
    }
    std::size_t digits() {
        const auto begin = at_;
        while (at_ < text_.size() && is_digit(text_[at_]) && at_ - begin < kDigits) {
            ++at_;
        }
        return at_ - begin;
    }
    double number(std::size_t begin, std::size_t end) const {
        double value = 0;
        double unit = 0;  // of the next digit behind the point
        for (const char c : text_.substr(begin, end - begin)) {
            if (c == '.') {
                unit = 0.1;
            } else if (unit > 0) {
                value += unit * (c - '0');
                unit /= 10;
            } else {
                value = value * 10 + (c - '0');
            }
        }
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

void Progress::take(const LogLine& line) {
    if (!line.bar.empty() && line.bar.size() <= kLongestLine) {
        if (const auto number = CountScan(line.bar).bar()) {
            const double time = line.time_of_day_only ? std::numeric_limits<double>::quiet_NaN() : line.time;
            count(Key(line.place.file, std::string(line.part), line.bar_rank), line.origin(), "bar", *number,
                  {line.place.line, time});
        }
    }
    if (line.speaker != Speaker::Program || line.level == LineLevel::Error ||
        line.message.size() > kLongestLine) {
        return;
    }
    const Mark mark{line.place.line,
                    line.time_of_day_only ? std::numeric_limits<double>::quiet_NaN() : line.time};
    const auto key = [&] { return Key(line.place.file, std::string(line.part), line.rank); };
    CountScan scan(line.message);
    if (const auto found = scan.named()) {
        count(key(), line.origin(), found->name, found->number, mark);
    }
    if (const auto number = scan.bar()) {
        count(key(), line.origin(), "bar", *number, mark);
    }
}

void Progress::take(const ReportedStep& step) {
    // After that line, and before the next one.
    count(Key(step.after.file, std::string(), step.rank), "", "reported", static_cast<double>(step.step),
          {step.after.line + 1, step.time});
}

void Progress::count(const Key& key, std::string_view host, std::string_view name, double number, Mark mark) {
    auto of_rank = of_rank_.find(key);
    if (of_rank == of_rank_.end()) {
        if (of_rank_.size() >= kMost) {
            return;
        }
        of_rank = of_rank_.emplace(key, OfRank{std::string(host), {}}).first;
    }
    auto& counters = of_rank->second.counters;
    auto known = counters.find(name);
    if (known == counters.end()) {
        if (counters.size() >= kMostCounters) {
            return;
        }
        known = counters.emplace(std::string(name), Counter()).first;
    }
    auto& counter = known->second;
    if (number > counter.last) {
        counter.latest[counter.advances++ % kKept] = mark;
    }
    counter.last = number;
}

void Progress::correct(const std::function<double(std::string_view host, int rank)>& ahead_of) {
    for (auto& [key, of_rank] : of_rank_) {
        const double ahead = ahead_of(of_rank.host, std::get<2>(key));
        for (auto& [name, counter] : of_rank.counters) {
            for (auto& mark : counter.latest) {
                mark.time -= ahead;
            }
        }
    }
}

template <typename IsAfter>
std::size_t Progress::most_of(const Counters& counters, IsAfter is_after) {
    std::size_t most = 0;
    for (const auto& [name, counter] : counters) {
        const auto kept = std::min<std::uint64_t>(counter.advances, kKept);
        most = std::max(most, static_cast<std::size_t>(std::count_if(
                                  counter.latest.begin(),
                                  counter.latest.begin() + static_cast<std::ptrdiff_t>(kept), is_after)));
    }
    return most;
}

std::size_t Progress::after(const LinePlace& place, std::string_view part, int rank) const {
    const auto known = of_rank_.find(Key(place.file, std::string(part), rank));
    return known == of_rank_.end()
               ? 0
               : most_of(known->second.counters, [&](const Mark& mark) { return mark.line > place.line; });
}

std::size_t Progress::others_after(const LinePlace& place, std::string_view part, int rank,
                                   double time) const {
    std::size_t most = 0;
    for (const auto& [key, of_rank] : of_rank_) {
        const bool together = std::get<0>(key) == place.file && std::get<1>(key) == part;
        const int other = std::get<2>(key);
        // Files of several runs lie in one folder, too: of these, ranks are all that tells them apart.
        if (other == rank || other < 0 || (rank < 0 && !together)) {
            continue;
        }
        most = std::max(most, most_of(of_rank.counters, [&](const Mark& mark) {
                            return together ? mark.line > place.line : mark.time > time;
                        }));
    }
    return most;
}

}  // namespace rankscope::logs
