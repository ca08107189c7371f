// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/text.h>
#include <remote/logs/grammar/time_stamp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace rankscope::logs {
namespace {

/// Reads from the left; one step that fails makes the whole fail.
class Scan {
public:
    explicit Scan(std::string_view text) : rest_(text) {}

    int number(std::size_t digits) {
        if (rest_.size() < digits) {
            good_ = false;
            return 0;
        }
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (!is_digit(rest_[i])) {
                good_ = false;
                return 0;
            }
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return value;
    }
    void skip(char c) {
        if (!accept(c)) {
            good_ = false;
        }
    }
    bool accept(char c) {
        if (!good_ || rest_.empty() || rest_[0] != c) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }
    /// ".693432562" or ",693".
    double fraction() {
        double value = 0;
        if (rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && is_digit(rest_[1])) {
            double unit = 0.1;
            rest_.remove_prefix(1);
            while (!rest_.empty() && is_digit(rest_[0])) {
                value += unit * (rest_[0] - '0');
                unit /= 10;
                rest_.remove_prefix(1);
            }
        }
        return value;
    }
    /// Index of the word of three letters at the start, from 0.
    int name(std::string_view names) {
        if (rest_.size() >= 3 && good_) {
            for (std::size_t i = 0; i + 3 <= names.size(); i += 3) {
                if (rest_.starts_with(names.substr(i, 3))) {
                    rest_.remove_prefix(3);
                    return static_cast<int>(i / 3);
                }
            }
        }
        good_ = false;
        return 0;
    }
    void fail_unless(bool condition) { good_ = good_ && condition; }
    bool good() const { return good_; }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    bool good_ = true;
};

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kDays = "MonTueWedThuFriSatSun";

std::optional<double> day_start(int year, int month, int day) {
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) {
        return std::nullopt;
    }
    return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * 86400.0;
}

double clock_time(Scan& scan) {
    const int hours = scan.number(2);
    scan.skip(':');
    const int minutes = scan.number(2);
    scan.skip(':');
    const int seconds = scan.number(2);
    scan.fail_unless(hours < 24 && minutes < 60 && seconds <= 60);
    return hours * 3600.0 + minutes * 60.0 + seconds + scan.fraction();
}

/// The year in which that day is the last one before the file's last change.
std::optional<double> day_without_year(int month, int day, FileDate date) {
    using namespace std::chrono;
    const auto end = date != 0 ? sys_seconds(seconds(date)) : sys_seconds(seconds(now_us() / 1'000'000));
    const year_month_day last(floor<days>(end));
    const auto of_year = [&](int year) { return day_start(year, month, day); };
    const auto start = of_year(static_cast<int>(last.year()));
    constexpr double kZones = 2 * 86400.0;  // a local time counts as UTC
    if (start && *start > static_cast<double>(end.time_since_epoch().count()) + kZones) {
        const auto before = of_year(static_cast<int>(last.year()) - 1);
        return before ? before : start;
    }
    return start;
}

}  // namespace

std::optional<TimeStamp> take_iso_time(std::string_view& rest) {
    if (rest.size() < 19 || (rest[4] != '-' && rest[4] != '/')) {
        return std::nullopt;
    }
    Scan scan(rest);
    const char separator = rest[4];
    const int year = scan.number(4);
    scan.skip(separator);
    const int month = scan.number(2);
    scan.skip(separator);
    const int day = scan.number(2);
    if (!scan.accept('T')) {
        scan.skip(' ');
    }
    double seconds = clock_time(scan);
    const auto start = scan.good() ? day_start(year, month, day) : std::nullopt;
    if (!start) {
        return std::nullopt;
    }
    if (!scan.accept('Z')) {
        auto zone = scan;
        const double sign = zone.accept('+') ? 1 : zone.accept('-') ? -1 : 0;
        if (sign != 0) {
            const int hours = zone.number(2);
            zone.accept(':');
            const int minutes = zone.number(2);
            if (zone.good()) {
                seconds -= sign * (hours * 3600.0 + minutes * 60.0);
                scan = zone;
            }
        }
    }
    rest = scan.rest();
    return TimeStamp{*start + seconds};
}

std::optional<TimeStamp> take_unix_time(std::string_view& rest) {
    constexpr std::size_t kDigits = 10;  // 2001 to 2286
    if (rest.size() < kDigits + 2 || rest[kDigits] != '.' || rest[0] == '0') {
        return std::nullopt;
    }
    Scan scan(rest);
    const double high = scan.number(5);
    const double low = scan.number(5);
    const double seconds = high * 1e5 + low + scan.fraction();
    if (!scan.good()) {
        return std::nullopt;
    }
    rest = scan.rest();
    return TimeStamp{seconds};
}

std::optional<TimeStamp> take_month_name_time(std::string_view& rest, FileDate date) {
    Scan scan(rest);
    if (auto weekday = scan; weekday.name(kDays), weekday.good()) {
        weekday.skip(' ');
        scan = weekday;
    }
    const int month = scan.name(kMonths) + 1;
    scan.skip(' ');
    const int day = scan.accept(' ') ? scan.number(1) : scan.number(2);
    scan.skip(' ');
    const double seconds = clock_time(scan);
    if (!scan.good()) {
        return std::nullopt;
    }
    auto start = day_without_year(month, day, date);
    if (auto year = scan; year.accept(' ')) {
        const int number = year.number(4);
        if (const auto known = day_start(number, month, day); year.good() && number >= 1970 && known) {
            start = known;
            scan = year;
        }
    }
    if (!start) {
        return std::nullopt;
    }
    rest = scan.rest();
    return TimeStamp{*start + seconds};
}

std::optional<TimeStamp> take_glog_time(std::string_view& rest, FileDate date) {
    Scan scan(rest);
    const int month = scan.number(2);
    const int day = scan.number(2);
    scan.skip(' ');
    const double seconds = clock_time(scan);
    const auto start = scan.good() ? day_without_year(month, day, date) : std::nullopt;
    if (!start) {
        return std::nullopt;
    }
    rest = scan.rest();
    return TimeStamp{*start + seconds};
}

std::optional<TimeStamp> take_clock_time(std::string_view& rest) {
    Scan scan(rest);
    const double seconds = clock_time(scan);
    if (!scan.good()) {
        return std::nullopt;
    }
    rest = scan.rest();
    return TimeStamp{seconds, true};
}

}  // namespace rankscope::logs
