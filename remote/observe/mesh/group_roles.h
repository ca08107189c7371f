// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The purposes of the process groups of a program: the axes of its mesh.
namespace rankscope {

enum class GroupRole {
    Unknown,
    World,     ///< all ranks
    Data,      ///< each rank has other samples
    Tensor,    ///< each rank has a part of every layer
    Pipeline,  ///< each rank has some of the layers
    Expert,    ///< each rank has some of the experts
    Context,   ///< each rank has a part of every sequence
    Own,       ///< several of these at once, or a purpose of the program's own
};

template <>
struct EnumNames<GroupRole> {
    static constexpr auto names =
        std::to_array<const char*>({"unknown", "world", "dp", "tp", "pp", "ep", "cp", "own"});
};

/// Operations of one of its ranks.
struct GroupTraffic {
    std::uint64_t reductions = 0;  ///< all-reduce
    std::uint64_t scatters = 0;    ///< reduce-scatter
    std::uint64_t gathers = 0;     ///< all-gather
    std::uint64_t exchanges = 0;   ///< all-to-all
    std::uint64_t messages = 0;    ///< send and receive

    /// By the names of PyTorch ("_reduce_scatter_base", "coalesced", "nccl:send 0->1") and NCCL ("ReduceScatter").
    void add(std::string_view operation, std::uint64_t times = 1);
    std::uint64_t collectives() const { return reductions + scatters + gathers + exchanges; }
};

/// A process group or a communicator.
struct ObservedGroup {
    std::string name = {};  ///< of the group: "3"; of the communicator
    std::string description =
        {};  ///< of PyTorch: "mesh_tp", "TENSOR_MODEL_PARALLEL_GROUP"; "undefined" is none
    std::vector<int> ranks = {};  ///< of the run, ascending
    GroupTraffic traffic = {};
};

/// The purpose of one group.
struct GroupPlace {
    GroupRole role = GroupRole::Unknown;
    std::string axis = {};  ///< "tp", "dp_shard", "embedding"; empty: unknown
    int number = 0;         ///< among the groups of this axis, by their first ranks, from 0
    int groups = 1;         ///< of this axis
    bool stated = false;    ///< by the program; else its ranks and its traffic say so
};

/// Groups of one purpose that divide all ranks of the run alike.
struct MeshAxis {
    std::string name = {};
    GroupRole role = GroupRole::Unknown;
    int size = 1;    ///< ranks of a group
    int stride = 1;  ///< from one rank of a group to the next; 0: not the same for all
};

struct Mesh {
    std::vector<GroupPlace> places = {};  ///< of each observed group
    /// The outermost first; of the world only where there is nothing else.
    std::vector<MeshAxis> axes = {};
    std::vector<std::vector<int>> coordinates =
        {};  ///< by rank: its place on each axis; −1: in no group of it
};

/// A purpose that nothing tells stays unknown: a wrong name would be worse than none. `world_size`: ranks of the run.
Mesh infer_mesh(const std::vector<ObservedGroup>& groups, int world_size);

/// The purpose in the words of a description or name; Unknown: it has none of them.
struct StatedRole {
    GroupRole role = GroupRole::Unknown;
    std::string axis = {};
};
StatedRole stated_role(std::string_view text);

}  // namespace rankscope
