// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/run_facts.h>
#include <remote/logs/rules/matcher.h>
#include <remote/logs/rules/rule.h>
#include <remote/logs/story/story.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// What rules compare lines with: hosts and their addresses, versions, ranks. From the facts of the run, and from the
/// captures of context rules: own_address, own_rank, nccl_version, torch_version, named_host with its_address.
class Surroundings {
public:
    /// Completes the matches and the exits, too: hosts and ranks that other lines say.
    Surroundings(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>>& found,
                 Story& story, const RunFacts& facts);

    /// The host of an address ("10.0.0.1<4000>", "[10.0.0.1]:4000"), else the address without its port.
    std::string host_of(std::string_view address) const;
    /// Whether the value of a capture has the property (see docs/log-rules.md), for a speaker on the host.
    bool has_property(const std::string& property, const std::string& value, const std::string& host) const;

    const std::set<std::array<int, 3>>& nccl_versions() const { return nccl_; }
    const std::set<std::array<int, 3>>& torch_versions() const { return torch_; }
    const std::set<std::string>& hosts() const { return hosts_; }

private:
    static void take_text(Match& match);
    void take_facts(const RunFacts& facts);
    void add_address(const std::string& host, const std::string& address);
    void take_named_hosts(const Signature& signature, const SignatureMatches& found,
                          std::map<std::uint32_t, std::set<std::string>>& named);
    void take_context(const Signature& signature, const SignatureMatches& found, const Story& story);

    std::map<std::string, std::vector<std::string>> addresses_;  // by host; that of the bootstrap first
    std::map<std::string, std::string> host_by_address_;
    std::map<std::pair<std::string, std::int64_t>, int> rank_by_pid_;
    std::set<std::array<int, 3>> nccl_;
    std::set<std::array<int, 3>> torch_;
    std::set<std::string> hosts_;
};

/// The address without brackets, port and scope.
std::string bare_address(std::string_view text);

}  // namespace rankscope::logs
