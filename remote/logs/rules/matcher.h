// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/rules/rule.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace rankscope::logs {

/// A line that matches a signature.
struct Match {
    LinePlace place = {};
    std::string text = {};                   ///< the line
    std::string part = {};                   ///< the part of the file
    std::string host = {};                   ///< of the speaker
    int rank = -1;                           ///< of the speaker
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
/// and its latest one are kept, kMost of a signature.
class Matcher {
public:
    static constexpr std::size_t kFirst = 12;
    static constexpr std::size_t kMost = 4096;

    /// `rules` outlives the matcher.
    explicit Matcher(const std::vector<Rule>& rules);

    void take(const LogLine& line, std::size_t process);

    /// By rule and signature. A line that a rule of role harmless matches has no other match.
    std::vector<std::vector<SignatureMatches>> finish();

private:
    struct Place {
        std::uint32_t rule;
        std::uint32_t signature;
    };
    struct OfProcess {
        std::size_t kept = 0;
        std::size_t latest = 0;  // its index in kept, once there are more than kFirst
    };

    bool matches(const Signature& signature, const LogLine& line);
    // A fact that a process states again and again needs no further look.
    bool enough(const Place& place, std::size_t process) const;
    void keep(const Signature& signature, const Place& place, const LogLine& line, std::size_t process);

    const std::vector<Rule>& rules_;
    LiteralScan scan_;
    std::vector<Place> places_;  // by word of the scan
    std::vector<std::vector<SignatureMatches>> found_;
    std::map<std::pair<std::size_t, std::size_t>, OfProcess> of_process_;  // (word, process)
    std::vector<std::uint32_t> words_;
    std::vector<std::string_view> groups_;
};

}  // namespace rankscope::logs
