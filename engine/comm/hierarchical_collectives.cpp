// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/hierarchical_collectives.h>
#include <engine/comm/reduce.h>

#include <algorithm>
#include <cstring>

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

/// In parts that fit through the middle, cut in the same way on every host.
void HierarchicalCollectives::all_reduce(const Reduction& reduction) {
    const std::size_t element = size_of(reduction.type);
    constexpr std::size_t kMaxPieces = SharedMemoryCollectives::kMaxPieces;
    const std::size_t most = SharedMemoryCollectives::kMiddleBytes / element;
    std::vector<Piece> pieces;
    std::size_t count = 0;
    const auto flush = [&] {
        reduce_part({.pieces = pieces, .type = reduction.type, .scale = reduction.scale});
        pieces.clear();
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

void HierarchicalCollectives::reduce_part(const Reduction& part) {
    if (inside_) {
        // Rank 0 inside the host is the leader; the others' is never called.
        inside_->all_reduce_through(part, [&](const Piece& sum) {
            between_->all_reduce({.pieces = {&sum, 1}, .type = part.type});
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
        between_->all_reduce({.pieces = part.pieces, .type = part.type});
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

void HierarchicalCollectives::abort(const std::string& why) {
    if (inside_) {
        inside_->abort(why);
    }
    if (between_) {
        between_->abort(why);
    }
}

}  // namespace rankscope::engine
