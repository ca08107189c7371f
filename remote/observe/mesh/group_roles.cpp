// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/mesh/group_roles.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace rankscope {
namespace {

struct Word {
    std::string_view word;
    GroupRole role;
};

/// The words of DeviceMesh's users (torchtitan), Megatron-LM, DeepSpeed and their kind.
constexpr std::array kWords{Word{"dp", GroupRole::Data},           Word{"ddp", GroupRole::Data},
                            Word{"fsdp", GroupRole::Data},         Word{"hsdp", GroupRole::Data},
                            Word{"data", GroupRole::Data},         Word{"replicate", GroupRole::Data},
                            Word{"shard", GroupRole::Data},        Word{"batch", GroupRole::Data},
                            Word{"tp", GroupRole::Tensor},         Word{"tensor", GroupRole::Tensor},
                            Word{"pp", GroupRole::Pipeline},       Word{"pipe", GroupRole::Pipeline},
                            Word{"pipeline", GroupRole::Pipeline}, Word{"stage", GroupRole::Pipeline},
                            Word{"ep", GroupRole::Expert},         Word{"expert", GroupRole::Expert},
                            Word{"moe", GroupRole::Expert},        Word{"cp", GroupRole::Context},
                            Word{"context", GroupRole::Context},   Word{"sp", GroupRole::Context},
                            Word{"sequence", GroupRole::Context},  Word{"ulysses", GroupRole::Context},
                            Word{"embedding", GroupRole::Own},     Word{"embd", GroupRole::Own}};

/// Lower-case words of "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp_shard", "dataParallel".
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool open = false;
    bool lower = false;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalpha(byte) == 0) {
            open = false;
            continue;
        }
        const bool upper = std::isupper(byte) != 0;
        if (!open || (upper && lower)) {
            words.emplace_back();
        }
        words.back() += static_cast<char>(std::tolower(byte));
        open = true;
        lower = !upper;
    }
    return words;
}

std::string short_name(GroupRole role) {
    return EnumNames<GroupRole>::names.at(static_cast<std::size_t>(role));
}

/// PyTorch's DeviceMesh puts it before the name of a dimension.
constexpr std::string_view kMesh = "mesh_";

/// Names that are short as they are: "mesh_dp_shard" is "dp_shard".
std::optional<std::string> own_name(std::string_view text) {
    constexpr std::size_t kLongest = 16;
    if (text.starts_with(kMesh)) {
        text.remove_prefix(kMesh.size());
    }
    const bool plain = std::all_of(text.begin(), text.end(), [](char letter) {
        return letter == '_' || (letter >= 'a' && letter <= 'z');
    });
    return plain && !text.empty() && text.size() <= kLongest ? std::optional(std::string(text))
                                                             : std::nullopt;
}

/// From one rank to the next; 0: not the same for all.
int stride_of(const std::vector<int>& ranks) {
    const auto step = [&](std::size_t i) { return std::int64_t{ranks[i]} - ranks[i - 1]; };
    const std::int64_t stride = ranks.size() > 1 ? step(1) : 1;
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        if (step(i) != stride) {
            return 0;
        }
    }
    return stride > 0 && stride <= std::numeric_limits<int>::max() ? static_cast<int>(stride) : 0;
}

bool disjoint(const std::vector<const ObservedGroup*>& groups) {
    std::set<int> seen;
    for (const ObservedGroup* group : groups) {
        for (const int rank : group->ranks) {
            if (!seen.insert(rank).second) {
                return false;
            }
        }
    }
    return true;
}

class Inference {
public:
    Inference(const std::vector<ObservedGroup>& groups, int world_size)
        : groups_(groups), world_size_(static_cast<std::size_t>(std::max(world_size, 0))) {
        mesh_.places.resize(groups.size());
    }

    Mesh run() {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            read_stated(i);
        }
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            read_traffic(i);
        }
        compare_families();
        number();
        find_coordinates();
        return std::move(mesh_);
    }

