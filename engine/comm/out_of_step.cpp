// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/number_text.h>
#include <engine/comm/out_of_step.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::engine {
namespace {

using nlohmann::json;

std::optional<CollectiveKind> operation_named(const std::string& name) {
    for (const CollectiveKind operation :
         {CollectiveKind::all_reduce, CollectiveKind::broadcast, CollectiveKind::all_gather,
          CollectiveKind::barrier, CollectiveKind::step, CollectiveKind::reduce_scatter, CollectiveKind::send,
          CollectiveKind::receive}) {
        if (name == name_of(operation)) {
            return operation;
        }
    }
    return std::nullopt;
}

std::string describe(const GroupState& state) {
    return describe(state.operation, state.sequence, state.bytes);
}

/// The rank is in an operation of another group.
bool is_in_another(const std::string& group, const std::map<int, RankState>& states, int rank) {
    const auto known = states.find(rank);
    return known != states.end() &&
           std::any_of(known->second.begin(), known->second.end(),
                       [&](const auto& one) { return one.first != group && one.second.running; });
}

/// What a rank that is behind does instead.
std::string instead(const std::string& group, const std::map<int, RankState>& states, int rank) {
    const std::string who = "rank " + std::to_string(rank);
    const auto known = states.find(rank);
    if (known == states.end()) {
        return "nothing is known of " + who;
    }
    for (const auto& [name, state] : known->second) {
        if (state.running) {
            return who + " is in " + describe(state) + (name == group ? "" : " of group " + name);
        }
    }
    const auto here = known->second.find(group);
    if (here == known->second.end() || here->second.sequence == 0) {
        return who + " has started none yet";
    }
    return who + " has finished " + describe(here->second) + " and computes, or hangs";
}

std::string seconds(std::chrono::duration<double> time) {
    return fixed_text(time.count(), 1) + " s";
}

}  // namespace

std::string to_text(const RankState& state) {
    json text = json::object();
    for (const auto& [name, group] : state) {
        text[name] = {{"seq", group.sequence},
                      {"op", name_of(group.operation)},
                      {"bytes", group.bytes},
                      {"running", group.running}};
    }
    return text.dump();
}

std::optional<RankState> parse_rank_state(std::string_view text) {
    const json parsed = read_json(text);
    if (!parsed.is_object()) {
        return std::nullopt;
    }
    RankState result;
    for (const auto& [name, group] : parsed.items()) {
        const bool complete =
            group.is_object() && group.contains("seq") && group["seq"].is_number_unsigned() &&
            group.contains("op") && group["op"].is_string() && group.contains("bytes") &&
            group["bytes"].is_number_unsigned() && group.contains("running") && group["running"].is_boolean();
        const auto operation =
            complete ? operation_named(group["op"].get<std::string>()) : std::optional<CollectiveKind>();
        if (!operation) {
            return std::nullopt;
        }
        result[name] = {group["seq"].get<std::uint64_t>(), *operation, group["bytes"].get<std::uint64_t>(),
                        group["running"].get<bool>()};
    }
    return result;
}

Missing find_missing(const std::string& group, const std::vector<int>& members, const GroupState& mine,
                     const std::map<int, RankState>& states, std::chrono::duration<double> waited) {
    std::vector<int> behind;
    std::vector<int> elsewhere;
    std::vector<int> waiting;
    for (const int rank : members) {
        const auto known = states.find(rank);
        const auto here = known == states.end() ? RankState::const_iterator() : known->second.find(group);
        const GroupState state =
            known == states.end() || here == known->second.end() ? GroupState{} : here->second;
        if (state.sequence < mine.sequence) {
            behind.push_back(rank);
        } else if (state.sequence == mine.sequence && !same_operation(state.operation, mine.operation)) {
            elsewhere.push_back(rank);
        } else {
            waiting.push_back(rank);
        }
    }
    const std::string what = describe(mine) + (group == "world" ? "" : " of group " + group);
    const std::string since = "rank " + rank_list(waiting) + (waiting.size() == 1 ? " has" : " have") +
                              " waited in for " + seconds(waited);
    if (!behind.empty()) {
        return {behind.front(),
                "rank " + rank_list(behind) + (behind.size() == 1 ? " has" : " have") + " not started " +
                    what + " that " + since + "; " + instead(group, states, behind.front()),
                is_in_another(group, states, behind.front())};
    }
    if (!elsewhere.empty()) {
        return {elsewhere.front(), "rank " + rank_list(elsewhere) + (elsewhere.size() == 1 ? " is" : " are") +
                                       " out of step with " + what + " that " + since + "; " +
                                       instead(group, states, elsewhere.front())};
    }
    return {-1, what + " has not ended within " + seconds(waited) +
                    " though all its ranks are in it: the network between their nodes passes no data, or too "
                    "slowly"};
}

}  // namespace rankscope::engine
