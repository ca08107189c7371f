// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/ranks/rank_identity.h>

#include <algorithm>
#include <array>

namespace rankscope::agent {
namespace {

constexpr int kMostRanks = 1 << 20;

/// The variables of one kind of launcher; empty: it has none for that.
struct Family {
    std::string_view rank;
    std::string_view size;
    std::string_view local_rank;
    std::string_view node;
};

// torchrun, accelerate, DeepSpeed, Lightning, Ultralytics · Open MPI · MPICH, Intel MPI · MVAPICH · Horovod · Paddle · Slurm
constexpr std::array kFamilies{
    Family{"RANK", "WORLD_SIZE", "LOCAL_RANK", "NODE_RANK"},
    Family{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", ""},
    Family{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", ""},
    Family{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", ""},
    Family{"HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", ""},
    Family{"PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_RANK_IN_NODE", ""},
    Family{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", ""},
};

std::optional<std::string_view> value_of(std::string_view environment, std::string_view name) {
    while (!name.empty() && !environment.empty()) {
        const auto end = std::min(environment.find('\0'), environment.size());
        const auto entry = environment.substr(0, end);
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
            return entry.substr(name.size() + 1);
        }
        environment.remove_prefix(std::min(end + 1, environment.size()));
    }
    return std::nullopt;
}

int number_in(std::string_view environment, std::string_view name, int otherwise) {
    const auto text = value_of(environment, name);
    const auto number = text ? parse_number<int>(*text) : std::nullopt;
    return number && *number >= 0 && *number < kMostRanks ? *number : otherwise;
}

std::optional<RankIdentity> identity_in(const Family& family, std::string_view environment, int nodes) {
    RankIdentity found{number_in(environment, family.rank, -1), number_in(environment, family.size, 0),
                       number_in(environment, family.local_rank, -1)};
    if (found.rank < 0 && found.local_rank >= 0) {
        // Lightning sets no more for the ranks that it starts.
        const int each = found.world_size / std::max(nodes, 1);
        found.rank = found.local_rank + number_in(environment, family.node, 0) * each;
    }
    return found.rank >= 0 && found.rank < found.world_size ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<RankIdentity> identity_beyond(std::string_view environment, std::string_view above, int nodes) {
    for (const auto& family : kFamilies) {
        const auto differs = [&](std::string_view name) {
            return value_of(environment, name) != value_of(above, name);
        };
        if (differs(family.rank) || differs(family.size) || differs(family.local_rank)) {
            if (const auto found = identity_in(family, environment, nodes)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

std::string rank_variables(std::string_view environment) {
    std::string all;
    for (const auto& family : kFamilies) {
        for (const auto name : {family.rank, family.size, family.local_rank, family.node}) {
            if (name.empty()) {
                continue;
            }
            all += (all.empty() ? "" : ";") + std::string(name);
            if (const auto value = value_of(environment, name); value && value->find(';') == value->npos) {
                all += '=' + std::string(*value);
            }
        }
    }
    return all;
}

}  // namespace rankscope::agent