private:
    bool is_world(const ObservedGroup& group) const {
        return world_size_ > 0 && group.ranks.size() == world_size_;
    }

    void read_stated(std::size_t i) {
        const ObservedGroup& group = groups_[i];
        StatedRole stated = stated_role(group.description);
        if (stated.role == GroupRole::Unknown) {
            stated = stated_role(group.name);
        }
        GroupPlace& place = mesh_.places[i];
        if (stated.role != GroupRole::Unknown) {
            place = {.role = stated.role, .axis = stated.axis, .stated = true};
        } else if (is_world(group)) {
            place = {.role = GroupRole::World, .axis = short_name(GroupRole::World)};
        }
    }

    void set(std::size_t i, GroupRole role) { mesh_.places[i] = {.role = role, .axis = short_name(role)}; }

    /// Only pipelines send from rank to rank, only experts exchange with all.
    void read_traffic(std::size_t i) {
        const GroupTraffic& traffic = groups_[i].traffic;
        if (mesh_.places[i].role != GroupRole::Unknown || groups_[i].ranks.size() < 2) {
            return;
        }
        if (traffic.messages > traffic.collectives()) {
            set(i, GroupRole::Pipeline);
        } else if (traffic.exchanges > 0 && 2 * traffic.exchanges >= traffic.collectives()) {
            set(i, GroupRole::Expert);
        }
    }

    /// Two families of unknown groups that cross each other: those of neighbours that sum at least twice as often as the
    /// others are tensor groups, the others hold copies of one part. Gathered weights (FSDP) are no sums, and hierarchical
    /// sums are as many in both; one family alone may be anything.
    void compare_families() {
        std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> families;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const int stride = stride_of(groups_[i].ranks);
            if (mesh_.places[i].role == GroupRole::Unknown && groups_[i].ranks.size() > 1 && stride > 0) {
                families[{groups_[i].ranks.size(), stride}].push_back(i);
            }
        }
        std::erase_if(families, [&](const auto& family) {
            std::vector<const ObservedGroup*> members;
            for (const std::size_t i : family.second) {
                members.push_back(&groups_[i]);
            }
            return !disjoint(members) || busiest(family.second).collectives() == 0;
        });
        if (families.size() != 2 || has(GroupRole::Tensor) || has(GroupRole::Data)) {
            return;
        }
        auto inner = families.begin();
        auto outer = std::next(inner);
        if (inner->first.second > outer->first.second) {
            std::swap(inner, outer);
        }
        const GroupTraffic sums = busiest(inner->second);
        if (inner->first.second == 1 && sums.reductions > 2 * (sums.gathers + sums.scatters) &&
            sums.reductions >= 2 * busiest(outer->second).collectives()) {
            set_all(inner->second, GroupRole::Tensor);
            set_all(outer->second, GroupRole::Data);
        }
    }

    GroupTraffic busiest(const std::vector<std::size_t>& family) const {
        GroupTraffic most;
        for (const std::size_t i : family) {
            most = groups_[i].traffic.collectives() > most.collectives() ? groups_[i].traffic : most;
        }
        return most;
    }

    void set_all(const std::vector<std::size_t>& family, GroupRole role) {
        for (const std::size_t i : family) {
            set(i, role);
        }
    }

    bool has(GroupRole role) const {
        return std::any_of(mesh_.places.begin(), mesh_.places.end(),
                           [&](const GroupPlace& place) { return place.role == role; });
    }

    void number() {
        std::map<std::string, std::vector<std::size_t>> axes;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (!mesh_.places[i].axis.empty()) {
                axes[mesh_.places[i].axis].push_back(i);
            }
        }
        for (auto& [name, members] : axes) {
            std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
                return groups_[a].ranks < groups_[b].ranks;
            });
            // The same ranks may have a group twice: for another backend or stream.
            int count = -1;
            for (std::size_t k = 0; k < members.size(); ++k) {
                count += k == 0 || groups_[members[k]].ranks != groups_[members[k - 1]].ranks ? 1 : 0;
                mesh_.places[members[k]].number = count;
            }
            for (const std::size_t i : members) {
                mesh_.places[i].groups = count + 1;
            }
            add_axis(name, members, static_cast<std::size_t>(count) + 1);
        }
        const auto outermost_first = [](const MeshAxis& a, const MeshAxis& b) {
            return std::tuple(-a.stride, -a.size, a.name) < std::tuple(-b.stride, -b.size, b.name);
        };
        if (mesh_.axes.size() > 1) {
            std::erase_if(mesh_.axes, [](const MeshAxis& axis) { return axis.role == GroupRole::World; });
        }
        std::sort(mesh_.axes.begin(), mesh_.axes.end(), outermost_first);
        // The same groups by another name: torchtitan's "batch" is its "dp_shard".
        const auto named_as_usual = [](const MeshAxis& axis) {
            return axis.name.starts_with(short_name(axis.role));
        };
        const std::vector<MeshAxis> all = mesh_.axes;
        std::erase_if(mesh_.axes, [&](const MeshAxis& axis) {
            return !named_as_usual(axis) && std::any_of(all.begin(), all.end(), [&](const MeshAxis& other) {
                return other.role == axis.role && other.size == axis.size && other.stride == axis.stride &&
                       named_as_usual(other);
            });
        });
    }

    void add_axis(const std::string& name, const std::vector<std::size_t>& members, std::size_t groups) {
        const ObservedGroup& first = groups_[members.front()];
        const GroupRole role = mesh_.places[members.front()].role;
        const std::size_t size = first.ranks.size();
        const int stride = stride_of(first.ranks);
        const bool alike = std::all_of(members.begin(), members.end(), [&](std::size_t i) {
            return groups_[i].ranks.size() == size && stride_of(groups_[i].ranks) == stride;
        });
        if (role != GroupRole::Own && alike && size > 1 && groups * size == world_size_) {
            mesh_.axes.push_back({name, role, static_cast<int>(size), stride});
        }
    }

    void find_coordinates() {
        mesh_.coordinates.assign(world_size_, std::vector<int>(mesh_.axes.size(), -1));
        for (std::size_t axis = 0; axis < mesh_.axes.size(); ++axis) {
            for (std::size_t i = 0; i < groups_.size(); ++i) {
                if (mesh_.places[i].axis == mesh_.axes[axis].name) {
                    place_ranks(groups_[i].ranks, axis);
                }
            }
        }
    }

    void place_ranks(const std::vector<int>& ranks, std::size_t axis) {
        for (std::size_t place = 0; place < ranks.size(); ++place) {
            if (ranks[place] >= 0 && static_cast<std::size_t>(ranks[place]) < world_size_) {
                mesh_.coordinates[static_cast<std::size_t>(ranks[place])][axis] = static_cast<int>(place);
            }
        }
    }

    const std::vector<ObservedGroup>& groups_;
    std::size_t world_size_;
    Mesh mesh_;
};

}  // namespace

