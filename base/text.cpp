// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace rankscope {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer is no misspelling, and the distance costs its square
constexpr std::size_t kTelling = 3;       // letters that both begin with: "batch" for "batch_size"

// Damerau-Levenshtein with neighbours swapped once (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1, 0);
    std::vector<std::size_t> last(b.size() + 1, 0);
    std::vector<std::size_t> row(b.size() + 1, 0);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlank);
    return begin == text.npos ? std::string_view()
                              : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string lower_case(std::string_view text) {
    std::string small(text);
    for (char& c : small) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return small;
}

std::string base_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            break;
        }
        text.remove_prefix(end + 1);
        if (text.empty()) {
            parts.emplace_back();
        }
    }
    return parts;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        return std::to_string(bytes) + " B";
    }
    auto size = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (size >= 1023.95 && unit + 1 < kUnits.size()) {  // "1024.0 KiB" would be rounded to
        size /= 1024;
        ++unit;
    }
    return fixed_text(size, size < 99.95 ? 1 : 0) + ' ' + kUnits.at(unit);
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance =
            word.size() > kLongestWord ? best_distance : edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    for (const std::string& candidate : known) {
        const bool begins = candidate.starts_with(word) || word.starts_with(candidate);
        if (best.empty() && begins && std::min(candidate.size(), word.size()) >= kTelling) {
            best = candidate;
        }
    }
    return best;
}

}  // namespace rankscope
