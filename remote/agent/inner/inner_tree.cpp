// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/inner/inner_tree.h>

#include <algorithm>
#include <map>

namespace rankscope::agent {
namespace {

const TreeProcess* find_process(const std::vector<TreeProcess>& tree, pid_t pid) {
    const auto found =
        std::find_if(tree.begin(), tree.end(), [pid](const TreeProcess& one) { return one.pid == pid; });
    return found == tree.end() ? nullptr : &*found;
}

// A wrapper and the program below it are one rank: the wrapper is who its launcher waits for.
bool is_below_same_rank(const std::vector<TreeProcess>& tree, const std::vector<InnerRankFound>& found,
                        const TreeProcess& process, int rank) {
    for (const auto* above = find_process(tree, process.parent); above != nullptr;
         above = find_process(tree, above->parent)) {
        if (std::any_of(found.begin(), found.end(), [&](const InnerRankFound& one) {
                return one.pid == above->pid && one.identity.rank == rank;
            })) {
            return true;
        }
    }
    return false;
}

// A launcher that sets the variables of a rank before it forks it seems to be that rank until the rank's group says more.
void drop_launcher_of(const std::vector<TreeProcess>& tree, const TreeProcess& process, int rank,
                      std::vector<InnerRankFound>& found) {
    for (const auto* above = find_process(tree, process.parent); above != nullptr;
         above = find_process(tree, above->parent)) {
        std::erase_if(found, [&](const InnerRankFound& one) {
            return one.pid == above->pid && one.identity.rank == rank &&
                   one.source == wire::INNER_VARIABLES_SET;
        });
    }
}

// What a program sets for all that it starts tells none of them apart.
void drop_claimed_twice(std::vector<InnerRankFound>& found) {
    std::map<int, int> claims;
    for (const auto& one : found) {
        ++claims[one.identity.rank];
    }
    std::erase_if(found, [&](const InnerRankFound& one) {
        return one.source != wire::INNER_PROCESS_GROUP && claims[one.identity.rank] > 1;
    });
}

void add_parent(const std::vector<TreeProcess>& tree, const std::vector<int>& known,
                std::vector<InnerRankFound>& found) {
    if (found.empty()) {
        return;
    }
    const TreeProcess* parent = nullptr;
    const auto& first = found.front().identity;
    const int base = first.rank - first.local_rank;
    for (const auto& one : found) {
        const auto* process = find_process(tree, one.pid);
        const auto* above = process == nullptr ? nullptr : find_process(tree, process->parent);
        if (one.source != wire::INNER_ENVIRONMENT || one.identity.local_rank < 1 || above == nullptr ||
            one.identity.rank - one.identity.local_rank != base || (parent != nullptr && above != parent)) {
            return;
        }
        parent = above;
    }
    if (base >= 0 && std::find(known.begin(), known.end(), base) == known.end()) {
        found.insert(found.begin(), {parent->pid, {base, first.world_size, 0}, wire::INNER_PARENT});
    }
}

void number_within_node(std::vector<InnerRankFound>& found) {
    int least = 0;
    for (const auto& one : found) {
        least = &one == &found.front() ? one.identity.rank : std::min(least, one.identity.rank);
    }
    for (auto& one : found) {
        if (one.identity.local_rank < 0) {
            one.identity.local_rank = one.identity.rank - least;
        }
    }
}

}  // namespace

bool parse_told(std::string_view told, std::string_view environment, int nodes, InnerRankFound& found) {
    const auto space = std::min(told.find(' '), told.size());
    const auto kind = told.substr(0, space);
    const auto said = told.substr(std::min(space + 1, told.size()));
    if (kind == "torch") {
        const auto numbers = split(said, ' ');
        const auto rank = numbers.size() == 2 ? parse_number<int>(numbers[0]) : std::nullopt;
        const auto size = numbers.size() == 2 ? parse_number<int>(numbers[1]) : std::nullopt;
        if (!rank || !size || *rank < 0 || *rank >= *size) {
            return false;
        }
        found.identity = {*rank, *size, -1};
        found.source = wire::INNER_PROCESS_GROUP;
        return true;
    }
    if (kind == "set") {
        std::string now(said);
        std::replace(now.begin(), now.end(), ';', '\0');
        if (const auto identity = identity_beyond(now, environment, nodes)) {
            found.identity = *identity;
            found.source = wire::INNER_VARIABLES_SET;
            return true;
        }
    }
    return false;
}

std::vector<InnerRankFound> inner_ranks_in(const std::vector<TreeProcess>& tree, int world_size, int nodes,
                                           const std::vector<int>& known) {
    std::vector<InnerRankFound> found;
    for (const auto& process : tree) {
        InnerRankFound one;
        one.pid = process.pid;
        const bool outer = &process == &tree.front();
        const auto* above = outer ? nullptr : find_process(tree, process.parent);
        const auto launched =
            above == nullptr ? std::nullopt : identity_beyond(process.environment, above->environment, nodes);
        if (parse_told(process.told, process.environment, nodes, one)) {
            if (launched && launched->rank == one.identity.rank) {
                one.identity.local_rank = launched->local_rank;
            }
        } else if (launched) {
            one.identity = *launched;
        } else {
            continue;
        }
        if (one.source == wire::INNER_PROCESS_GROUP) {
            drop_launcher_of(tree, process, one.identity.rank, found);
        }
        if (one.identity.world_size > world_size &&
            !is_below_same_rank(tree, found, process, one.identity.rank)) {
            found.push_back(one);
        }
    }
    drop_claimed_twice(found);
    add_parent(tree, known, found);
    number_within_node(found);
    return found;
}

}  // namespace rankscope::agent