void GroupTraffic::add(std::string_view operation, std::uint64_t times) {
    std::string plain;
    for (const char letter : operation.substr(operation.rfind(':') + 1)) {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
    }
    const auto is = [&](std::string_view word) { return plain.find(word) != std::string::npos; };
    if (is("reducescatter")) {
        scatters += times;
    } else if (is("allreduce")) {
        reductions += times;
    } else if (is("allgather")) {
        gathers += times;
    } else if (is("alltoall")) {
        exchanges += times;
    } else if (plain.starts_with("send") || plain.starts_with("recv") || plain.starts_with("isend") ||
               plain.starts_with("irecv")) {
        messages += times;
    }
}

StatedRole stated_role(std::string_view text) {
    std::vector<GroupRole> roles;
    std::string axis;
    const std::vector<std::string> words = words_of(text);
    for (const std::string& word : words) {
        const auto* const known =
            std::find_if(kWords.begin(), kWords.end(), [&](const Word& one) { return one.word == word; });
        if (known != kWords.end() && std::find(roles.begin(), roles.end(), known->role) == roles.end()) {
            roles.push_back(known->role);
            axis += (axis.empty() ? "" : "·") +
                    (known->role == GroupRole::Own ? std::string("embedding") : short_name(known->role));
        }
    }
    if (roles.empty()) {
        // Megatron's pipeline and tensor groups in one, or another library's tensor groups.
        const auto has = [&](const char* word) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        const bool model = (has("model") && has("parallel")) || has("mp");
        if (const auto name = own_name(text); text.starts_with(kMesh) && name) {
            return {GroupRole::Own, *name};
        }
        return model ? StatedRole{GroupRole::Own, "mp"} : StatedRole{};
    }
    return {roles.size() == 1 ? roles.front() : GroupRole::Own, own_name(text).value_or(axis)};
}

Mesh infer_mesh(const std::vector<ObservedGroup>& groups, int world_size) {
    return Inference(groups, world_size).run();
}

}  // namespace rankscope
