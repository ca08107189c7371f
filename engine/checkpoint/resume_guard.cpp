// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <engine/checkpoint/host_broadcast.h>
#include <engine/checkpoint/resume_guard.h>
#include <engine/checkpoint/safetensors.h>
#include <engine/error.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace rankscope::engine {
namespace {

/// What a rank found on its disk.
struct Claim {
    std::int64_t step = -1;  ///< −1: nothing
    std::string digest;

    bool operator==(const Claim&) const = default;
};

constexpr std::size_t kDigest = 32;

std::string encode(const Claim& claim) {
    std::string bytes(sizeof(claim.step) + kDigest, '\0');
    std::memcpy(bytes.data(), &claim.step, sizeof(claim.step));
    std::copy(claim.digest.begin(), claim.digest.end(), bytes.begin() + sizeof(claim.step));
    return bytes;
}

Claim decode(const std::string& bytes) {
    Claim claim;
    std::memcpy(&claim.step, bytes.data(), sizeof(claim.step));
    if (claim.step >= 0) {
        claim.digest = bytes.substr(sizeof(claim.step), kDigest);
    }
    return claim;
}

/// "0", "1–3", "0, 2–5"
std::string ranges(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (last > i) {
            text += "–" + std::to_string(ranks[last]);
        }
        i = last + 1;
    }
    return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

std::string explain(const std::vector<Claim>& claims, int source) {
    const Claim& taken = claims[static_cast<std::size_t>(source)];
    std::map<std::string, std::vector<int>> others;
    for (std::size_t rank = 0; rank < claims.size(); ++rank) {
        const Claim& claim = claims[rank];
        if (claim == taken) {
            continue;
        }
        others[claim.step < 0             ? std::string("had none")
               : claim.step == taken.step ? "had another one of the same step"
                                          : "had step " + std::to_string(claim.step)]
            .push_back(static_cast<int>(rank));
    }
    std::string text;
    for (const auto& [what, ranks] : others) {
        text += (text.empty() ? "" : ", ") + ranges(ranks) + " " + what;
    }
    return "The ranks found different checkpoints: all continue from step " + std::to_string(taken.step) +
           " of rank " + std::to_string(source) + " (" + text +
           "). A checkpoint folder that all nodes share avoids the copying.";
}

/// The snapshot as it crosses the network: three lengths, position, the two safetensors files.
std::vector<std::byte> pack(const Snapshot& snapshot) {
    const std::string position = to_json(snapshot.position).dump();
    const auto model = views_of(snapshot.model);
    const auto optimizer = views_of(snapshot.optimizer);
    const std::array<std::pair<SafetensorsLayout, const std::vector<TensorView>*>, 2> files{
        {{lay_out_safetensors(model), &model}, {lay_out_safetensors(optimizer), &optimizer}}};
    std::array<std::uint64_t, 3> sizes{position.size(), 0, 0};
    std::uint64_t total = sizeof(sizes) + position.size();
    for (std::size_t i = 0; i < files.size(); ++i) {
        sizes[i + 1] = files[i].first.head.size() + files[i].first.data_size;
        total += sizes[i + 1];
    }
    std::vector<std::byte> packed(total);
    std::span<std::byte> out = packed;
    const auto put = [&](std::span<const std::byte> bytes) {
        std::copy(bytes.begin(), bytes.end(), out.begin());
        out = out.subspan(bytes.size());
    };
    put(std::as_bytes(std::span(sizes)));
    put(std::as_bytes(std::span(position)));
    for (const auto& [layout, views] : files) {
        put(std::as_bytes(std::span(layout.head)));
        for (const std::size_t index : layout.order) {
            put((*views)[index].bytes);
        }
    }
    return packed;
}

std::vector<TensorRecord> copies(const SafetensorsViews& views) {
    std::vector<TensorRecord> records;
    for (const TensorView& view : views.tensors) {
        records.push_back(
            {view.name, view.dtype, view.shape, std::vector(view.bytes.begin(), view.bytes.end())});
    }
    return records;
}

Snapshot unpack(std::span<const std::byte> in) {
    const auto take = [&](std::uint64_t size) {
        if (size > in.size()) {
            throw Error("the checkpoint that arrived is shorter than it says");
        }
        const auto part = in.first(size);
        in = in.subspan(size);
        return part;
    };
    std::array<std::uint64_t, 3> sizes{};
    const auto head = take(sizeof(sizes));
    std::memcpy(sizes.data(), head.data(), head.size());
    const auto text = take(sizes[0]);
    Snapshot snapshot;
    snapshot.position = training_position_of(
        read_json({static_cast<const char*>(static_cast<const void*>(text.data())), text.size()}));
    snapshot.model = copies(parse_safetensors(take(sizes[1])));
    snapshot.optimizer = copies(parse_safetensors(take(sizes[2])));
    return snapshot;
}

Snapshot receive_or_send(ProcessGroup& group, const Snapshot* mine, int source, const std::string& digest) {
    std::vector<std::byte> packed;
    if (group.rank() == source) {
        packed = pack(*mine);
    }
    std::uint64_t size = packed.size();
    broadcast_host(group, std::as_writable_bytes(std::span(&size, 1)), source);
    packed.resize(size);
    broadcast_host(group, packed, source);
    if (group.rank() == source) {
        return *mine;
    }
    Snapshot snapshot = unpack(packed);
    if (digest_of(snapshot) != digest) {
        throw Error("the checkpoint that arrived from rank " + std::to_string(source) +
                    " is not the one that was sent");
    }
    return snapshot;
}

}  // namespace

Resumed agree_on_snapshot(ProcessGroup* group, std::optional<Snapshot> mine) {
    if (group == nullptr || group->size() == 1) {
        const int source = mine ? 0 : -1;
        return {std::move(mine), source, ""};
    }
    Claim claim;
    if (mine) {
        claim = {mine->position.step, digest_of(*mine)};
    }
    std::vector<Claim> claims;
    for (const std::string& bytes : group->all_gather(encode(claim))) {
        claims.push_back(decode(bytes));
    }
    const auto newest = std::max_element(claims.begin(), claims.end(),
                                         [](const Claim& a, const Claim& b) { return a.step < b.step; });
    if (newest->step < 0) {
        return {};
    }
    const int source = static_cast<int>(newest - claims.begin());
    if (std::all_of(claims.begin(), claims.end(), [&](const Claim& one) { return one == *newest; })) {
        return {std::move(mine), source, ""};
    }
    Snapshot agreed = receive_or_send(*group, mine ? &*mine : nullptr, source, newest->digest);
    return {std::move(agreed), source, explain(claims, source)};
}

}  // namespace rankscope::engine
