// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/rules/rule.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::logs {

/// A line that matches a signature.
struct Match {
    LinePlace place = {};
    std::string text = {};                   ///< the line
    std::string part = {};                   ///< the part of the file
    std::string host = {};                   ///< of the speaker
    int rank = -1;                           ///< of the speaker
    int local_rank = -1;                     ///< of the speaker, on its node
    std::string device = {};                 ///< "GPU 3", "GPU 0000:b3:00.0", "mlx5_0": of the line
    bool says_device = false;                ///< its words name the device; else it is the one of the process
    std::size_t process = 0;                 ///< of the speaker: index in Story::processes()
    std::vector<std::string> captures = {};  ///< by Signature::captures
    double time = std::numeric_limits<double>::quiet_NaN();
};

/// What is kept of the matches of one signature: of each process the first and the latest, in the order of the lines.
struct SignatureMatches {
    std::vector<Match> kept = {};
    std::uint64_t count = 0;
};

/// Compares lines with the signatures of all rules, in one pass. Memory is bounded: kFirst matches of a process
/// and its latest one are kept, kMost of a signature. Of lines that state facts no more than kFirst of a process count.
class Matcher {
public:
    static constexpr std::size_t kFirst = 12;
    static constexpr std::size_t kMost = 4096;

    /// `rules` outlives the matcher.
    explicit Matcher(const std::vector<Rule>& rules);

    /// `fact`: what the line states, see FactBuilder.
    void take(const LogLine& line, LineFact fact, std::size_t process);

    /// The same of an error that several lines hold; `shown` is the first of them, as the file has it.
    void take_whole(const LogLine& whole, std::string_view shown, std::size_t process);

    /// By rule and signature. A line that a rule of role harmless matches has no other match.
    std::vector<std::vector<SignatureMatches>> finish();

private:
    struct Place {
        std::uint32_t rule;
        std::uint32_t signature;
    };
    struct OfProcess {
        std::uint64_t seen = 0;
        std::size_t kept = 0;
        std::size_t latest = 0;  // its index in kept, once there are more than kFirst
    };

    static std::uint64_t key_of(const Place& place, std::size_t process);
    static bool admits(const Signature& signature, const LogLine& line);
    Match match_of(const LogLine& line, std::size_t process) const;
    void keep(const Place& place, Match&& match);
    void take_fact(const LogLine& line, LineFact fact, std::size_t process);
    void take_error(const LogLine& line, std::size_t process);
    bool may_suffice(const Place& place, LineFact fact) const;
    bool enough(const Place& place, std::size_t process) const;
    void take_pattern(const Place& place, const LogLine& line, std::size_t process);

    const std::vector<Rule>& rules_;
    LiteralScan scan_;
    std::vector<Place> places_;                               // by word of the scan
    std::array<std::vector<Place>, kLineFacts> fact_places_;  // by fact
    std::vector<Place> error_places_;    // of signatures that take errors, whatever their words
    std::vector<std::uint32_t> stated_;  // by process: facts (bits) that need no further look
    std::vector<std::vector<SignatureMatches>> found_;
    std::unordered_map<std::uint64_t, OfProcess> of_process_;  // by key_of
    std::string_view shown_;  // what matches show in place of their line; empty: the line
    std::vector<std::uint32_t> words_;
    std::vector<std::string_view> groups_;
};

}  // namespace rankscope::logs
