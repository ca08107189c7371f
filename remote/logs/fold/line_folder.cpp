// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/fold/line_folder.h>

#include <algorithm>
#include <functional>

namespace rankscope::logs {
namespace {

constexpr char kValueMark = '\x02';
constexpr std::uint32_t kFewFirsts = 8;  ///< lines of a template before anything is learned

std::uint64_t hash_of(std::string_view text) {
    return std::hash<std::string_view>()(text);
}

/// One hash of two numbers (splitmix64).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a + 0x9E3779B97F4A7C15U * (b + 1);
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

}  // namespace

// The line before, of another rank: it is most likely the same one.
void LineFolder::compare(Learned& learned, int rank) {
    const bool of_another = learned.rank >= 0 && learned.rank != rank;
    learned.rank = rank;
    for (std::size_t i = 0; i < template_.places.size() && i < kMostPlaces; ++i) {
        const auto value = static_cast<std::uint32_t>(hash_of(template_.places[i].text));
        if (of_another) {
            auto& count = learned.values[i] == value ? learned.same[i] : learned.different[i];
            count = static_cast<std::uint16_t>(std::min(count + 1, 0xFFFF));
        }
        learned.values[i] = value;
    }
}

// Lines that several ranks print and that are hardly ever repeated have values of each rank's own.
void LineFolder::learn(Learned& learned, bool is_first) {
    (is_first ? learned.firsts : learned.repeated) += 1;
    if (!is_first || learned.firsts % kFewFirsts != 0 || learned.repeated * 4 >= learned.firsts) {
        return;
    }
    for (std::size_t i = 0; i < kMostPlaces; ++i) {
        if (learned.different[i] >= kFewFirsts / 2 && learned.different[i] > 3 * learned.same[i]) {
            learned.own |= 1U << i;
        }
    }
}

std::uint64_t LineFolder::identity_of(const RankOutput& line, Learned*& learned) {
    const LogLine parsed = parser_.parse({.place = {0, line.number}, .text = line.text});
    template_.take(parsed.message, parsed.host);
    key_.assign(1, line.is_stderr ? 'e' : 'o');
    key_ += template_.key;
    const std::uint64_t kind = hash_of(key_);
    auto known = learned_.find(kind);
    if (known == learned_.end() && learned_.size() < kMostTemplates && !template_.places.empty()) {
        known = learned_.try_emplace(kind).first;
    }
    learned = known == learned_.end() ? nullptr : &known->second;
    for (std::size_t i = 0; i < template_.places.size(); ++i) {
        const bool own = template_.places[i].kind == PlaceKind::Own ||
                         (learned != nullptr && i < kMostPlaces && (learned->own >> i & 1U) != 0);
        key_ += kValueMark;
        key_ += own ? std::string_view() : template_.places[i].text;
    }
    key_ += kValueMark;
    key_ += parsed.message.substr(std::min(template_.covered, parsed.message.size()));
    return hash_of(key_);
}

std::uint32_t LineFolder::take(const RankOutput& line) {
    Learned* learned = nullptr;
    const std::uint64_t identity = identity_of(line, learned);
    if (learned != nullptr) {
        compare(*learned, line.rank);
    }
    std::uint32_t& count = counts_[mixed(identity, static_cast<std::uint64_t>(line.rank))];
    for (;;) {
        ++count;
        Group& group = groups_[mixed(~identity, count)];
        const bool is_first = group.first == kNone;
        if (is_first) {
            group = {line.number, line.t_us};
        } else if (line.t_us - group.t_us > kApartUs || group.t_us - line.t_us > kApartUs) {
            continue;  // this rank did not print it then
        }
        if (learned != nullptr) {
            learn(*learned, is_first);
        }
        return is_first ? kNone : group.first;
    }
}

std::vector<TextPart> varying_parts(std::string_view text, const std::vector<std::string_view>& others) {
    LineParser parser;
    const LogLine line = parser.parse({.place = {}, .text = text});
    LineTemplate own;
    own.take(line.message, line.host);
    const std::string_view prefix = text.substr(0, text.size() - line.message.size());
    bool prefix_varies = false;
    std::vector<bool> varies(own.places.size());
    LineTemplate other;
    for (const auto& repeated : others) {
        const LogLine same = parser.parse({.place = {}, .text = repeated});
        other.take(same.message, same.host);
        prefix_varies = prefix_varies || prefix != repeated.substr(0, repeated.size() - same.message.size());
        for (std::size_t i = 0; i < varies.size() && i < other.places.size(); ++i) {
            varies[i] = varies[i] || own.places[i].text != other.places[i].text;
        }
    }
    std::vector<TextPart> parts;
    if (prefix_varies && !prefix.empty()) {
        parts.push_back({0, prefix.size()});
    }
    for (std::size_t i = 0; i < varies.size(); ++i) {
        if (varies[i]) {
            parts.push_back({static_cast<std::size_t>(own.places[i].text.data() - text.data()),
                             own.places[i].text.size()});
        }
    }
    return parts;
}

}  // namespace rankscope::logs
