// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/hierarchical_collectives.h>
#include <engine/comm/reduce.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rankscope::engine {

HierarchicalCollectives::HierarchicalCollectives(std::vector<std::vector<int>> hosts, int rank,
                                                 std::unique_ptr<SharedMemoryCollectives> inside,
                                                 std::unique_ptr<GlooCollectives> between)
    : hosts_(std::move(hosts)), rank_(rank), inside_(std::move(inside)), between_(std::move(between)) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        size_ += static_cast<int>(hosts_[i].size());
        if (std::find(hosts_[i].begin(), hosts_[i].end(), rank) != hosts_[i].end()) {
            host_ = static_cast<int>(i);
        }
    }
}

std::string HierarchicalCollectives::transport() const {
    if (size_ == 1) {
        return "none: one rank";
    }
    return "shared memory inside " + std::to_string(hosts_.size()) + " hosts, Gloo between them";
}

void HierarchicalCollectives::all_reduce(const Reduction& reduction) {
    in_parts(reduction, [&](const Reduction& part, std::size_t /*before*/) {
        reduce_part(part, [&](const Reduction& sums) { between_->all_reduce(sums); });
    });
}

/// A leader gets only the shares of its host, where the ranks of each host are consecutive.
void HierarchicalCollectives::reduce_scatter(const Reduction& reduction, Shares shares) {
    const std::vector<std::size_t> by_host = shares_of_hosts(shares);
    in_parts(reduction, [&](const Reduction& part, std::size_t before) {
        const std::size_t count = part.count();
        std::vector<std::size_t> here;
        here.reserve(by_host.size());
        for (const std::size_t share : by_host) {
            here.push_back(std::clamp(share, before, before + count) - before);
        }
        reduce_part(part, [&](const Reduction& sums) {
            here.empty() ? between_->all_reduce(sums) : between_->reduce_scatter(sums, here);
        });
    });
}

/// Empty where the ranks of a host are not consecutive.
std::vector<std::size_t> HierarchicalCollectives::shares_of_hosts(Shares shares) const {
    std::vector<std::size_t> result{0};
    int next = 0;
    for (const std::vector<int>& host : hosts_) {
        for (const int rank : host) {
            if (rank != next++) {
                return {};
            }
        }
        result.push_back(shares[static_cast<std::size_t>(next)]);
    }
    return result;
}

/// The leaders have first their hosts' shares, then all of them; then the others get what is not of their host.
void HierarchicalCollectives::gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) {
    if (size_ == 1) {
        return;
    }
    const std::vector<int>& here = hosts_[static_cast<std::size_t>(host_)];
    const auto share_of = [&](int rank) {
        const auto place = static_cast<std::size_t>(rank);
        return part_of(pieces, type, shares[place], shares[place + 1]);
    };
    const auto bytes_of = [&](const Piece& piece) {
        return std::span(static_cast<std::byte*>(piece.data), piece.count * size_of(type));
    };
    if (inside_) {
        std::vector<Piece> own;
        std::vector<std::size_t> own_shares{0};
        for (const int rank : here) {
            const std::vector<Piece> part = share_of(rank);
            own.insert(own.end(), part.begin(), part.end());
            own_shares.push_back(own_shares.back() + element_count(part));
        }
        inside_->gather_shares(own, type, own_shares);
    }
    const std::vector<std::size_t> by_host = shares_of_hosts(shares);
    if (between_ && !by_host.empty()) {
        between_->gather_shares(pieces, type, by_host);
    }
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
        for (const int rank : hosts_[host]) {
            for (const Piece& piece : share_of(rank)) {
                if (between_ && by_host.empty()) {
                    between_->broadcast(bytes_of(piece), static_cast<int>(host));
                }
                if (inside_ && static_cast<int>(host) != host_) {
                    inside_->broadcast(bytes_of(piece), 0);
                }
            }
        }
    }
}

/// In parts that fit through the middle, cut in the same way on every host; with the number of elements before each.
void HierarchicalCollectives::in_parts(const Reduction& reduction,
                                       const std::function<void(const Reduction&, std::size_t)>& work) {
    const std::size_t element = size_of(reduction.type);
    constexpr std::size_t kMaxPieces = SharedMemoryCollectives::kMaxPieces;
    const std::size_t most = SharedMemoryCollectives::kMiddleBytes / element;
    std::vector<Piece> pieces;
    std::size_t count = 0;
    std::size_t before = 0;
    const auto flush = [&] {
        work({.pieces = pieces, .type = reduction.type, .scale = reduction.scale}, before);
        pieces.clear();
        before += count;
        count = 0;
    };
    for (const Piece& whole : reduction.pieces) {
        for (std::size_t begin = 0; begin < whole.count;) {
            if (pieces.size() == kMaxPieces || count == most) {
                flush();
            }
            const std::size_t length = std::min(whole.count - begin, most - count);
            pieces.push_back({static_cast<std::byte*>(whole.data) + begin * element, length});
            begin += length;
            count += length;
        }
    }
    flush();
}

