// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/version_range.h>
#include <remote/logs/story/host_clocks.h>
#include <remote/logs/verdicts/surroundings.h>
#include <remote/logs/verdicts/text_place.h>

#include <re2/re2.h>

#include <algorithm>

namespace rankscope::logs {
namespace {

// "10.20" of 10.20.0.11; the first three groups of an IPv6 address.
std::string_view network_of(std::string_view address) {
    const char separator = address.find(':') != std::string_view::npos ? ':' : '.';
    std::size_t end = 0;
    for (int parts = separator == ':' ? 3 : 2; parts > 0 && end != std::string_view::npos; --parts) {
        end = address.find(separator, end + 1);
    }
    return address.substr(0, end);
}

bool matches(const std::string& text, const char* pattern) {
    return re2::RE2::PartialMatch(text, pattern);
}

}  // namespace

std::string bare_address(std::string_view text) {
    text = text.substr(0, text.find('<'));
    text = text.substr(0, text.find('%'));  // the interface of the speaker, which means nothing elsewhere
    if (text.starts_with('[')) {
        return std::string(text.substr(1, text.find(']') - 1));
    }
    if (std::count(text.begin(), text.end(), ':') == 1) {
        text = text.substr(0, text.find(':'));
    }
    return std::string(text);
}

Surroundings::Surroundings(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>>& found,
                           Story& story, const RunFacts& facts) {
    take_facts(facts);
    // A file whose lines name no host, but whose summary does.
    std::map<std::uint32_t, std::set<std::string>> named;
    for (const auto& exit : story.exits()) {
        if (!exit.host.empty()) {
            named[exit.place.file].insert(exit.host);
        }
    }
    const bool one_node = std::none_of(facts.communicators.begin(), facts.communicators.end(),
                                       [](const Communicator& one) { return one.nnodes > 1; });
    std::map<std::uint32_t, std::set<std::string>> speaking;
    for (const auto& process : story.processes()) {
        if (!process.host.empty() && process.part.empty()) {
            speaking[process.file].insert(process.host);
        }
    }
    const auto only_host = [&](std::uint32_t file) {
        if (const auto known = named.find(file); known != named.end()) {
            return known->second.size() == 1 ? *known->second.begin() : std::string();
        }
        const auto known = speaking.find(file);
        return one_node && known != speaking.end() && known->second.size() == 1 ? *known->second.begin()
                                                                                : std::string();
    };
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        for (std::size_t i = 0; i < rules[rule].signatures.size(); ++i) {
            if (rules[rule].role == RuleRole::Context) {
                take_context(rules[rule].signatures[i], found[rule][i], story);
                take_named_hosts(rules[rule].signatures[i], found[rule][i], named);
            }
        }
    }
    for (const auto& process : story.processes()) {
        if (!process.host.empty()) {
            hosts_.insert(process.host);
        } else if (!speaking.contains(process.file) && !named.contains(process.file)) {
            hosts_.insert(process.view);  // a file for each node, and no line says of which
        }
    }
    for (auto& exit : story.exits()) {
        hosts_.insert(exit.host.empty() ? exit.host = only_host(exit.place.file) : exit.host);
    }
    hosts_.erase("");
    const auto host_of_rank = hosts_of_ranks(facts);
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        const bool fault = rules[rule].role == RuleRole::Cause || rules[rule].role == RuleRole::Victim;
        for (auto& signature : found[rule]) {
            for (auto& match : signature.kept) {
                if (fault) {
                    take_text(match);
                }
                if (const auto known = host_of_rank.find(match.rank);
                    match.host.empty() && known != host_of_rank.end()) {
                    match.host = known->second;
                }
                if (match.host.empty() && match.part.empty()) {
                    match.host = only_host(match.place.file);
                }
                const auto& process = story.processes()[match.process];
                if (const auto rank = rank_by_pid_.find({process.host, process.pid});
                    match.rank < 0 && rank != rank_by_pid_.end()) {
                    match.rank = rank->second;
                }
                for (const auto& exit : story.exits()) {
                    if (exit.place == match.place) {
                        match.rank = exit.rank >= 0 ? exit.rank : match.rank;
                        match.host = exit.host.empty() ? match.host : exit.host;
                    }
                }
            }
        }
    }
}

// What the words of the line say themselves.
void Surroundings::take_text(Match& match) {
    auto place = place_in(match.text);
    match.rank = match.rank < 0 || place.of_another ? std::max(match.rank, place.rank) : match.rank;
    if (!place.host.empty() && (match.host.empty() || place.of_another)) {
        match.host = std::move(place.host);
    }
    if (!place.device.empty()) {
        match.device = std::move(place.device);
        match.says_device = true;
    }
}

