// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/collectives.h>
#include <engine/comm/gloo_collectives.h>
#include <engine/comm/shared_memory_collectives.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Collectives of several hosts with several ranks each: inside a host over shared memory, between hosts over
/// Gloo by one leader per host (its lowest rank), then inside the hosts again. A 16-bit sum is rounded once
/// per host and once over the hosts. A group of one rank is one host with neither part.
class HierarchicalCollectives final : public Collectives {
public:
    /// `hosts`: the group's ranks by host, each list ascending, the lists by their first. `inside` is null
    /// where this rank is alone on its host, `between` where it leads none.
    HierarchicalCollectives(std::vector<std::vector<int>> hosts, int rank,
                            std::unique_ptr<SharedMemoryCollectives> inside,
                            std::unique_ptr<GlooCollectives> between);

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string transport() const override;
    void all_reduce(const Reduction& reduction) override;
    void broadcast(std::span<std::byte> bytes, int root) override;
    void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
    void reduce_scatter(const Reduction& reduction, Shares shares) override;
    void gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) override;
    void barrier() override;
    /// Between ranks of one host only: others have no connection in such a group. Throws std::logic_error.
    void send(std::span<const std::byte> bytes, int to) override;
    void receive(std::span<std::byte> bytes, int from) override;
    std::uint64_t sent() const override;
    void abort(const std::string& why) override;

private:
    void in_parts(const Reduction& reduction,
                  const std::function<void(const Reduction& part, std::size_t before)>& work);
    void reduce_part(const Reduction& part, const std::function<void(const Reduction&)>& between);
    std::vector<std::size_t> shares_of_hosts(Shares shares) const;
    int place_inside(int other) const;

    std::vector<std::vector<int>> hosts_;
    int rank_;
    int size_ = 0;
    int host_ = 0;  ///< this rank's, an index of hosts_
    std::unique_ptr<SharedMemoryCollectives> inside_;
    std::unique_ptr<GlooCollectives> between_;
};

}  // namespace rankscope::engine