/// `between`: of the leaders, gets the sums of their hosts.
void HierarchicalCollectives::reduce_part(const Reduction& part,
                                          const std::function<void(const Reduction&)>& between) {
    if (inside_) {
        // Rank 0 inside the host is the leader; the others' is never called.
        inside_->all_reduce_through(part, [&](const Piece& sum) {
            between({.pieces = {&sum, 1}, .type = part.type});
        });
        return;
    }
    // The other hosts' sums come scaled.
    for (const Piece& piece : part.pieces) {
        const void* source = piece.data;
        void* target = piece.data;
        reduce(part.type, part.scale, {&source, 1}, {&target, 1}, piece.count);
    }
    if (between_) {
        between({.pieces = part.pieces, .type = part.type});
    }
}

void HierarchicalCollectives::broadcast(std::span<std::byte> bytes, int root) {
    int from = 0;
    int place = 0;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto found = std::find(hosts_[i].begin(), hosts_[i].end(), root);
        if (found != hosts_[i].end()) {
            from = static_cast<int>(i);
            place = static_cast<int>(found - hosts_[i].begin());
        }
    }
    if (inside_ && from == host_) {
        inside_->broadcast(bytes, place);
    }
    if (between_) {
        between_->broadcast(bytes, from);
    }
    if (inside_ && from != host_) {
        inside_->broadcast(bytes, 0);
    }
}

void HierarchicalCollectives::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
    if (size_ == 1) {
        std::copy(mine.begin(), mine.end(), all.begin());
        return;
    }
    const std::vector<int>& here = hosts_[static_cast<std::size_t>(host_)];
    std::size_t most = 0;
    for (const auto& host : hosts_) {
        most = std::max(most, host.size());
    }
    // Hosts with fewer ranks leave a gap at the end of their part: all parts have the same size.
    std::vector<std::byte> part(most * mine.size());
    if (inside_) {
        inside_->all_gather(mine, std::span(part).first(here.size() * mine.size()));
    } else {
        std::copy(mine.begin(), mine.end(), part.begin());
    }
    if (between_) {
        std::vector<std::byte> parts(part.size() * hosts_.size());
        between_->all_gather(part, parts);
        for (std::size_t host = 0; host < hosts_.size(); ++host) {
            for (std::size_t i = 0; i < hosts_[host].size() && !mine.empty(); ++i) {
                std::memcpy(all.data() + static_cast<std::size_t>(hosts_[host][i]) * mine.size(),
                            parts.data() + host * part.size() + i * mine.size(), mine.size());
            }
        }
    }
    if (inside_) {
        inside_->broadcast(all, 0);
    }
}

void HierarchicalCollectives::barrier() {
    if (inside_) {
        inside_->barrier();
    }
    if (between_) {
        between_->barrier();
    }
    if (inside_) {
        inside_->barrier();
    }
}

int HierarchicalCollectives::place_inside(int other) const {
    const std::vector<int>& here = hosts_[static_cast<std::size_t>(host_)];
    const auto found = std::find(here.begin(), here.end(), other);
    if (!inside_ || found == here.end()) {
        throw std::logic_error("a message between hosts in a group of several ranks for each");
    }
    return static_cast<int>(found - here.begin());
}

void HierarchicalCollectives::send(std::span<const std::byte> bytes, int to) {
    const int place = place_inside(to);
    inside_->send(bytes, place);
}

void HierarchicalCollectives::receive(std::span<std::byte> bytes, int from) {
    const int place = place_inside(from);
    inside_->receive(bytes, place);
}

std::uint64_t HierarchicalCollectives::sent() const {
    return (inside_ ? inside_->sent() : 0) + (between_ ? between_->sent() : 0);
}

void HierarchicalCollectives::abort(const std::string& why) {
    if (inside_) {
        inside_->abort(why);
    }
    if (between_) {
        between_->abort(why);
    }
}

}  // namespace rankscope::engine