void Surroundings::add_address(const std::string& host, const std::string& address) {
    auto& own = addresses_[host];
    if (std::find(own.begin(), own.end(), address) == own.end()) {
        own.push_back(address);
    }
    if (auto [known, added] = host_by_address_.emplace(address, host); !added && known->second != host) {
        known->second.clear();  // several hosts have it
    }
}

void Surroundings::take_facts(const RunFacts& facts) {
    for (const auto& host : facts.hosts) {
        for (const auto* list : {&host.bootstrap, &host.sockets}) {
            for (const auto& own : *list) {
                add_address(host.name, own.address);
            }
        }
        if (!host.out_of_band.address.empty()) {
            add_address(host.name, host.out_of_band.address);
        }
    }
    // The rank of a process is that in its largest communicator; none where it has several.
    std::map<std::size_t, std::pair<int, int>> largest;  // process → size, rank
    for (const auto& communicator : facts.communicators) {
        for (const auto& member : communicator.members) {
            auto& known = largest.try_emplace(member.process, -1, -1).first->second;
            if (communicator.nranks > known.first) {
                known = {communicator.nranks, member.rank};
            } else if (communicator.nranks == known.first && member.rank != known.second) {
                known.second = -1;
            }
        }
    }
    for (const auto& [index, known] : largest) {
        const auto& process = facts.processes[index];
        rank_by_pid_.emplace(std::pair(facts.hosts[process.host].name, process.pid), known.second);
    }
}

void Surroundings::take_context(const Signature& signature, const SignatureMatches& found,
                                const Story& story) {
    for (std::size_t group = 0; group < signature.captures.size(); ++group) {
        const auto& name = signature.captures[group];
        for (const auto& match : found.kept) {
            const auto& value = match.captures[group];
            const auto& process = story.processes()[match.process];
            if (value.empty()) {
                continue;
            }
            if (name == "own_address") {
                add_address(match.host, bare_address(value));
            } else if (name == "own_rank" && process.pid >= 0) {
                int rank = -1;
                if (re2::RE2::FullMatch(value, R"((\d+))", &rank)) {
                    rank_by_pid_.emplace(std::pair(process.host, process.pid), rank);
                }
            } else if (name == "nccl_version" || name == "torch_version") {
                if (const auto version = parse_version(value)) {
                    (name == "nccl_version" ? nccl_ : torch_).insert(*version);
                }
            }
        }
    }
}

void Surroundings::take_named_hosts(const Signature& signature, const SignatureMatches& found,
                                    std::map<std::uint32_t, std::set<std::string>>& named) {
    const auto index_of = [&](const char* name) {
        return std::find(signature.captures.begin(), signature.captures.end(), name) -
               signature.captures.begin();
    };
    const auto name = static_cast<std::size_t>(index_of("named_host"));
    const auto address = static_cast<std::size_t>(index_of("its_address"));
    if (name == signature.captures.size() || address == signature.captures.size()) {
        return;
    }
    for (const auto& match : found.kept) {
        named[match.place.file].insert(match.captures[name]);
        host_by_address_.emplace(bare_address(match.captures[address]), match.captures[name]);
    }
}

std::string Surroundings::host_of(std::string_view address) const {
    auto bare = bare_address(address);
    const auto known = host_by_address_.find(bare);
    return known != host_by_address_.end() && !known->second.empty() ? known->second : bare;
}

bool Surroundings::has_property(const std::string& property, const std::string& value,
                                const std::string& host) const {
    const auto address = bare_address(value);
    if (property == "loopback") {
        return matches(address, R"(^(127\.|localhost|::1$|ip6-loopback))");
    }
    if (property == "link-local") {
        return matches(address, R"(^(fe80:|169\.254\.))");
    }
    if (property == "own-host") {
        return !host.empty() && address == host;
    }
    if (property == "bridge") {
        return matches(address, R"(^(172\.(1[7-9]|2\d|3[01])\.0\.\d+|192\.168\.122\.\d+)$)");
    }
    if (property == "ephemeral-port") {
        int port = 0;
        return re2::RE2::FullMatch(value, R"((\d+))", &port) && port >= 32768;
    }
    const auto own = addresses_.find(host);
    if (own == addresses_.end() || own->second.empty()) {
        return false;
    }
    if (property == "own-address") {
        return std::find(own->second.begin(), own->second.end(), address) != own->second.end();
    }
    if (property == "subnet-twice") {
        const auto subnet = address.substr(0, address.rfind('.'));
        return std::any_of(own->second.begin(), own->second.end(), [&](const std::string& other) {
            return other != address && other.substr(0, other.rfind('.')) == subnet;
        });
    }
    const bool same = network_of(own->second.front()) == network_of(address);
    return property == "same-subnet" ? same : !same;
}

}  // namespace rankscope::logs
